"""Where cases are played: a running application, its database, and the connections to both."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from middlemark.conformance.cases.answer import Binding
from middlemark.conformance.execution.calling import Caller, caller
from middlemark.conformance.execution.state.loaded import Loaded
from middlemark.conformance.execution.state.rules import Rules
from middlemark.databases.database import Connection, Database
from middlemark.errors import InputError


@dataclass(frozen=True)
class Addresses:
    """Where an application answers: pages, JSON and SOAP, gRPC; None when it does not offer that."""

    web: str
    services: str | None
    grpc: str | None

    def of(self, binding: str) -> str | None:
        """Return where operations are called over a binding."""
        return self.grpc if binding == "grpc" else self.services


@dataclass(frozen=True)
class CaseDatabase:
    """The application's database: a connection of the engine's own, what was loaded, and the audit's rules."""

    server: Database
    name: str
    connection: Connection
    loaded: Loaded
    rules: Rules


@dataclass
class Stage:
    """A running application to play on. `database` is None where only its address is known.

    Callers are kept from case to case, since reading a WSDL takes longer than a case.
    """

    addresses: Addresses
    spec_folder: Path
    orders: str
    database: CaseDatabase | None
    stop: threading.Event
    client: httpx.Client
    _idle: dict[str, list[Caller]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def calling(self, binding: str) -> Iterator[Caller]:
        """Lend a caller to one client."""
        with self._lock:
            idle = self._idle.setdefault(binding, [])
            one = idle.pop() if idle else None
        one = one or self._new(binding)
        try:
            yield one
        finally:
            with self._lock:
                self._idle[binding].append(one)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Lend a connection of its own to the application's database."""
        if self.database is None:
            raise InputError("the database is not known", todo="Give --database URL")
        with self.database.server.connected(self.database.name) as connection:
            yield connection

    def close(self) -> None:
        """Close every connection to the application."""
        with ExitStack() as stack:
            stack.callback(self.client.close)
            for callers in self._idle.values():
                for one in callers:
                    stack.callback(one.close)
        self._idle.clear()

    def _new(self, binding: str) -> Caller:
        address = self.addresses.of(binding)
        if address is None:
            raise InputError(f"the application does not offer {binding}")
        return caller(Binding(binding), address, self.spec_folder)
