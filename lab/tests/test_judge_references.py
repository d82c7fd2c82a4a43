"""Efficiencies: what a combination leaves of the speed of its reference, by docs/reference/statistics.md."""

from __future__ import annotations

import math
import statistics

import pytest
from made_result import Made, Points, combination, contents

from middlemark.judge.result import judge
from middlemark.records.findings import Comparison, Use
from middlemark.records.run import LeftOut

FILES, CALL = combination("one", session="files"), combination("one", session="call")
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
