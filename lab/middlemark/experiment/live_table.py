"""The table that fills while a run goes on, and the same in one short line."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from rich.console import Group
from rich.table import Table
from rich.text import Text

from middlemark.experiment.preparation import Preparation
from middlemark.records.findings import Findings
from middlemark.records.naming import short_names
from middlemark.records.run import Combination
from middlemark.show.terminal import HEAD, figures_of, heads

MAX_ROWS, MAX_FOLLOWING, MAX_NOW = 20, 3, 60


@dataclass
class State:
    """How far a run is: what is done now, of each combination too, what was found, and when it ends at the latest."""

    names: dict[str, str] = field(default_factory=dict)
    doing: dict[str, str] = field(default_factory=dict)
    unit: str = "transaction"
    now: str = "starting"
    rounds: int = 0
    measured: int = 0
    points: int = 0
    following: list[str] = field(default_factory=list)
    findings: Findings | None = None
    ends_at: float | None = None

    def begin(self, preparation: Preparation) -> None:
        """Take over what a run has."""
        self.names = short_names(preparation.combinations)
        self.unit = preparation.specification.description.report.unit
        self.rounds = preparation.experiment.starts * preparation.experiment.rounds
        self.points = preparation.points

    def step(self, what: str, combination: Combination | None = None) -> None:
        """Note what is done now; of a combination it stands in its row."""
        self.now = f"{self.names.get(combination.path, combination.label)}: {what}" if combination else what
        if combination:
            self.doing[combination.path] = what

    @property
    def left(self) -> str:
        """How long the run takes at most, in minutes; empty while that is not known."""
        if self.ends_at is None:
            return ""
        minutes = (self.ends_at - time.monotonic()) / 60
        return f"at most {minutes:.0f} min left" if minutes >= 1 else "about a minute left"

    @property
    def place(self) -> str:
        """Which window of how many is measured, and how much is left."""
        parts = [f"window {min(self.measured + 1, self.points)} of {self.points}", self.left]
        return ", ".join(part for part in parts if part)


def live_table(state: State) -> Group:
    """The table with a row for each combination, and below it what comes next."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    titles = ("", *heads(state.unit), "", "now")
    for number, title in enumerate(titles):
        table.add_column(title, justify="right" if 0 < number <= len(HEAD) else "left", no_wrap=True)
    for path, name in list(state.names.items())[:MAX_ROWS]:
        table.add_row(*map(Text, (name, *_found(state, path), state.doing.get(path, "")[:MAX_NOW])))
    more = len(state.names) - MAX_ROWS
    lines = [Text(f"… and {more} more")] if more > 0 else []
    following = state.following[:MAX_FOLLOWING]
    after = f"; next {', '.join(following)}" if following else ""
    idle = "" if any(state.doing.values()) and ":" in state.now else f"; {state.now}"
    return Group(table, *lines, Text(f"{state.place}{idle}{after}", style="dim", overflow="ellipsis", no_wrap=True))


def short_line(state: State) -> str:
    """The same in one line: how far, what is done now, and what leads."""
    return f"{state.place}; {state.now[:MAX_NOW]}"


def _found(state: State, path: str) -> tuple[str, ...]:
    """The figures of a combination so far, and its word."""
    found = state.findings
    if found is None or path not in found.by_path:
        return (*("" for _ in HEAD), "")
    *figures, rounds = figures_of(found.by_path[path])
    pair = next((one for one in found.compared_by(found.metric) if one.b == path), None)
    return (*figures, f"{rounds}/{state.rounds}", pair.verdict if pair and not pair.not_ranked else "")
