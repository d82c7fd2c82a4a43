"""Efficiencies: what a combination leaves of the speed of its reference, by docs/reference/statistics.md."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import pytest
from content_result import Made, combination, write_contents

from middlemark.records.run import LeftOut
from middlemark.verdict.efficiency import Efficiency, efficiencies
from middlemark.verdict.levels import levels, peak

FILES, CALL = combination("one", session="files"), combination("one", session="call")
ENCRYPTED = combination("one", session="shop", encryption="tls")


def test_each_side_has_its_own_peak_and_both_the_highest_load(tmp_path: Path) -> None:
    result = write_contents(
        tmp_path,
        [
            (FILES, 1, [Made(1000, 1.0)] * 4),
            (FILES, 4, [Made(4000, 1.0), Made(4200, 0.9), Made(3800, 1.1), Made(4100, 1.0)]),
            (FILES, 16, [Made(3000, 5.0)] * 4),
            (CALL, 1, [Made(800, 1.25)] * 4),
            (CALL, 4, [Made(1900, 2.0)] * 4),
            (CALL, 16, [Made(2000, 8.0), Made(2100, 7.5), Made(1800, 9.0), Made(2050, 8.0)]),
        ],
    )
    found = only(efficiencies(result))
    assert found.reference == FILES
    assert found.at_peak is not None
    assert (found.at_peak.load, found.at_peak.reference_load) == (16, 4)
    logs = [
        math.log(own / files) for own, files in zip((2000, 2100, 1800, 2050), (4000, 4200, 3800, 4100), strict=True)
    ]
    assert found.at_peak.request.ratio == pytest.approx(math.exp(statistics.fmean(logs)))
    half = 3.182446 * statistics.stdev(logs) / 2
    assert found.at_peak.request.interval is not None
    assert found.at_peak.request.interval.high == pytest.approx(math.exp(statistics.fmean(logs) + half), rel=1e-5)
    # The times of the reference ÷ the own: less than 1 is slower.
    times = [files / own for files, own in zip((1.0, 0.9, 1.1, 1.0), (8.0, 7.5, 9.0, 8.0), strict=True)]
    assert found.at_peak.latency.ratio == pytest.approx(math.exp(statistics.fmean(map(math.log, times))))
    assert found.at_highest is not None
    assert (found.at_highest.load, found.at_highest.reference_load) == (16, 16)
    assert found.at_highest.request.min_ratio == pytest.approx(1800 / 3000)


def test_a_peak_is_one_load_for_all_rounds_and_needs_as_many_that_count(tmp_path: Path) -> None:
    result = write_contents(
        tmp_path,
        [
            (FILES, 1, [Made(100, 1), Made(130, 1), Made(100, 1), Made(100, 1)]),
            (FILES, 2, [Made(120, 1), Made(120, 1), Made(120, 1), Made(120, 1)]),
            # One lucky round that counts makes no peak.
            (FILES, 4, [Made(500, 1), *[Made(90, 1, failed="errors")] * 3]),
        ],
    )
    found = peak(levels(result, FILES))
    assert found is not None
    assert (found.load, found.throughput_tps) == (2, 120)


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
    tmp_path: Path, at_16: list[Made], at_60: list[Made], hidden: str
) -> None:
    points = [(FILES, 1, [Made(1000, 1.0)] * 4), (FILES, 16, at_16), (FILES, 60, at_60)]
    points += [(CALL, load, [Made(800 - load, 1.25)] * 4) for load in (1, 16, 60)]
    found = only(efficiencies(write_contents(tmp_path, points)))
    assert (found.at_peak is None) == bool(hidden)
    assert hidden in found.hidden
    assert found.at_highest is not None
    assert len(found.at_highest.request.rounds) == 4


def test_sides_with_answers_of_different_sizes_are_not_compared(tmp_path: Path) -> None:
    for place, (size, reason) in enumerate(
        [
            (6312.0, ""),
            (6320.0, "mean answers of 6,250 and 6,320 B differ"),
            (None, "the bytes of the answers were not counted"),
        ]
    ):
        points = [(FILES, 1, [Made(1000, 1.0)] * 2), (CALL, 1, [Made(800, 1.25, size)] * 2)]
        found = only(efficiencies(write_contents(tmp_path / str(place), points)))
        assert found.reason == reason
        assert (found.at_peak is None) == bool(reason)


def test_what_chance_adds_to_the_answers_of_drawn_requests_is_no_difference(tmp_path: Path) -> None:
    drawn = [Made(1000, 1.0, size) for size in (6100.0, 6500.0, 6250.0, 6600.0)]
    points = [(FILES, 1, drawn), (CALL, 1, [Made(800, 1.25)] * 4)]
    assert only(efficiencies(write_contents(tmp_path / "by chance", points))).reason == ""
    # However far the points lie apart, chance does not explain everything.
    wild = [Made(1000, 1.0, size) for size in (3000.0, 9500.0, 5000.0, 9500.0)]
    points = [(FILES, 1, wild), (CALL, 1, [Made(800, 1.25)] * 4)]
    assert only(efficiencies(write_contents(tmp_path / "wild", points))).reason.endswith("B differ")


def test_a_counterpart_agrees_in_all_else_and_the_reason_says_in_what_it_does_not(tmp_path: Path) -> None:
    other = combination("two", session="call")
    result = write_contents(
        tmp_path,
        [
            (FILES, 1, [Made(1000, 1.0)]),
            (ENCRYPTED, 1, [Made(900, 1.1)]),
            (other, 1, [Made(500, 2.0)]),
        ],
        left_out=[
            LeftOut(label="two, session files", reason="two has no files", subject="two", modes={"session": "files"})
        ],
    )
    found = efficiencies(result)
    assert found[ENCRYPTED.path].reason == "files was not run with encryption tls"
    assert found[other.path].reason == "no files: two has no files"


def test_without_a_point_that_counts_there_is_none(tmp_path: Path) -> None:
    points = [(FILES, 1, [Made(1000, 1.0)]), (CALL, 1, [Made(800, 1.25, failed="audit")])]
    assert only(efficiencies(write_contents(tmp_path / "own", points))).reason == "no point counts"
    points = [(FILES, 1, [Made(1000, 1.0, failed="audit")]), (CALL, 1, [Made(800, 1.25)])]
    assert only(efficiencies(write_contents(tmp_path / "reference", points))).reason == "no point of files counts"


def only(found: dict[str, Efficiency]) -> Efficiency:
    """Return the only efficiency."""
    assert list(found) == [CALL.path]
    return found[CALL.path]
