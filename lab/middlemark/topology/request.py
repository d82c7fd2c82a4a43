"""What is to be started: everything that whoever starts a subject may ask for, checked before anything is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.databases.database_url import PLACE, is_socket, parameters_of
from middlemark.databases.users_own import require_apart
from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.records.placement import Placement
from middlemark.specification.files_on_disk import files_on_disk
from middlemark.specification.resources import Condition
from middlemark.specification.specification import Specification
from middlemark.subject.build import artifact_of_role
from middlemark.subject.server import Server
from middlemark.subject.subject import Subject


@dataclass(frozen=True)
class Program:
    """A subject and what was built of it."""

    subject: Subject
    artifact: Path

    def of_role(self, role: str) -> Program:
        """The program in a process of a role."""
        subject = self.subject.of_role(role)
        return self if subject is self.subject else Program(subject, artifact_of_role(self.artifact, role))


@dataclass(frozen=True)
class DeploymentRequest:
    """What to start. `modes` are requested values, the rest takes its defaults; `settings` are the specification's.

    `databases` has the URL of each database of the specification. `logs` is where logs go. `port` is for people, the
    first entry process's; a free one when None. `instances` are numbers of processes by tier. `all_interfaces` offers
    every interface the platform knows: where the entry calls the offering tier in process, one process of the role that
    carries all tiers does it. `tiers` has the tiers that other subjects run; their processes carry no tier of this one.
    `placement` None: wherever the lab is. `in_cases`: cases run against it, nothing is measured.
    """

    program: Program
    modes: Mapping[str, str]
    databases: Mapping[str, str]
    logs: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    instances: Mapping[str, int] = field(default_factory=dict)
    reverse_proxy: Server | None = None
    all_interfaces: bool = False
    tiers: Mapping[str, Program] = field(default_factory=dict)
    placement: Placement | None = None
    in_cases: bool = False

    @property
    def subject(self) -> Subject:
        """Return the subject that runs every tier which no other one does."""
        return self.program.subject

    @property
    def specification(self) -> Specification:
        """Return the specification of what is started."""
        return self.subject.specification

    @property
    def chosen(self) -> dict[str, str]:
        """Return a value for every mode: the requested one, else the default; InputError for one it does not offer."""
        return self.subject.chosen(self.modes)

    def holds(self, condition: Condition) -> bool:
        """Say whether a condition of the specification holds in the chosen modes."""
        return self.specification.holds(condition, self.chosen)

    def count(self, tier: str) -> int:
        """Return how many processes a tier has."""
        return self.instances.get(tier, 1)

    def cpus(self, tier: str) -> frozenset[int]:
        """Return the CPUs of a tier; none when it may run wherever the lab does."""
        return self.placement.of(tier) if self.placement else frozenset()

    def program_of(self, tiers: tuple[str, ...], role: str = "") -> Program:
        """Return what is started for a process of a role that carries these tiers, which are all of one subject."""
        return next((self.tiers[tier] for tier in tiers if tier in self.tiers), self.program).of_role(role)

    @property
    def programs(self) -> tuple[Program, ...]:
        """Return every program that runs a tier or may, each subject once."""
        return tuple({one.subject.name: one for one in (self.program, *self.tiers.values())}.values())

    def modes_of(self, program: Program) -> dict[str, str]:
        """Return a value for every mode of a program.

        Another subject that runs single tiers has the modes in common that the specification names the values of, and
        those that platforms name as they are by default.
        """
        if program.subject.name == self.subject.name:
            return self.chosen
        known = self.specification.description.modes
        shared = {mode: value for mode, value in self.chosen.items() if not known[mode].named_by_platforms}
        return program.subject.chosen(shared)


def check_request(request: DeploymentRequest) -> None:
    """Raise InputError for a request that cannot be fulfilled."""
    for fault in _faults(request):
        raise InputError(fault)
    for name in request.databases:
        request.specification.database_called(name)
    require_apart(request.databases)
    for program in request.programs:
        require_takes(program.subject, request.databases)
    for name, value in request.settings.items():
        request.specification.require_setting(name, value)
        for program in request.programs:
            program.subject.require_knows(name)
    for program in request.programs:
        request.modes_of(program)
    for name in request.specification.description.files:
        files_on_disk(request.specification, name)


def require_takes(subject: Subject, urls: Mapping[str, str]) -> None:
    """Raise InputError when a subject cannot use the URL of a database, by the names of databases."""
    for name, url in urls.items():
        taken, parameters = subject.database_parameters(name), parameters_of(url)
        host = parameters.get("host", "")
        if is_socket(host) and "host" not in taken:
            raise InputError(
                f"{subject.name} reaches a database over TCP alone, not over the socket {host}",
                where="--database",
                todo="Name a host that PostgreSQL listens on: postgresql://user:password@127.0.0.1:5432/name",
            )
        strange = sorted(parameters.keys() - {*PLACE, *taken})
        if strange:
            known = [one for one in taken if one not in PLACE]
            raise InputError(
                f"{subject.name} does not take {strange[0]} of the database's URL, service or environment",
                where="--database",
                todo=f"Leave it out; it takes {', '.join(known) or 'none of these'}",
            )


def _faults(request: DeploymentRequest) -> Iterator[str]:
    specification = request.specification
    tiers = list(specification.description.tiers)
    for tier in (*request.instances, *request.tiers):
        if tier not in tiers:
            yield f"{specification.name} has no tier '{tier}'. {suggestion(tier, tiers)}"
    for tier, count in request.instances.items():
        if count < 1:
            yield f"{tier} needs at least one process"
    missing = [name for name in specification.description.databases if not request.databases.get(name)]
    if missing:
        yield f"the database '{missing[0]}' has no address"
