"""Whether a point was in a steady state: straight lines through its throughput and its CPU cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from middlemark.records.driver_lines import PhaseName
from middlemark.records.point import Check, Outcome
from middlemark.verdict.student import t_quantile
from middlemark.workload.course import Course

THROUGHPUT_DRIFT = "throughput drift"
CPU_COST_DRIFT = "CPU-cost drift"
# Change from the window's begin to its end; the requirement leaves the figure open.
DRIFT_LIMIT = 0.05
REQUIREMENT = f"≤ {100 * DRIFT_LIMIT:.0f} % beyond the uncertainty"
# Below this the slope has no usable uncertainty.
MIN_STRETCHES = 4
# CPU time of a second scatters far more than throughput does: with 95 % some three of 100 steady windows would fail.
COST_CONFIDENCE = 0.995


@dataclass(frozen=True)
class CpuCourse:
    """CPU seconds of the platform's tiers in each interval of the window; none when they were not watched throughout.

    `step_s` is the step in which the system counts CPU time, in seconds.
    """

    seconds: tuple[float, ...] = ()
    step_s: float = 0.0


def throughput_drift_check(course: Iterable[Course]) -> Check:
    """Throughput does not drift inside the window: its change from begin to end is ≤ 5 % plus its 95 % uncertainty.

    A straight line through the rates of the window's intervals, weighted by their length.
    """
    stretches = [c for c, _ in _whole(window_of(course))]
    line = _Line([_Dot(_middle(c), c.end_s - c.start_s, c.count) for c in stretches])
    if line.problem:
        return _not_checked(THROUGHPUT_DRIFT, line.problem)
    return _judged(THROUGHPUT_DRIFT, line.change(_span(stretches)), line.uncertainty(_span(stretches), 0.95))


def cpu_cost_drift_check(course: Iterable[Course], cpu: CpuCourse) -> Check:
    """CPU time per transaction of the platform's tiers does not drift: ≤ 5 % plus the uncertainty of its line.

    Its confidence is `COST_CONFIDENCE`. Where think times fix the throughput, a runtime that still compiles shows here
    alone. A straight line through the intervals' CPU time ÷ transactions, weighted by transactions. Reading a CPU time
    in steps of s seconds can be half a step wrong at either end of the line, which moves it by up to 6 s ÷ CPU time of
    the window: added.
    """
    window = window_of(course)
    if len(cpu.seconds) != len(window):
        return _not_checked(CPU_COST_DRIFT, "the CPU time of the platform's tiers was not watched in the whole window")
    both = [(c, used) for c, used in _whole(window, cpu.seconds) if c.count]
    line = _Line([_Dot(_middle(c), c.count, used) for c, used in both])
    if line.problem:
        return _not_checked(CPU_COST_DRIFT, line.problem)
    span = _span([c for c, _ in both])
    reading = 6 * cpu.step_s / sum(used for _, used in both)
    return _judged(CPU_COST_DRIFT, line.change(span), line.uncertainty(span, COST_CONFIDENCE) + reading)


def _whole(window: Sequence[Course], seconds: Sequence[float] = ()) -> list[tuple[Course, float]]:
    """Return the intervals at least half as long as the longest one, each with its CPU time.

    A window rarely ends with an interval: the last one may last a millisecond, and would weigh as much as any other in
    the number of dots.
    """
    longest = max((c.end_s - c.start_s for c in window), default=0.0)
    both = zip(window, seconds or [0.0] * len(window), strict=True)
    return [(c, used) for c, used in both if longest and c.end_s - c.start_s >= longest / 2]


def window_of(course: Iterable[Course]) -> list[Course]:
    """Return the intervals of the window."""
    return [c for c in course if c.phase is PhaseName.MEASURE]


@dataclass(frozen=True, slots=True)
class _Dot:
    """An interval: its middle in seconds, its weight, and the amount whose share of the weight is the value."""

    moment_s: float
    weight: float
    amount: float


class _Line:
    """A straight line through the values of dots, by weighted least squares. `problem` is why there is none."""

    def __init__(self, dots: Sequence[_Dot]) -> None:
        self._dots = dots
        self._weight = sum(dot.weight for dot in dots)
        self._mean = sum(dot.amount for dot in dots) / self._weight if self._weight else 0.0
        self.problem = "" if len(dots) >= MIN_STRETCHES and self._mean > 0 else f"{len(dots)} intervals are too few"
        if self.problem:
            return
        self._middle = sum(dot.weight * dot.moment_s for dot in dots) / self._weight
        self._spread = sum(dot.weight * (dot.moment_s - self._middle) ** 2 for dot in dots)
        self._slope = sum((dot.moment_s - self._middle) * self._beyond(dot) for dot in dots) / self._spread

    def change(self, span_s: float) -> float:
        """Return the change over `span_s` seconds, relative to the mean."""
        return self._slope * span_s / self._mean

    def uncertainty(self, span_s: float, confidence: float) -> float:
        """Return how far the change may be off, with this confidence, by the scatter of the dots around the line."""
        residuals = sum(
            (self._beyond(dot) - dot.weight * self._slope * (dot.moment_s - self._middle)) ** 2 / dot.weight
            for dot in self._dots
        )
        degrees = len(self._dots) - 2
        error = math.sqrt(residuals / degrees / self._spread)
        return t_quantile(confidence, degrees) * error * span_s / self._mean

    def _beyond(self, dot: _Dot) -> float:
        return dot.amount - dot.weight * self._mean


def _middle(interval: Course) -> float:
    return (interval.start_s + interval.end_s) / 2


def _span(stretches: Sequence[Course]) -> float:
    return stretches[-1].end_s - stretches[0].start_s


def _judged(name: str, change: float, uncertainty: float) -> Check:
    outcome = Outcome.PASSED if abs(change) - uncertainty <= DRIFT_LIMIT else Outcome.FAILED
    return Check(
        name=name,
        outcome=outcome,
        message=f"{100 * change:+.1f} % over the window (± {100 * uncertainty:.1f} %)",
        requirement=REQUIREMENT,
        found=abs(change),
        limit=DRIFT_LIMIT + uncertainty,
    )


def _not_checked(name: str, why: str) -> Check:
    return Check(name=name, outcome=Outcome.NOT_CHECKED, message=why, requirement=REQUIREMENT)
