"""Whether a platform has become as fast as it gets: CPU time per transaction has stopped changing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.verdict.drift import CpuCourse, Stretch, cost_drift

# Change that is still to be expected; and with its uncertainty, so that what is known badly may change less.
FLAT_LIMIT = 0.03
SURE_LIMIT = 0.06
CONFIDENCE = 0.95
# What compiles gets faster in steps and ever more slowly: what is looked at grows with the time so far.
PART = 0.5
MIN_INTERVALS = 5
# In how many seconds it is expected: half of what is looked at, but what changes in a few seconds says little.
MIN_AHEAD_S = 10.0


@dataclass(frozen=True)
class Flatness:
    """By how much CPU time per transaction changes in `seconds`, relative to its mean, and how sure that is."""

    seconds: float
    change: float
    uncertainty: float

    @property
    def flat(self) -> bool:
        """Whether it changes by no more than the limits."""
        change = abs(self.change)
        return change <= FLAT_LIMIT and change + self.uncertainty <= SURE_LIMIT


def flatness(intervals: Sequence[Stretch], cpu: CpuCourse) -> Flatness | None:
    """Return what a straight line through the second half of the intervals lets one expect; None for too few.

    `cpu` has a value for each interval. The line (`cost_drift`) gives the change in a quarter of the time so far, at
    least `MIN_AHEAD_S`, and its scatter the uncertainty, with a confidence of 95 %. What only scatters becomes flat as
    it gets longer; what still falls does not.
    """
    number = max(MIN_INTERVALS, round(PART * len(intervals)))
    if len(intervals) < number or len(cpu.seconds) != len(intervals):
        return None
    last = intervals[-number:]
    drift = cost_drift(last, CpuCourse(cpu.seconds[-number:], cpu.step_s), CONFIDENCE)
    if isinstance(drift, str):
        return None
    span_s = last[-1].end_s - last[0].start_s
    ahead_s = max(MIN_AHEAD_S, span_s / 2)
    return Flatness(ahead_s, drift.change * ahead_s / span_s, drift.uncertainty * ahead_s / span_s)
