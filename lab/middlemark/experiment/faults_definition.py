"""Which faults a run has: kinds, `KIND@TIME` of the command line, the experiment's key `faults`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from middlemark.documents import Document, suggestion
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.processes.ending import Part
from middlemark.records.run import ORDERS, SYNC, Combination


class FaultKind(StrEnum):
    """What is done to whom: SIGKILL for all processes of the one that carries a role, or SIGSTOP and SIGCONT."""

    KILL_WEB = "kill-web"
    KILL_SERVICES = "kill-services"
    KILL_PROCESSOR = "kill-processor"
    KILL_DATABASE = "kill-database"
    FREEZE_DATABASE = "freeze-database"

    @property
    def part(self) -> Part:
        """Return the role it strikes."""
        return Part(self.value.partition("-")[2])


@dataclass(frozen=True)
class WantedFault:
    """One fault. `at` counts from the start of the ramp; None: a seeded moment inside the window."""

    kind: FaultKind
    at: Duration | None = None

    def __str__(self) -> str:
        """Write it as the command line takes it."""
        return self.kind.value if self.at is None else f"{self.kind.value}@{self.at}"


PointFaults = tuple[WantedFault, ...]


class FaultPoints(Document):
    """Points with one fault each, at seeded moments inside the window."""

    kinds: tuple[FaultKind, ...] = Field(min_length=1, description="each kind makes points of its own")
    points: int = Field(1, ge=1, description="number of points for each kind")
    modes: dict[str, str] = Field({}, description="only combinations with these values; all when empty")

    def concern(self, combination: Combination) -> bool:
        """Say whether a combination has all the values."""
        return all(combination.modes.get(mode) == value for mode, value in self.modes.items())


def parse_fault(text: str) -> WantedFault:
    """Return the fault of `KIND@TIME`; InputError when it is none."""
    kind, at, moment = text.partition("@")
    known = [one.value for one in FaultKind]
    if kind not in known:
        raise InputError(f"'{kind}' is no fault. {suggestion(kind, known)}", where=f"--fault {text}")
    try:
        return WantedFault(FaultKind(kind), Duration.parse(moment if at else ""))
    except ValueError as error:
        todo = f"Say when, from the start of the ramp: {kind}@8s"
        raise InputError(f"a fault needs a time ({error})", where=f"--fault {text}", todo=todo) from error


def points_with_faults(
    combinations: Sequence[Combination], asked: Sequence[WantedFault], written: Sequence[FaultPoints]
) -> dict[str, tuple[PointFaults, ...]]:
    """Return the points of each combination (by its path) with their faults; empty when no faults are wanted.

    Faults of the command line all strike one point of each combination and replace those of the experiment.
    """
    if asked:
        return {combination.path: (tuple(asked),) for combination in combinations}
    points = {combination.path: _written(combination, written) for combination in combinations} if written else {}
    if points and not any(points.values()):
        raise InputError("no combination has the modes that the experiment's faults name", todo="Check `faults`")
    return points


def _written(combination: Combination, written: Sequence[FaultPoints]) -> tuple[PointFaults, ...]:
    return tuple(
        (WantedFault(kind),)
        for part in written
        if part.concern(combination)
        for kind in part.kinds
        for _ in range(part.points)
    )


def check_carried(
    points: Mapping[str, tuple[PointFaults, ...]], modes: Mapping[str, Mapping[str, str]], *, own_database: bool
) -> None:
    """Refuse faults of a role that nobody carries; `modes` are a combination's values in effect, by its path.

    Raises InputError, also for faults of a database that the lab has not started (`own_database`).
    """
    for path, faults in points.items():
        for kind in {fault.kind for point in faults for fault in point}:
            if kind.part is Part.DATABASE and own_database:
                raise InputError(
                    f"{kind} would strike a PostgreSQL that is not Middlemark's", todo="Leave out --database"
                )
            if kind.part is Part.PROCESSOR and modes[path].get(ORDERS, SYNC) == SYNC:
                raise InputError(
                    f"{kind} strikes nobody: there is no processor in {path}",
                    todo="Processors work where orders are asynchronous: --set orders=async-queue",
                )
