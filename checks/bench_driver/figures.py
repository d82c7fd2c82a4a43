"""Medians, spreads and verdicts of interleaved rounds."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Whether a target was reached."""

    MET = "met"
    EQUAL = "equal"
    MISSED = "missed"
    UNKNOWN = "not measured"


@dataclass(frozen=True)
class Figure:
    """Values of interleaved rounds, at least one."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """Return the median."""
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """Return half the distance between the smallest and the largest value."""
        return (max(self.values) - min(self.values)) / 2


def quantile(counted: list[tuple[int, int]], share: float) -> int:
    """Return the smallest value that `share` of all reach at most; `counted` are values with counts, in order."""
    left = math.ceil(share * sum(count for _, count in counted))
    for value, count in counted:
        left -= count
        if left <= 0:
            return value
    raise ValueError("nothing was counted")


def ratio(ours: tuple[float, ...], theirs: tuple[float, ...]) -> Figure:
    """Return ours ÷ theirs, round by round: what disturbed a round disturbed both of its sides."""
    return Figure(tuple(one / other for one, other in zip(ours, theirs, strict=True)))


def at_most(figure: Figure | None, target: float) -> Verdict:
    """Judge a figure that is to be small: a miss by no more than the spread is `equal`, if a round reached it.

    Without such a round a single outlier on the other side would make the spread, and a miss of every round `equal`.
    """
    if figure is None:
        return Verdict.UNKNOWN
    if figure.median <= target:
        return Verdict.MET
    could_be = figure.median - figure.spread <= target and min(figure.values) <= target
    return Verdict.EQUAL if could_be else Verdict.MISSED


def at_least(figure: Figure | None, target: float) -> Verdict:
    """Judge a figure that is to be large."""
    if figure is None:
        return Verdict.UNKNOWN
    return at_most(Figure(tuple(-value for value in figure.values)), -target)
