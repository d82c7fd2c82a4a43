"""A platform that still compiles shows in its CPU time per transaction, where think times fix the throughput."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import pairwise

import pytest

from middlemark.monitor.figures import cpu_between, cpu_step_s
from middlemark.records.driver_lines import PhaseName
from middlemark.records.point import Outcome
from middlemark.records.samples import Sample, TierSample
from middlemark.verdict.drift import CpuCourse, cpu_cost_drift_check, throughput_drift_check
from middlemark.workload.course import Course

WINDOWS = 2000


def course(*counts: int) -> tuple[Course, ...]:
    return tuple(
        Course(PhaseName.MEASURE, float(s), s + 1.0, 10, count, 0, float(count), 20.0, 90.0)
        for s, count in enumerate(counts)
    )


def compiling(seconds: int = 12) -> tuple[tuple[Course, ...], CpuCourse]:
    """Return a window of even throughput whose transactions become cheaper all the time."""
    return course(*[50] * seconds), CpuCourse(tuple(0.4 - 0.02 * second for second in range(seconds)))


def test_even_throughput_hides_what_the_cost_shows() -> None:
    counts, cpu = compiling()
    assert throughput_drift_check(counts).outcome is Outcome.PASSED
    found = cpu_cost_drift_check(counts, cpu)
    assert (found.name, found.outcome) == ("CPU-cost drift", Outcome.FAILED)
    assert found.message == "-82.8 % over the window (± 0.0 %)"
    assert found.requirement == "≤ 5 % beyond the uncertainty"


def test_more_transactions_of_the_same_cost_are_no_drift_of_it() -> None:
    counts = course(*range(40, 64, 2))
    cpu = CpuCourse(tuple(0.002 * one.count for one in counts))
    assert cpu_cost_drift_check(counts, cpu).message.lstrip("+-").startswith("0.0 %")
    assert throughput_drift_check(counts).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("cpu", "message"),
    [
        (CpuCourse(), "the CPU time of the platform's tiers was not watched in the whole window"),
        (CpuCourse((0.4, 0.3)), "the CPU time of the platform's tiers was not watched in the whole window"),
        (CpuCourse((0.4, 0.3, 0.2)), "3 intervals are too few"),
    ],
)
def test_what_was_not_watched_long_enough_is_not_checked_with_the_reason(cpu: CpuCourse, message: str) -> None:
    found = cpu_cost_drift_check(course(50, 50, 50), cpu)
    assert (found.outcome, found.message) == (Outcome.NOT_CHECKED, message)


@pytest.mark.parametrize(
    ("counts", "cpu", "message"),
    [
        (course(50), CpuCourse((0.4,)), "1 interval is too few"),
        (course(*[50] * 12), CpuCourse((0.0,) * 12), "nothing was counted in 12 intervals"),
    ],
)
def test_the_reason_of_what_is_not_checked_is_the_right_one(
    counts: tuple[Course, ...], cpu: CpuCourse, message: str
) -> None:
    assert cpu_cost_drift_check(counts, cpu).message == message


def test_the_rest_of_an_interval_at_the_end_of_the_window_is_not_counted_as_one() -> None:
    # Four rates and costs that drift by half, but the last is of a millisecond: three say too little.
    rest = Course(PhaseName.MEASURE, 3.0, 3.001, 10, 1, 0, 1.0, 20.0, 90.0)
    counts = (*course(50, 60, 70), rest)
    cpu = CpuCourse((0.1, 0.2, 0.3, 0.0))
    for found in (throughput_drift_check(counts), cpu_cost_drift_check(counts, cpu)):
        assert (found.outcome, found.message) == (Outcome.NOT_CHECKED, "3 intervals are too few")


def test_clock_ticks_are_a_part_of_the_uncertainty() -> None:
    counts, fine = course(*[50] * 12), CpuCourse((0.011,) * 12, 1e-9)
    coarse = CpuCourse(fine.seconds, 0.02)
    assert cpu_cost_drift_check(counts, fine).message.endswith("(± 0.0 %)")
    assert cpu_cost_drift_check(counts, coarse).message.endswith("(± 90.9 %)")


def sample(second: float, **tiers: float) -> Sample:
    return Sample(
        t_ns=round(second * 1e9), tiers={tier: TierSample(cpu_s=cpu_s, rss_mib=1) for tier, cpu_s in tiers.items()}
    )


def test_cpu_time_of_tiers_is_told_for_each_interval_together() -> None:
    samples = [sample(0, web=1.0, services=2.0), sample(1, web=1.5, services=2.25), sample(2, web=2.5, services=2.25)]
    assert cpu_between(samples, ["web", "services"], [0.5, 1.0, 2.0]) == pytest.approx((0.375, 1.0))
    assert cpu_between(samples, ["web"], [0.5, 1.0, 2.5]) == ()
    assert cpu_between([*samples, sample(3, web=3.0)], ["web", "services"], [0.5, 1.0]) == ()
    assert cpu_between(samples, [], [0.5, 1.0]) == ()
    assert cpu_between([], ["web"], [0.5, 1.0]) == ()


def test_clock_ticks_are_recognized_by_their_step() -> None:
    assert cpu_step_s([sample(0, web=0.12), sample(1, web=1.99)], ["web"]) == pytest.approx(0.02)
    assert cpu_step_s([sample(0, web=0.12), sample(1, web=1.9912345)], ["web"]) == 1e-9


@dataclass(frozen=True)
class Simulated:
    """Windows of a load: transactions per second, CPU ms of one, seconds of the window, step of CPU readings in s."""

    rate: float
    cost_ms: float
    seconds: int
    step_s: float = 0.0

    def failing(self, drift: float) -> float:
        """Return the share of windows with this drift of the cost over the window that fail."""
        source = random.Random(f"{self} {drift}")  # noqa: S311 (a simulation, the same every time)
        failed = sum(self._fails(source, drift) for _ in range(WINDOWS))
        return failed / WINDOWS

    def _fails(self, source: random.Random, drift: float) -> bool:
        """Judge a window; of its noise a quarter goes on into the next second.

        Transactions scatter by as much as they cost (measured: 0.8 to 1.0), as a session has dear and cheap steps; a
        second by 3 % for itself, and a collector takes 15 % of a second's CPU time about every fourth second.
        """
        begin = source.random()
        readings, counts, noise = [begin], [], 0.0
        for second in range(self.seconds):
            count = max(1, round(source.gauss(self.rate, 0.7 * math.sqrt(self.rate))))
            noise = 0.25 * noise + math.sqrt(1 - 0.25**2) * source.gauss(0, math.hypot(1 / math.sqrt(count), 0.03))
            collects = 1.15 if source.random() < 1 / 4 else 1.0
            trend = 1 + drift * ((second + 0.5) / self.seconds - 0.5)
            used = count * self.cost_ms / 1000 * trend * collects * max(0.1, 1 + noise)
            readings.append(readings[-1] + used)
            counts.append(count)
        found = [math.floor(one / self.step_s) * self.step_s if self.step_s else one for one in readings]
        used_s = tuple(after - before for before, after in pairwise(found))
        return cpu_cost_drift_check(course(*counts), CpuCourse(used_s, self.step_s)).outcome is Outcome.FAILED


TEN_USERS, FORTY_USERS = 45.0, 180.0


@pytest.mark.parametrize(
    "windows",
    [
        Simulated(TEN_USERS, 2.0, 15),
        Simulated(TEN_USERS, 2.0, 20),
        Simulated(FORTY_USERS, 2.0, 15),
        Simulated(FORTY_USERS, 2.0, 20),
        Simulated(FORTY_USERS, 0.5, 15, step_s=0.01),
        Simulated(TEN_USERS, 0.5, 20, step_s=0.01),
    ],
)
def test_of_steady_windows_at_most_one_in_a_hundred_fails(windows: Simulated) -> None:
    assert windows.failing(drift=0.0) <= 0.01


def test_a_drift_is_found_the_surer_the_more_transactions_tell_of_it() -> None:
    ladder = [
        Simulated(TEN_USERS, 2.0, 15),
        Simulated(FORTY_USERS, 2.0, 15),
        Simulated(FORTY_USERS, 2.0, 60),
        Simulated(FORTY_USERS, 2.0, 120),
    ]
    small, large = ([windows.failing(drift) for windows in ladder] for drift in (-0.2, -0.4))
    assert small == sorted(small)
    assert small[-1] >= 0.9
    assert large[1] >= 0.6
