"""The counts of false and of right words, and the builds they are about."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from checks.listing import REPOSITORY
from checks.verdicts.builds import BURNING, FAMILIES, SLOW, Change, Family, checkout_of_builds, replace_once
from checks.verdicts.judging import (
    Count,
    OfBuild,
    Report,
    covered,
    false_reports,
    false_words,
    is_met,
    lines,
    mean_ratio,
    report_of,
    starts_apart,
    words_of,
)
from middlemark.errors import TargetError
from middlemark.experiment.definition import read_experiment
from middlemark.judge.comparisons import finding
from middlemark.judge.result import judge_folder
from middlemark.records.figures import Better
from middlemark.records.findings import Round, Spread, Use
from middlemark.records.run import Combination
from middlemark.subject.platform import load_platform
from middlemark.verdict.estimate import Prior, Terms, compare
from middlemark.verdict.words import Word, judge

GO = FAMILIES["go"]
KNOWN = Prior(Spread(0.005, 20))
TERMS = Terms(Better.LOWER, KNOWN, KNOWN, 2)


def pair(b: str, *ratios: float) -> OfBuild:
    """Rounds of one start of Go and another build that lie so far apart."""
    comparison = compare([Round(place, 1.0, ratio) for place, ratio in enumerate(ratios)], TERMS)
    a, other = (Combination(subject=name, modes={}, label=name, path=name) for name in ("go", b))
    (judgement,) = judge([comparison])
    return OfBuild(b, finding(Use.PAIR, "cpu", ((a, 40), (other, 40)), comparison, judgement), TERMS.needed)


def report(*leading: OfBuild, others: tuple[OfBuild, ...] = ()) -> Report:
    return Report(leading, others)


APART, CLOSE = pair("go-b", 1.2, 1.21, 1.2), pair("go-c", 0.99, 1.01, 1.0)
BURNS, BURNS_LESS = pair("go-burning", 1.1, 1.11, 1.12), pair("go-burning", 1.02, 1.021, 1.022)


def test_a_report_is_false_once_however_many_equal_builds_it_says_to_differ() -> None:
    reports = [report(APART, APART, BURNS), report(CLOSE, BURNS), report(CLOSE, BURNS, others=(APART,))]
    assert false_reports(reports, GO) == Count(1, 3)
    assert false_words(reports, GO) == Count(3, 5)


def test_what_a_build_burns_is_its_ratio_over_all_reports() -> None:
    reports = [report(BURNS), report(BURNS), report(BURNS), report(BURNS_LESS)]
    truth = mean_ratio(reports, "go-burning")
    assert truth == pytest.approx((1.1 * 1.11 * 1.12) ** 0.25 * (1.02 * 1.021 * 1.022) ** (1 / 12))
    assert covered(reports, "go-burning") == Count(3, 4)
    assert covered([report(BURNS), report(BURNS)], "go-burning") == Count(2, 2)


def test_a_tenth_of_the_intervals_may_miss_and_one_false_report_of_ten_is_too_many() -> None:
    right = [report(CLOSE, BURNS)] * 10
    assert is_met(right, GO)
    assert not is_met([report(APART, BURNS), *right[1:]], GO)
    assert not is_met([report(CLOSE, BURNS_LESS), report(CLOSE, BURNS_LESS), *right[2:]], GO)


def test_what_is_slow_to_compile_may_be_anything_but_slower() -> None:
    family = Family("go", {}, {f"go{SLOW}": (Change("a", "b"),)})
    slower, unclear = pair(f"go{SLOW}", 1.2, 1.21, 1.2), pair(f"go{SLOW}", 0.9, 1.3, 1.2)
    assert words_of([report(slower), report(unclear)], f"go{SLOW}") == {Word.SLOWER: 1, Word.UNDECIDED: 1}
    assert is_met([report(unclear)], family)
    assert not is_met([report(slower)], family)


def test_the_spread_between_starts_is_that_of_equal_builds_less_that_of_windows() -> None:
    """Two starts that each lie by 3 % of one value are by the square root of 2 times that apart."""
    logs = (0.03, -0.05, 0.04, -0.02)
    reports = [report(pair("go-b", math.exp(log - 0.01), math.exp(log), math.exp(log + 0.01))) for log in logs]
    squares = sum(log * log for log in logs) / 4 - 0.01**2 / 3
    assert starts_apart(reports, GO) == pytest.approx(math.sqrt(squares / 2))
    assert any("2.6 %" in line for line in lines(reports, Family("go", {}, {"go-b": ()})))


def test_a_run_is_judged_as_its_own_report_does(tmp_path: Path) -> None:
    twins = tuple(
        one.model_copy(update={"subject": name}) for name, one in zip(("go", "go-b"), COMBINATIONS, strict=True)
    )
    family = Family("go", {}, {"go-b": ()})
    shape = Shape(combinations=twins, loads=(10,), repeats=3, rounds=3)
    found = report_of(judge_folder(write_synthetic(tmp_path / "run", shape)), family)
    assert [one.build for one in found.leading] == ["go-b"]
    assert found.others
    with pytest.raises(TargetError, match="this run compares"):
        report_of(judge_folder(write_synthetic(tmp_path / "other", Shape(rounds=2))), GO)
    few = Shape(combinations=twins, loads=(10,), repeats=3, rounds=3, error_points=frozenset({0, 2}))
    with pytest.raises(TargetError, match="nothing is said of go-b"):
        report_of(judge_folder(write_synthetic(tmp_path / "few", few)), family)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_build_is_a_platform_of_its_own_and_in_its_experiment(name: str, tmp_path: Path) -> None:
    family = FAMILIES[name]
    home = checkout_of_builds(REPOSITORY, tmp_path / "checkout", family)
    for copy, changes in family.copies.items():
        platform = load_platform(home, copy)
        for file in family.names:
            assert f'"{copy}"' in (platform.folder / file).read_text(encoding="utf-8")
        for change in changes:
            assert change.new in (platform.folder / change.file).read_text(encoding="utf-8")
    experiment = read_experiment(REPOSITORY / "checks" / "verdicts" / f"{name}.yaml")
    assert experiment.subjects == (family.original, *family.copies)
    assert {*family.equal, *family.burning, *family.slow} == set(family.copies)


def test_a_platform_written_otherwise_is_no_silent_equal_build(tmp_path: Path) -> None:
    file = tmp_path / "run.go"
    file.write_text("two two", encoding="utf-8")
    for old in ("one", "two"):
        with pytest.raises(TargetError, match="times, not once"):
            replace_once(file, old, "three")


def test_burning_builds_have_a_name_that_says_so() -> None:
    assert [name for family in FAMILIES.values() for name in family.burning] == [
        f"go{BURNING}",
        f"spring-boot{BURNING}",
    ]
