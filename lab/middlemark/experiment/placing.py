"""Decides which CPUs driver, database and system under test get, before anything is started."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from middlemark.documents import Document, Location
from middlemark.errors import InputError
from middlemark.processes.affinity import Core
from middlemark.records.placement import DATABASE, DRIVER, PARTS, SUT, Placement, cpu_list, cpu_numbers
from middlemark.records.run import CPUS, Combination

ANYWHERE = "none"
NO_AFFINITY = "this system cannot keep processes on CPUs: all of them run anywhere"
OWN_DATABASE = "the database is one of yours: nobody knows its CPUs"


def _numbers(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    return cpu_numbers(value) if isinstance(value, str) else value


_CPU_SCHEMA = {"anyOf": [{"type": "string", "pattern": r"^\d+(-\d+)?(,\d+(-\d+)?)*$"}, {"type": "integer"}]}
CpuSet = Annotated[tuple[int, ...], BeforeValidator(_numbers), Field(min_length=1), WithJsonSchema(_CPU_SCHEMA)]


class Sets(Document):
    """CPUs by role, each a list as Linux writes it: `0`, `0-2,5`. Parts that are not named have those of `sut`."""

    driver: CpuSet = Field(description="the driver, and the lab beside it")
    database: CpuSet = Field(description="the embedded PostgreSQL")
    sut: CpuSet = Field(description="every process of the system under test")
    web: CpuSet | None = Field(None, description="instead of sut: the web processes")
    services: CpuSet | None = Field(None, description="instead of sut: the services")
    processor: CpuSet | None = Field(None, description="instead of sut: the processors of asynchronous orders")
    front: CpuSet | None = Field(None, description="instead of sut: servers in front")

    @property
    def by_role(self) -> dict[str, tuple[int, ...]]:
        """Return the CPUs of every role that is named."""
        named = {role: getattr(self, role) for role in (DRIVER, DATABASE, SUT, *PARTS)}
        return {role: numbers for role, numbers in named.items() if numbers}


def _kind(value: object) -> str:
    return "<sets>" if isinstance(value, dict | Sets) else "<word>"


Wanted = Annotated[Annotated[Literal["none"], Tag("<word>")] | Annotated[Sets, Tag("<sets>")], Discriminator(_kind)]


@dataclass(frozen=True)
class Places:
    """The CPUs of one run. `usable` are all the lab may use, none where processes cannot be kept on CPUs.

    `fixed` are those of driver and database, and of parts of the system under test that have their own; empty when
    nothing is pinned. `sut` has the system's in the order in which it takes them, `count` of them unless the
    combination says how many.
    """

    usable: Mapping[int, Core] = field(default_factory=dict)
    fixed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    sut: tuple[int, ...] = ()
    count: int = 0
    own_database: bool = False
    note: str = ""

    @property
    def lab(self) -> frozenset[int]:
        """Return the CPUs of the lab: those of the driver."""
        return frozenset(self.fixed.get(DRIVER, ()))

    @property
    def database(self) -> frozenset[int]:
        """Return the CPUs of the embedded PostgreSQL."""
        return frozenset(self.fixed.get(DATABASE, ()))

    def of(self, combination: Combination) -> Placement:
        """Return who runs where while a combination is measured."""
        if not self.fixed:
            return Placement(note=self.note)
        sut = tuple(sorted(self.sut[: int(combination.modes.get(CPUS, self.count))]))
        cpus = {**{role: self.fixed[role] for role in (DRIVER, DATABASE)}, SUT: sut, **self.fixed}
        if self.own_database:
            del cpus[DATABASE]
        taken = frozenset(sut).union(*(numbers for role, numbers in self.fixed.items() if role in PARTS))
        driver, database = frozenset(cpus[DRIVER]), frozenset(cpus.get(DATABASE, ()))
        split = self._split(taken, driver | database)
        return Placement(
            cpus=cpus,
            shared=self.own_database or bool(taken & (driver | database)),
            shared_cores=bool(split),
            driver_shares=self.own_database or bool(self._cores(driver) & self._cores(taken | database)),
            note=self._note(split | self._split(driver, taken | database)),
        )

    def _cores(self, cpus: frozenset[int]) -> frozenset[Core]:
        return frozenset(self.usable[cpu] for cpu in cpus)

    def _split(self, one: frozenset[int], other: frozenset[int]) -> frozenset[int]:
        """Return the CPUs of two sides that are threads of the same cores, one's and the other's."""
        both = self._cores(one - other) & self._cores(other - one)
        return frozenset(cpu for cpu in one | other if self.usable[cpu] in both)

    def _note(self, split: frozenset[int]) -> str:
        threads = f"CPU {cpu_list(split)} are threads of the same cores: what runs on one slows the other"
        return "; ".join([*([OWN_DATABASE] if self.own_database else []), *([threads] if split else [])])


@dataclass(frozen=True)
class Wish:
    """What an experiment says of CPUs; `where` gives file and line of a place in it.

    `counts` are the numbers of CPUs that the system under test gets, one after the other; where the command line chose
    them, `written` are those of the file, else None.
    """

    wanted: Wanted | None
    counts: tuple[int, ...]
    where: Callable[[Location], str]
    own_database: bool = False
    written: tuple[int, ...] | None = None

    @property
    def all_counts(self) -> tuple[int, ...]:
        """Return the numbers by which CPUs are shared out: with those of the file, one runs alone as among all."""
        return (*self.counts, *(self.written or ()))

    def refused(self, what: str, todo: str, *location: str | int) -> InputError:
        """Return the error for what is not possible here; a number of the command line stands in no file."""
        if location[0] == CPUS and self.written is not None:
            return InputError(what, where=f"--set {CPUS}", todo=todo)
        return InputError(f"{location[0]}: {what}", where=self.where(location), todo=todo)


def placed(wish: Wish, usable: Mapping[int, Core]) -> Places:
    """Return the places of a run: those wished for, else every CPU shared out; InputError for what is not possible."""
    wanted = wish.wanted
    if wanted == ANYWHERE or (wanted is None and not wish.counts and not usable):
        if wish.counts:
            todo = "Leave out one of the two"
            raise wish.refused(f"CPUs cannot be counted where nothing is pinned (placement: {ANYWHERE})", todo, CPUS)
        return Places(usable, note=f"the experiment says so (placement: {ANYWHERE})" if usable else NO_AFFINITY)
    if not usable:
        raise wish.refused(NO_AFFINITY, "Leave it out to run unpinned", CPUS if wish.counts else "placement")
    if isinstance(wanted, Sets):
        fixed, order = _as_written(wanted, wish, usable)
        count, there = len(order), f"placement gives sut CPU {cpu_list(order)}"
    else:
        fixed, order = _shared_out(list(usable), wish.all_counts)
        count, there = _default_count(len(usable)), f"CPU {cpu_list(usable)} may be used here"
    for index, number in enumerate(wish.counts):
        if number > len(order):
            todo = f"Write {len(order)} or less"
            raise wish.refused(f"{number} CPUs are asked for, and only {there}", todo, CPUS, index)
    return Places(usable, fixed, order, count, wish.own_database)


_Fixed = dict[str, tuple[int, ...]]


def _as_written(sets: Sets, wish: Wish, usable: Mapping[int, Core]) -> tuple[_Fixed, tuple[int, ...]]:
    for role, numbers in sets.by_role.items():
        missing = [number for number in numbers if number not in usable]
        if missing:
            what = f"{role} cannot have CPU {cpu_list(missing)}: only CPU {cpu_list(usable)} may be used here"
            raise wish.refused(what, f"Choose among {cpu_list(usable)}", "placement", role)
    parts = [part for part in PARTS if part in sets.by_role]
    if wish.counts and parts:
        what = f"this counts the CPUs of sut, and {parts[0]} has its own"
        raise wish.refused(what, "Leave out one of the two", CPUS)
    return {role: numbers for role, numbers in sets.by_role.items() if role != SUT}, sets.sut


def _shared_out(usable: list[int], counts: Sequence[int]) -> tuple[_Fixed, tuple[int, ...]]:
    """Return the CPUs of driver and database, the same for all counts, and the others' order for the system under test.

    The largest count that leaves any decides how many they have; theirs come last for a system that takes them too.
    """
    largest = max((count for count in counts if count < len(usable)), default=_default_count(len(usable)))
    own = usable[: len(usable) - largest] or usable
    driver, database = own[: len(own) // 2] or own, own[len(own) // 2 :]
    rest = [cpu for cpu in usable if cpu not in own]
    return {DRIVER: tuple(driver), DATABASE: tuple(database)}, (*rest, *own)


def _default_count(usable: int) -> int:
    """Return how many CPUs the system under test gets: half of them, rounded up; of two CPUs one."""
    return max(1, usable - usable // 2)
