"""What a combination reached at each load, where it reached most, and up to where clients were served in time."""

from __future__ import annotations

import pytest
from made_result import Made, changed, combination, contents, costing, made
from synthetic_result import COMBINATIONS

from middlemark.judge.levels import estimate
from middlemark.judge.result import judge
from middlemark.records.findings import CombinationFinding, Peak, UsefulPeak
from middlemark.records.run import Load, LoadLimits, Searched, SearchedPoint

FILES = combination("one", session="files")
FINE = [Made(1000, 1.0)] * 2
LIMITS = LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001)


def found(*loads: list[Made], limits: LoadLimits | None = LIMITS) -> CombinationFinding:
    """What was found of a combination with these windows at 1, 2, 4 … users."""
    points = [(FILES, 2**place, rounds) for place, rounds in enumerate(loads)]
    (one,) = judge(contents(points, limits=limits)).combinations
    return one


def useful(*loads: list[Made], limits: LoadLimits | None = LIMITS) -> UsefulPeak:
    return found(*loads, limits=limits).useful


def test_the_interval_of_a_mean_ends_at_zero_where_it_would_reach_below() -> None:
    half = 3.1824 * 8 / 2  # t of 3 degrees of freedom, the standard deviation is 8 for the first and 1 for the second
    wide, narrow = estimate([1.0, 1.0, 1.0, 17.0]), estimate([19.5, 19.5, 19.5, 21.5])
    assert (wide.low, wide.high) == pytest.approx((0, 5 + half), abs=0.001)
    assert (narrow.low, narrow.high) == pytest.approx((20 - half / 8, 20 + half / 8), abs=0.001)
    assert wide.is_interval
    few = estimate([3.0, 1.0])
    assert (few.mean, few.low, few.high, few.rounds, few.is_interval) == (2.0, 1.0, 3.0, 2, False)


def test_a_level_has_each_figure_over_the_rounds_that_count() -> None:
    one = combination("go", binding="local")
    rounds = [*costing(1.0, 2.0, 3.0), *costing(9.0, failed="errors")]
    (level,) = judge(made([(one, 10, rounds)])).combinations[0].levels
    assert level.repeats == (0, 1, 2)
    assert level.figures["cpu_ms_per_transaction"].mean == pytest.approx(2.0)
    # A mean of percentiles is none, and of what was not watched nothing is known.
    assert not level.figures.keys() & {"p95_ms", "database_cpu_ms_per_transaction"}


def test_a_peak_is_one_load_for_all_rounds_and_needs_as_many_that_count() -> None:
    one = found(
        [Made(100, 1), Made(130, 1), Made(100, 1), Made(100, 1)],
        [Made(120, 1), Made(120, 1), Made(120, 1), Made(120, 1)],
        # One lucky round that counts makes no peak.
        [Made(500, 1), *[Made(90, 1, failed="errors")] * 3],
    )
    assert one.peak.load == 2
    assert one.at_load(one.peak.load).figures["throughput"].mean == 120
    assert (one.peak.below, one.peak.above) == (1, 4)


@pytest.mark.parametrize(
    ("loads", "peak"),
    [
        ([FINE], Peak(load=1, remark="the only load", only_load=True)),
        ([FINE, [Made(2000, 1.0)] * 2], Peak(load=2, below=1, remark="the highest load: the peak may lie beyond")),
        ([[Made(2000, 1.0)] * 2, FINE], Peak(load=1, above=2)),
        ([[Made(9, 1.0, failed="audit")]], Peak(load=None, reason="INVALID by audit")),
        (
            [FINE, [Made(2000, 1.0, failed="driver CPU")] * 2],
            Peak(
                load=1, hidden="2 users driver CPU: 1 % (limit: 0.01 %)",
                remark="the peak is not known: at 2 users driver CPU: 1 % (limit: 0.01 %)",
            ),
        ),
    ],
)  # fmt: skip
def test_a_peak_says_what_is_not_known_of_it(loads: list[list[Made]], peak: Peak) -> None:
    assert found(*loads).peak == peak


def searched(peak: Load | None, **changes: object) -> Peak:
    points = [SearchedPoint(load=load, throughput_tps=9, mean_ms=4, inside=True, valid=True) for load in (5, 10, 20)]
    search = Searched(
        limits=LIMITS, peak=peak, throughput_tps=999.0, peak_known=True, inside=peak, outside=None, limit_known=True,
        points=points,
    )  # fmt: skip
    rounds = [] if peak is None else [(FILES, peak, FINE)]
    of = made(rounds or [(FILES, 10, [])])
    run = {"searched": {FILES.path: search.model_copy(update=changes)}}
    return judge(changed(of, **run)).combinations[0].peak


def test_a_peak_that_was_searched_has_its_neighbours_and_the_figure_of_the_search() -> None:
    assert searched(10) == Peak(load=10, searched_tps=999.0, below=5, above=20)
    assert searched(None) == Peak(load=None, reason="no point of the search counts")
    assert searched(None, ended=False).reason == "the search has not ended"
    assert searched(10, ended=False).remark == "the search has not ended"
    assert searched(10, peak_known=False).remark == "not narrowed down"
    assert searched(10, at_edge=True, doubtful=[40]).remark == (
        "the search ended at the edge of its range (10 users) and on INVALID points (40 users)"
    )
    assert searched(20, peak_known=False).remark == (
        "not narrowed down; the search ended at the highest load that it measured (20 users): the peak may lie beyond"
    )


@pytest.mark.parametrize(
    ("rounds", "why"),
    [
        (
            [Made(2000, 2.0), Made(2000, 2.0, equal=False)],
            "clients not served equally in 1 of 2 rounds: transactions vary by up to 40 %, response times by 80 %",
        ),
        ([Made(2000, 2.0), Made(2000, 2.0, failed="errors")], "errors in 1 of 2 rounds"),
        ([Made(2000, 2500.0), Made(2000, 3500.1)], "mean response of 3,000 ms, limit 3,000 ms"),
        ([Made(2000, 2.0, equal=None)] * 2, "the figures of each client were not kept (`per_client`)"),
        ([Made(2000, 2.0, failed="audit")] * 2, "no round counts: audit: 1 % (limit: 0.01 %)"),
    ],
)
def test_the_first_load_that_is_not_useful_ends_it_with_the_reason(rounds: list[Made], why: str) -> None:
    assert useful(FINE, FINE, rounds, FINE) == UsefulPeak(load=2, next_load=4, why_not=why)


def test_a_round_that_the_driver_spoilt_says_nothing_of_the_server() -> None:
    spoilt = Made(50, 900.0, equal=False, failed="driver CPU")
    rounds = [*[Made(2000, 2.0)] * 4, spoilt]
    assert useful([Made(1000, 1.0)] * 5, rounds) == UsefulPeak(load=2, next_load=None, why_not="")


def test_a_load_with_fewer_rounds_than_others_may_have_had_luck() -> None:
    peak = useful(FINE, [Made(2000, 2.0), Made(50, 900.0, failed="driver CPU")])
    assert (peak.next_load, peak.why_not) == (2, "counts in 1 of 2 rounds only")


def test_the_limit_is_that_of_the_experiment() -> None:
    limits = LoadLimits(mean_ms=5, p90_ms=None, errors=0.01)
    peak = useful(FINE, [Made(2000, 6.0)], limits=limits)
    assert (peak.next_load, peak.why_not) == (2, "mean response of 6 ms, limit 5 ms")
    assert useful(FINE, [Made(2000, 2999.0)] * 2, limits=None).load == 2


def test_without_a_useful_load_there_is_none() -> None:
    assert useful([Made(1000, 1.0, failed="errors")]) == UsefulPeak(
        load=None, next_load=1, why_not="errors in 1 of 1 round"
    )


LOCAL, JSON = (one.path for one in COMBINATIONS)


@pytest.mark.parametrize(
    ("chosen", "outside", "top"),
    [
        ({LOCAL: [10, 30, 60], JSON: [10, 30]}, {LOCAL: 60, JSON: 30}, 10),
        ({LOCAL: [10, 30, 60], JSON: [10, 30]}, {JSON: 30}, 10),
        ({LOCAL: [10, 30], JSON: [10]}, {LOCAL: 30, JSON: 10}, 10),
        ({LOCAL: [10, 30, 60], JSON: [10, 30, 60]}, {}, 60),
    ],
)
def test_the_load_of_the_comparison_follows_from_what_each_combination_could_serve(
    chosen: dict[str, list[Load]], outside: dict[str, Load], top: Load
) -> None:
    findings = judge(made([(one, 10, []) for one in COMBINATIONS], chosen=chosen, outside=outside))
    assert [one.load for one in findings.combinations] == [top, top]
    assert findings.at == f"{top} users"
