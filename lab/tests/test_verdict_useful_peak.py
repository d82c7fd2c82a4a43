"""The useful peak: the highest load up to which all clients are served equally and in time."""

from __future__ import annotations

from pathlib import Path

import pytest
from content_result import Made, combination, write_contents

from middlemark.records.run import LoadLimits
from middlemark.verdict.useful_peak import UsefulPeak, useful_peak

FILES = combination("one", session="files")
FINE = [Made(1000, 1.0)] * 2


def found(folder: Path, *loads: list[Made], limits: LoadLimits | None = None) -> UsefulPeak:
    """Return the useful peak of a combination with these points at 1, 2, 4 … users."""
    points = [(FILES, 2**place, rounds) for place, rounds in enumerate(loads)]
    return useful_peak(write_contents(folder, points, limits=limits), FILES)


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
def test_the_first_load_that_is_not_useful_ends_it_with_the_reason(
    tmp_path: Path, rounds: list[Made], why: str
) -> None:
    peak = found(tmp_path, FINE, FINE, rounds, FINE)
    assert peak.level is not None
    assert (peak.level.load, peak.next_load, peak.why_not) == (2, 4, why)


def test_a_round_that_the_driver_spoilt_says_nothing_of_the_server(tmp_path: Path) -> None:
    spoilt = Made(50, 900.0, equal=False, failed="driver CPU")
    peak = found(tmp_path, [Made(1000, 1.0)] * 5, [*[Made(2000, 2.0)] * 4, spoilt])
    assert peak.level is not None
    assert (peak.level.load, peak.next_load, peak.why_not) == (2, None, "")


def test_a_load_with_fewer_rounds_than_others_may_have_had_luck(tmp_path: Path) -> None:
    peak = found(tmp_path, FINE, [Made(2000, 2.0), Made(50, 900.0, failed="driver CPU")])
    assert (peak.next_load, peak.why_not) == (2, "counts in 1 of 2 rounds only")


def test_the_limit_is_that_of_the_experiment(tmp_path: Path) -> None:
    limits = LoadLimits(mean_ms=5, p90_ms=None, errors=0.01)
    peak = found(tmp_path, FINE, [Made(2000, 6.0)], limits=limits)
    assert (peak.next_load, peak.why_not) == (2, "mean response of 6 ms, limit 5 ms")


def test_without_a_useful_load_there_is_none(tmp_path: Path) -> None:
    peak = found(tmp_path, [Made(1000, 1.0, failed="errors")])
    assert (peak.level, peak.next_load, peak.why_not) == (None, 1, "errors in 1 of 1 round")
