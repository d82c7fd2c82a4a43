"""The windows of a combination at a load as one row of a table: means over the rounds that count."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean

from middlemark.records.findings import Findings
from middlemark.records.run import Load
from middlemark.records.window import Window
from middlemark.show.tables import Column


@dataclass(frozen=True)
class Place:
    """A combination at a load. `windows` are those that count, or all where none does, which `mark` says."""

    combination: str
    load: Load
    load_name: str
    windows: tuple[Window, ...]
    mark: str

    @property
    def name(self) -> str:
        """The combination, with a mark where nothing counts."""
        return f"{self.combination}{self.mark}"

    def mean(self, of: Callable[[Window], float | None]) -> float | None:
        """The mean of what is known of a figure; None where nothing is."""
        values = [value for window in self.windows if (value := of(window)) is not None and not math.isnan(value)]
        return fmean(values) if values else None

    def total(self, of: Callable[[Window], int]) -> int:
        """The sum of a count."""
        return sum(map(of, self.windows))

    def ends(self, of: Callable[[Window], float]) -> tuple[float, float]:
        """The lowest and the highest round."""
        values = list(map(of, self.windows))
        return min(values), max(values)


def places(findings: Findings, loads: Iterable[Load] | None = None) -> list[Place]:
    """Every place at which a window was finished, the highest load first; of some loads alone."""
    run, found = findings.run, []
    for load in sorted(run.loads if loads is None else loads, reverse=True):
        for one in run.combinations:
            windows = findings.of(one, load)
            valid = tuple(window for window in windows if window.valid)
            if windows:
                mark = "" if valid else " (INVALID)"
                found.append(Place(findings.name(one.path), load, run.load_name(load), valid or tuple(windows), mark))
    return found


def compared(findings: Findings) -> list[Place]:
    """The places at which combinations are compared, in the sequence of the run."""
    tops = {findings.name(one.path): findings.run.top_load(one) for one in findings.run.combinations}
    sequence = list(tops)
    found = [one for one in places(findings) if tops.get(one.combination) == one.load]
    return sorted(found, key=lambda one: sequence.index(one.combination))


def place_columns(findings: Findings) -> tuple[Column[Place], ...]:
    """The columns that name a place: the combination, and its load where there are several."""
    name: Column[Place] = ("combination", lambda one: one.name)
    if len(findings.run.loads) == 1:
        return (name,)
    return (name, (f"#{findings.run.load_unit}", lambda one: f"{one.load:,g}"))
