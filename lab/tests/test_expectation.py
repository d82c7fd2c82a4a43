"""Before anything is started a run says which differences it is likely to decide, or that nothing will be ranked."""

from __future__ import annotations

from pathlib import Path

import pytest

from middlemark.experiment import expectation, preparation
from middlemark.experiment.expectation import expectation_line
from middlemark.experiment.groups import Need
from middlemark.experiment.options import RunOptions
from middlemark.experiment.preparation import prepare
from middlemark.experiment.profiles import Profile
from middlemark.records.figures import Better
from middlemark.records.findings import Spread
from middlemark.verdict.estimate import Side, Terms, likely_difference

SIDE = Side(Spread(0.015, 6.0))


@pytest.fixture(autouse=True)
def no_ledger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What this machine knows already is left out."""
    monkeypatch.setattr(expectation, "ledger_file", lambda: tmp_path / "none")


def test_more_starts_and_more_rounds_decide_smaller_differences() -> None:
    terms = Terms(Better.LOWER, SIDE, SIDE)
    found = [likely_difference(terms, numbers, 0.04, 0.04) for numbers in ((1, 3), (1, 5), (2, 5), (4, 5))]
    assert found == sorted(found, reverse=True)
    assert 1.05 < found[0] < 1.20
    assert likely_difference(terms, (1, 3), 0.04, 0.004) > found[0]
    compiled = Terms(Better.LOWER, SIDE, Side(Spread(0.03, 6.0)))
    assert likely_difference(compiled, (1, 3), 0.04, 0.04) > found[0]


def test_a_run_of_two_combinations_says_from_which_difference_on_it_decides(tmp_path: Path) -> None:
    line = expectation_line(prepare("demo", RunOptions(out=tmp_path)))
    assert line.startswith("likely to be decided: differences of ")
    assert line.endswith(" % and more")


def test_a_run_of_one_combination_says_that_nothing_will_be_ranked(tmp_path: Path) -> None:
    line = expectation_line(prepare("demo", RunOptions(out=tmp_path, choices={"binding": "json"})))
    assert line == "nothing will be ranked: go json is the only combination"


def test_combinations_that_are_never_ranked_say_why(tmp_path: Path) -> None:
    file = tmp_path / "apart.yaml"
    file.write_text(
        "spec: brokerage\nscale: tiny\nsessions: brokerage\nsubjects: [go]\nmodes: {binding: [local]}\n"
        "reverse_proxy: [none, nginx]\nloads: {users: [1]}\n",
        encoding="utf-8",
    )
    line = expectation_line(prepare(str(file), RunOptions(out=tmp_path)))
    assert line == "nothing will be ranked: a reverse proxy on one side only"


def test_a_machine_that_drifts_between_groups_lets_less_be_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = expectation_line(prepare("demo", RunOptions(out=tmp_path)))
    monkeypatch.setattr(preparation, "room_here", lambda: Need(1, 1))
    apart = expectation_line(prepare("demo", RunOptions(out=tmp_path)))
    least = [int(line.removeprefix("likely to be decided: differences of ").split()[0]) for line in (at_once, apart)]
    assert least[1] > least[0] + 5


def test_a_control_is_not_among_what_is_ranked(tmp_path: Path) -> None:
    control = RunOptions(out=tmp_path, profile=Profile.PUBLISHABLE, choices={"binding": "json"})
    assert expectation_line(prepare("demo", control)) == "nothing will be ranked: go json is the only combination"


def test_a_single_round_decides_nothing(tmp_path: Path) -> None:
    once, thrice = (prepare("demo", RunOptions(out=tmp_path, rounds=1, starts=starts)) for starts in (1, 3))
    assert expectation_line(once) == "nothing will be decided: a word needs two rounds of a start, or 3 starts"
    assert expectation_line(thrice).startswith("likely to be decided after its last start")
