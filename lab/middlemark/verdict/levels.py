"""What a combination reached at each load, over the blocks that count, and at which it reached most."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.point import Outcome, Verdict
from middlemark.records.run import Combination, Load
from middlemark.verdict.comparison import CONFIDENCE
from middlemark.verdict.judgement import MIN_BLOCKS
from middlemark.verdict.student import t_quantile


@dataclass(frozen=True)
class Estimate:
    """A figure over blocks: its mean, and from where to where.

    With blocks enough (`is_interval`) that is the 95 % Student t interval of the mean, else the lowest and the highest
    block.
    """

    mean: float
    low: float
    high: float
    blocks: int
    is_interval: bool


@dataclass(frozen=True)
class Level:
    """One load of a combination: the verdicts that count, by repeat; none where no block counts."""

    load: Load
    verdicts: Mapping[int, Verdict]

    @property
    def throughput_tps(self) -> float:
        """Return the mean throughput of the blocks."""
        return statistics.fmean(verdict.throughput_tps for verdict in self.verdicts.values())

    def estimate(self, figure: Callable[[Verdict], float]) -> Estimate:
        """Return a figure over the blocks; there must be one."""
        return estimate([figure(verdict) for verdict in self.verdicts.values()])


def mean_response_ms(verdict: Verdict) -> float:
    """Return the mean response time of all transactions."""
    return verdict.total.mean_ms


def estimate(values: Sequence[float]) -> Estimate:
    """Return mean and interval, or spread, of a figure of some blocks."""
    interval = mean_interval(values)
    low, high = interval or (min(values), max(values))
    return Estimate(statistics.fmean(values), low, high, len(values), interval is not None)


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % Student t interval of the mean; None below the blocks that can decide anything."""
    if len(values) < MIN_BLOCKS:
        return None
    mean = statistics.fmean(values)
    half = t_quantile(CONFIDENCE, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return mean - half, mean + half


def levels(result: Result, combination: Combination) -> list[Level]:
    """Return every load of a combination, rising."""
    return [level_at(result, combination, load) for load in sorted(result.run.loads_of(combination))]


def level_at(result: Result, combination: Combination, load: Load) -> Level:
    """Return one load of a combination."""
    counting = {p.repeat: p.verdict for p in result.of(combination, load) if p.verdict and p.valid}
    return Level(load, counting)


@dataclass(frozen=True)
class Hidden:
    """The first load above what seems to be a peak of which nobody knows what it reached, and why."""

    load: Load
    reason: str


def peak(found: Sequence[Level]) -> Level | None:
    """Return the level with the highest mean throughput; None when no point counts.

    It is one load for all blocks: the best of each block would have luck in it. For the same reason a load counts only
    with as many blocks as decide anything, or with as many as any load has.
    """
    return max(_able(found), key=lambda level: level.throughput_tps, default=None)


def hidden_above(result: Result, combination: Combination, top: Level) -> Hidden | None:
    """Return what hides the true peak above the best load that counts; None where that load is the peak.

    It is known to be where a higher load counts too, and where all higher ones fail by errors: that is beyond what the
    subject can do. A point that does not count for another reason, such as a driver that was the limit, hides what the
    subject can do.
    """
    above = [level for level in levels(result, combination) if level.load > top.load]
    if {level.load for level in _able([top, *above])} - {top.load}:
        return None
    for level in above:
        verdicts = (p.verdict for p in result.of(combination, level.load) if p.verdict and not p.valid)
        failed = [check for v in verdicts for check in v.checks if check.outcome is Outcome.FAILED]
        reason = next((check.text for check in failed if check.name != "errors"), "")
        if reason:
            return Hidden(level.load, reason)
    return None


def known_peak(result: Result, combination: Combination) -> Level | None:
    """Return the peak of a combination; None where no point counts, or where higher loads hide it."""
    top = peak(levels(result, combination))
    return None if top is None or hidden_above(result, combination, top) else top


def _able(found: Sequence[Level]) -> list[Level]:
    """Return the levels with blocks enough to be a peak."""
    needed = min(MIN_BLOCKS, max((len(level.verdicts) for level in found), default=0))
    return [level for level in found if level.verdicts and len(level.verdicts) >= needed]
