"""The count of false and of right verdicts, and the builds they are about."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_result import Shape, write_synthetic

from checks.listing import REPOSITORY
from checks.verdicts.builds import BURNING, COMMANDS, EQUAL, checkout_of_builds, replace_once
from checks.verdicts.judging import (
    Count,
    false_verdicts,
    found_slower,
    is_met,
    pairs_of,
    require_rounds,
    sample_lines,
    verdicts_of,
)
from middlemark.errors import TargetError
from middlemark.records.folder import read_result
from middlemark.records.run import Combination
from middlemark.subject.platform import load_platform
from middlemark.verdict.estimate import Round
from middlemark.verdict.sample_file import SamplePair, read_pairs

BUILDS = tuple(
    Combination(subject=name, modes={"binding": "local"}, label=f"{name} local", path=f"{name}/binding=local")
    for name in (*EQUAL, BURNING)
)


def pair(b: str, *ratios: float) -> SamplePair:
    """Return rounds of Go and another build that lie so far apart."""
    return SamplePair(
        f"go and {b}", "go", b, tuple(Round(place, 1.0, ratio, place) for place, ratio in enumerate(ratios))
    )


def test_only_decided_verdicts_on_equal_builds_are_false() -> None:
    apart, close = pair("go-b", 1.05, 1.06, 1.05, 1.04), pair("go-c", 0.98, 1.03, 1.01, 0.99)
    burning = pair(BURNING, 1.1, 1.11, 1.1, 1.09)
    assert false_verdicts(verdicts_of([apart, close, burning])) == Count(1, 2)


@pytest.mark.parametrize("ratios", [(), (1.5, 1.5)])
def test_too_few_rounds_are_no_right_verdict(ratios: tuple[float, ...]) -> None:
    enough = pair("go-b", 1.0, 1.0, 1.0, 1.0)
    require_rounds([enough])
    with pytest.raises(TargetError, match=rf"needed: go and go-c \({len(ratios)}\)"):
        require_rounds([enough, pair("go-c", *ratios)])


def test_a_burning_build_is_found_only_where_it_is_called_slower() -> None:
    slower, faster = pair(BURNING, 1.1, 1.11, 1.1, 1.09), pair(BURNING, 0.9, 0.91, 0.9, 0.89)
    unclear = pair(BURNING, 0.8, 1.3, 1.2, 0.9)
    assert found_slower(verdicts_of([slower, faster, unclear, pair("go-b", 1.1, 1.11, 1.1, 1.09)])) == Count(1, 3)


@pytest.mark.parametrize(
    ("false", "slower", "met"), [(2, 8, True), (3, 8, False), (2, 7, False), (0, 10, True)]
)  # fmt: skip
def test_two_of_twenty_may_be_false_and_eight_of_ten_must_be_found(false: int, slower: int, *, met: bool) -> None:
    assert is_met(Count(false, 20), Count(slower, 10)) is met


def test_every_two_builds_meet_at_every_load_in_the_rounds_in_which_both_count(tmp_path: Path) -> None:
    shape = Shape(combinations=BUILDS, loads=(10, 30), repeats=4, error_points=frozenset({0}))
    pairs = pairs_of(read_result(write_synthetic(tmp_path / "run", shape)))
    assert len(pairs) == 30
    rounds = {one.name: len(one.rounds) for one in pairs}
    assert (rounds["go and go-b at 10"], rounds["go and go-b at 30"], rounds["go-b and go-c at 10"]) == (3, 4, 4)


def test_the_samples_are_a_file_that_the_verdict_command_reads(tmp_path: Path) -> None:
    pairs = [pair("go-b", 1.05, 1.06, 1.05, 1.04), pair(BURNING, 1.1, 1.11, 1.1, 1.09)]
    file = tmp_path / "samples.csv"
    file.write_text("\n".join(sample_lines(pairs)) + "\n", encoding="utf-8")
    assert read_pairs(file) == pairs


def test_every_build_is_a_platform_of_its_own_and_one_burns(tmp_path: Path) -> None:
    home = checkout_of_builds(REPOSITORY, tmp_path / "checkout")
    for name in (*EQUAL, BURNING):
        platform = load_platform(home, name)
        assert f'Platform: "{name}"' in (platform.folder / COMMANDS / "about.go").read_text(encoding="utf-8")
        assert (platform.folder / COMMANDS / "burning.go").exists() is (name == BURNING)
    handler = (home / "platforms" / BURNING / COMMANDS / "run.go").read_text(encoding="utf-8")
    assert "burning(app.handler())" in handler


def test_a_platform_written_otherwise_is_no_silent_equal_build(tmp_path: Path) -> None:
    file = tmp_path / "run.go"
    file.write_text("two two", encoding="utf-8")
    for old in ("one", "two"):
        with pytest.raises(TargetError, match="times, not once"):
            replace_once(file, old, "three")
