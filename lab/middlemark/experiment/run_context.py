"""What all points of a run share, a subject that runs, and how it is deployed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from middlemark.audit.drained import wait_until_drained
from middlemark.databases.at_rest import LIMIT_SECONDS, wait_until_at_rest
from middlemark.databases.database import Connection, Database
from middlemark.errors import TargetError
from middlemark.experiment.combinations import requested_deployment
from middlemark.experiment.journal import Journal
from middlemark.experiment.loads import LoadChooser
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.progress import Progress
from middlemark.load.stores import Stores, reset_all, servers_of
from middlemark.processes.affinity import move
from middlemark.processes.watchdog import Watchdog
from middlemark.records.choices import HTTP, NO_PROXY, REVERSE_PROXY
from middlemark.records.placement import Placement
from middlemark.records.point import WorkLeft
from middlemark.records.run import Combination
from middlemark.records.run_parts import CallRecord, DatabaseRecord, DeploymentRecord, ProcessRecord
from middlemark.specification.tiers import Protocol
from middlemark.topology.plan import listeners_called
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Member, Target, member_called
from middlemark.workload.session import Session


@dataclass(frozen=True)
class RunContext:
    """A run under way, in the result folder `root`, with `programs` by subject and `stores` by scale."""

    preparation: Preparation
    watchdog: Watchdog
    root: Path
    programs: Mapping[str, Program]
    stores: Mapping[str, Stores]
    journal: Journal
    progress: Progress

    @property
    def chooser(self) -> LoadChooser:
        """The loads of the combinations, as far as they are known."""
        return self.journal.earlier.chooser

    def requested(self, combination: Combination) -> DeploymentRequest:
        """The deployment of a combination, without databases, logs and CPUs."""
        return requested_deployment(self.preparation.home, self.programs, combination)

    def seen_by(self, combination: Combination, target: Target) -> Target:
        """A deployment with the combination's value of each mode, which may have started with those of another one."""
        return replace(target, modes=self.requested(combination).chosen)

    def stores_of(self, combination: Combination) -> Stores:
        """Databases of a combination's deployment, its own: a reset ends no connection of another one that is kept."""
        number = [one.path for one in self.preparation.combinations].index(combination.deployment)
        these = self.stores[self.preparation.scale_of(combination)]
        return {name: replace(one, database=f"{one.database}_{number}") for name, one in these.items()}

    def logs_of(self, path: str, start: int) -> Path:
        """The folder of what a start of a combination or a deployment logs."""
        return self.root / "logs" / path / str(start)

    @property
    def servers(self) -> dict[str, Database]:
        """Each database server by the tier under which it is watched; none for a specification without."""
        return servers_of(next(iter(self.stores.values())))


@dataclass(frozen=True)
class RunningSubject:
    """A combination on its deployment; `neighbours` are root processes of other deployments that are kept."""

    context: RunContext
    target: Target
    combination: Combination
    neighbours: tuple[int, ...] = ()

    @property
    def stores(self) -> Stores:
        """Its databases."""
        return self.context.stores_of(self.combination)

    @property
    def session(self) -> Session:
        """What its virtual users do."""
        return self.context.preparation.session_of(self.combination)

    @property
    def listeners(self) -> dict[str, tuple[str, ...]]:
        """Addresses for the steps that name a target, by that name."""
        return {name: self.target.addresses_of(name) for name in self.session.target_names}

    @property
    def placement(self) -> Placement:
        """The CPUs of its roles."""
        return self.context.preparation.cpus.of(self.combination)

    @property
    def tiers(self) -> dict[str, tuple[int, ...]]:
        """The root processes of every tier but the driver; a server of the user's own cannot be watched."""
        servers = {tier: server.server for tier, server in self.context.servers.items()}
        databases = {tier: (server.pid,) for tier, server in servers.items() if server is not None}
        return {**self.target.tiers, **databases}

    def reset(self) -> None:
        """Bring its databases back to the loaded state, and wait until it is ready."""
        for store in self.stores.values():
            if not wait_until_at_rest(store.server, store.database, LIMIT_SECONDS):
                self.context.progress.step(
                    f"{self.combination.label} still works in its database {LIMIT_SECONDS:g} s after its callers left: "
                    "it is reset all the same; what is written into the next point, the audit finds"
                )
        reset_all(self.stores)
        self.target.wait_until_ready()

    def drained(self, *, after_crash: bool = False) -> WorkLeft:
        """Wait until no work is left in its databases, as `wait_until_drained` does."""
        with self.connected() as connections:
            return wait_until_drained(connections, self.context.preparation.specification, after_crash=after_crash)

    @contextmanager
    def connected(self) -> Iterator[dict[str, Connection]]:
        """Hold a connection to each database in use, by its name."""
        with ExitStack() as stack:
            yield {name: stack.enter_context(store.connected()) for name, store in self.stores.items()}

    @contextmanager
    def auditing(self) -> Iterator[tuple[dict[str, Connection], dict[str, Connection]]]:
        """Hold two connections to each database in use, whose work may be done on every CPU: no window is open."""
        usable = self.context.preparation.cpus.usable
        with self.connected() as some, self.connected() as others:
            for name, store in self.stores.items():
                # The process of a connection to a server of the user's may be on another machine.
                if usable and not store.is_users:
                    for one in (some, others):
                        move(one[name].info.backend_pid, usable)
            yield some, others

    def check_alive(self) -> None:
        """Raise TargetError as soon as something that is measured has died."""
        todo = "Read its last lines there"
        if died := self.target.died():
            raise TargetError(f"{died} in the middle of a point", where=str(died.log), todo=todo)
        for tier, database in self.context.servers.items():
            if database.server is not None and not database.server.alive():
                log = self.context.root / "logs" / f"{tier}.log"
                what = "PostgreSQL" if len(self.context.servers) == 1 else f"PostgreSQL ({tier})"
                raise TargetError(f"{what} has died in the middle of a point", where=str(log), todo=todo)


def deployment_record(subject: RunningSubject) -> DeploymentRecord:
    """How a subject runs now."""
    target, stores = subject.target, subject.stores
    proxy = subject.combination.modes.get(REVERSE_PROXY, NO_PROXY)
    servers = {store.tier: store for store in stores.values()}
    return DeploymentRecord(
        driver=tuple(dict.fromkeys(_of_driver(subject))),
        processes=tuple(
            ProcessRecord(
                name=member.name,
                tiers=member.planned.tiers,
                runs=proxy if member.planned.is_proxy else member.subject.name,
                ports={str(listener): port for listener, port in member.places.ports.items()},
                calls=tuple(dict.fromkeys(_calls(target, member, stores))),
            )
            for member in target.members
        ),
        databases=tuple(
            DatabaseRecord(tier=tier, port=store.server.tcp_port, users_own=store.is_users)
            for tier, store in servers.items()
        ),
    )


def _of_driver(subject: RunningSubject) -> Iterator[CallRecord]:
    """Yield what virtual users call: where steps name no listener, the entry over http."""
    target, session = subject.target, subject.session
    addresses = subject.listeners
    if any(step.target is None for step in session.every_step):
        addresses[Protocol.HTTP.value] = target.addresses
    version = subject.combination.modes.get(HTTP, "1.1")
    for protocol, of_protocol in addresses.items():
        over = f"HTTP/{version}" + (", TLS" if protocol == Protocol.HTTPS.value else "")
        for address in of_protocol:
            port = urlsplit(address).port
            names = (one.name for one in target.members if port in one.places.ports.values())
            yield from (CallRecord(to=name, over=over, port=port) for name in names)


def _calls(target: Target, member: Member, stores: Stores) -> Iterator[CallRecord]:
    """Yield the calls of a process to others and to databases; a proxy passes on each protocol that it listens on."""
    members = {one.name: one for one in target.members}
    planned, description = member.planned, target.subject.specification.description
    if planned.is_proxy:
        for behind in planned.behind:
            ports = members[behind].places.ports
            yield from (CallRecord(to=behind, over=str(one), port=ports.get(one)) for one in sorted(planned.listens))
        return
    for tier in planned.tiers:
        for callee, call in description.tiers[tier].calls.items():
            if callee in planned.calls:
                chosen = target.modes[call.mode] if call.mode and call.address else ""
                called = listeners_called(description, call, target.modes)
                for listener in called:
                    to = member_called(members, planned.calls[callee], listener)
                    over = f"{chosen} ({listener})" if chosen not in ("", listener) else str(listener)
                    if to.places.has(listener):
                        yield CallRecord(to=to.name, over=over, port=to.places.ports.get(listener))
    for name in dict.fromkeys(name for tier in planned.tiers for name in description.tiers[tier].databases):
        yield CallRecord(to=stores[name].tier, over="SQL", port=stores[name].server.tcp_port)
