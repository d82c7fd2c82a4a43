"""Medians, spreads and verdicts of interleaved rounds."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from enum import StrEnum

from middlemark.records.findings import Round
from middlemark.verdict.estimate import compare


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


@dataclass(frozen=True)
class Ratio:
    """Ours ÷ theirs over paired rounds: geometric mean and its 95 % interval (Student t of the mean log ratio).

    Without an interval there was one round only, which decides nothing.
    """

    values: tuple[float, ...]
    estimate: float
    interval: tuple[float, float] | None

    def at_most(self, target: float) -> Verdict:
        """Judge a ratio that is to be small: `met` and `missed` are certain, `equal` is an interval with the target."""
        if self.interval is None:
            return Verdict.UNKNOWN
        low, high = self.interval
        return Verdict.MET if high <= target else Verdict.MISSED if low > target else Verdict.EQUAL

    def at_least(self, target: float) -> Verdict:
        """Judge a ratio that is to be large."""
        if self.interval is None:
            return Verdict.UNKNOWN
        low, high = self.interval
        return Verdict.MET if low >= target else Verdict.MISSED if high < target else Verdict.EQUAL

    def within(self, share: float) -> Verdict:
        """Judge a ratio that is to be 1, but for this share."""
        verdicts = (self.at_most(1 + share), self.at_least(1 - share))
        worst_first = (Verdict.MISSED, Verdict.UNKNOWN, Verdict.EQUAL)
        return next((verdict for verdict in worst_first if verdict in verdicts), Verdict.MET)


def quantile(counted: list[tuple[int, int]], share: float) -> int:
    """Return the smallest value that `share` of all reach at most; `counted` are values with counts, in order."""
    left = math.ceil(share * sum(count for _, count in counted))
    for value, count in counted:
        left -= count
        if left <= 0:
            return value
    raise ValueError("nothing was counted")


def ratio(ours: tuple[float, ...], theirs: tuple[float, ...]) -> Ratio:
    """Return ours ÷ theirs, round by round: what disturbed a round disturbed both of its sides. At least one round."""
    rounds = [Round(number, a, b, number) for number, (b, a) in enumerate(zip(ours, theirs, strict=True))]
    found = compare(rounds)
    if found.ratio is None:
        raise ValueError("no round has both sides")
    interval = (found.interval.low, found.interval.high) if found.interval else None
    return Ratio(tuple(each.ratio for each in rounds), found.ratio, interval)


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
