"""The order of a run: who is kept running together, the windows of a round; and what it is likely to decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import ROOT
from middlemark.experiment import plan_text, preparation
from middlemark.experiment.combinations import with_control
from middlemark.experiment.definition import RunOptions
from middlemark.experiment.phases import Profile
from middlemark.experiment.plan_text import expectation_line, plan_lines, whole_line
from middlemark.experiment.preparation import prepare
from middlemark.experiment.schedule import MAX_TOGETHER, Need, StartPlan, kept_together, round_sequence, schedule
from middlemark.records.figures import Better
from middlemark.records.findings import Spread
from middlemark.records.run import Combination
from middlemark.verdict.estimate import Prior, Terms, likely_difference

ROOM = Need(memory_mib=1000, connections=100)
SMALL, LARGE = Need(100, 10), Need(400, 10)


def combination(name: str) -> Combination:
    return Combination(subject=name, modes={}, label=name, path=f"{name}/")


A, B, C, D = (combination(name) for name in "abcd")


def groups(*needs: Need, linked: tuple[tuple[Combination, Combination], ...] = ()) -> list[str]:
    """Return the groups of a, b, … with these needs, of which these pairs are compared, as words."""
    every = [A, B, C, D][: len(needs)]
    found = kept_together(
        every,
        {one.path: need for one, need in zip(every, needs, strict=True)},
        ROOM,
        lambda one, other: (one, other) in linked or (other, one) in linked,
    )
    return ["".join(one.subject for one in group) for group in found]


def test_all_combinations_are_kept_together_where_there_is_room() -> None:
    assert groups(SMALL, LARGE, LARGE) == ["abc"]


@pytest.mark.parametrize("dear", [LARGE, Need(100, 40)], ids=["memory", "connections"])
def test_without_room_for_all_those_are_together_that_are_compared(dear: Need) -> None:
    assert groups(dear, dear, dear, linked=((A, C),)) == ["b", "ac"]


def test_who_is_compared_with_both_of_two_that_are_not_joins_them() -> None:
    assert groups(SMALL, SMALL, LARGE, Need(500, 10), linked=((A, C), (B, C))) == ["abc", "d"]


def test_without_room_for_those_that_are_compared_one_follows_the_other() -> None:
    assert groups(LARGE, LARGE, LARGE, linked=((A, B), (B, C))) == ["a", "b", "c"]


def test_without_room_for_those_that_are_compared_those_of_a_subject_are_together() -> None:
    every = [combination(f"{subject} {mode}") for mode in ("shared", "unshared") for subject in "ab"]
    every = [one.model_copy(update={"subject": one.label[0]}) for one in every]

    def found(most: Need) -> list[list[str]]:
        needs = dict.fromkeys((one.path for one in every), most)
        return [[one.label for one in group] for group in kept_together(every, needs, ROOM, lambda *_: True)]

    assert found(Need(1, 30)) == [["a shared", "a unshared"], ["b shared", "b unshared"]]
    assert found(Need(1, 60)) == [["a shared"], ["a unshared"], ["b shared"], ["b unshared"]]


def test_idle_neighbours_are_not_kept_without_number() -> None:
    every = [combination(f"s{number}") for number in range(MAX_TOGETHER + 1)]
    found = kept_together(every, dict.fromkeys((one.path for one in every), Need(1, 1)), ROOM, lambda *_: False)
    assert [len(group) for group in found] == [1] * len(every)
    # The number is one of deployments.
    on_first = [every[0], *(one.model_copy(update={"runs_on": every[0].path}) for one in every[1:])]
    assert len(kept_together(on_first, {every[0].path: LARGE}, ROOM, lambda *_: False)) == 1


def test_combinations_on_the_same_processes_are_kept_together_and_need_them_once() -> None:
    again = A.model_copy(update={"path": D.path, "runs_on": A.path})
    needs = dict.fromkeys((one.path for one in (A, B, C)), LARGE)

    def found(**more: Need) -> list[str]:
        some = kept_together([A, B, again], needs | more, ROOM, lambda *_: False)
        return ["".join(one.subject for one in group) for group in some]

    assert found() == ["aba"]
    assert found(**{B.path: Need(900, 10)}) == ["b", "aa"]
    apart = kept_together([A, B, C, again], needs, ROOM, lambda *_: True)
    assert ["".join(one.subject for one in group) for group in apart] == ["aa", "b", "c"]


def test_each_start_has_every_group_and_begins_with_the_other_end_of_it() -> None:
    plans = schedule([(A, B), (C,)], starts=2, rounds=3)
    assert [(plan.number, "".join(one.subject for one in plan.sequence)) for plan in plans] == [
        (0, "ab"),
        (0, "c"),
        (1, "ba"),
        (1, "c"),
    ]
    assert [plans[2].repeat(number) for number in range(3)] == [3, 4, 5]


def test_loads_go_up_in_one_round_and_down_in_the_next_with_all_combinations_side_by_side() -> None:
    loads = {A.path: (10, 30), B.path: (10, 30), C.path: (10,)}
    up, down = (list(round_sequence((A, B, C), loads, 1, repeat)) for repeat in (0, 1))
    assert [load for _, load in up] == [10, 10, 10, 30, 30]
    assert [load for _, load in down] == [30, 30, 10, 10, 10]
    assert {one.subject for one, _ in up[:3]} == {"a", "b", "c"}


def test_the_sequence_of_a_round_is_random_and_the_same_for_the_same_seed() -> None:
    loads = dict.fromkeys((one.path for one in (A, B, C)), (10,))

    def sequences(seed: int) -> list[str]:
        rounds = (round_sequence((A, B, C), loads, seed, repeat) for repeat in range(60))
        return ["".join(one.subject for one, _ in each) for each in rounds]

    assert sequences(1) == sequences(1)
    assert sequences(1) != sequences(2)
    # Each of the six is as likely as any other: chance leaves one out of 60 rounds with 1 of 10,000 seeds.
    assert len(set(sequences(1))) == 6


def test_points_with_faults_keep_their_numbers() -> None:
    assert StartPlan(0, (A,), 1, ((), ())).repeat(0) == 0


def test_a_control_is_the_first_combination_once_more_under_a_path_of_its_own() -> None:
    first, again, last = with_control([A, B])
    assert (first, last) == (A, B)
    assert (again.subject, again.modes, again.label, again.path) == ("a", {}, "a again", "a/,again")


SIDE = Prior(Spread(0.015, 6.0))


@pytest.fixture(autouse=True)
def no_ledger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What this machine knows already is left out."""
    monkeypatch.setattr(plan_text, "ledger_file", lambda: tmp_path / "none")


def test_more_starts_and_more_rounds_decide_smaller_differences() -> None:
    terms = Terms(Better.LOWER, SIDE, SIDE)
    found = [likely_difference(terms, numbers, 0.04, 0.04) for numbers in ((1, 3), (1, 5), (2, 5), (4, 5))]
    assert found == sorted(found, reverse=True)
    assert 1.05 < found[0] < 1.20
    assert likely_difference(terms, (1, 3), 0.04, 0.004) > found[0]
    compiled = Terms(Better.LOWER, SIDE, Prior(Spread(0.03, 6.0)))
    assert likely_difference(compiled, (1, 3), 0.04, 0.04) > found[0]


def test_a_run_of_two_combinations_says_from_which_difference_on_it_decides(tmp_path: Path) -> None:
    line = expectation_line(prepare("demo", RunOptions(out=tmp_path)))
    assert line.startswith("likely to be decided: differences of ")
    assert line.endswith(" % and more")


def test_the_plan_says_which_combinations_run_on_the_same_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "lab" / "tests" / "checkout")
    prepared = prepare("sums", RunOptions(out=tmp_path))
    shared = [line for line in plan_lines(prepared, {}) if line.startswith("on the same processes: ")]
    assert whole_line(prepared).startswith("sums: 8 combinations on 4 deployments × ")
    assert sorted(one for line in shared for one in line.partition(": ")[2].split("; ")) == sorted(
        one.label for one in prepared.combinations
    )
    assert len(shared) == 4
    alone = prepare("sums", RunOptions(out=tmp_path, choices={"session": "sums"}))
    assert whole_line(alone).startswith("sums: 4 combinations × ")
    assert not any(line.startswith("on the same") for line in plan_lines(alone, {}))


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
