"""How throughput and CPU cost drift inside a window: straight lines, shown beside a point and deciding nothing.

A limit would choose windows by their own figures: it kept those that were equally cold and level. That a program still
gets faster is decided by its compiler (`verdict/warm_ups.py`), that a machine was disturbed by `verdict/witnesses.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from middlemark.records.driver_lines import PhaseName
from middlemark.records.point import Outcome
from middlemark.records.window import Check
from middlemark.verdict.line import Dot, Line
from middlemark.workload.course import Course

THROUGHPUT_DRIFT = "throughput drift"
CPU_COST_DRIFT = "CPU-cost drift"
REQUIREMENT = "none: shown only"
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
    line = Line([Dot(_middle(c), c.end_s - c.start_s, c.count) for c in stretches])
    if line.problem:
        return _not_checked(THROUGHPUT_DRIFT, line.problem)
    return _shown(THROUGHPUT_DRIFT, line.change(_span(stretches)), line.uncertainty(_span(stretches), CONFIDENCE))


def cpu_cost_drift_check(course: Iterable[Course], cpu: CpuCourse) -> Check:
    """Change of the CPU time per transaction of the platform's tiers over the window, with its 95 % uncertainty.

    See `cost_drift`.
    """
    window = window_of(course)
    if len(cpu.seconds) != len(window):
        return _not_checked(CPU_COST_DRIFT, "the CPU time of the platform's tiers was not watched in the whole window")
    drift = cost_drift(window, cpu, CONFIDENCE)
    if isinstance(drift, str):
        return _not_checked(CPU_COST_DRIFT, drift)
    return _shown(CPU_COST_DRIFT, drift.change, drift.uncertainty)


class Stretch(Protocol):
    """A stretch of time, in seconds since the driver's hello, and the transactions in it."""

    @property
    def start_s(self) -> float:
        """Return its begin."""
        ...

    @property
    def end_s(self) -> float:
        """Return its end."""
        ...

    @property
    def count(self) -> int:
        """Return the valid transactions."""
        ...


S = TypeVar("S", bound=Stretch)


@dataclass(frozen=True)
class Drift:
    """By how much a figure changes from begin to end of some intervals, relative to its mean, and how sure that is."""

    change: float
    uncertainty: float


def cost_drift(stretches: Sequence[Stretch], cpu: CpuCourse, confidence: float) -> Drift | str:
    """Return how CPU time per transaction drifts over intervals, of each of which `cpu` has a value; or why not.

    A straight line through the intervals' CPU time ÷ transactions, weighted by transactions. Reading a CPU time in
    steps of s seconds can be half a step wrong at either end of the line, which moves it by up to 6 s ÷ CPU time of all
    intervals: added to the uncertainty of the line.
    """
    both = [(c, used) for c, used in _whole(stretches, cpu.seconds) if c.count]
    line = Line([Dot(_middle(c), c.count, used) for c, used in both])
    if line.problem:
        return line.problem
    span = _span([c for c, _ in both])
    reading = 6 * cpu.step_s / sum(used for _, used in both)
    return Drift(line.change(span), line.uncertainty(span, confidence) + reading)


def _whole(window: Sequence[S], seconds: Sequence[float] = ()) -> list[tuple[S, float]]:
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


def _middle(interval: Stretch) -> float:
    return (interval.start_s + interval.end_s) / 2


def _span(stretches: Sequence[Stretch]) -> float:
    return stretches[-1].end_s - stretches[0].start_s


def _shown(name: str, change: float, uncertainty: float) -> Check:
    message = f"{100 * change:+.1f} % over the window (± {100 * uncertainty:.1f} %)"
    return Check(name=name, outcome=Outcome.PASSED, message=message, requirement=REQUIREMENT, found=abs(change))


def _not_checked(name: str, why: str) -> Check:
    return Check(name=name, outcome=Outcome.NOT_CHECKED, message=why, requirement=REQUIREMENT)
