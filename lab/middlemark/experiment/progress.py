"""Shows people how far a run is: on a terminal a table that fills, else a line a minute. The log has every step."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console, ConsoleRenderable
from rich.live import Live

from middlemark.experiment.expectation import expectation_line
from middlemark.experiment.live_table import State, live_table, short_line
from middlemark.experiment.plan_text import plan_lines, whole_line
from middlemark.experiment.point_spec import PointSpec
from middlemark.experiment.preparation import Preparation
from middlemark.load.loading import Progress as Loading
from middlemark.records.driver_lines import Interval, Line, PhaseLine
from middlemark.records.findings import Findings
from middlemark.records.folder import saving_under
from middlemark.records.point import Outcome
from middlemark.records.run import Combination, load_name
from middlemark.records.run_parts import WarmUp
from middlemark.records.window import Window

LOG = "run.log"
PERIOD_S = 60.0
PERCENT = 100


class Progress:
    """A run as it goes, on stderr, so that stdout holds the result alone; a context, which ends what lives."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(file=sys.stderr, highlight=False)
        self._began = time.monotonic()
        self._unit = "users"
        self._state = State()
        self._log: TextIO | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Begin; nothing is shown before the run has `started`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was, and close the log."""
        self._stack.close()

    def started(self, preparation: Preparation, root: Path) -> None:
        """Say what is going to happen and how long it takes, and begin to show it."""
        self._unit = preparation.experiment.loads.unit
        with saving_under(root):
            (root / "logs").mkdir(parents=True, exist_ok=True)
            self._log = self._stack.enter_context((root / "logs" / LOG).open("a", encoding="utf-8"))
        self._state.begin(preparation)
        for line in (*plan_lines(preparation, {}), f"result folder: {root}"):
            self._note(line)
        for line in (whole_line(preparation), expectation_line(preparation), f"result folder: {root}"):
            if line:
                self._show(line)
        if self._console.is_terminal:
            live = Live(get_renderable=self._table, console=self._console, refresh_per_second=2, transient=True)
            self._stack.enter_context(live)
        else:
            self._stack.enter_context(self._line_a_minute())

    def advise(self, what: str) -> None:
        """Show something that people should know, for good."""
        self._show(what)
        self._note(what)

    def others(self, pids: Sequence[int]) -> None:
        """Warn of other runs on this machine."""
        for pid in pids:
            judged = "points of both will be INVALID, except those with faults"
            self.advise(f"another run (pid {pid}) is measuring on this machine: {judged}")

    def step(self, what: str, combination: Combination | None = None) -> None:
        """Show what is being done now, of a combination beside its name."""
        self._state.step(what, combination)
        self._note(f"{what} {combination.label}" if combination else what)

    def expect(self, seconds: float) -> None:
        """Show that the run takes so long from now on at most."""
        self._state.ends_at = time.monotonic() + seconds

    @contextmanager
    def loading(self) -> Iterator[Callable[[Loading], None]]:
        """Give what shows how far the data set is."""

        def show(how_far: Loading) -> None:
            share = PERCENT * how_far.done / how_far.total if how_far.total else 0
            self._state.step(f"loading {how_far.step}, {share:.0f} %")

        yield show

    def point(self, point: PointSpec, measured: int, points: int) -> Callable[[Line], None]:
        """Return what shows a point while it is measured, after so many of all the run has at most."""
        self._state.measured, self._state.points = measured, points
        place = f"{load_name(point.load, self._unit)}, {_place(point)}"
        phase = ["ramp"]
        self._state.step(place, point.combination)

        def hear(line: Line) -> None:
            if isinstance(line, PhaseLine):
                phase[0] = line.phase
            elif isinstance(line, Interval) and line.seconds > 0:
                errors = f", {line.errors} errors" if line.errors else ""
                live = f"{place}: {phase[0]}, {line.count / line.seconds:,.0f}/s{errors}"
                self._state.step(live, point.combination)

        return hear

    def following(self, combinations: Sequence[Combination]) -> None:
        """Show whose windows come next in the round."""
        self._state.following = [one.label for one in combinations]

    def warmed(self, combination: Combination, warm_up: WarmUp) -> None:
        """Note how a warm-up ended that might have taken longer or shorter."""
        if warm_up.warm is not None:
            self._note(f"{combination.label}: warm-up ended after {warm_up.seconds:.0f} s: {warm_up.ending}")
        self._state.step("warm", combination)

    def measured(self, point: PointSpec, window: Window) -> None:
        """Note what came out of a point."""
        self._state.step("", point.combination)
        audit = next((c.outcome for c in window.checks if c.name == "audit"), Outcome.NOT_CHECKED)
        self._note(
            f"{point.combination.label}, {load_name(point.load, self._unit)}, {_place(point)}: "
            f"{window.throughput_tps:.1f}/s {_little(window)}mean {window.total.mean_ms:.1f} ms, "
            f"p99 {window.total.p99_ms:.1f} ms, {window.total.errors} errors, audit {audit.value}"
            + ("" if window.valid else f": INVALID ({'; '.join(window.reasons)})")
        )

    def replaced(self, point: PointSpec, window: Window) -> None:
        """Note that a window is measured again, and what disturbed it."""
        what = "; ".join(one.text for one in window.disturbances)
        self._note(f"{point.combination.label}, {_place(point)}: disturbed ({what}), measured again")

    def judged(self, findings: Findings) -> None:
        """Show what the rounds so far allow to say."""
        self._state.findings = findings

    def _table(self) -> ConsoleRenderable:
        return live_table(self._state)

    @contextmanager
    def _line_a_minute(self) -> Iterator[None]:
        ended = threading.Event()

        def show() -> None:
            while not ended.wait(PERIOD_S):
                self._show(short_line(self._state))

        thread = threading.Thread(target=show, name="run", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _show(self, text: str) -> None:
        self._console.print(f"[{self._clock}] {text}", soft_wrap=True, markup=False)

    def _note(self, text: str) -> None:
        if self._log is not None:
            with saving_under(Path(self._log.name).parent):
                self._log.write(f"[{self._clock}] {text}\n")
                self._log.flush()

    @property
    def _clock(self) -> str:
        spent = int(time.monotonic() - self._began)
        return f"{spent // 60}:{spent % 60:02d}"


def _little(window: Window) -> str:
    """What Little's law expects, where it holds."""
    if not window.little_tps:
        return ""
    deviation = abs(window.throughput_tps / window.little_tps - 1) * PERCENT
    return f"(users ÷ (think + response) = {window.little_tps:.1f}/s, {deviation:.2f} % off), "


def _place(point: PointSpec) -> str:
    """Which round a point is of, or its faults."""
    if point.searching:
        return "searching"
    return " and ".join(map(str, point.faults)) if point.faults else f"round {point.repeat + 1}"
