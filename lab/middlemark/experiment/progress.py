"""Tells people how far a run is: a line for every step, and on a terminal a line that lives."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from middlemark.dataset.loading import Progress as Loading
from middlemark.experiment.point import PointOrder
from middlemark.experiment.preparation import Preparation
from middlemark.load.lines import Interval, Line, PhaseLine
from middlemark.results.point import Outcome, Verdict


class Progress:
    """Writes to stderr, so that stdout holds the result alone."""

    def __init__(self) -> None:
        self._console = Console(file=sys.stderr, highlight=False)
        self._began = time.monotonic()
        self._loading: tuple[Bar, TaskID] | None = None

    def started(self, preparation: Preparation, root: Path) -> None:
        """Say what is going to happen and how long it takes."""
        minutes = preparation.budget_s / 60
        self._say(
            f"{preparation.name}: {len(preparation.combinations)} combinations × "
            f"{len(preparation.experiment.loads.users)} loads × {preparation.experiment.repeats} blocks = "
            f"{preparation.points} points, about {minutes:.1f} minutes after building and loading"
        )
        for left in preparation.left_out:
            self._say(f"left out: {left.label}: {left.reason}")
        self._say(f"result folder: {root}")

    def step(self, what: str) -> None:
        """Say what is being done now."""
        self._say(what)

    def loading(self, how_far: Loading) -> None:
        """Show how far the data set is."""
        if self._loading is None:
            bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                TimeRemainingColumn(),
                console=self._console,
                transient=True,
            )
            self._loading = (bar, bar.add_task("loading", total=how_far.total))
            bar.start()
        bar, task = self._loading
        bar.update(task, completed=how_far.done, description=f"loading {how_far.step}")
        if how_far.step == "loaded":
            bar.stop()
            self._loading = None
            self._say(f"loaded {how_far.rows:,} rows")

    def point(self, order: PointOrder, points: int) -> Callable[[Line], None]:
        """Return what shows a point while it is measured."""
        name = (
            f"point {order.index + 1}/{points}: {order.combination.label}, {order.load} users, block {order.repeat + 1}"
        )
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

    def measured(self, order: PointOrder, verdict: Verdict) -> None:
        """Say what came out of a point."""
        deviation = abs(verdict.throughput_tps / verdict.little_tps - 1) * 100 if verdict.little_tps else 0.0
        passed = next((c.outcome is Outcome.PASSED for c in verdict.checks if c.name == "audit"), False)
        self._say(
            f"{order.combination.label}, {order.load} users, block {order.repeat + 1}: {verdict.throughput_tps:.1f}/s "
            f"(users ÷ (think + response) = {verdict.little_tps:.1f}/s, {deviation:.2f} % off), "
            f"mean {verdict.total.mean_ms:.1f} ms, p99 {verdict.total.p99_ms:.1f} ms, "
            f"{verdict.total.errors} errors, audit {'passed' if passed else 'not passed'}"
            + ("" if verdict.valid else f": INVALID ({'; '.join(verdict.invalid)})")
        )

    def _say(self, text: str) -> None:
        spent = int(time.monotonic() - self._began)
        self._console.print(f"[{spent // 60}:{spent % 60:02d}] {text}", soft_wrap=True, markup=False)
