"""Starts a subject: every process of its layout, each ready before the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from middlemark.errors import InputError
from middlemark.processes.ending import Part
from middlemark.processes.guard import Guard
from middlemark.processes.ports import LOOPBACK, PortTakenError, free_port
from middlemark.processes.process import Process, ProcessDied, ProcessSpec
from middlemark.records.run import BINDING
from middlemark.subject.installing import installed
from middlemark.subject.server import Server
from middlemark.subject.subject import Subject
from middlemark.topology.about import About, read_about, unlike_asked
from middlemark.topology.fronting import Upstream, configure_front
from middlemark.topology.hosting import Application, application_settings, hosted, undisclosed
from middlemark.topology.layout import ALL, Place, layout
from middlemark.topology.serving_order import GRPC, LOCAL, Program, ServingOrder, check_order

__all__ = ["Member", "ServingOrder", "Target", "serving"]

PORT_TRIES = 3


@dataclass(frozen=True)
class Member:
    """One process of a running subject: the part it plays, its tier, where it answers HTTP and, if it does, gRPC.

    `subject` is whose process it is, for a front the subject it stands before.
    """

    name: str
    part: Part
    tier: str
    subject: Subject
    process: Process
    address: str
    grpc_address: str | None = None


@dataclass(frozen=True)
class Target:
    """A running subject: what the driver loads and the monitor watches. `modes` has a value for every mode."""

    members: tuple[Member, ...]
    modes: Mapping[str, str]
    subject: Subject

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return where the pages are: the web processes, or the fronts that stand before them."""
        fronts = self._of(Part.FRONT) if self.modes[BINDING] == LOCAL else ()
        return tuple(member.address for member in fronts or self._of(Part.WEB))

    @property
    def services_address(self) -> str | None:
        """Return where JSON and SOAP are offered (`http://host:port`), by the front if one stands there; else None."""
        if self.modes[BINDING] != LOCAL:
            return (self._of(Part.FRONT) or self._of(Part.SERVICES))[0].address
        return self.addresses[0] if self._of(Part.WEB)[0].process.spec.settings["MM_ROLE"] == ALL else None

    @property
    def grpc_address(self) -> str | None:
        """Return where gRPC is offered (`http://host:port`), None when it is not."""
        return next((member.grpc_address for member in self.members if member.grpc_address), None)

    @property
    def tiers(self) -> dict[str, tuple[int, ...]]:
        """Return the root processes of each tier; a process that carries several parts joins their names with `+`."""
        tiers: dict[str, tuple[int, ...]] = {}
        for member in self.members:
            tiers[member.tier] = (*tiers.get(member.tier, ()), member.process.pid)
        return tiers

    @property
    def start_seconds(self) -> dict[str, float]:
        """Return how long each process took at its last start until it was ready, in seconds, by its name."""
        return {member.name: member.process.ready_after_s for member in self.members}

    def about(self) -> dict[str, About]:
        """Return what each process of the application says about itself, by its name."""
        return {member.name: read_about(member.address) for member in self._applications()}

    def unlike_asked(self, about: Mapping[str, About], specification_version: str) -> list[str]:
        """Return one text for everything a process says of itself that is not what it was started with."""
        version = {"specification_version": specification_version}
        return [
            text
            for member in self._applications()
            for text in (
                *unlike_asked(member.name, about[member.name], {**version, **_told(member)}),
                *_undisclosed(member, about[member.name]),
            )
        ]

    def died(self) -> ProcessDied | None:
        """Return how the first dead process ended, None while all live."""
        return next((died for member in self.members if (died := member.process.died())), None)

    def wait_until_ready(self) -> None:
        """Return when every process answers /health with 200; TargetError when one does not in time."""
        for member in self.members:
            member.process.wait_until_ready()

    def carrying(self, part: Part) -> tuple[Process, ...]:
        """Return the processes that carry a part, whatever other parts they carry."""
        return tuple(member.process for member in self.members if part.value in member.tier.split("+"))

    def _of(self, part: Part) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.part is part)

    def _applications(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.part is not Part.FRONT)


@contextmanager
def serving(order: ServingOrder, guard: Guard) -> Iterator[Target]:
    """Run the subject until the context ends. What is called starts before its callers, and ends after them.

    Raises InputError for wishes it cannot fulfil, TargetError when a process does not become ready, MissingToolError
    without the server that is to host it or to stand in front, PortTakenError when somebody has the order's port.
    """
    check_order(order)
    for server in (order.front, order.subject.server, order.program(Part.WEB).subject.server):
        if server is not None:
            server.version()
    with ExitStack() as stack:
        starter = _Starter(order, guard, stack)
        for place in layout(order):
            starter.start(place)
        yield Target(tuple(starter.started.values()), order.chosen, order.subject)


class _Starter:
    """Starts the processes of one order, each on ports of its own; `stack` stops them."""

    def __init__(self, order: ServingOrder, guard: Guard, stack: ExitStack) -> None:
        self.started: dict[str, Member] = {}
        self._order = order
        self._guard = guard
        self._stack = stack

    def start(self, place: Place) -> None:
        """Start a process on the wanted port, or on a free one: again on another when somebody was quicker."""
        for left in reversed(range(PORT_TRIES)):
            port = place.port or free_port()
            grpc = free_port() if place.serves_grpc else None
            spec = self._front(place, port) if place.part is Part.FRONT else self._application(place, port, grpc)
            process = Process(replace(spec, cpus=self._order.cpus(place.tier)), self._guard)
            try:
                process.start()
            except PortTakenError as error:
                if error.port == place.port or not left:
                    raise
            else:
                self._stack.callback(process.stop)
                break
        self.started[place.name] = Member(
            place.name,
            place.part,
            place.tier,
            self._order.program(place.part).subject,
            process,
            _url(port),
            _url(grpc) if grpc else None,
        )

    def _application(self, place: Place, port: int, grpc: int | None) -> ProcessSpec:
        program = self._order.program(place.part)
        subject = program.subject
        spec = ProcessSpec(
            name=f"{subject.name} {place.name}",
            part=place.part,
            command=tuple(word.replace("{artifact}", str(program.artifact)) for word in subject.implementation.start),
            folder=subject.platform.folder,
            log=self._order.logs / f"{place.name}.log",
            settings=self._settings(place, port, grpc),
            ready_url=f"{_url(port)}/health",
            ports=(port, grpc) if grpc else (port,),
        )
        return spec if subject.server is None else self._hosted(program, subject.server, spec)

    def _hosted(self, program: Program, server: Server, alone: ProcessSpec) -> ProcessSpec:
        """Return how the server is started with the application in it, in a folder that ends with the process.

        The transaction log lies there: it is never older than the database it belongs to.
        """
        folder = self._stack.enter_context(self._guard.private_folder(f"middlemark-{server.name}-"))
        install = installed(server, self._guard)
        resources = program.subject.implementation.resources
        return hosted(Application(server, install, folder, program.artifact, resources), alone)

    def _front(self, place: Place, port: int) -> ProcessSpec:
        server = self._order.front
        if server is None:
            raise InputError(f"nothing is to stand before {place.calls}")
        folder = self._stack.enter_context(self._guard.private_folder(f"middlemark-{server.name}-"))
        # Root's workers run as nobody: they pass through the folder to those of their own in it.
        folder.chmod(0o711)
        upstream = Upstream(self.started[place.calls].address.removeprefix("http://"), LOOPBACK, port)
        configure_front(server, folder, upstream)
        words = server.words(folder)
        return ProcessSpec(
            name=f"{server.name} {place.name}",
            part=place.part,
            command=server.command(words),
            folder=folder,
            log=self._order.logs / f"{place.name}.log",
            settings=server.environment(words),
            ready_url=_url(port) + server.description.ready_path,
            ready_seconds=server.description.ready_seconds,
            ports=(port,),
            ending=server.ending,
        )

    def _settings(self, place: Place, port: int, grpc: int | None) -> dict[str, str]:
        """Return the environment of a process: specs/README.md says what each variable means."""
        modes = self._order.modes_of(place.part)
        chosen = {f"MM_{mode.upper().replace('-', '_')}": value for mode, value in modes.items() if mode != BINDING}
        settings = {"MM_HOST": LOOPBACK, "MM_PORT": str(port), "MM_ROLE": place.role, **chosen}
        if place.part is Part.WEB:
            settings["MM_BINDING"] = modes[BINDING]
        if place.calls:
            settings["MM_SERVICES_URL"] = self._called(place)
        else:
            settings["MM_DATABASE_URL"] = self._order.database_url
        if grpc:
            settings["MM_GRPC_PORT"] = str(grpc)
        return settings | dict(self._order.settings)

    def _called(self, place: Place) -> str:
        member = self.started[place.calls]
        if self._order.chosen[BINDING] == GRPC and member.grpc_address:
            return member.grpc_address
        return member.address


def _undisclosed(member: Member, about: About) -> list[str]:
    server = member.subject.server
    return [*undisclosed(server, member.name, about)] if server else []


def _told(member: Member) -> dict[str, str]:
    """Return what a process must tell of itself in `/about`, and its settings: there the role `all` is spelled out."""
    settings = application_settings(member.process.spec.settings)
    if settings["MM_ROLE"] == ALL:
        settings |= {"MM_ROLE": member.tier.replace("+", ",")}
    return {"platform": member.subject.platform.name, "specification": member.subject.spec, **settings}


def _url(port: int) -> str:
    return f"http://{LOOPBACK}:{port}"
