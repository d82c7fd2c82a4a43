"""The points of a result as the charts need them: by combination, by load, with what does not count kept apart."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.point import Verdict
from middlemark.records.run import Combination, Load
from middlemark.verdict.levels import mean_interval
from middlemark.verdict.naming import short_names


@dataclass(frozen=True)
class Sample:
    """One figure of one point; `round` counts from 1."""

    round: int
    value: float
    valid: bool


@dataclass(frozen=True)
class Level:
    """One figure of one combination at one load, over the rounds."""

    load: Load
    samples: tuple[Sample, ...]

    @property
    def valid(self) -> list[float]:
        """The values that count."""
        return [s.value for s in self.samples if s.valid]

    @property
    def mean(self) -> float | None:
        """Mean of the rounds that count."""
        return statistics.fmean(self.valid) if self.valid else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % Student t interval of the mean over rounds; None below the rounds that can decide anything."""
        return mean_interval(self.valid)


@dataclass(frozen=True)
class Line:
    """One figure of one combination over the loads; `series` is its number on the page, `unit` counts loads."""

    series: int
    name: str
    levels: tuple[Level, ...]
    unit: str = "users"

    def at(self, load: Load) -> Level | None:
        """Return the level of a load, None where it was not one of this combination's."""
        return next((level for level in self.levels if level.load == load), None)


def lines(result: Result, figure: Callable[[Verdict], float]) -> list[Line]:
    """Return the figure of every combination at every load; figures that are no numbers are left out."""
    names = short_names(result.run.combinations)
    return [
        Line(
            series,
            names[c.path],
            tuple(_level(result, c, load, figure) for load in sorted(result.run.loads_of(c))),
            result.run.load_unit,
        )
        for series, c in enumerate(result.run.combinations)
    ]


def _level(result: Result, combination: Combination, load: Load, figure: Callable[[Verdict], float]) -> Level:
    found = [
        Sample(p.repeat + 1, figure(p.verdict), p.valid) for p in result.of(combination, load) if p.verdict is not None
    ]
    return Level(load, tuple(s for s in found if math.isfinite(s.value)))
