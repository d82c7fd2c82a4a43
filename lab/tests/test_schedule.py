"""The order of a run: who is kept running together, and in which order the windows of a round are measured."""

from __future__ import annotations

import pytest

from middlemark.experiment.combinations import with_control
from middlemark.experiment.groups import MAX_TOGETHER, Need, kept_together
from middlemark.experiment.schedule import StartPlan, round_sequence, schedule
from middlemark.records.run import Combination

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


def test_idle_neighbours_are_not_kept_without_number() -> None:
    every = [combination(f"s{number}") for number in range(MAX_TOGETHER + 1)]
    found = kept_together(every, dict.fromkeys((one.path for one in every), Need(1, 1)), ROOM, lambda *_: False)
    assert [len(group) for group in found] == [1] * len(every)


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
