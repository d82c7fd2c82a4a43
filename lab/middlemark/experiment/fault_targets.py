"""Targets of faults: a process, or database servers. Each is killed, frozen or cut off, and brought back."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from middlemark.databases.database import DatabaseServer, end_other_connections
from middlemark.databases.watched_database import NAME, restart_watched
from middlemark.errors import HostError, TargetError
from middlemark.experiment.faults_definition import Action, FaultKind
from middlemark.experiment.run_context import RunningSubject
from middlemark.load.stores import Store
from middlemark.processes.process import Process
from middlemark.processes.watchdog import Watchdog


class FaultTarget(Protocol):
    """A process or database servers, by name; `inject` applies the action of the fault, `bring_back` ends it."""

    @property
    def name(self) -> str:
        """Name of the process or the server."""
        ...

    def inject(self) -> None:
        """Kill or freeze it, or make it end its connections."""
        ...

    def bring_back(self) -> None:
        """Start it again on the same folder and ports, or let it continue; it may not be ready yet."""
        ...


def target_of(
    kind: FaultKind, subject: RunningSubject, chance: random.Random, spared: Collection[int] = ()
) -> FaultTarget:
    """The target of a fault: the database servers of its role, or a process drawn from those with the role.

    `spared` are processes of the servers that go on. Raises TargetError when the process had ended by itself,
    HostError when no process has the role or when the lab did not start the server.
    """
    if kind.of_database:
        return _servers(kind, subject, spared)
    processes = subject.target.carrying(kind.role)
    if not processes:
        raise HostError(f"{kind}: no process has the role {kind.role}")
    chosen = chance.choice(processes)
    if died := chosen.died():  # by itself: to restart it would hide that
        raise TargetError(str(died))
    return _ProcessTarget(kind.action, chosen)


def _servers(kind: FaultKind, subject: RunningSubject, spared: Collection[int]) -> FaultTarget:
    found, context = [], subject.context
    for tier, database in context.servers.items():
        if kind.concerns(tier):
            if database.server is None:
                raise HostError("this PostgreSQL is not Middlemark's own", where=database.address)
            found.append(database.server)
    name = NAME if len(found) == len(context.servers) else kind.role
    if kind.action is Action.CUT:
        return _ConnectionsTarget(name, tuple(one for one in subject.stores.values() if kind.concerns(one.tier)))
    return _ServersTarget(kind.action, name, tuple(found), spared, context.watchdog)


@dataclass(frozen=True)
class _ProcessTarget:
    action: Action
    process: Process

    @property
    def name(self) -> str:
        return self.process.spec.name

    def inject(self) -> None:
        self.process.signal(signal.SIGKILL if self.action is Action.KILL else signal.SIGSTOP)

    def bring_back(self) -> None:
        if self.action is Action.KILL:
            self.process.restart()
        else:
            self.process.signal(signal.SIGCONT)


@dataclass(frozen=True)
class _ServersTarget:
    action: Action
    name: str
    servers: tuple[DatabaseServer, ...]
    spared: Collection[int]
    watchdog: Watchdog

    def inject(self) -> None:
        # Before it is killed, too: a backend that sees the postmaster's end tells its client, if it has the time.
        # A server that is killed tells nothing; `cut` is the fault that does.
        self._signal(signal.SIGSTOP)
        if self.action is Action.KILL:
            self._signal(signal.SIGKILL)

    def bring_back(self) -> None:
        if self.action is Action.FREEZE:
            self._signal(signal.SIGCONT)
            return
        for server in self.servers:
            restart_watched(server, self.watchdog)

    def _signal(self, what: signal.Signals) -> None:
        for server in self.servers:
            # The postmaster first: it would begin to recover from the death of the others.
            for pid in server.pids():
                with suppress(ProcessLookupError):
                    if pid not in self.spared:
                        os.kill(pid, what)


@dataclass(frozen=True)
class _ConnectionsTarget:
    name: str
    stores: tuple[Store, ...]

    def inject(self) -> None:
        for store in self.stores:
            with store.connected() as connection:
                end_other_connections(connection)

    def bring_back(self) -> None:
        """The server runs, and takes new connections."""
