"""How throughput and CPU cost drift inside a window: straight lines, shown beside a point and deciding nothing.

A limit would choose windows by their own figures: it kept those that were equally cold and level. Whether a program
still gets faster is decided by its compiler (`compilation.py`), whether a machine was disturbed by `witnesses.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from middlemark.records.driver_lines import PhaseName
from middlemark.records.point import Outcome
from middlemark.records.window import Check
from middlemark.verdict.shapes import independent_values
from middlemark.verdict.student import t_quantile
from middlemark.workload.course import Course

# Below this the slope has no usable uncertainty.
MIN_DOTS = 4


@dataclass(frozen=True, slots=True)
class Dot:
    """An interval: its middle in seconds, its weight, and the amount whose share of the weight is the value."""

    moment_s: float
    weight: float
    amount: float


class Line:
    """A straight line through the values of dots, by weighted least squares. `problem` is why there is none."""

    def __init__(self, dots: Sequence[Dot]) -> None:
        self._dots = dots
        self._weight = sum(dot.weight for dot in dots)
        self._mean = sum(dot.amount for dot in dots) / self._weight if self._weight else 0.0
        self.problem = _problem(len(dots), self._mean)
        if self.problem:
            return
        self._middle = sum(dot.weight * dot.moment_s for dot in dots) / self._weight
        self._spread = sum(dot.weight * (dot.moment_s - self._middle) ** 2 for dot in dots)
        self._slope = sum((dot.moment_s - self._middle) * self._beyond(dot) for dot in dots) / self._spread

    def change(self, span_s: float) -> float:
        """The change over `span_s` seconds, relative to the mean."""
        return self._slope * span_s / self._mean

    def uncertainty(self, span_s: float, confidence: float, *, alike: bool = False) -> float:
        """How far the change may be off, with this confidence, by the scatter of the dots around the line.

        `alike`: neighbours may be, and then the dots are worth fewer (`shapes.independent_values`).
        """
        left = [
            (self._beyond(dot) - dot.weight * self._slope * (dot.moment_s - self._middle)) / math.sqrt(dot.weight)
            for dot in self._dots
        ]
        degrees = (independent_values(np.array(left)) if alike else len(left)) - 2
        error = math.sqrt(sum(one**2 for one in left) / degrees / self._spread)
        return t_quantile(confidence, degrees) * error * span_s / self._mean

    def _beyond(self, dot: Dot) -> float:
        return dot.amount - dot.weight * self._mean


def _problem(number: int, mean: float) -> str:
    if number < MIN_DOTS:
        return "1 interval is too few" if number == 1 else f"{number} intervals are too few"
    return "" if mean > 0 else f"nothing was counted in {number} intervals"


CONFIDENCE = 0.95


@dataclass(frozen=True)
class CpuCourse:
    """CPU seconds of the platform's tiers in each interval of the window; none when they were not watched throughout.

    `step_s` is the step in which the system counts CPU time, in seconds.
    """

    seconds: tuple[float, ...] = ()
    step_s: float = 0.0


def throughput_drift_check(course: Iterable[Course]) -> Check:
    """Change of throughput from begin to end of the window, with its 95 % uncertainty.

    A straight line through the rates of the window's intervals, weighted by their length.
    """
    stretches = [c for c, _ in _whole(window_of(course))]
    dots = [Dot(_middle(c), c.end_s - c.start_s, c.count) for c in stretches]
    return _check("throughput drift", _along_line(stretches, dots))


def cpu_cost_drift_check(course: Iterable[Course], cpu: CpuCourse) -> Check:
    """Change of the CPU time per transaction of the platform's tiers over the window: `cost_drift`."""
    window = window_of(course)
    if len(cpu.seconds) != len(window):
        return _check("CPU-cost drift", "the CPU time of the platform's tiers was not watched in the whole window")
    return _check("CPU-cost drift", cost_drift(window, cpu))


class Stretch(Protocol):
    """A stretch of time, in seconds since the driver's hello, and the transactions in it."""

    @property
    def start_s(self) -> float:
        """Its begin."""

    @property
    def end_s(self) -> float:
        """Its end."""

    @property
    def count(self) -> int:
        """The valid transactions."""


S = TypeVar("S", bound=Stretch)


@dataclass(frozen=True)
class Drift:
    """By how much a figure changes from begin to end of some intervals, relative to its mean, and how sure that is."""

    change: float
    uncertainty: float


def cost_drift(stretches: Sequence[Stretch], cpu: CpuCourse) -> Drift | str:
    """How CPU time per transaction drifts over intervals, of each of which `cpu` has a value; or why not.

    A straight line through the intervals' CPU time ÷ transactions, weighted by transactions. Reading a CPU time in
    steps of s seconds can be half a step wrong at either end of the line, which moves it by up to 6 s ÷ CPU time of all
    intervals: added to the 95 % uncertainty of the line.
    """
    both = [(c, used) for c, used in _whole(stretches, cpu.seconds) if c.count]
    drift = _along_line([c for c, _ in both], [Dot(_middle(c), c.count, used) for c, used in both])
    if isinstance(drift, str):
        return drift
    return Drift(drift.change, drift.uncertainty + 6 * cpu.step_s / sum(used for _, used in both))


def _along_line(stretches: Sequence[Stretch], dots: Sequence[Dot]) -> Drift | str:
    line = Line(dots)
    if line.problem:
        return line.problem
    span_s = stretches[-1].end_s - stretches[0].start_s
    return Drift(line.change(span_s), line.uncertainty(span_s, CONFIDENCE))


def _whole(window: Sequence[S], seconds: Sequence[float] = ()) -> list[tuple[S, float]]:
    """The intervals at least half as long as the longest one, each with its CPU time.

    A window rarely ends with an interval: the last one may last a millisecond, and would weigh as much as any other in
    the number of dots.
    """
    longest = max((c.end_s - c.start_s for c in window), default=0.0)
    both = zip(window, seconds or [0.0] * len(window), strict=True)
    return [(c, used) for c, used in both if longest and c.end_s - c.start_s >= longest / 2]


def window_of(course: Iterable[Course]) -> list[Course]:
    """The intervals of the window."""
    return [c for c in course if c.phase is PhaseName.MEASURE]


def _middle(interval: Stretch) -> float:
    return (interval.start_s + interval.end_s) / 2


def _check(name: str, drift: Drift | str) -> Check:
    requirement = "none: shown only"
    if isinstance(drift, str):
        return Check(name=name, outcome=Outcome.NOT_CHECKED, message=drift, requirement=requirement)
    message = f"{100 * drift.change:+.1f} % over the window (± {100 * drift.uncertainty:.1f} %)"
    found = abs(drift.change)
    return Check(name=name, outcome=Outcome.PASSED, message=message, requirement=requirement, found=found)


# Change that is still to be expected; and with its uncertainty, so that what is known badly may change less.
FLAT_LIMIT = 0.03
SURE_LIMIT = 0.06
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
    """What a straight line through the second half of the intervals lets one expect; None for too few.

    `cpu` has a value for each interval. The line (`cost_drift`) gives the change in a quarter of the time so far, at
    least `MIN_AHEAD_S`, and its scatter the uncertainty, with a confidence of 95 %. What only scatters becomes flat as
    it gets longer; what still falls does not.
    """
    number = max(MIN_INTERVALS, round(PART * len(intervals)))
    if len(intervals) < number or len(cpu.seconds) != len(intervals):
        return None
    last = intervals[-number:]
    drift = cost_drift(last, CpuCourse(cpu.seconds[-number:], cpu.step_s))
    if isinstance(drift, str):
        return None
    span_s = last[-1].end_s - last[0].start_s
    ahead_s = max(MIN_AHEAD_S, span_s / 2)
    return Flatness(ahead_s, drift.change * ahead_s / span_s, drift.uncertainty * ahead_s / span_s)
