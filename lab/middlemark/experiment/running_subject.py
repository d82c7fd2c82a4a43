"""A subject that runs, with the databases it works on: what is loaded and measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from middlemark.audit.drained import wait_until_drained
from middlemark.databases.at_rest import LIMIT_SECONDS, wait_until_at_rest
from middlemark.databases.database import Connection
from middlemark.errors import TargetError
from middlemark.experiment.run_context import RunContext
from middlemark.load.stores import Stores, reset_all
from middlemark.processes.affinity import move
from middlemark.records.placement import Placement
from middlemark.records.point import WorkLeft
from middlemark.records.run import Combination
from middlemark.topology.target import Target
from middlemark.workload.session import Session


@dataclass(frozen=True)
class RunningSubject:
    """The deployment of a combination that is under way.

    `neighbours`: root processes of the others that are kept meanwhile, by the path of their combination.
    """

    context: RunContext
    target: Target
    combination: Combination
    neighbours: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def stores(self) -> Stores:
        """Return its databases."""
        return self.context.stores_of(self.combination)

    @property
    def session(self) -> Session:
        """Return what its virtual users do."""
        return self.context.preparation.session_of(self.combination)

    @property
    def placement(self) -> Placement:
        """Return the CPUs of its roles."""
        return self.context.preparation.cpus.of(self.combination)

    @property
    def tiers(self) -> dict[str, tuple[int, ...]]:
        """Return the root processes of every tier but the driver; a server of the user's own cannot be watched."""
        servers = {tier: server.server for tier, server in self.context.servers.items()}
        databases = {tier: (server.pid,) for tier, server in servers.items() if server is not None}
        return {**self.target.tiers, **databases}

    def reset(self) -> None:
        """Bring its databases back to the loaded state once nobody works in them; return when it is ready again.

        Who still works in one after `LIMIT_SECONDS` is reported, and loses his session by the reset.
        """
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
        died = self.target.died()
        if died:
            raise TargetError(f"{died} in the middle of a point", where=str(died.log), todo="Read its last lines there")
        for tier, database in self.context.servers.items():
            if database.server is not None and not database.server.alive():
                log = self.context.root / "logs" / f"{tier}.log"
                what = "PostgreSQL" if len(self.context.servers) == 1 else f"PostgreSQL ({tier})"
                raise TargetError(
                    f"{what} has died in the middle of a point", where=str(log), todo="Read its last lines there"
                )
