"""The course of a run: starts of subjects that are kept running, and in each start rounds of one window of each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from middlemark.experiment.faults_definition import PointFaults
from middlemark.records.run import Combination, Load

Group = tuple[Combination, ...]
"""Combinations that are kept running together."""


@dataclass(frozen=True)
class StartPlan:
    """One start of a group: its subjects start one after the other and are kept until the last of its `rounds`.

    `number` counts the starts of the run from 0. With `faults` a group is one combination, which has a point for each
    of them instead of rounds.
    """

    number: int
    group: Group
    rounds: int
    faults: tuple[PointFaults, ...] = ()

    @property
    def sequence(self) -> Group:
        """The combinations in the order in which they start: the other way round in every second start."""
        return self.group[::-1] if self.number % 2 else self.group

    def repeat(self, round_number: int) -> int:
        """Number of a round, from 0, among those of all starts."""
        return self.number * self.rounds + round_number


def schedule(groups: Sequence[Group], starts: int, rounds: int) -> list[StartPlan]:
    """Plan of a run: in each start one group after the other."""
    return [StartPlan(number, group, rounds) for number in range(starts) for group in groups]


def schedule_faults(
    combinations: Sequence[Combination], faults: Mapping[str, tuple[PointFaults, ...]]
) -> list[StartPlan]:
    """Plan of a run with faults: one start of each combination that has points with them (by its path)."""
    return [StartPlan(0, (one,), 1, faults[one.path]) for one in combinations if faults.get(one.path)]


def round_sequence(
    group: Group, loads: Mapping[str, Sequence[Load]], seed: int, repeat: int
) -> Iterator[tuple[Combination, Load]]:
    """Yield the windows of a round: its loads one after the other, at each of them the combinations at random.

    `loads` are by a combination's path. Windows that are compared lie next to each other, and no combination always
    follows the same one. The loads go up in one round and down in the next. The same seed gives the same sequence.
    """
    chance = random.Random(f"{seed} {repeat}")  # noqa: S311 (a sequence, no secret)
    places = range(max((len(loads[one.path]) for one in group), default=0))
    for place in reversed(places) if repeat % 2 else places:
        for one in chance.sample(group, len(group)):
            if place < len(loads[one.path]):
                yield one, loads[one.path][place]
