"""The order of a run: blocks of one point of each combination and load, the order of both alternating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from middlemark.experiment.faults_definition import PointFaults
from middlemark.records.run import Combination, Load


@dataclass(frozen=True)
class Deployment:
    """One start of one subject: its loads in order, inside one block (`repeat`, from 0).

    `loads` are those written, in the order in which all or the first of them are measured. With `faults` it has a point
    for each of them instead, all at its only load. `searching`: its loads are searched, before any block.
    """

    combination: Combination
    repeat: int
    loads: tuple[Load, ...]
    faults: tuple[PointFaults, ...] = ()
    searching: bool = False

    @property
    def points(self) -> list[tuple[Load, int, PointFaults]]:
        """Return load, repeat and faults of each point in the order in which they run, as far as they are written."""
        if self.faults:
            return [(self.loads[-1], number, faults) for number, faults in enumerate(self.faults)]
        return [(load, self.repeat, ()) for load in self.loads]


def schedule(combinations: Sequence[Combination], loads: Sequence[Load], repeats: int) -> list[Deployment]:
    """Return the deployments of a run: AB, BA, AB … so that a drift of the machine falls on both sides alike.

    The loads go up in one block and down in the next: none of them always meets the youngest processes. Until a limit
    (`LoadChooser`) they only go up.
    """
    deployments: list[Deployment] = []
    for repeat in range(repeats):
        step = -1 if repeat % 2 else 1
        deployments.extend(
            Deployment(combination, repeat, tuple(loads)[::step]) for combination in combinations[::step]
        )
    return deployments


def schedule_search(combinations: Sequence[Combination], repeats: int) -> list[Deployment]:
    """Return a deployment that searches for each combination, then blocks at the loads it finds."""
    searching = [Deployment(combination, 0, (), searching=True) for combination in combinations]
    return [*searching, *schedule(combinations, (), repeats)]


def schedule_faults(
    combinations: Sequence[Combination], load: Load, faults: Mapping[str, tuple[PointFaults, ...]]
) -> list[Deployment]:
    """Return one deployment for each combination that has points with faults (by its path), at one load."""
    return [Deployment(one, 0, (load,), faults[one.path]) for one in combinations if faults.get(one.path)]
