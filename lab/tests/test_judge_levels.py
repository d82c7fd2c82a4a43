"""What a combination reached at each load, where it reached most, and up to where clients were served in time."""

from __future__ import annotations

import math
import statistics

import pytest
from made_result import Made, Points, changed, combination, contents, costing, made
from synthetic_result import COMBINATIONS

from middlemark.judge.levels import estimate
from middlemark.judge.result import judge
from middlemark.records.findings import CombinationFinding, Comparison, Peak, Use, UsefulPeak
from middlemark.records.run import LeftOut, Load, LoadLimits, Searched, SearchedPoint

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


CALL = combination("one", session="call")
ENCRYPTED = combination("one", session="shop", encryption="tls")


def related(points: Points, use: Use, metric: str = "throughput") -> Comparison:
    """The only comparison with a reference by a figure; of one that was not made, the reason."""
    (one,) = (each for each in judge(contents(points)).comparisons if each.use is use and each.metric in {metric, ""})
    return one


def test_each_side_has_its_own_peak_and_both_the_highest_load() -> None:
    points = [
        (FILES, 1, [Made(1000, 1.0)] * 4),
        (FILES, 4, [Made(4000, 1.0), Made(4200, 0.9), Made(3800, 1.1), Made(4100, 1.0)]),
        (FILES, 16, [Made(3000, 5.0)] * 4),
        (CALL, 1, [Made(800, 1.25)] * 4),
        (CALL, 4, [Made(1900, 2.0)] * 4),
        (CALL, 16, [Made(2000, 8.0), Made(2100, 7.5), Made(1800, 9.0), Made(2050, 8.0)]),
    ]
    request = related(points, Use.REFERENCE_AT_PEAK)
    assert (request.a, request.load_a, request.b, request.load_b) == (FILES.path, 4, CALL.path, 16)
    logs = [
        math.log(own / files) for own, files in zip((2000, 2100, 1800, 2050), (4000, 4200, 3800, 4100), strict=True)
    ]
    assert request.ratio == pytest.approx(math.exp(statistics.fmean(logs)))
    half = 3.182446 * statistics.stdev(logs) / 2
    assert request.high == pytest.approx(math.exp(statistics.fmean(logs) + half), rel=1e-5)
    # The times of the reference ÷ the own: less than 1 is slower.
    latency = related(points, Use.REFERENCE_AT_PEAK, "mean_ms")
    times = [files / own for files, own in zip((1.0, 0.9, 1.1, 1.0), (8.0, 7.5, 9.0, 8.0), strict=True)]
    assert latency.ratio == pytest.approx(math.exp(statistics.fmean(map(math.log, times))))
    highest = related(points, Use.REFERENCE)
    assert (highest.load_a, highest.load_b) == (16, 16)
    assert min(highest.ratios) == pytest.approx(1800 / 3000)
    assert request.word == highest.word == ""


FEW = [Made(9000, 1.5)] * 2


@pytest.mark.parametrize(
    ("at_16", "at_60", "hidden"),
    [
        ([Made(9000, 1.5, failed="driver CPU")] * 4, [Made(9500, 6.0, failed="driver CPU")] * 4, "16 users driver CPU"),
        # Nobody knows what 16 users reached, whatever 60 did.
        ([Made(9000, 1.5, failed="driver CPU")] * 4, [Made(900, 60.0)] * 4, "16 users driver CPU"),
        ([Made(9000, 1.5, failed="driver CPU")] * 4, [Made(1900, 60.0)] * 4, "16 users driver CPU"),
        ([*FEW, Made(9000, 1.5, failed="errors")], [Made(900, 60.0)] * 4, "16 users counts in 2 of 3 rounds"),
        (FEW, [Made(900, 60.0)] * 4, "16 users counts in 2 of 3 rounds"),
        ([Made(9000, 1.5, failed="errors")] * 4, [Made(9500, 6.0, failed="errors")] * 4, ""),
        ([Made(950, 16.0)] * 4, [Made(9500, 6.0, failed="driver CPU")] * 4, ""),
    ],
)
def test_a_peak_is_known_where_both_loads_next_to_it_are_unless_they_failed_by_errors(
    at_16: list[Made], at_60: list[Made], hidden: str
) -> None:
    points: Points = [
        (FILES, 1, [Made(1000, 1.0)] * 4), (FILES, 16, at_16), (FILES, 60, at_60),
        *[(CALL, load, [Made(800 - load, 1.25)] * 4) for load in (1, 16, 60)],
    ]  # fmt: skip
    at_peak = related(points, Use.REFERENCE_AT_PEAK)
    assert (at_peak.ratio is None) == bool(hidden)
    assert at_peak.reason.startswith(f"the peak of files is not known: {hidden}" if hidden else "")
    assert bool(at_peak.reason) == bool(hidden)
    assert len(related(points, Use.REFERENCE).rounds) == 4


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        (6312.0, ""),
        (6320.0, "mean answers of 6,250 and 6,320 B differ"),
        (None, "the bytes of the answers were not counted"),
    ],
)
def test_sides_with_answers_of_different_sizes_are_not_compared(size: float | None, reason: str) -> None:
    points = [(FILES, 1, [Made(1000, 1.0)] * 2), (CALL, 1, [Made(800, 1.25, size)] * 2)]
    found = related(points, Use.REFERENCE_AT_PEAK)
    assert (found.reason, found.ratio is None) == (reason, bool(reason))


def test_reports_of_calls_may_have_any_size() -> None:
    made_of = contents([(FILES, 1, [Made(1000, 1.0)] * 2), (CALL, 1, [Made(800, 1.25, 9000.0)] * 2)])
    reporting = changed(made_of, [window.model_copy(update={"responses": 1}) for window in made_of.windows])
    (found,) = (
        one for one in judge(reporting).comparisons if one.use is Use.REFERENCE_AT_PEAK and one.metric == "throughput"
    )
    assert found.reason == ""
    assert found.ratio == pytest.approx(0.8)


def test_what_chance_adds_to_the_answers_of_drawn_requests_is_no_difference() -> None:
    drawn = [Made(1000, 1.0, size) for size in (6100.0, 6500.0, 6250.0, 6600.0)]
    points = [(FILES, 1, drawn), (CALL, 1, [Made(800, 1.25)] * 4)]
    assert related(points, Use.REFERENCE_AT_PEAK).reason == ""
    # However far the windows lie apart, chance does not explain everything.
    wild = [Made(1000, 1.0, size) for size in (3000.0, 9500.0, 5000.0, 9500.0)]
    points = [(FILES, 1, wild), (CALL, 1, [Made(800, 1.25)] * 4)]
    assert related(points, Use.REFERENCE_AT_PEAK).reason.endswith("B differ")


def test_a_counterpart_agrees_in_all_else_and_the_reason_says_in_what_it_does_not() -> None:
    other = combination("two", session="call")
    points = [(FILES, 1, [Made(1000, 1.0)]), (ENCRYPTED, 1, [Made(900, 1.1)]), (other, 1, [Made(500, 2.0)])]
    left_out = [
        LeftOut(label="two, session files", reason="two has no files", subject="two", modes={"session": "files"})
    ]
    found = judge(contents(points, left_out=left_out)).comparisons
    reasons = {one.b: one.reason for one in found if one.use is Use.REFERENCE_AT_PEAK}
    assert reasons == {
        ENCRYPTED.path: "files was not run with encryption tls",
        other.path: "no files: two has no files",
    }


def test_without_a_window_that_counts_there_is_none() -> None:
    points = [(FILES, 1, [Made(1000, 1.0)]), (CALL, 1, [Made(800, 1.25, failed="audit")])]
    assert related(points, Use.REFERENCE_AT_PEAK).reason == "no point counts"
    points = [(FILES, 1, [Made(1000, 1.0, failed="audit")]), (CALL, 1, [Made(800, 1.25)])]
    assert related(points, Use.REFERENCE_AT_PEAK).reason == "no point of files counts"
