"""The run context of cases: a running application, its databases, and the connections to both."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from middlemark.conformance.cases.step import HttpStep, HttpVersion
from middlemark.conformance.execution.calling import Caller, caller
from middlemark.conformance.execution.state.case_databases import CaseDatabase, CaseDatabases
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.failure import StepFailed
from middlemark.databases.database import Connection
from middlemark.errors import InputError
from middlemark.specification.resources import Condition
from middlemark.specification.specification import Specification
from middlemark.topology.certificate import Certificate
from middlemark.topology.target import Target


@dataclass(frozen=True)
class Addresses:
    """Where an application answers: its entry; each tier and each interface that is offered from outside.

    `encrypted` has the address over TLS of each tier that has one; `trusted` is the certificate (PEM) to trust there.
    `certificates` and `tokens` are those of the specification.
    """

    entry: str
    tiers: Mapping[str, str] = field(default_factory=dict)
    interfaces: Mapping[str, str] = field(default_factory=dict)
    encrypted: Mapping[str, str] = field(default_factory=dict)
    trusted: Path | None = None
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict)


def addresses_of(target: Target) -> Addresses:
    """Return where a running subject answers."""
    known = target.subject.specification.description.tiers
    tiers = ((tier, target.address_of_tier(tier)) for tier in known)
    encrypted = ((tier, address) for tier in known for address in target.encrypted_addresses_of(tier)[:1])
    return Addresses(
        target.addresses[0],
        {tier: address for tier, address in tiers if address is not None},
        target.interfaces,
        dict(encrypted),
        target.authority,
        target.certificates,
        target.tokens,
    )


@dataclass
class Context:
    """A running application to run cases on. `databases` is None where only its address is known.

    `modes` are the values in effect, `wrong_settings` says what `/about` does not show as it is. Callers are kept from
    case to case, since reading a contract may take longer than a case.
    """

    specification: Specification
    addresses: Addresses
    modes: Mapping[str, str]
    databases: CaseDatabases | None
    stop: threading.Event
    client: httpx.Client
    wrong_settings: Callable[[], Sequence[str]]
    _idle: dict[str, list[Caller]] = field(default_factory=dict)
    _clients: dict[tuple[str, HttpVersion, str | None], httpx.Client] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def holds(self, condition: Condition) -> bool:
        """Say whether a condition of the specification holds in the modes in effect."""
        return self.specification.holds(condition, self.modes)

    @property
    def may_be_unfinished(self) -> bool:
        """Say whether work may go on after an answer."""
        return any(self.holds(one.when) for one in self.specification.description.unfinished.values())

    def database(self, name: str | None) -> CaseDatabase:
        """Return the database that is meant, the only one if None; InputError where only the address is known."""
        return self.require_databases().called(name)

    def require_databases(self) -> CaseDatabases:
        """Return the databases; InputError where only the address is known."""
        if self.databases is None:
            raise InputError("the database is not known", todo="Give --database URL")
        return self.databases

    def tier_for(self, path: str) -> str | None:
        """Return the tier that answers a path from outside, None for the entry."""
        tier = self.specification.tier_of(path)
        return tier if tier != self.specification.description.entry and tier in self.addresses.tiers else None

    def listener(self, step: HttpStep, tier: str | None = None) -> tuple[httpx.Client, str]:
        """Return the client and the address that a step asks of a tier, the entry by default.

        Raises StepFailed where nothing listens so, or where the certificate to be shown is not known.
        """
        plain = self.addresses.tiers[tier] if tier else self.addresses.entry
        if step.over == "http" and step.version is HttpVersion.KEPT_ALIVE:
            return self.client, plain
        callee = tier or self.specification.description.entry
        address = plain if step.over == "http" else self.addresses.encrypted.get(callee)
        if address is None:
            raise StepFailed("the application does not listen over https with these modes")
        if step.certificate and step.certificate not in self.addresses.certificates:
            raise StepFailed(
                f"no certificate is called '{step.certificate}' with these modes, or with an address alone"
            )
        own = self.addresses.certificates.get(step.certificate) if step.certificate else None
        with self._lock:
            wanted = address, step.version, step.certificate
            if wanted not in self._clients:
                self._clients[wanted] = open_client(address, self.addresses.trusted, step.version, own)
            return self._clients[wanted], address

    @contextmanager
    def calling(self, interface: str) -> Iterator[Caller]:
        """Lend a caller to one client."""
        with self._lock:
            idle = self._idle.setdefault(interface, [])
            one = idle.pop() if idle else None
        one = one or self._new(interface)
        try:
            yield one
        finally:
            with self._lock:
                self._idle[interface].append(one)

    @contextmanager
    def connected(self, name: str | None) -> Iterator[Connection]:
        """Lend a connection of its own to a database of the application."""
        one = self.database(name)
        with one.server.connected(one.database) as connection:
            yield connection

    def close(self) -> None:
        """Close every connection to the application."""
        with ExitStack() as stack:
            stack.callback(self.client.close)
            for client in self._clients.values():
                stack.callback(client.close)
            for callers in self._idle.values():
                for one in callers:
                    stack.callback(one.close)
        self._idle.clear()
        self._clients.clear()

    def _new(self, interface: str) -> Caller:
        address = self.addresses.interfaces.get(interface)
        if address is None:
            raise InputError(f"the application does not offer the interface {interface}")
        return caller(self.specification, interface, address)
