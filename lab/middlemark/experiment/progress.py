"""Shows people how far a run is: a line for every step, and on a terminal a line that lives."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from middlemark.experiment.expectation import expectation_line
from middlemark.experiment.loads import Loads
from middlemark.experiment.plan_text import (
    budget_text,
    phases_line,
    placement_lines,
    reference_lines,
    rounds_parts,
    together_lines,
)
from middlemark.experiment.point_spec import PointSpec
from middlemark.experiment.preparation import Preparation
from middlemark.load.loading import Progress as Loading
from middlemark.records.driver_lines import Interval, Line, PhaseLine
from middlemark.records.point import Outcome, Verdict
from middlemark.records.run import Combination, load_name
from middlemark.records.warm_up import WarmUp
from middlemark.verdict.warm_ups import ending_text
from middlemark.wording import counted


class Progress:
    """Writes to stderr, so that stdout holds the result alone."""

    def __init__(self) -> None:
        self._console = Console(file=sys.stderr, highlight=False)
        self._began = time.monotonic()
        self._unit = "users"
        self._has_database = True

    def started(self, preparation: Preparation, root: Path) -> None:
        """Print what is going to happen and how long it takes."""
        self._unit = preparation.experiment.loads.unit
        parts = (
            counted(len(preparation.combinations), "combination"),
            _loads(preparation.experiment.loads),
            *rounds_parts(preparation),
        )
        self._print(
            f"{preparation.name}: {' × '.join(parts)}{')' * (preparation.experiment.loads.search is not None)} = "
            f"{counted(preparation.points, 'window')}, {budget_text(preparation)}"
        )
        self._print(phases_line(preparation))
        if line := expectation_line(preparation):
            self._print(line)
        for line in (*together_lines(preparation), *placement_lines(preparation)):
            self._print(line)
        for left in preparation.left_out:
            self._print(f"left out: {left.label}: {left.reason}")
        for line in reference_lines(preparation):
            self._print(line)
        self._print(f"result folder: {root}")
        self._has_database = bool(preparation.specification.description.databases)

    def others(self, pids: Sequence[int]) -> None:
        """Warn of other runs on this machine."""
        for pid in pids:
            judged = "points of both will be INVALID, except those with faults"
            self._print(f"another run (pid {pid}) is measuring on this machine: {judged}")

    def step(self, what: str) -> None:
        """Print what is being done now."""
        self._print(what)

    @contextmanager
    def loading(self) -> Iterator[Callable[[Loading], None]]:
        """Give what shows how far the data set is; the terminal is as before when the context ends, however it ends."""
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Bar(*columns, console=self._console, transient=True, disable=not self._console.is_terminal) as bar:
            task = bar.add_task("loading", total=None)

            def show(how_far: Loading) -> None:
                bar.update(task, total=how_far.total, completed=how_far.done, description=f"loading {how_far.step}")

            yield show

    def point(self, point: PointSpec, measured: int, points: int) -> Callable[[Line], None]:
        """Return what shows a point while it is measured, after so many of all the run has at most."""
        where = f"{point.combination.label}, {load_name(point.load, self._unit)}, {_place(point)}"
        name = f"window {measured + 1}/{points}: {where}"
        phase = ["ramp"]

        def hear(line: Line) -> None:
            if isinstance(line, PhaseLine):
                phase[0] = line.phase
            elif isinstance(line, Interval) and self._console.is_terminal and line.seconds > 0:
                live = (
                    f"{name}: {phase[0]}, {line.users} users, {line.count / line.seconds:.0f}/s, {line.errors} errors"
                )
                self._console.print(live, end="\r", soft_wrap=True)

        return hear

    def warmed(self, combination: Combination, warm_up: WarmUp) -> None:
        """Print how a warm-up ended that might have taken longer or shorter."""
        if warm_up.warm is not None:
            self._print(f"{combination.label}: warm-up ended after {warm_up.seconds:.0f} s: {ending_text(warm_up)}")

    def measured(self, point: PointSpec, verdict: Verdict) -> None:
        """Print what came out of a point."""
        passed = next((c.outcome is Outcome.PASSED for c in verdict.checks if c.name == "audit"), False)
        audit = "audit passed" if passed else "audit not passed"
        self._print(
            f"{point.combination.label}, {load_name(point.load, self._unit)}, {_place(point)}: "
            f"{verdict.throughput_tps:.1f}/s "
            f"{_little(verdict)}mean {verdict.total.mean_ms:.1f} ms, p99 {verdict.total.p99_ms:.1f} ms, "
            f"{verdict.total.errors} errors, {audit if self._has_database else 'no database to audit'}"
            + ("" if verdict.valid else f": INVALID ({'; '.join(verdict.reasons)})")
        )

    def replaced(self, point: PointSpec, verdict: Verdict) -> None:
        """Print that a window is measured again, and what disturbed it."""
        what = "; ".join(one.text for one in verdict.disturbances)
        self._print(f"{point.combination.label}, {_place(point)}: disturbed ({what}), measured again")

    def _print(self, text: str) -> None:
        spent = int(time.monotonic() - self._began)
        self._console.print(f"[{spent // 60}:{spent % 60:02d}] {text}", soft_wrap=True, markup=False)


def _little(verdict: Verdict) -> str:
    """Return what Little's law expects, where it holds."""
    if not verdict.little_tps:
        return ""
    deviation = abs(verdict.throughput_tps / verdict.little_tps - 1) * 100
    return f"(users ÷ (think + response) = {verdict.little_tps:.1f}/s, {deviation:.2f} % off), "


def _place(point: PointSpec) -> str:
    """Return which round a point is of, or its faults."""
    if point.searching:
        return "searching"
    return " and ".join(map(str, point.faults)) if point.faults else f"round {point.repeat + 1}"


def _loads(loads: Loads) -> str:
    if loads.search is not None:
        return f"(a search of at most {loads.points} windows + the peak"
    return ("at most " if loads.until else "") + counted(len(loads.levels), "load")
