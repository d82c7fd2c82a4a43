"""The check of the verdict tells what it cannot judge, and judges what it can."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_result import write_synthetic

from checks.verdicts.builds import BURNING, EQUAL
from checks.verdicts.judging import Count, burning_ratio, is_met, pairs_of, require_rounds
from middlemark.errors import InputError, TargetError
from middlemark.records.folder import read_result
from middlemark.verdict.estimate import Round
from middlemark.verdict.sample_file import SamplePair


def pair(rounds: int) -> SamplePair:
    return SamplePair("one", EQUAL[0], BURNING, tuple(Round(number, 2.0, 2.2, number) for number in range(rounds)))


def test_a_run_of_other_builds_is_refused(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path))
    with pytest.raises(InputError, match=r"this run has no go-b, .*go-burning.*bench-verdicts"):
        pairs_of(result)


def test_a_pair_without_rounds_enough_for_a_verdict_counts_neither_way() -> None:
    require_rounds([pair(4)])
    with pytest.raises(TargetError, match=r"one \(2\)"):
        require_rounds([pair(4), pair(2)])


def test_how_much_more_is_burnt_is_measured() -> None:
    equal = SamplePair("two", EQUAL[0], EQUAL[1], (Round(0, 2.0, 4.0),))
    assert burning_ratio([pair(4), equal]) == pytest.approx(1.1)


@pytest.mark.parametrize(("false", "found", "met"), [(2, 8, True), (3, 8, False), (2, 7, False)])
def test_the_promise_is_a_tenth_false_and_four_fifths_found(false: int, found: int, *, met: bool) -> None:
    assert is_met(Count(false, 20), Count(found, 10)) == met
