"""Decides which CPUs driver, databases and system under test get, before anything is started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from middlemark.documents import Document, Location
from middlemark.errors import InputError
from middlemark.processes.affinity import Core
from middlemark.records.choices import CPUS
from middlemark.records.placement import (
    DATABASE,
    DRIVER,
    REVERSE_PROXY,
    SUT,
    Placement,
    cpu_list,
    cpu_numbers,
    is_database,
)
from middlemark.records.run import Combination
from middlemark.workload.plan import WakeUps

ANYWHERE = "none"
ALL = "all"
NO_AFFINITY = "this system cannot keep processes on CPUs: all of them run anywhere"
OWN_DATABASE = "a database is one of yours: its CPUs are unknown"


def _numbers(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    return cpu_numbers(value) if isinstance(value, str) else value


_CPU_SCHEMA = {"anyOf": [{"type": "string", "pattern": r"^\d+(-\d+)?(,\d+(-\d+)?)*$"}, {"type": "integer"}]}
CpuSet = Annotated[tuple[int, ...], BeforeValidator(_numbers), Field(min_length=1), WithJsonSchema(_CPU_SCHEMA)]


class CpuSets(Document):
    """CPUs by role, each a list as Linux writes it: `0`, `0-2,5`. Parts that are not named have those of `sut`."""

    driver: CpuSet = Field(description="the driver, and the lab beside it")
    database: CpuSet | None = Field(None, description="the embedded PostgreSQL servers; needed where there are any")
    sut: CpuSet = Field(description="every process of the system under test")
    reverse_proxy: CpuSet | None = Field(None, description="instead of sut: reverse proxies")
    tiers: dict[str, CpuSet] = Field(
        {}, description="tier: CPUs of its processes instead of sut; database.NAME of one of several servers"
    )

    @property
    def by_role(self) -> dict[str, tuple[int, ...]]:
        """The CPUs of every role that is named."""
        named = {DRIVER: self.driver, DATABASE: self.database, SUT: self.sut, REVERSE_PROXY: self.reverse_proxy}
        return {role: numbers for role, numbers in {**named, **self.tiers}.items() if numbers}


RequestedPlacement = Annotated[
    Annotated[Literal["none"], Tag("<word>")] | Annotated[CpuSets, Tag("<sets>")],
    Discriminator(lambda value: "<sets>" if isinstance(value, dict | CpuSets) else "<word>"),
]


@dataclass(frozen=True)
class CpuAllocation:
    """The CPUs of one run. `usable` are all the lab may use, none where processes cannot be kept on CPUs.

    `fixed` are those of driver and databases, and of parts of the system under test that have their own; empty when
    nothing is pinned. `sut` has the system's in the order in which it takes them, `count` of them unless the
    combination says how many. `foreign_database`: a server is the user's own.
    """

    usable: Mapping[int, Core] = field(default_factory=dict)
    fixed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    sut: tuple[int, ...] = ()
    count: int = 0
    foreign_database: bool = False
    note: str = ""

    @property
    def lab(self) -> frozenset[int]:
        """The CPUs of the lab: those of the driver."""
        return frozenset(self.fixed.get(DRIVER, ()))

    @property
    def databases(self) -> dict[str, frozenset[int]]:
        """The CPUs of the embedded PostgreSQL servers, and of each that has its own."""
        return Placement(cpus=dict(self.fixed)).databases

    def of(self, combination: Combination) -> Placement:
        """Who runs where while a combination is measured."""
        if not self.fixed:
            return Placement(note=self.note)
        sut = tuple(sorted(self.sut[: int(combination.modes.get(CPUS, self.count))]))
        outside = {role: numbers for role, numbers in self.fixed.items() if role == DRIVER or is_database(role)}
        parts = {role: numbers for role, numbers in self.fixed.items() if role not in outside}
        taken = frozenset(sut).union(*parts.values())
        driver, database = frozenset(self.fixed[DRIVER]), frozenset().union(*self.databases.values())
        split = self._split(taken, driver | database)
        slowed = split | self._split(driver, taken | database)
        notes = [OWN_DATABASE] if self.foreign_database else []
        if slowed:
            notes.append(f"CPU {cpu_list(slowed)} are threads of the same cores: what runs on one slows the other")
        return Placement(
            cpus={**outside, SUT: sut, **parts},
            shared=self.foreign_database or bool(taken & (driver | database)),
            shared_cores=bool(split),
            driver_shares=self.foreign_database or bool(self._cores(driver) & self._cores(taken | database)),
            note="; ".join(notes),
        )

    def _cores(self, cpus: frozenset[int]) -> frozenset[Core]:
        return frozenset(self.usable[cpu] for cpu in cpus)

    def _split(self, one: frozenset[int], other: frozenset[int]) -> frozenset[int]:
        """The CPUs of two sides that are threads of the same cores, one's and the other's."""
        both = self._cores(one - other) & self._cores(other - one)
        return frozenset(cpu for cpu in one | other if self.usable[cpu] in both)


@dataclass(frozen=True)
class PlacementRequest:
    """The CPUs that an experiment requests; `where` gives file and line of a place in it.

    `counts` are the numbers of CPUs of the system under test; where the command line chose them, `written` are those of
    the file. `embedded`: the lab starts a database server; `foreign`: one is the user's own.
    """

    sets: RequestedPlacement | None
    counts: tuple[int, ...]
    where: Callable[[Location], str]
    embedded: bool = True
    foreign: bool = False
    written: tuple[int, ...] | None = None

    def refused(self, what: str, todo: str, *location: str | int) -> InputError:
        """The error for what is not possible here; a number of the command line stands in no file."""
        if location[0] == CPUS and self.written is not None:
            return InputError(what, where=f"--set {CPUS}", todo=todo)
        return InputError(f"{location[0]}: {what}", where=self.where(location), todo=todo)


def counted(cpus: Sequence[int | str], sets: RequestedPlacement | None, usable: Mapping[int, Core]) -> tuple[int, ...]:
    """Numbers of CPUs with `all` as the number that the placement leaves to what is measured, each once."""
    every = len(sets.sut) if isinstance(sets, CpuSets) else _default_count(len(usable))
    return tuple(dict.fromkeys(every if one == ALL else int(one) for one in cpus))


def allocated(request: PlacementRequest, usable: Mapping[int, Core]) -> CpuAllocation:
    """The CPUs of a run: those requested, else every CPU shared out; InputError for what is not possible."""
    sets = request.sets
    if sets == ANYWHERE or (sets is None and not request.counts and not usable):
        if request.counts:
            todo = "Leave out one of the two"
            raise request.refused(f"CPUs cannot be counted where nothing is pinned (placement: {ANYWHERE})", todo, CPUS)
        return CpuAllocation(usable, note=f"the experiment has placement: {ANYWHERE}" if usable else NO_AFFINITY)
    if not usable:
        raise request.refused(NO_AFFINITY, "Leave it out to run unpinned", CPUS if request.counts else "placement")
    if isinstance(sets, CpuSets):
        fixed, sut = _as_written(sets, request, usable)
        count, limit = len(sut), f"placement gives sut CPU {cpu_list(sut)}"
    else:
        fixed, sut = _shared_out(list(usable), request)
        count, limit = _default_count(len(usable)), f"CPU {cpu_list(usable)} may be used here"
    for index, number in enumerate(request.counts):
        if number > len(sut):
            todo = f"Write {len(sut)} or less"
            raise request.refused(f"{number} CPUs are requested, and only {limit}", todo, CPUS, index)
    return CpuAllocation(usable, fixed, sut, count, request.foreign)


_Fixed = dict[str, tuple[int, ...]]


def _as_written(sets: CpuSets, request: PlacementRequest, usable: Mapping[int, Core]) -> tuple[_Fixed, tuple[int, ...]]:
    for role, numbers in sets.by_role.items():
        if missing := [number for number in numbers if number not in usable]:
            what = f"{role} cannot have CPU {cpu_list(missing)}: only CPU {cpu_list(usable)} may be used here"
            place = ("tiers", role) if role in sets.tiers else (role.replace("-", "_"),)
            raise request.refused(what, f"Choose among {cpu_list(usable)}", "placement", *place)
    unused = (SUT,) if request.embedded else (SUT, DATABASE)
    return {role: numbers for role, numbers in sets.by_role.items() if role not in unused}, sets.sut


def _shared_out(usable: list[int], request: PlacementRequest) -> tuple[_Fixed, tuple[int, ...]]:
    """CPUs of driver and databases, by the largest count that leaves any, and those of the system in their order."""
    # With the counts of the file one of the command line runs alone as among all.
    counts = [count for count in (*request.counts, *(request.written or ())) if count < len(usable)]
    largest = max(counts, default=_default_count(len(usable)))
    own = usable[: len(usable) - largest] or usable
    sut = (*(cpu for cpu in usable if cpu not in own), *own)
    if not request.embedded and not request.foreign:
        return {DRIVER: tuple(own)}, sut
    driver, database = own[: len(own) // 2] or own, own[len(own) // 2 :]
    return {DRIVER: tuple(driver), **({DATABASE: tuple(database)} if request.embedded else {})}, sut


def _default_count(usable: int) -> int:
    """How many CPUs the system under test gets: half of them, rounded up; of two CPUs one."""
    return max(1, usable - usable // 2)


def wake_of(requested: WakeUps | None, placements: Iterable[Placement]) -> WakeUps | None:
    """What is `requested`, else exact if no CPU is shared in any placement, else None: the default.

    Coalesced wake-ups send requests in bursts, whose responses take longer (docs/reference/driver.md). Where CPUs are
    shared, response times are not ranked, and the CPU time that exact wake-ups cost would be taken from others.
    """
    if requested is not None:
        return requested
    return None if any(one.shared or one.driver_shares for one in placements) else WakeUps.EXACT
