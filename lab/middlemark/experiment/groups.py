"""Which combinations are kept running together: as many as memory and the database's connections allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import psutil

from middlemark.experiment.combinations import Subjects
from middlemark.experiment.requested_deployment import planned_programs, requested_deployment
from middlemark.experiment.schedule import Group
from middlemark.records.run import Combination
from middlemark.topology.plan import plan
from middlemark.topology.request import DeploymentRequest

# The machine, the database and the driver need memory too; and an idle neighbour is not free.
MEMORY_SHARE = 0.7
MAX_TOGETHER = 12
# `max_connections` of our own server less what the lab and autovacuum take, and the last ones of a pool that ends.
MAX_CONNECTIONS = 240

Linked = Callable[[Combination, Combination], bool]
"""Whether two combinations are compared with each other."""


@dataclass(frozen=True)
class Need:
    """What a combination takes while it is kept: memory in MiB at most, connections to the database."""

    memory_mib: int
    connections: int

    def plus(self, other: Need) -> Need:
        """Sum of two."""
        return Need(self.memory_mib + other.memory_mib, self.connections + other.connections)

    def exceeds(self, room: Need) -> bool:
        """Whether it is more than there is room for."""
        return self.memory_mib > room.memory_mib or self.connections > room.connections


def room_here() -> Need:
    """What this machine has room for."""
    available = psutil.virtual_memory().available / 2**20
    return Need(int(MEMORY_SHARE * available), MAX_CONNECTIONS)


def needs_of(subjects: Subjects, combinations: Sequence[Combination]) -> dict[str, Need]:
    """What each combination takes, by its path."""
    programs = planned_programs(subjects.all)
    requests = {one.path: requested_deployment(subjects.home, programs, one) for one in combinations}
    return {path: _need(request) for path, request in requests.items()}


def kept_together(
    combinations: Sequence[Combination], needs: Mapping[str, Need], room: Need, linked: Linked
) -> list[Group]:
    """Groups of combinations; those of a group are kept running at the same time.

    All are one group where there is room. Else those that are compared with each other are, and where there is no
    room for these either, they follow one after the other.
    """
    groups: list[Group] = []
    for part in _parts(combinations, needs, room, linked):
        groups += [part] if _fits(part, needs, room) else [(one,) for one in part]
    return groups


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
    total = Need(0, 0)
    for one in group:
        total = total.plus(needs[one.path])
    return len(group) <= MAX_TOGETHER and not total.exceeds(room)


def _need(request: DeploymentRequest) -> Need:
    total = Need(0, 0)
    description = request.specification.description
    for process in plan(request):
        if process.is_proxy:
            continue
        program = request.program_of(process.tiers)
        server = program.subject.server
        memory = server.description.memory_mib if server else program.subject.implementation.memory_mib
        databases = {name for tier in process.tiers for name in description.tiers[tier].databases}
        sizes = [_pool(request, description.databases[name].pool) for name in databases]
        total = total.plus(Need(memory, sum(sizes)))
    return total


def _pool(request: DeploymentRequest, setting: str | None) -> int:
    """Size of a pool: the setting as the combination chooses it, else its default."""
    if not setting:
        return 1
    default = request.specification.description.settings[setting].default_text
    return int(request.settings.get(setting) or default)
