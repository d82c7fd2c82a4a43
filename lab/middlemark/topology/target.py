"""A running subject: what the driver loads, the monitor watches and the cases are run against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.processes.ports import LOOPBACK
from middlemark.processes.process import Process, ProcessDied
from middlemark.specification.tiers import OF_VIRTUAL_USERS, Protocol
from middlemark.subject.subject import Subject
from middlemark.topology.about import SHOWN_TOKEN, About, differs_from_request, read_about, settings_not_shown
from middlemark.topology.certificate import Certificate
from middlemark.topology.hosting import application_settings, undisclosed
from middlemark.topology.plan import PlannedProcess


@dataclass(frozen=True)
class Places:
    """Where a process listens: the port of each listener, and the path of its Unix socket where it has one."""

    ports: Mapping[str, int]
    socket: Path | None = None

    def has(self, listener: str) -> bool:
        """Whether the process listens so."""
        return listener in self.ports or (listener == Protocol.UNIX and self.socket is not None)

    def given(self, listener: str) -> str:
        """The port or the path of a listener, as its process gets it."""
        return str(self.socket) if listener == Protocol.UNIX else str(self.ports[listener])

    def url(self, listener: str) -> str:
        """The address of a port for requests over HTTP: `http://host:port`, of https `https://host:port`."""
        return f"{'https' if listener == Protocol.HTTPS else 'http'}://{LOOPBACK}:{self.ports[listener]}"

    def address(self, listener: str) -> str:
        """The address of a listener for whoever calls it: of http and https the URL, `host:port`, or the path."""
        if listener in OF_VIRTUAL_USERS:
            return self.url(listener)
        return str(self.socket) if listener == Protocol.UNIX else f"{LOOPBACK}:{self.ports[listener]}"


@dataclass(frozen=True)
class Member:
    """One process of a running subject, and where it listens. `subject` of a proxy is that of the one behind it."""

    planned: PlannedProcess
    subject: Subject
    process: Process
    places: Places

    @property
    def name(self) -> str:
        """Return its name, which is also that of its log."""
        return self.planned.name

    @property
    def tier(self) -> str:
        """Return the name of its tier in figures."""
        return self.planned.label

    @property
    def address(self) -> str:
        """Return where it answers HTTP."""
        return self.places.url(Protocol.HTTP)


@dataclass(frozen=True)
class Target:
    """A running subject. `modes` has a value for every mode.

    `authority` is the file (PEM) with the certificate of the authority of its listeners over TLS, None without such.
    `certificates` of the specification and the texts of its `tokens` are by their names.
    """

    members: tuple[Member, ...]
    modes: Mapping[str, str]
    subject: Subject
    authority: Path | None = None
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Return every subject that runs a process."""
        return tuple({member.subject.name: member.subject for member in self.members}.values())

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return what virtual users call: the processes of the entry, or the proxies that stand before them."""
        return tuple(one.address for one in self._offering(self.subject.specification.description.entry))

    def tiers_called(self, names: Sequence[str]) -> frozenset[str]:
        """The tiers that virtual users call: the entry, the tiers among `names`, or the proxies before them."""
        called = (self.subject.specification.description.entry, *names)
        return frozenset(one.tier for tier in called for one in self._offering(tier))

    @property
    def encrypted_addresses(self) -> tuple[str, ...]:
        """Return where the processes of the entry answer over TLS, itself and no proxy; none where they do not."""
        return self.encrypted_addresses_of(self.subject.specification.description.entry)

    def encrypted_addresses_of(self, tier: str) -> tuple[str, ...]:
        """Return where the processes of a tier answer over TLS, itself and no proxy; none where they do not."""
        own = self._own_of(tier)
        return tuple(one.places.url(Protocol.HTTPS) for one in own if Protocol.HTTPS in one.places.ports)

    def address_of_tier(self, tier: str) -> str | None:
        """Return where a tier answers HTTP, by the proxy if one stands there; None when no process offers it."""
        return next((one.address for one in self._offering(tier)), None)

    def addresses_of(self, name: str) -> tuple[str, ...]:
        """Addresses of a step's `target`: a listener of the entry by its protocol, else a tier over http."""
        if name not in OF_VIRTUAL_USERS:
            return tuple(one.address for one in self._offering(name))
        entry = self.subject.specification.description.entry
        proxies = tuple(one for one in self._offering(entry) if name in one.places.ports)
        callees = proxies or tuple(one for one in self._own_of(entry) if name in one.places.ports)
        return tuple(one.places.url(name) for one in callees)

    @property
    def interfaces(self) -> dict[str, str]:
        """Return the address of every interface that is offered now."""
        found: dict[str, str] = {}
        for name, interface in self.subject.specification.description.interfaces.items():
            # By the proxy, unless nobody calls the interface in these modes: then it does not pass it on.
            possible = (*self._offering(interface.tier), *self._own_of(interface.tier))
            one = next((member for member in possible if interface.protocol in member.places.ports), None)
            if one and self.subject.knows_interface(name):
                found[name] = one.places.url(interface.protocol)
        return found

    @property
    def tiers(self) -> dict[str, tuple[int, ...]]:
        """Return the root processes of each tier; a process that carries several joins their names with `+`."""
        tiers: dict[str, tuple[int, ...]] = {}
        for member in self.members:
            tiers[member.tier] = (*tiers.get(member.tier, ()), member.process.pid)
        return tiers

    @property
    def compiler_threads(self) -> dict[str, frozenset[str]]:
        """Return the names of threads that compile, by tier; a tier whose processes declare none is left out."""
        names: dict[str, frozenset[str]] = {}
        for member in self._applications():
            names[member.tier] = names.get(member.tier, frozenset()) | member.subject.compiler_threads
        return {tier: declared for tier, declared in names.items() if declared}

    @property
    def is_compiled_before(self) -> bool:
        """Whether none of its applications compiles anything while it runs."""
        return all(member.subject.is_compiled_before for member in self._applications())

    @property
    def start_seconds(self) -> dict[str, float]:
        """Return how long each process took at its last start until it was ready, in seconds, by its name."""
        return {member.name: member.process.ready_after_s for member in self.members}

    @property
    def queues(self) -> frozenset[str]:
        """Return the queues of servers that its processes work on; a reset of the databases does not empty them."""
        specification = self.subject.specification
        used = (specification.queues_in_use(one.planned.tiers, self.modes) for one in self._applications())
        return frozenset().union(*used)

    def about(self) -> dict[str, About]:
        """Return what each process of the application says about itself, by its name."""
        return {member.name: read_about(member.address) for member in self._applications()}

    def differences_from_request(self, about: Mapping[str, About]) -> list[str]:
        """Return one text for everything a process says of itself that is not what it was started with."""
        return [
            text
            for member in self._applications()
            for text in (
                *differs_from_request(member.name, about[member.name], _requested(member)),
                *settings_not_shown(member.name, about[member.name], _settings_left_out(member)),
                *_undisclosed(member, about[member.name]),
            )
        ]

    def wrong_settings(self) -> list[str]:
        """Return what `differences_from_request` does, of this moment."""
        return self.differences_from_request(self.about())

    def died(self) -> ProcessDied | None:
        """Return how the first dead process ended, None while all live."""
        return next((died for member in self.members if (died := member.process.died())), None)

    def wait_until_ready(self) -> None:
        """Return when every process answers /health with 200; TargetError when one does not in time."""
        for member in self.members:
            member.process.wait_until_ready()

    def carrying(self, tier: str) -> tuple[Process, ...]:
        """Return the processes that carry a tier, whatever others they carry."""
        return tuple(member.process for member in self.members if tier in member.planned.tiers)

    def _offering(self, tier: str) -> tuple[Member, ...]:
        """Return who takes requests for a tier: the proxies before its processes, where there are some."""
        processes = self._own_of(tier)
        names = {member.name for member in processes}
        proxies = (one for one in self.members if one.planned.is_proxy and names & set(one.planned.behind))
        return tuple(proxies) or processes

    def _own_of(self, tier: str) -> tuple[Member, ...]:
        return tuple(member for member in self._applications() if tier in member.planned.offers)

    def _applications(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if not member.planned.is_proxy)


def member_called(members: Mapping[str, Member], name: str, listener: str) -> Member:
    """The process that gets calls over a listener: the one behind a proxy that does not pass the listener on."""
    member = members[name]
    passes = not member.planned.is_proxy or member.places.has(listener)
    return member if passes else members[member.planned.behind[0]]


def _undisclosed(member: Member, about: About) -> list[str]:
    server = member.subject.server
    kind = member.subject.implementation.artifact
    return [*undisclosed(server, kind, member.name, about)] if server else []


def _settings_left_out(member: Member) -> list[str]:
    """Return the settings that a process knows and was not given: their defaults are in effect."""
    known = member.subject.specification.known_settings(member.subject.features)
    return [name for name in known if name not in member.process.spec.settings]


def _requested(member: Member) -> dict[str, str]:
    """Return what a process must say of itself in `/about`; a role of several tiers is spelled out there."""
    specification = member.subject.specification
    settings = application_settings(member.process.spec.settings)
    roles = specification.description.roles
    if roles and len(member.planned.offers) > 1:
        carried = (tier for tier in roles.carries[member.planned.role] if tier in member.planned.tiers)
        settings |= {roles.variable: ",".join(carried)}
    tokens = {token.variable for token in specification.description.tokens.values() if token.variable}
    settings |= dict.fromkeys(tokens & settings.keys(), SHOWN_TOKEN)
    return {
        "platform": member.subject.platform.name,
        "specification": specification.name,
        "specification_version": specification.version,
        **settings,
    }
