"""What a combination reached at each load, over the rounds that count, and at which it reached most."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.point import Forbids, Verdict
from middlemark.records.run import Combination, Load
from middlemark.verdict.estimate import LEVEL, MIN_ROUNDS
from middlemark.verdict.student import t_quantile
from middlemark.wording import counted


@dataclass(frozen=True)
class Estimate:
    """A figure over rounds: its mean, and from where to where.

    With rounds enough (`is_interval`) that is the 95 % Student t interval of the mean, which ends at 0 where it would
    reach below, else the lowest and the highest round.
    """

    mean: float
    low: float
    high: float
    rounds: int
    is_interval: bool


@dataclass(frozen=True)
class Level:
    """One load of a combination: the verdicts that count, by repeat; none where no round counts."""

    load: Load
    verdicts: Mapping[int, Verdict]

    @property
    def throughput_tps(self) -> float:
        """Return the mean throughput of the rounds."""
        return statistics.fmean(verdict.throughput_tps for verdict in self.verdicts.values())

    def estimate(self, figure: Callable[[Verdict], float]) -> Estimate:
        """Return a figure over the rounds; there must be one."""
        return estimate([figure(verdict) for verdict in self.verdicts.values()])


def estimate(values: Sequence[float]) -> Estimate:
    """Return mean and interval, or spread, of a figure of some rounds."""
    interval = mean_interval(values)
    low, high = interval or (min(values), max(values))
    return Estimate(statistics.fmean(values), low, high, len(values), interval is not None)


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % Student t interval of the mean; None below the rounds that can decide anything.

    Values count or time something, so no true mean is below 0, and what the interval has there is cut off: it holds the
    true mean as often as before.
    """
    if len(values) < MIN_ROUNDS:
        return None
    mean = statistics.fmean(values)
    half = t_quantile(1 - LEVEL, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return max(mean - half, 0.0), mean + half


def levels(result: Result, combination: Combination) -> list[Level]:
    """Return every load of a combination, rising."""
    return [level_at(result, combination, load) for load in sorted(result.run.loads_of(combination))]


def level_at(result: Result, combination: Combination, load: Load) -> Level:
    """Return one load of a combination."""
    counting = {p.repeat: p.verdict for p in result.of(combination, load) if p.verdict and p.valid}
    return Level(load, counting)


@dataclass(frozen=True)
class Hidden:
    """A load next to what seems to be a peak of which nobody knows what it reached, and why."""

    load: Load
    reason: str


def peak(found: Sequence[Level]) -> Level | None:
    """Return the level with the highest mean throughput; None when no point counts.

    It is one load for all rounds: the best of each round would have luck in it. For the same reason a load counts only
    with as many rounds as decide anything, or with as many as any load has.
    """
    needed = needed_rounds(found)
    able = [level for level in found if level.verdicts and len(level.verdicts) >= needed]
    return max(able, key=lambda level: level.throughput_tps, default=None)


def needed_rounds(found: Sequence[Level]) -> int:
    """Return with how many rounds a load counts."""
    return min(MIN_ROUNDS, max((len(level.verdicts) for level in found), default=0))


def hidden_beside(result: Result, combination: Combination, top: Level) -> Hidden | None:
    """Return which load next to the best one that counts may hide the true peak; None where the best one is the peak.

    Throughput rises up to its peak and not behind it, so the loads next to it decide: the one above first. One at which
    every point failed by errors is beyond what the subject can do; one that does not count for another reason, such as
    a driver that was the limit, hides what the subject can do there.
    """
    found = levels(result, combination)
    place = [level.load for level in found].index(top.load)
    beside = [*found[place + 1 : place + 2], *found[max(place - 1, 0) : place]]
    reasons = ((level.load, _why_unknown(result, combination, level, needed_rounds(found))) for level in beside)
    return next((Hidden(load, reason) for load, reason in reasons if reason), None)


def known_peak(result: Result, combination: Combination) -> Level | None:
    """Return the peak of a combination; None where no point counts, or where a load next to it hides it."""
    top = peak(levels(result, combination))
    return None if top is None or hidden_beside(result, combination, top) else top


def _why_unknown(result: Result, combination: Combination, level: Level, needed: int) -> str:
    """Return why nobody knows what a load reached; empty when it counts, and when it failed by errors alone."""
    if len(level.verdicts) >= needed:
        return ""
    finished = [p.verdict for p in result.of(combination, level.load) if p.verdict]
    checks = [check for verdict in finished if not verdict.valid for check in verdict.checks]
    failed = [check for check in checks if check.keeps_from(Forbids.EVERYTHING) and check.name != "errors"]
    if failed:
        return failed[0].text
    by_errors = bool(finished) and not level.verdicts
    return "" if by_errors else f"counts in {len(level.verdicts)} of {counted(needed, 'round')}"
