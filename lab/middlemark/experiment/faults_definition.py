"""Which faults a run has: kinds, `KIND@TIME` of the command line, the experiment's key `faults`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from middlemark.documents import Document, suggestion
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.combinations import Subjects, tier_subjects
from middlemark.load.stores import server_names
from middlemark.records.placement import DATABASE, database_tier, is_database
from middlemark.records.run import Combination
from middlemark.records.run_parts import PlannedFault
from middlemark.specification.specification import Specification
from middlemark.topology.request import DeploymentRequest

_SHAPE = "Write it like kill-TIER, freeze-TIER, kill-database, freeze-database or cut-database"
_DURING = " during "


class Action(StrEnum):
    """Action of a fault on its target, with its descendants: SIGKILL, or SIGSTOP and after a while SIGCONT.

    A database server is also cut off: it ends the connections to its databases.
    """

    KILL = "kill"
    FREEZE = "freeze"
    CUT = "cut"


@dataclass(frozen=True)
class FaultKind:
    """An action and the role it concerns: a tier of the specification, or a database server by its tier's name.

    `during`: a freeze that leaves transactions in doubt; it ends after the fault was injected.
    """

    action: Action
    role: str
    during: FaultKind | None = None

    def __str__(self) -> str:
        """The kind as in files and on the command line: kill-TIER, kill-TIER during freeze-ROLE."""
        return f"{self.action}-{self.role}" + (f"{_DURING}{self.during}" if self.during else "")

    @property
    def of_database(self) -> bool:
        """Whether its target is a database server, or all of them."""
        return is_database(self.role)

    @property
    def parts(self) -> tuple[FaultKind, ...]:
        """The kind without its freeze, and the freeze if there is one."""
        return (FaultKind(self.action, self.role), *((self.during,) if self.during else ()))

    def concerns(self, tier: str) -> bool:
        """Whether the fault concerns a tier; one of `database` concerns every database server."""
        return self.role == tier or (self.role == DATABASE and is_database(tier))


def fault_kind(text: str) -> FaultKind:
    """The kind of `ACTION-ROLE`, also `… during freeze-ROLE`; ValueError for anything else."""
    alone, during, freeze = text.partition(_DURING)
    action, dash, role = alone.partition("-")
    if action not in {one.value for one in Action} or not dash or not role:
        raise ValueError(f"'{alone}' is not a fault. {_SHAPE}")
    return FaultKind(Action(action), role, fault_kind(freeze) if during else None)


def known_kinds(specification: Specification) -> list[str]:
    """Every kind of fault there is: for each tier, for each database server, and for all of these."""
    roles = dict.fromkeys((*specification.description.tiers, *_server_tiers(specification)))
    if any(map(is_database, roles)):
        roles[DATABASE] = None
    every = (FaultKind(action, role) for role in roles for action in Action)
    return [str(kind) for kind in every if kind.of_database or kind.action is not Action.CUT]


def problem_with_kind(kind: FaultKind, specification: Specification) -> str:
    """Why the specification does not have this kind of fault; empty if it does."""
    known, servers = known_kinds(specification), _server_tiers(specification)
    for part in map(str, kind.parts):
        if part not in known:
            return f"'{part}' is not a fault of {specification.name}. {suggestion(part, known)}"
    during = kind.during
    if during is None:
        return ""
    if during.action is not Action.FREEZE or during.during:
        return f"'{kind}': only a freeze lasts until another fault is injected. Write freeze-{during.role}"
    if not servers:
        return f"'{kind}': {specification.name} has no database, and so no transaction in doubt"
    targets = [*servers, *specification.description.tiers]
    if kind.action is not Action.KILL and any(kind.concerns(one) and during.concerns(one) for one in targets):
        return f"'{kind}': a frozen target can only be killed. Write kill-{kind.role}"
    return ""


def _server_tiers(specification: Specification) -> list[str]:
    names = list(dict.fromkeys(server_names(specification).values()))
    return [database_tier(name if len(names) > 1 else None) for name in names]


@dataclass(frozen=True)
class RequestedFault:
    """One fault. `at` counts from the start of the ramp; None: a seeded moment inside the window."""

    kind: FaultKind
    at: Duration | None = None

    def __str__(self) -> str:
        """The fault as the command line takes it."""
        return str(self.kind) if self.at is None else f"{self.kind}@{self.at}"

    @property
    def planned(self) -> PlannedFault:
        """The fault as `run.json` has it."""
        return PlannedFault(kind=str(self.kind), at_s=None if self.at is None else self.at.seconds)


PointFaults = tuple[RequestedFault, ...]


Kind = Annotated[
    str,
    AfterValidator(lambda text: str(fault_kind(text))),
    WithJsonSchema({"type": "string", "pattern": f"^({'|'.join(Action)})-.+$"}),
]


class FaultPoints(Document):
    """Points with one fault each, at seeded moments inside the window."""

    kinds: tuple[Kind, ...] = Field(min_length=1, description="each kind makes points of its own: kill-TIER, …")
    during: tuple[Kind, ...] = Field(
        (), description="freeze-ROLE: each kind is injected during each, as soon as transactions are in doubt"
    )
    points: int = Field(1, ge=1, description="number of points for each kind")
    modes: dict[str, str] = Field({}, description="only combinations with these values; all when empty")

    @property
    def every_kind(self) -> tuple[FaultKind, ...]:
        """The kinds, each during each of the freezes if there are any."""
        kinds = [fault_kind(one) for one in self.kinds]
        freezes = [fault_kind(one) for one in self.during]
        return tuple(replace(kind, during=one) for kind in kinds for one in freezes) or tuple(kinds)

    def concern(self, combination: Combination) -> bool:
        """Say whether a combination has all the values."""
        return all(combination.modes.get(mode) == value for mode, value in self.modes.items())


def parse_fault(text: str) -> RequestedFault:
    """The fault of `KIND@TIME`; InputError for anything else."""
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
    """Points with faults by a combination's path; those of the command line share one and replace the experiment's."""
    if requested:
        return {one.path: (tuple(requested),) for one in combinations}
    points: dict[str, tuple[PointFaults, ...]] = {
        one.path: tuple(
            (RequestedFault(kind),)
            for part in written
            if part.concern(one)
            for kind in part.every_kind
            for _ in range(part.points)
        )
        for one in combinations
    }
    if written and not any(points.values()):
        raise InputError("no combination has the modes that the experiment's faults name", todo="Check `faults`")
    return points if written else {}


def check_roles(
    points: Mapping[str, tuple[PointFaults, ...]],
    combinations: Sequence[Combination],
    subjects: Subjects,
    databases: Mapping[str, str],
) -> None:
    """Raise InputError for the first fault without a target; `databases`: URLs of the user's own, by database."""
    for combination in combinations:
        request = subjects.planned(combination)
        carried, names = tier_subjects(request), server_names(request.specification)
        several = len(set(names.values())) > 1
        foreign = {database_tier(names[one] if several else None) for one in databases}
        faults = (fault for point in points.get(combination.path, ()) for fault in point)
        for kind in dict.fromkeys(part for fault in faults for part in fault.kind.parts):
            if any(map(kind.concerns, foreign)):
                raise InputError(f"{kind}: this PostgreSQL is not Middlemark's own", todo="Leave out its --database")
            if not kind.of_database and kind.role not in carried:
                raise _no_process(kind, combination, request)


def _no_process(kind: FaultKind, combination: Combination, request: DeploymentRequest) -> InputError:
    when = request.specification.description.tiers[kind.role].when
    unmet = {mode: values for mode, values in when.items() if request.chosen.get(mode) not in values}
    options = " ".join(f"--set {mode}={values[0]}" for mode, values in unmet.items())
    todo = f"There is one with {options}" if options else "Leave the fault out"
    return InputError(f"{kind}: no process has the role {kind.role} in {combination.path}", todo=todo)
