"""Shows people how far a run is: on a terminal a table that fills, else a line a minute. The log has every step."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from middlemark.experiment.plan_text import expectation_line, plan_lines, whole_line
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.schedule import PointSpec, specification_record
from middlemark.experiment.time_left import StartTime, TimeLeft
from middlemark.load.loading import Progress as Loading
from middlemark.records.driver_lines import Interval, Line, PhaseLine, PhaseName
from middlemark.records.findings import Findings
from middlemark.records.naming import short_names
from middlemark.records.point import Outcome
from middlemark.records.run import Combination, load_name
from middlemark.records.run_parts import WarmUp
from middlemark.records.window import Window
from middlemark.saving import saving_under
from middlemark.show.terminal import HEAD, figures_of, heads
from middlemark.wording import counted, moment

MAX_ROWS, MAX_FOLLOWING, MAX_NOW, MAX_NAME = 20, 3, 60, 30
MIN_NOW, BETWEEN = 12, 2
# The rounds, the interval and the mean of the response times, in this order, make room on a narrow terminal.
DROPPED = (5, 2, 4)
LOG = "run.log"
PERIOD_S = 60.0
PERCENT = 100


@dataclass
class State:
    """How far a run is: what is done now, of each combination too, what was found, and how long it still takes.

    `in_row`: what is done now stands in the row of its combination.
    """

    names: dict[str, str] = field(default_factory=dict)
    doing: dict[str, str] = field(default_factory=dict)
    unit: str = "transaction"
    now: str = "starting"
    in_row: bool = False
    rounds: int = 0
    measured: int = 0
    points: int = 0
    following: list[str] = field(default_factory=list)
    findings: Findings | None = None
    time_left: TimeLeft = field(default_factory=lambda: TimeLeft(0.0))

    def step(self, what: str, combination: Combination | None = None) -> None:
        """Note what is done now; of a combination it stands in its row."""
        self.now = f"{self.names.get(combination.path, combination.label)}: {what}" if combination else what
        self.in_row = combination is not None
        if combination:
            self.doing[combination.path] = what

    @property
    def place(self) -> str:
        """Which window of how many is measured, and about how long the run still takes, where that is known."""
        place = f"window {min(self.measured + 1, self.points)} of {self.points}"
        seconds = self.time_left.seconds(self.points - self.measured, time.monotonic())
        if seconds is None:
            return place
        minutes = seconds / 60
        return (
            f"{place}, about {moment(60 * round(minutes))} left" if minutes >= 1.5 else f"{place}, about a minute left"
        )


def live_table(state: State, width: int) -> Group:
    """The table with a row for each combination, and below it what comes next; no figure and no heading is cut."""
    names = list(state.names.items())[:MAX_ROWS]
    rows = [(name, *_found(state, path), state.doing.get(path, "")[:MAX_NOW]) for path, name in names]
    titles = ("", *(head.replace("/", " /") for head in heads(state.unit)), "", "now")
    columns = _fitting(dict(enumerate(zip(titles, *rows, strict=True))), width)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, (column, wide) in columns.items():
        table.add_column(column[0], justify="right" if 0 < number <= len(HEAD) else "left", width=wide)
    for row in rows:
        table.add_row(*(Text(row[number], no_wrap=True, overflow="ellipsis") for number in columns))
    more = len(state.names) - MAX_ROWS
    lines = [Text(f"… and {more} more")] if more > 0 else []
    following = state.following[:MAX_FOLLOWING]
    after = f"; next {', '.join(following)}" if following else ""
    idle = "" if state.in_row and len(titles) - 1 in columns else f"; {state.now}"
    return Group(table, *lines, Text(f"{state.place}{idle}{after}", style="dim", overflow="ellipsis", no_wrap=True))


def _fitting(columns: dict[int, tuple[str, ...]], width: int) -> dict[int, tuple[tuple[str, ...], int]]:
    """The columns that fit, each with its width: what is done now makes room first, the names last."""
    now = len(columns) - 1
    longest = {number: max(map(len, texts), default=0) for number, (_, *texts) in columns.items()}
    widths = {number: max(longest[number], *map(len, columns[number][0].split()), 0) for number in columns}
    widths[0], widths[now] = min(MAX_NAME, widths[0]), min(MIN_NOW, widths[now])
    for number in (now, *DROPPED):
        if sum(widths.values()) + BETWEEN * (len(widths) - 1) <= width:
            break
        del widths[number]
    rest = width - sum(widths.values()) - BETWEEN * (len(widths) - 1)
    if now in widths:
        widths[now] = min(widths[now] + rest, max(longest[now], widths[now]))
    elif rest < 0:
        widths[0] = max(1, widths[0] + rest)
    return {number: (columns[number], wide) for number, wide in widths.items()}


def short_line(state: State) -> str:
    """The same in one line: which window of how many, how much time is left, and what is done now."""
    return f"{state.place}; {state.now[:MAX_NOW]}"


def _found(state: State, path: str) -> tuple[str, ...]:
    found = state.findings
    if found is None or path not in found.by_path:
        return (*("" for _ in HEAD), "")
    *figures, rounds = figures_of(found.by_path[path])
    pair = next((one for one in found.compared_by(found.metric) if one.b == path), None)
    return (*figures, f"{rounds}/{state.rounds}", pair.verdict if pair and not pair.not_ranked else "")


class Progress(ExitStack):
    """A run as it goes, on stderr, so that stdout holds the result alone; a context, which ends what lives."""

    def __init__(self, console: Console | None = None) -> None:
        super().__init__()
        self._console = console or Console(file=sys.stderr, highlight=False)
        self._began = time.monotonic()
        self._unit = "users"
        self._state = State()
        self._log: TextIO | None = None

    def started(self, preparation: Preparation, root: Path) -> None:
        """Say what is going to happen and how long it takes, and begin to show it."""
        self._unit = preparation.experiment.loads.unit
        with saving_under(root):
            (root / "logs").mkdir(parents=True, exist_ok=True)
            self._log = self.enter_context((root / "logs" / LOG).open("a", encoding="utf-8"))
        self._state.names = short_names(preparation.combinations)
        self._state.unit = specification_record(preparation.specification, preparation.sessions.values()).unit
        self._state.rounds = preparation.experiment.starts * preparation.experiment.rounds
        self._state.points = preparation.points
        phases = preparation.phases
        self._state.time_left = TimeLeft(phases.ramp + phases.settle + phases.measure)
        for line in (*plan_lines(preparation, {}), f"result folder: {root}"):
            self._note(line)
        for line in (whole_line(preparation), expectation_line(preparation), f"result folder: {root}"):
            if line:
                self._show(line)
        if self._console.is_terminal:
            live = Live(get_renderable=self._table, console=self._console, refresh_per_second=2, transient=True)
            self.enter_context(live)
        else:
            ended = threading.Event()
            thread = threading.Thread(target=self._line_a_minute, args=(ended,), name="run", daemon=True)
            thread.start()
            self.callback(thread.join)
            self.callback(ended.set)

    def _table(self) -> Group:
        return live_table(self._state, self._console.width)

    def advise(self, what: str) -> None:
        """Show something that people should know, for good."""
        self._show(what)
        self._note(what)

    def step(self, what: str, combination: Combination | None = None) -> None:
        """Show what is being done now, of a combination beside its name."""
        self._state.step(what, combination)
        self._note(f"{what} {combination.label}" if combination else what)

    def expect(self, start: StartTime) -> None:
        """Show how long the run takes from the beginning of a start on."""
        self._state.time_left.expect(start)

    def loading(self, how_far: Loading) -> None:
        """Show how far the data set is."""
        share = PERCENT * how_far.done / how_far.total if how_far.total else 0
        self._state.step(f"loading {how_far.step}, {share:.0f} %")

    def point(self, point: PointSpec, measured: int, points: int) -> Callable[[Line], None]:
        """What shows a point while it is measured, after so many of all the run has at most."""
        self._state.measured, self._state.points = measured, points
        if not point.searching:
            self._state.time_left.measuring(measured, time.monotonic())
        place = f"{load_name(point.load, self._unit)}, {_place(point)}"
        phase = ["ramp"]
        self._state.step(place, point.combination)

        def hear(line: Line) -> None:
            if isinstance(line, PhaseLine):
                phase[0] = line.phase
            elif isinstance(line, Interval) and line.seconds > 0:
                errors = f", {counted(line.errors, 'error')}" if line.errors else ""
                rate = f", {line.count / line.seconds:,.0f}/s" if phase[0] == PhaseName.MEASURE else ""
                live = f"{place}: {phase[0]}{rate}{errors}"
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
            f"p99 {window.total.p99_ms:.1f} ms, {counted(window.total.errors, 'error')}, audit {audit.value}"
            + ("" if window.valid else f": INVALID ({'; '.join(window.reasons)})")
        )

    def replaced(self, point: PointSpec, window: Window) -> None:
        """Note that a window is measured again, and what disturbed it."""
        what = "; ".join(one.text for one in window.disturbances)
        self._note(f"{point.combination.label}, {_place(point)}: disturbed ({what}), measured again")

    def judged(self, findings: Findings) -> None:
        """Show what the rounds so far allow to say."""
        self._state.findings = findings

    def _line_a_minute(self, ended: threading.Event) -> None:
        while not ended.wait(PERIOD_S):
            self._show(short_line(self._state))

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
    if not window.little_tps:
        return ""
    deviation = abs(window.throughput_tps / window.little_tps - 1) * PERCENT
    return f"(users ÷ (think + response) = {window.little_tps:.1f}/s, {deviation:.2f} % off), "


def _place(point: PointSpec) -> str:
    """Which round a point is of, or its faults."""
    if point.searching:
        return "searching"
    return " and ".join(map(str, point.faults)) if point.faults else f"round {point.repeat + 1}"
