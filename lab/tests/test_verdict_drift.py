"""A platform that still compiles shows in its CPU time per transaction, where think times fix the throughput."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from middlemark.judge.samples import SampleSums
from middlemark.records.driver_lines import PhaseName
from middlemark.records.point import Outcome
from middlemark.records.samples import Sample, TierSample
from middlemark.verdict.drift import CpuCourse, cpu_cost_drift_check, flatness, throughput_drift_check
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


LIMIT_S = 300
LOOKS_S = range(10, LIMIT_S, 5)
SEEDS = range(30)
Cost = Callable[[float], float]


@dataclass(frozen=True)
class Second:
    """A second of a course, as `flatness` takes it."""

    start_s: float
    end_s: float
    count: int


def warm_after(cost: Cost, scatter: float, seed: int, count: int = 300) -> int | None:
    """Return after how many seconds CPU time per transaction is flat, None when it never is.

    `cost` gives its CPU ms at a second, `scatter` is their standard deviation, relative.
    """
    noise = random.Random(seed)  # noqa: S311 (made-up courses, no secret)
    seconds = [Second(float(second), second + 1.0, count) for second in range(LIMIT_S)]
    used = [cost(second) * count / 1000 * (1 + scatter * noise.gauss(0, 1)) for second in range(LIMIT_S)]
    for length in LOOKS_S:
        found = flatness(seconds[:length], CpuCourse(tuple(used[:length])))
        if found is not None and found.flat:
            return length
    return None


def compiled(second: float) -> float:
    """Return the cost of what was compiled before it started."""
    return 1.0 + 0 * second


def interpreted(second: float) -> float:
    """Return the cost of what is interpreted first, then compiled twice: most in 10 s, the rest over a minute."""
    return 1.0 + 4.0 * math.exp(-second / 10) + 0.5 * math.exp(-second / 30)


def stepping(second: float) -> float:
    """Return the cost of what becomes cheaper all at once, before anybody has looked."""
    return 2.0 if second < 9 else 1.0


def starved(second: float) -> float:
    """Return the cost of what compiles so slowly that it takes minutes to become one tenth cheaper."""
    return 1.0 + 10 / (second + 5)


def leaking(second: float) -> float:
    """Return the cost of what takes more and more time."""
    return math.exp(second / 100)


@pytest.mark.parametrize(("scatter", "longest"), [(0.0, 10), (0.01, 30), (0.03, 60), (0.06, 200)])
def test_what_was_compiled_before_is_warm_the_sooner_the_less_it_scatters(scatter: float, longest: int) -> None:
    found = [warm_after(compiled, scatter, seed) for seed in SEEDS]

    assert sum(one is not None and one <= longest for one in found) >= 0.95 * len(SEEDS)


@pytest.mark.parametrize(("cost", "earliest"), [(interpreted, 60), (stepping, 15), (starved, 40)])
@pytest.mark.parametrize("scatter", [0.005, 0.02, 0.06])
def test_what_becomes_cheaper_is_warm_once_little_is_left_of_it(cost: Cost, earliest: int, scatter: float) -> None:
    found = [warm_after(cost, scatter, seed) for seed in SEEDS]

    assert None not in found
    ends = sorted(one for one in found if one is not None)
    assert ends[round(0.05 * len(ends))] >= earliest
    left = sorted(cost(end) / cost(end + 300) - 1 for end in ends)
    # What scatters by 6 % hides the more.
    assert left[round(0.9 * len(left))] <= (0.2 if scatter > 0.05 else 0.1)


@pytest.mark.parametrize("scatter", [0.0, 0.02, 0.06])
def test_what_takes_more_and_more_time_is_never_warm(scatter: float) -> None:
    found = [warm_after(leaking, scatter, seed) for seed in SEEDS]

    assert sum(one is None for one in found) >= 0.95 * len(SEEDS)


def test_the_change_is_that_of_the_last_half_in_half_its_length() -> None:
    seconds = [Second(float(second), second + 1.0, 100) for second in range(40)]
    # 3 ms until the twentieth second, then down from 1.1 ms to 0.9 ms.
    used = [0.3] * 20 + [0.11 - 0.02 * (second + 0.5) / 20 for second in range(20)]

    found = flatness(seconds, CpuCourse(tuple(used)))

    assert found
    assert (found.seconds, found.flat) == (10, False)
    assert found.change == pytest.approx(-0.1)
    assert found.uncertainty == pytest.approx(0, abs=1e-9)


def test_what_is_not_known_well_enough_is_not_flat() -> None:
    seconds = [Second(float(second), second + 1.0, 100) for second in range(10)]
    used = (0.1, 0.1, 0.1, 0.1, 0.1, 0.08, 0.12, 0.1, 0.12, 0.08)

    found = flatness(seconds, CpuCourse(used))

    assert found
    assert abs(found.change) < 0.03
    assert found.uncertainty > 0.06
    assert not found.flat


@pytest.mark.parametrize(("length", "watched"), [(4, 4), (20, 0), (20, 19)])
def test_too_short_or_not_watched_throughout_is_unknown(length: int, watched: int) -> None:
    seconds = [Second(float(second), second + 1.0, 100) for second in range(length)]

    assert flatness(seconds, CpuCourse((0.1,) * watched)) is None


def test_seconds_without_a_transaction_are_unknown() -> None:
    seconds = [Second(float(second), second + 1.0, 0) for second in range(20)]

    assert flatness(seconds, CpuCourse((0.1,) * 20)) is None


def test_cpu_time_that_is_read_in_coarse_steps_takes_longer_to_be_flat() -> None:
    seconds = [Second(float(second), second + 1.0, 10) for second in range(20)]

    fine, coarse = (flatness(seconds, CpuCourse((0.02,) * 20, step_s)) for step_s in (1e-9, 0.02))

    assert fine and coarse  # noqa: PT018 (both or none)
    assert (fine.flat, coarse.flat) == (True, False)
