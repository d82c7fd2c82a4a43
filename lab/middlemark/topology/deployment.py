"""Starts a subject: every process of its plan, each ready before the next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from middlemark.errors import HostError, InputError
from middlemark.processes.ending import Part
from middlemark.processes.ports import LOOPBACK, PortTakenError, free_port
from middlemark.processes.process import Process, ProcessSpec
from middlemark.processes.watchdog import Watchdog
from middlemark.specification.tiers import Protocol
from middlemark.subject.installing import installed
from middlemark.subject.platform import command_words
from middlemark.subject.server import Server
from middlemark.topology.configuring import configure
from middlemark.topology.credentials import Credentials
from middlemark.topology.environment import environment_of
from middlemark.topology.hosting import Application, hosted
from middlemark.topology.plan import PlannedProcess, plan
from middlemark.topology.proxying import Passed, Upstream, configure_proxy
from middlemark.topology.request import DeploymentRequest, check_request
from middlemark.topology.target import Member, Places, Target
from middlemark.topology.workers import FOR_EVERYBODY, count_of

__all__ = ["DeploymentRequest", "Kept", "Target", "deployed"]

PORT_TRIES = 3
CREDENTIALS = "middlemark-credentials-"
# Linux takes 107 bytes (unix(7)), macOS 103.
MAX_SOCKET_PATH = 100


class Kept:
    """Processes behind the entry that outlive a deployment: the next one with the same of them takes them over."""

    def __init__(self) -> None:
        self.members: dict[str, Member] = {}
        self.stack = ExitStack()
        self.credentials: Credentials | None = None

    def close(self) -> None:
        """Stop them."""
        self.members.clear()
        self.credentials = None
        self.stack.close()


@contextmanager
def deployed(request: DeploymentRequest, watchdog: Watchdog, kept: Kept | None = None) -> Iterator[Target]:
    """Run the subject until the context ends. What is called starts before its callers, and ends after them.

    Processes that carry no part of the entry are `kept` where there is a place for them. Whoever gives it sees to it
    that the databases, the settings and the modes behind the entry are those of the deployment before.

    Raises InputError for a request that cannot be fulfilled, TargetError when a process does not become ready,
    MissingToolError without a server that hosts it or stands in front, PortTakenError when the requested port is taken.
    """
    check_request(request)
    processes = plan(request)
    for server in (request.reverse_proxy, *(program.subject.server for program in request.programs)):
        if server is not None:
            server.version()
    with ExitStack() as stack:
        credentials = _credentials(request, watchdog, stack, kept)
        starter = _Starter(request, watchdog, stack, credentials, kept)
        for process in processes:
            starter.start(process)
        tls, key = request.specification.description.tls, request.specification.description.token_key
        certified = credentials if tls and request.holds(tls.when) else None
        signing = credentials if key and request.holds(key.when) else None
        yield Target(
            tuple(starter.started.values()),
            request.chosen,
            request.subject,
            authority=certified.authority.certificate if certified else None,
            certificates=certified.certificates if certified else {},
            tokens=signing.tokens.texts if signing else {},
        )


def _credentials(
    request: DeploymentRequest, watchdog: Watchdog, stack: ExitStack, kept: Kept | None
) -> Credentials | None:
    """The credentials of the specification, in a folder that ends with the processes that get them; None without any.

    Processes that are kept and those that call them have the same authority and key.
    """
    description = request.specification.description
    if description.tls is None and description.token_key is None:
        return None
    if kept is None:
        return Credentials(stack.enter_context(watchdog.private_folder(CREDENTIALS)), description)
    if kept.credentials is None:
        kept.credentials = Credentials(kept.stack.enter_context(watchdog.private_folder(CREDENTIALS)), description)
    return kept.credentials


class _Starter:
    """Starts the processes of one request, each on ports of its own; `stack` stops them, but for the `kept` ones."""

    def __init__(
        self,
        request: DeploymentRequest,
        watchdog: Watchdog,
        stack: ExitStack,
        credentials: Credentials | None,
        kept: Kept | None,
    ) -> None:
        self.started: dict[str, Member] = {}
        self._request = request
        self._watchdog = watchdog
        self._stack = stack
        self._credentials = credentials
        self._kept = kept

    def start(self, planned: PlannedProcess) -> None:
        """Start a process on the requested port, or on a free one: again on another when somebody was quicker."""
        if self._kept and planned.name in self._kept.members:
            self.started[planned.name] = self._kept.members[planned.name]
            return
        for left in reversed(range(PORT_TRIES)):
            ports = {listener: free_port() for listener in sorted(planned.listens - {Protocol.UNIX})}
            ports[Protocol.HTTP] = planned.port or ports[Protocol.HTTP]
            places = Places(ports, self._socket(planned))
            spec = self._proxy(planned, places) if planned.is_proxy else self._application(planned, places)
            process = Process(spec, self._watchdog)
            try:
                process.start([member.process for member in self.started.values()])
            except PortTakenError as error:
                if error.port == planned.port or not left:
                    raise
            else:
                self._stack_of(planned).callback(process.stop)
                break
        subject = self._request.program_of(planned.tiers, planned.role).subject
        member = self.started[planned.name] = Member(planned, subject, process, places)
        if self._kept and self._is_kept(planned):
            self._kept.members[planned.name] = member

    def _is_kept(self, planned: PlannedProcess) -> bool:
        entry = self._request.specification.description.entry
        return self._kept is not None and not planned.is_proxy and entry not in planned.tiers

    def _stack_of(self, planned: PlannedProcess) -> ExitStack:
        """Stack that stops the process, and removes its folder afterwards."""
        return self._kept.stack if self._kept and self._is_kept(planned) else self._stack

    def _socket(self, planned: PlannedProcess) -> Path | None:
        """Path of the Unix socket of a process, in a private folder that ends with it; None where it has none."""
        if Protocol.UNIX not in planned.listens:
            return None
        socket = self._stack_of(planned).enter_context(self._watchdog.private_folder("middlemark-socket-")) / "socket"
        if len(bytes(socket)) > MAX_SOCKET_PATH:
            what = f"the path of a Unix socket has at most {MAX_SOCKET_PATH} bytes, this one has {len(bytes(socket))}"
            raise HostError(what, where=str(socket), todo="Set TMPDIR to a folder with a shorter path")
        return socket

    def _application(self, planned: PlannedProcess, places: Places) -> ProcessSpec:
        program = self._request.program_of(planned.tiers, planned.role)
        subject, implementation = program.subject, program.subject.implementation
        others = (port for listener, port in places.ports.items() if listener != Protocol.HTTP)
        spec = ProcessSpec(
            name=f"{subject.name} {planned.name}",
            part=Part.APPLICATION,
            command=command_words(implementation.start, program.artifact),
            folder=subject.platform.folder,
            log=self._request.logs / f"{planned.name}.log",
            settings=environment_of(planned, self._request, self.started, places, self._credentials),
            ready_url=f"{places.url(Protocol.HTTP)}/health",
            ready_seconds=implementation.ready_seconds,
            ports=(places.ports[Protocol.HTTP], *others),
        )
        spec = replace(spec, cpus=self._request.cpus(planned.label))
        return spec if subject.server is None else self._hosted(planned, subject.server, spec)

    def _hosted(self, planned: PlannedProcess, server: Server, unhosted: ProcessSpec) -> ProcessSpec:
        """Return how the server is started with the application in it, in a folder that ends with the process.

        The log of its transactions and the messages of its queues lie there: they never outlive the deployment.
        """
        program = self._request.program_of(planned.tiers, planned.role)
        folder = self._stack_of(planned).enter_context(self._watchdog.private_folder(f"middlemark-{server.name}-"))
        further = {name: free_port() for name in server.description.ports}
        install, modes = installed(server, self._watchdog), self._request.modes_of(program)
        application = Application(
            program.subject, server, install, folder, program.artifact, further, planned.tiers, modes
        )
        spec = hosted(application, unhosted)
        configure(server, spec, server.words(folder, application.install, further), self._watchdog)
        return spec

    def _proxy(self, planned: PlannedProcess, places: Places) -> ProcessSpec:
        server, behind = self._request.reverse_proxy, [self.started[name] for name in planned.behind]
        if server is None or server.proxy is None:
            raise InputError(f"nothing can stand before {' and '.join(planned.behind)}")
        folder = self._stack.enter_context(self._watchdog.private_folder(f"middlemark-{server.name}-"))
        # Root's workers run as nobody: they pass through the folder to those of their own in it.
        folder.chmod(FOR_EVERYBODY)
        port = places.ports[Protocol.HTTP]
        further = {name: free_port() for name in server.description.ports}

        def upstreams(listener: str) -> tuple[str, ...]:
            return tuple(f"{LOOPBACK}:{one.places.ports[listener]}" for one in behind)

        others = (Passed(one, places.ports[one], upstreams(one)) for one in sorted(planned.listens - {Protocol.HTTP}))
        cpus = self._request.cpus(planned.label)
        cookie = self._request.specification.description.pages.cookie
        upstream = Upstream(
            upstreams(Protocol.HTTP), LOOPBACK, port, count_of(cpus), tuple(others), cookie.name if cookie else ""
        )
        configure_proxy(server, folder, upstream, further)
        words = server.words(folder, installed(server, self._watchdog), further)
        spec = ProcessSpec(
            name=f"{server.name} {planned.name}",
            part=Part.REVERSE_PROXY,
            command=server.command(words),
            folder=folder,
            log=self._request.logs / f"{planned.name}.log",
            settings=server.environment(words),
            ready_url=places.url(Protocol.HTTP) + server.proxy.ready_path,
            ready_seconds=server.description.ready_seconds,
            ports=(port, *(passed.port for passed in upstream.others), *further.values()),
            ending=server.ending,
            failures=server.description.failures,
            cpus=cpus,
        )
        configure(server, spec, words, self._watchdog)
        return spec
