"""What the benchmark of the driver makes of its rounds."""

from __future__ import annotations

import pytest

from checks.bench_driver.figures import Figure, Ratio, Verdict, at_least, at_most, quantile, ratio
from checks.bench_driver.itself import Lateness
from checks.bench_driver.targets import Rounds, judged


def test_a_ratio_is_taken_round_by_round() -> None:
    found = ratio((7.0, 14.0, 9.0), (7.0, 7.0, 10.0))
    assert found.values == (1.0, 2.0, 0.9)
    assert found.estimate == pytest.approx(1.8 ** (1 / 3))
    # t of two degrees of freedom, 4.303, times the standard error of the logarithms.
    assert found.interval == pytest.approx((0.414, 3.574), abs=0.001)


def test_one_round_has_no_interval_and_decides_nothing() -> None:
    found = ratio((7.0,), (8.0,))
    assert found.interval is None
    assert found.at_most(2.0) == found.at_least(0.1) == found.within(0.5) == Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("interval", "small", "large", "same"),
    [
        ((0.96, 0.98), Verdict.MET, Verdict.MISSED, Verdict.MET),
        ((0.98, 1.02), Verdict.EQUAL, Verdict.EQUAL, Verdict.MET),
        ((1.01, 1.06), Verdict.MISSED, Verdict.MET, Verdict.EQUAL),
        ((0.8, 0.9), Verdict.MET, Verdict.MISSED, Verdict.MISSED),
    ],
)
def test_a_ratio_is_judged_by_its_interval(
    interval: tuple[float, float], small: Verdict, large: Verdict, same: Verdict
) -> None:
    found = Ratio((1.0, 1.0), 1.0, interval)
    assert (found.at_most(1.0), found.at_least(1.0), found.within(0.05)) == (small, large, same)


@pytest.mark.parametrize(("share", "value"), [(0.5, 30), (0.9, 40), (0.99, 700), (0.05, 30)])
def test_a_quantile_of_counted_values_is_one_of_them(share: float, value: int) -> None:
    assert quantile([(30, 50), (40, 45), (700, 5)], share) == value


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ((1.0, 1.1, 1.2), Verdict.MET),
        ((1.0, 1.15, 1.2), Verdict.EQUAL),
        ((1.25, 1.3, 1.35), Verdict.MISSED),
        ((1.3,), Verdict.MISSED),
        ((1.15, 1.2, 9.0), Verdict.MISSED),
    ],
)
def test_a_miss_within_the_spread_is_equal_if_a_round_reached_it(values: tuple[float, ...], verdict: Verdict) -> None:
    assert at_most(Figure(values), 1.1) == verdict
    assert at_least(Figure(tuple(-value for value in values)), -1.1) == verdict


@pytest.mark.parametrize(("waited", "stolen"), [(0.01, 0.0), (0.0, 0.01)])
def test_lateness_counts_where_nobody_else_had_the_cpu(waited: float, stolen: float) -> None:
    own = Lateness(50.0, 120.0, 0.001, 0.0, 100.0)
    disturbed = Lateness(50.0, 36_000.0, waited, stolen, 100.0)
    [*_, exact, _] = judged(Rounds({}, [], {"exact": [own, disturbed]}))
    assert exact.found == Figure((120.0,))
    assert exact.remark.startswith("1 of 2 rounds undisturbed")


def test_what_was_not_measured_is_neither_met_nor_missed() -> None:
    assert at_most(None, 1.0) == at_least(None, 1.0) == Verdict.UNKNOWN
