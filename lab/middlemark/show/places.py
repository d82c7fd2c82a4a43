"""The windows of a combination at a load as one row of a table: means over the rounds that count."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

from middlemark.records.findings import Findings
from middlemark.records.placement import DRIVER, is_platform
from middlemark.records.run import Load
from middlemark.records.window import Window
from middlemark.show.tables import Cell, Column, follow, span
from middlemark.wording import rounded


@dataclass(frozen=True)
class Place:
    """A combination at a load. `windows` are those that count, or all where none does, which `mark` says.

    Figures are those of a `part` of each window, which `of` gives, as of a tier; of the whole window without one.
    """

    combination: str
    load: Load
    load_name: str
    windows: tuple[Window, ...]
    mark: str
    part: str = ""
    of: Callable[[Window], object] = lambda window: window

    @property
    def name(self) -> str:
        """The combination, with a mark where nothing counts."""
        return f"{self.combination}{self.mark}"

    @property
    def at(self) -> str:
        """The combination and its load."""
        return f"{self.name}, {self.load_name}"

    def parts(self, names: Iterable[str], of: Callable[[Window, str], object]) -> list[Place]:
        """Parts of the place by their names."""
        return [replace(self, part=name, of=partial(_called, of, name)) for name in names]

    def known(self, path: str) -> list[float]:
        """What is known of a figure, window by window."""
        every = (follow(self.of(window), path) for window in self.windows)
        return [one for one in every if isinstance(one, int | float) and not math.isnan(one)]

    def mean(self, path: str) -> float | None:
        """The mean of what is known of a figure; None where nothing is."""
        values = self.known(path)
        return fmean(values) if values else None

    def range(self, path: str) -> Cell | None:
        """The lowest and the highest round, for figures that are never averaged."""
        values = self.known(path)
        if not values:
            return None
        low, high = rounded(min(values)), rounded(max(values))
        return Cell(low if low == high else span(min(values), max(values)), exact=fmean(values))

    def total(self, path: str) -> int:
        """The sum of a count."""
        return int(sum(self.known(path)))


def _called(of: Callable[[Window, str], object], name: str, window: Window) -> object:
    return of(window, name)


def tier_names(windows: Iterable[Window]) -> list[str]:
    """Every tier that was watched, the platform's first, the driver last."""
    names = {name for window in windows for name in window.tiers}
    return sorted(names, key=lambda name: (not is_platform(name), name == DRIVER, name))


def tier_of(window: Window, name: str) -> object:
    """The figures of a tier in a window; None where it was not watched."""
    return window.tiers.get(name)


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
    found = [one for one in places(findings) if tops.get(one.combination) == one.load]
    return sorted(found, key=lambda one: [*tops].index(one.combination))


def place_columns(findings: Findings) -> tuple[Column[Place] | str, ...]:
    """The columns that name a place: the combination, and its load where there are several."""
    if len(findings.run.loads) == 1:
        return ("combination: name",)
    return ("combination: name", (f"#{findings.run.load_unit}", lambda one: f"{one.load:,g}"))
