"""Which faults a run has: kinds, `KIND@TIME` of the command line, the experiment's key `faults`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from middlemark.documents import Document
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.load.stores import server_names
from middlemark.records.placement import database_tier, is_database
from middlemark.records.run import Combination
from middlemark.records.run_parts import PlannedFault
from middlemark.specification.specification import Specification

_SHAPE = "Write it like kill-TIER, freeze-TIER, kill-database or freeze-database"


class Action(StrEnum):
    """What is done to all processes of one that has a role: SIGKILL, or SIGSTOP and after a while SIGCONT."""

    KILL = "kill"
    FREEZE = "freeze"


@dataclass(frozen=True)
class FaultKind:
    """An action and the role it concerns: a tier of the specification, or a database server by its tier's name."""

    action: Action
    role: str

    def __str__(self) -> str:
        """Return it as files and the command line have it: kill-TIER."""
        return f"{self.action}-{self.role}"

    @property
    def of_database(self) -> bool:
        """Whether its target is a database server."""
        return is_database(self.role)


def fault_kind(text: str) -> FaultKind:
    """Return the kind of `kill-ROLE` or `freeze-ROLE`; ValueError for anything else."""
    action, dash, role = text.partition("-")
    if action not in {one.value for one in Action} or not dash or not role:
        raise ValueError(f"'{text}' is not a fault. {_SHAPE}")
    return FaultKind(Action(action), role)


def known_kinds(specification: Specification) -> list[str]:
    """Return every kind of fault there is: for each tier, and for each database server, alone without its name."""
    servers = list(dict.fromkeys(server_names(specification).values()))
    tiers = [database_tier(name if len(servers) > 1 else None) for name in servers]
    return [str(FaultKind(action, role)) for role in (*specification.description.tiers, *tiers) for action in Action]


@dataclass(frozen=True)
class RequestedFault:
    """One fault. `at` counts from the start of the ramp; None: a seeded moment inside the window."""

    kind: FaultKind
    at: Duration | None = None

    def __str__(self) -> str:
        """Return it as the command line takes it."""
        return str(self.kind) if self.at is None else f"{self.kind}@{self.at}"

    @property
    def planned(self) -> PlannedFault:
        """Return it as `run.json` has it."""
        return PlannedFault(kind=str(self.kind), at_s=None if self.at is None else self.at.seconds)


PointFaults = tuple[RequestedFault, ...]


def _checked(text: str) -> str:
    fault_kind(text)
    return text


Kind = Annotated[
    str, AfterValidator(_checked), WithJsonSchema({"type": "string", "pattern": f"^({'|'.join(Action)})-.+$"})
]


class FaultPoints(Document):
    """Points with one fault each, at seeded moments inside the window."""

    kinds: tuple[Kind, ...] = Field(min_length=1, description="each kind makes points of its own: kill-TIER, …")
    points: int = Field(1, ge=1, description="number of points for each kind")
    modes: dict[str, str] = Field({}, description="only combinations with these values; all when empty")

    def concern(self, combination: Combination) -> bool:
        """Say whether a combination has all the values."""
        return all(combination.modes.get(mode) == value for mode, value in self.modes.items())


def parse_fault(text: str) -> RequestedFault:
    """Return the fault of `KIND@TIME`; InputError for anything else."""
    kind, at, moment = text.partition("@")
    where = f"--fault {text}"
    try:
        parsed = fault_kind(kind)
    except ValueError as error:
        raise InputError(str(error), where=where) from error
    try:
        return RequestedFault(parsed, Duration.parse(moment if at else ""))
    except ValueError as error:
        todo = f"Add the time from the start of the ramp: {kind}@8s"
        raise InputError(f"a fault needs a time ({error})", where=where, todo=todo) from error


def points_with_faults(
    combinations: Sequence[Combination], requested: Sequence[RequestedFault], written: Sequence[FaultPoints]
) -> dict[str, tuple[PointFaults, ...]]:
    """Return the points of each combination (by its path) with their faults; empty without faults.

    Faults of the command line are all injected into one point of each combination and replace those of the experiment.
    """
    if requested:
        return {combination.path: (tuple(requested),) for combination in combinations}
    points = {combination.path: tuple(_written(combination, written)) for combination in combinations}
    if written and not any(points.values()):
        raise InputError("no combination has the modes that the experiment's faults name", todo="Check `faults`")
    return points if written else {}


def _written(combination: Combination, written: Iterable[FaultPoints]) -> Iterable[PointFaults]:
    for part in written:
        if part.concern(combination):
            for kind in part.kinds:
                yield from ((RequestedFault(fault_kind(kind)),) for _ in range(part.points))
