"""Starts a subject: one process for every role its modes need, each ready before the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.target.about import About, read_about, unlike_asked
from middlemark.target.ending import Part
from middlemark.target.guard import Guard
from middlemark.target.ports import LOOPBACK, PortTakenError, free_port
from middlemark.target.process import Process, ProcessDied, ProcessSpec
from middlemark.target.subject import BINDING, SELF, Subject

LOCAL = "local"
GRPC = "grpc"
SYNC = "sync"
ALL = "all"
PORT_TRIES = 3

SETTINGS = frozenset(
    {
        "MM_CONFIG_PAGE",
        "MM_DATABASE_POOL",
        "MM_MARKET_SUMMARY_SECONDS",
        "MM_PROCESSOR_BATCH",
        "MM_PROCESSOR_CONCURRENCY",
        "MM_SERVICES_CONNECTIONS",
        "MM_SESSION_SECONDS",
    }
)
"""What an order may set (specs/README.md); the other variables follow from its modes and from this topology."""


@dataclass(frozen=True)
class ServingOrder:
    """What to start. `modes` are wishes, the rest takes its defaults; `settings` are among SETTINGS.

    `logs` is where logs go. `port` is the first web process's, for people; a free one when None.
    """

    subject: Subject
    artifact: Path
    modes: Mapping[str, str]
    database_url: str
    logs: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    web_servers: int = 1


@dataclass(frozen=True)
class Member:
    """One process of a running subject: the part it plays, the tier it belongs to, where it answers."""

    name: str
    part: Part
    tier: str
    process: Process
    address: str


@dataclass(frozen=True)
class Target:
    """A running subject: what the driver loads and the monitor watches. `modes` has a value for every mode."""

    members: tuple[Member, ...]
    modes: Mapping[str, str]
    subject: Subject

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return the addresses of the web processes."""
        return tuple(member.address for member in self.members if member.part is Part.WEB)

    @property
    def tiers(self) -> dict[str, tuple[int, ...]]:
        """Return the root processes of each tier; a process that carries two tiers joins their names with `+`."""
        tiers: dict[str, tuple[int, ...]] = {}
        for member in self.members:
            tiers[member.tier] = (*tiers.get(member.tier, ()), member.process.pid)
        return tiers

    def about(self) -> dict[str, About]:
        """Return what each process says about itself, by its name."""
        return {member.name: read_about(member.address) for member in self.members}

    def unlike_asked(self, about: Mapping[str, About], specification_version: str) -> list[str]:
        """Return one text for everything a process says of itself that is not what it was started with."""
        own = {
            "platform": self.subject.platform.name,
            "specification": self.subject.spec,
            "specification_version": specification_version,
        }
        return [
            text
            for member in self.members
            for text in unlike_asked(member.name, about[member.name], {**own, **member.process.spec.settings})
        ]

    def died(self) -> ProcessDied | None:
        """Return how the first dead process ended, None while all live."""
        return next((died for member in self.members if (died := member.process.died())), None)

    def wait_until_ready(self) -> None:
        """Return when every process answers /health with 200; TargetError when one does not in time."""
        for member in self.members:
            member.process.wait_until_ready()

    def carrying(self, part: Part) -> tuple[Process, ...]:
        """Return the processes that carry a part; with the binding `local`, the web processes carry the services."""
        wanted = Part.WEB if part is Part.SERVICES and self.modes[BINDING] == LOCAL else part
        return tuple(member.process for member in self.members if member.part is wanted)


@contextmanager
def serving(order: ServingOrder, guard: Guard) -> Iterator[Target]:
    """Run the subject until the context ends. Services start before the web tier that calls them, and end after it.

    Raises InputError for wishes it cannot fulfil, TargetError when a process does not become ready, PortTakenError when
    somebody has the order's port.
    """
    _check(order)
    modes = order.subject.chosen(order.modes)
    with ExitStack() as stack:
        starter = _Starter(order, modes, guard, stack)
        members = [starter.start(part, part.value) for part in _parts_behind_the_web(modes)]
        for number in range(1, order.web_servers + 1):
            name = "web" if order.web_servers == 1 else f"web-{number}"
            members.append(starter.start(Part.WEB, name, order.port if number == 1 else None))
        yield Target(tuple(members), modes, order.subject)


def _parts_behind_the_web(modes: Mapping[str, str]) -> list[Part]:
    """Return the parts with processes of their own, in the order in which they start."""
    parts = [Part.PROCESSOR] if modes.get("orders", SYNC) != SYNC else []
    return [*parts, Part.SERVICES] if modes[BINDING] != LOCAL else parts


class _Starter:
    """Starts the processes of one order, each on a port of its own; `stack` stops them."""

    def __init__(self, order: ServingOrder, modes: Mapping[str, str], guard: Guard, stack: ExitStack) -> None:
        self._order = order
        self._modes = modes
        self._guard = guard
        self._stack = stack
        self._services_url = ""

    def start(self, part: Part, name: str, wanted: int | None = None) -> Member:
        """Start a process on the wanted port, or on a free one: again on another when somebody was quicker."""
        for left in reversed(range(PORT_TRIES)):
            port = wanted or free_port()
            process = Process(self._spec(part, name, port), self._guard)
            try:
                process.start()
            except PortTakenError:
                if wanted or not left:
                    raise
            else:
                self._stack.callback(process.stop)
                break
        return Member(name, part, self._tier(part), process, f"http://{LOOPBACK}:{port}")

    def _spec(self, part: Part, name: str, port: int) -> ProcessSpec:
        order = self._order
        grpc = free_port() if part is Part.SERVICES and self._modes[BINDING] == GRPC else None
        if part is Part.SERVICES:
            self._services_url = f"http://{LOOPBACK}:{grpc or port}"
        return ProcessSpec(
            name=f"{order.subject.name} {name}",
            part=part,
            command=tuple(
                word.replace("{artifact}", str(order.artifact)) for word in order.subject.implementation.start
            ),
            folder=order.subject.platform.folder,
            log=order.logs / f"{name}.log",
            settings=self._settings(part, port, grpc),
            ready_url=f"http://{LOOPBACK}:{port}/health",
            ports=(port, grpc) if grpc else (port,),
        )

    def _settings(self, part: Part, port: int, grpc: int | None) -> dict[str, str]:
        """Return the environment of a process: specs/README.md says what each variable means."""
        chosen = {f"MM_{mode.upper().replace('-', '_')}": v for mode, v in self._modes.items() if mode != BINDING}
        settings = {"MM_HOST": LOOPBACK, "MM_PORT": str(port), "MM_ROLE": self._role(part), **chosen}
        if part is Part.WEB:
            settings["MM_BINDING"] = self._modes[BINDING]
        if part is Part.WEB and self._modes[BINDING] != LOCAL:
            settings["MM_SERVICES_URL"] = self._services_url
        else:
            settings["MM_DATABASE_URL"] = self._order.database_url
        if grpc:
            settings["MM_GRPC_PORT"] = str(grpc)
        return settings | dict(self._order.settings)

    def _role(self, part: Part) -> str:
        """Return `all` for the one process of a platform that is not divided."""
        known = self._order.subject.implementation.roles
        return part.value if part.value in known or ALL not in known else ALL

    def _tier(self, part: Part) -> str:
        return "web+services" if part is Part.WEB and self._modes[BINDING] == LOCAL else part.value


def _check(order: ServingOrder) -> None:
    if SELF not in order.subject.implementation.hosting or not order.subject.implementation.start:
        raise InputError(f"{order.subject.name} needs a server, and servers cannot be started yet")
    if order.web_servers < 1:
        raise InputError("an application has at least one web process")
    for name in order.settings:
        if name not in SETTINGS:
            raise InputError(f"'{name}' cannot be set. {suggestion(name, sorted(SETTINGS))}")
