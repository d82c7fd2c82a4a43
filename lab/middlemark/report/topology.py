"""The topologies of a run: the boxes and arrows of a diagram, from how its combinations were deployed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from middlemark.records.deployment import DeploymentRecord, ProcessRecord
from middlemark.records.folder import Result
from middlemark.records.placement import DRIVER, Placement, cpu_list
from middlemark.records.run import Combination
from middlemark.wording import TIMES

# Longer lists of what runs in a box, or of its ports, are counted.
MAX_LISTED = 3


@dataclass(frozen=True)
class Box:
    """Processes that do the same, or the driver, or a database server; `runs` has what ran in it in each combination.

    `ports` are texts like `http 8080`. `rank` 0 is the driver; who is called stands further than all its callers.
    """

    name: str
    carries: str
    runs: tuple[str, ...]
    ports: tuple[str, ...]
    cpus: str
    rank: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the texts of the box below its name."""
        return tuple(line for line in (self.carries, _listed(self.runs), _listed(self.ports), self.cpus) if line)


@dataclass(frozen=True)
class Arrow:
    """A call from one box to another, by their places, and over what."""

    caller: int
    called: int
    over: str


@dataclass(frozen=True)
class Topology:
    """Boxes and arrows, and the combinations that ran so."""

    combinations: tuple[Combination, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def topologies(result: Result) -> list[Topology]:
    """Return each topology once, in the run's order; none for combinations that were never started."""
    found: dict[object, Topology] = {}
    for combination in result.run.combinations:
        record = result.run.deployments.get(combination.path)
        if record is not None:
            one = _topology(combination, record, result.run.placement.get(combination.path, Placement()))
            shape = (tuple((box.name, box.carries, box.cpus) for box in one.boxes), one.arrows)
            found[shape] = _merged(found[shape], one) if shape in found else one
    return list(found.values())


def _merged(one: Topology, other: Topology) -> Topology:
    """Return two of the same shape as one, with the ports of the first."""
    boxes = (
        replace(box, runs=tuple(dict.fromkeys((*box.runs, *also.runs))))
        for box, also in zip(one.boxes, other.boxes, strict=True)
    )
    return replace(one, combinations=(*one.combinations, *other.combinations), boxes=tuple(boxes))


def _topology(combination: Combination, record: DeploymentRecord, placement: Placement) -> Topology:
    groups = _groups(record)
    places = {name: place for place, names in enumerate(_names(record, groups)) for name in names}
    calls = [(DRIVER, call) for call in record.driver]
    calls += [(process.name, call) for process in record.processes for call in process.calls]
    arrows = tuple(dict.fromkeys(Arrow(places[caller], places[call.to], call.over) for caller, call in calls))
    ranks = _ranks(len(groups) + len(record.databases) + 1, arrows)
    boxes = [Box(DRIVER, "virtual users", (), (), _cpus(placement, DRIVER))]
    boxes += [_box(group, placement) for group in groups]
    boxes += [
        Box(
            one.tier.replace(".", " "),
            "a server of the user's" if one.users_own else "",
            (),
            (f"SQL {one.port}",) if one.port is not None else (),
            "" if one.users_own else _cpus(placement, one.tier),
        )
        for one in record.databases
    ]
    ranked = (replace(box, rank=rank) for box, rank in zip(boxes, ranks, strict=True))
    return Topology((combination,), tuple(ranked), _joined(arrows))


def _groups(record: DeploymentRecord) -> list[list[ProcessRecord]]:
    """Return the processes, those that carry the same in the same program together."""
    groups: dict[object, list[ProcessRecord]] = {}
    for process in record.processes:
        groups.setdefault((process.tiers, process.runs), []).append(process)
    return list(groups.values())


def _names(record: DeploymentRecord, groups: Sequence[Sequence[ProcessRecord]]) -> Iterator[list[str]]:
    """Yield the names of what each box stands for, in the order of the boxes."""
    yield [DRIVER]
    yield from ([process.name for process in group] for group in groups)
    yield from ([one.tier] for one in record.databases)


def _box(group: Sequence[ProcessRecord], placement: Placement) -> Box:
    first = group[0]
    label = "+".join(first.tiers)
    name = first.name if len(group) == 1 else f"{label} {TIMES} {len(group)}"
    ports = tuple(f"{protocol} {port}" for process in group for protocol, port in process.ports.items())
    carries = " + ".join(first.tiers)
    return Box(name, carries if len(first.tiers) > 1 else "", (first.runs,), ports, _cpus(placement, label))


def _cpus(placement: Placement, tier: str) -> str:
    numbers = placement.of(tier)
    return f"CPU {cpu_list(numbers)}" if numbers else "any CPU"


def _ranks(number: int, arrows: Sequence[Arrow]) -> list[int]:
    """Return how far each box is from the driver by its longest way; who is not called stands before its callees."""
    called = {arrow.called for arrow in arrows}
    ranks = [0 if place == 0 else 1 for place in range(number)]
    for _ in range(number):
        for arrow in arrows:
            ranks[arrow.called] = max(ranks[arrow.called], ranks[arrow.caller] + 1)
    for place in range(1, number):
        callees = [ranks[arrow.called] for arrow in arrows if arrow.caller == place]
        if place not in called and callees:
            ranks[place] = max(1, min(callees) - 1)
    return ranks


def _joined(arrows: Sequence[Arrow]) -> tuple[Arrow, ...]:
    """Return one arrow for all calls from one box to another."""
    over: dict[tuple[int, int], list[str]] = {}
    for arrow in arrows:
        over.setdefault((arrow.caller, arrow.called), []).append(arrow.over)
    return tuple(Arrow(*ends, ", ".join(dict.fromkeys(texts))) for ends, texts in over.items())


def _listed(texts: Sequence[str]) -> str:
    """Return texts one after the other; of many the first and how many more there are."""
    if len(texts) <= MAX_LISTED:
        return ", ".join(texts)
    return f"{', '.join(texts[: MAX_LISTED - 1])} and {len(texts) - MAX_LISTED + 1} more"


def names_of(topology: Topology, names: Mapping[str, str]) -> str:
    """Return which combinations ran so; of many the first and how many more there are."""
    return _listed([names[one.path] for one in topology.combinations])
