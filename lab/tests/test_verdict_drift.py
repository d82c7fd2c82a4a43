"""A platform that still compiles shows in its CPU time per transaction, where think times fix the throughput."""

from __future__ import annotations

import pytest

from middlemark.judge.samples import SampleSums
from middlemark.records.driver_lines import PhaseName
from middlemark.records.point import Outcome
from middlemark.records.samples import Sample, TierSample
from middlemark.verdict.drift import CpuCourse, cpu_cost_drift_check, throughput_drift_check
from middlemark.workload.course import Course


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
    assert throughput_drift_check(counts).message.lstrip("+-").startswith("0.0 %")
    found = cpu_cost_drift_check(counts, cpu)
    assert (found.name, found.message) == ("CPU-cost drift", "-82.8 % over the window (± 0.0 %)")


def test_drift_is_shown_and_decides_nothing_however_large() -> None:
    counts, cpu = compiling()
    for found in (cpu_cost_drift_check(counts, cpu), throughput_drift_check(course(*range(40, 64, 2)))):
        assert (found.outcome, found.limit, found.requirement) == (Outcome.PASSED, None, "none: shown only")
        assert (found.found or 0) > 0.4


def test_more_transactions_of_the_same_cost_are_no_drift_of_it() -> None:
    counts = course(*range(40, 64, 2))
    cpu = CpuCourse(tuple(0.002 * one.count for one in counts))
    assert cpu_cost_drift_check(counts, cpu).message.lstrip("+-").startswith("0.0 %")
    assert throughput_drift_check(counts).message.startswith("+")


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


def test_cpu_time_of_tiers_is_known_for_each_interval_together() -> None:
    samples = [sample(0, web=1.0, services=2.0), sample(1, web=1.5, services=2.25), sample(2, web=2.5, services=2.25)]
    sums = SampleSums.of(samples)
    assert sums.cpu_between([0.5, 1.0, 2.0]) == pytest.approx((0.375, 1.0))
    assert sums.cpu_between([0.5, 1.0, 2.5]) == ()
    assert SampleSums.of([*samples, sample(3, web=3.0)]).cpu_between([0.5, 1.0]) == ()
    assert SampleSums.of([sample(n, driver=n, database=n) for n in range(3)]).cpu_between([0.5, 1.0]) == ()
    assert SampleSums().cpu_between([0.5, 1.0]) == ()


def test_clock_ticks_are_recognized_by_their_step() -> None:
    assert SampleSums.of([sample(0, web=0.12), sample(1, web=1.99)]).cpu_step_s == pytest.approx(0.02)
    assert SampleSums.of([sample(0, web=0.12), sample(1, web=1.9912345)]).cpu_step_s == 1e-9
