"""The course of a run: what is kept running together, the starts, and the rounds and points of each start."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from middlemark.experiment.combinations import applications
from middlemark.experiment.faults_definition import PointFaults
from middlemark.records.folder import POINTS, SEARCH, point_folder
from middlemark.records.run import Combination, Load
from middlemark.records.run_parts import ContrastRecord, EfficiencyRecord, NotRankedValues, SpecificationRecord
from middlemark.specification.specification import Specification, about_name
from middlemark.topology.request import DeploymentRequest
from middlemark.workload.session import Session

Group = tuple[Combination, ...]
"""Combinations that are kept running together."""


@dataclass(frozen=True)
class StartPlan:
    """One start of a group: its deployments start one after the other and are kept until the last of its `rounds`.

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


@dataclass(frozen=True)
class PointSpec:
    """A point to measure. `index` counts the points of the run; `iteration_s` is the expected iteration.

    `faults` are injected while it is loaded. `searching`: it belongs to a search and to no round. `segment` counts how
    often the run had been resumed before.
    """

    index: int
    combination: Combination
    load: Load
    repeat: int
    iteration_s: float
    faults: PointFaults = ()
    searching: bool = False
    segment: int = 0

    @property
    def run(self) -> str:
        """What makes this point's new users different from any other's."""
        return f"p{self.index}"

    def folder(self, root: Path) -> Path:
        """The folder of the point in the result folder `root`; it may not exist yet."""
        return point_folder(root, self.combination, self.load, self.repeat, SEARCH if self.searching else POINTS)


# The machine, the database and the driver need memory too; and an idle neighbour is not free.
MEMORY_SHARE = 0.7
MAX_TOGETHER = 12
# `max_connections` of our own server less what the lab and autovacuum take, and the last ones of a pool that ends.
MAX_CONNECTIONS = 240

Linked = Callable[[Combination, Combination], bool]
"""Whether two combinations are compared with each other."""


@dataclass(frozen=True)
class Need:
    """What a deployment takes while it is kept: memory in MiB at most, connections to the database."""

    memory_mib: int
    connections: int


def room_here() -> Need:
    """What this machine has room for."""
    available = psutil.virtual_memory().available / 2**20
    return Need(int(MEMORY_SHARE * available), MAX_CONNECTIONS)


def kept_together(
    combinations: Sequence[Combination], needs: Mapping[str, Need], room: Need, linked: Linked
) -> list[Group]:
    """Groups that run at the same time, the largest that fit: all, what is compared, of that a subject, a deployment.

    `needs` are by the path of a deployment. Combinations that share one are always in the same group.
    """

    def at_once(one: Combination, other: Combination) -> bool:
        return one.deployment == other.deployment or linked(one, other)

    groups: list[Group] = []
    for part in _parts(combinations, needs, room, at_once):
        of_a_subject = [part] if _fits(part, needs, room) else _grouped(part, lambda one: one.subject)
        for group in of_a_subject:
            groups += [group] if _fits(group, needs, room) else _grouped(group, lambda one: one.deployment)
    return groups


def _grouped(group: Group, key: Callable[[Combination], str]) -> list[Group]:
    parts: dict[str, Group] = {}
    for one in group:
        parts[key(one)] = (*parts.get(key(one), ()), one)
    return list(parts.values())


def _parts(combinations: Sequence[Combination], needs: Mapping[str, Need], room: Need, linked: Linked) -> list[Group]:
    every = tuple(combinations)
    if _fits(every, needs, room):
        return [every]
    parts: list[Group] = []
    for one in every:
        near = [part for part in parts if any(linked(one, other) for other in part)]
        parts = [part for part in parts if part not in near]
        parts.append((*(other for part in near for other in part), one))
    return parts


def _fits(group: Group, needs: Mapping[str, Need], room: Need) -> bool:
    kept = [needs[path] for path in {one.deployment for one in group}]
    memory_mib, connections = sum(one.memory_mib for one in kept), sum(one.connections for one in kept)
    return len(kept) <= MAX_TOGETHER and memory_mib <= room.memory_mib and connections <= room.connections


def need_of(request: DeploymentRequest) -> Need:
    """What a deployment takes while it is kept."""
    memory_mib = connections = 0
    description = request.specification.description
    for process in applications(request):
        subject = request.program_of(process.tiers, process.role).subject
        memory_mib += subject.server.description.memory_mib if subject.server else subject.implementation.memory_mib
        databases = {name for tier in process.tiers for name in description.tiers[tier].databases}
        for pool in (description.databases[name].pool for name in databases):
            # The size of a pool is a setting, as the combination chooses it or by default.
            size = request.settings.get(pool) or description.settings[pool].default_text if pool else 1
            connections += int(size)
    return Need(memory_mib, connections)


def specification_record(
    specification: Specification, sessions: Iterable[Session] = (), leads: tuple[str, ...] = ()
) -> SpecificationRecord:
    """What verdicts and reports need to know of a specification, and of a run: what it counts, and first leads with."""
    description = specification.description
    counted = next((session.counts for session in sessions if session.counts), None)
    efficiency = description.report.efficiency
    not_ranked = {
        name: tuple(NotRankedValues(values=rule.values, why=rule.why) for rule in mode.never_ranked_together)
        for name, mode in description.modes.items()
        if mode.never_ranked_together
    }
    return SpecificationRecord(
        title=description.title,
        unit=counted.unit if counted else description.report.unit,
        counted=counted.transactions if counted else (),
        leads_with=(*leads, *description.report.leads_with),
        databases=tuple(description.databases),
        given_settings=tuple(sorted(specification.given_settings)),
        mode_settings=tuple(sorted(map(about_name, description.variables_of_modes.values()))),
        never_ranked_together=not_ranked,
        phrases={name: dict(mode.phrases) for name, mode in description.modes.items() if mode.phrases},
        effects={name: effect.plural for name, effect in description.effects.items()},
        efficiency=EfficiencyRecord(name=efficiency.name, reference=efficiency.reference) if efficiency else None,
        contrasts=tuple(ContrastRecord.model_validate(one.model_dump()) for one in description.report.contrasts),
    )
