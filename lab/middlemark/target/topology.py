"""Starts a subject: one process for every role its binding needs, each ready before the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.target.about import About, read_about
from middlemark.target.ending import Part
from middlemark.target.guard import Guard
from middlemark.target.ports import free_port
from middlemark.target.process import Process, ProcessDied, ProcessSpec, running
from middlemark.target.subject import Subject

LOCAL = "local"
HOST = "127.0.0.1"


@dataclass(frozen=True)
class ServingOrder:
    """What to start. `modes` are mode values; `settings` are further `MM_*` settings; `logs` is where logs go.

    `port` is the one people use; a free one when None.
    """

    subject: Subject
    artifact: Path
    modes: Mapping[str, str]
    database_url: str
    logs: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None


@dataclass(frozen=True)
class Target:
    """A running subject. `processes` by tier name; `addresses` are the web tier's."""

    processes: Mapping[str, Process]
    urls: Mapping[str, str]
    addresses: tuple[str, ...]

    @property
    def tiers(self) -> dict[str, tuple[int, ...]]:
        """Return the root processes of each tier."""
        return {name: (process.pid,) for name, process in self.processes.items()}

    def about(self) -> dict[str, About]:
        """Return what each process says about itself, by tier."""
        return {name: read_about(url) for name, url in self.urls.items()}

    def died(self) -> ProcessDied | None:
        """Return how the first dead process ended, None while all live."""
        return next((died for process in self.processes.values() if (died := process.died())), None)

    def wait_until_ready(self) -> None:
        """Return when every process answers /health with 200; TargetError when one does not in time."""
        for process in self.processes.values():
            process.wait_until_ready()


@contextmanager
def serving(order: ServingOrder, guard: Guard) -> Iterator[Target]:
    """Run the subject until the context ends. Services start before the web tier that calls them."""
    with ExitStack() as stack:
        processes: dict[str, Process] = {}
        urls: dict[str, str] = {}
        for part, settings in _roles(order):
            port = order.port if part is Part.WEB and order.port else free_port()
            if "services" in urls:
                settings = {**settings, "MM_SERVICES_URL": urls["services"]}
            spec = _process(order, part, port, settings)
            tier = _tier(order, part)
            processes[tier] = stack.enter_context(running(spec, guard))
            urls[tier] = f"http://{HOST}:{port}"
        web = _tier(order, Part.WEB)
        yield Target(processes, urls, (urls[web],))


def _roles(order: ServingOrder) -> list[tuple[Part, dict[str, str]]]:
    """Return the parts to start in order, each with its role; a local binding needs one process."""
    binding = order.modes.get("binding", LOCAL)
    if binding == LOCAL:
        return [(Part.WEB, {"MM_ROLE": "web", "MM_BINDING": LOCAL})]
    return [
        (Part.SERVICES, {"MM_ROLE": "services"}),
        (Part.WEB, {"MM_ROLE": "web", "MM_BINDING": binding}),
    ]


def _tier(order: ServingOrder, part: Part) -> str:
    if part is Part.WEB and order.modes.get("binding", LOCAL) == LOCAL:
        return "web+services"
    return part.value


def _process(order: ServingOrder, part: Part, port: int, settings: Mapping[str, str]) -> ProcessSpec:
    chosen = {
        f"MM_{mode.upper().replace('-', '_')}": value for mode, value in order.modes.items() if mode != "binding"
    }
    needs_database = part is not Part.WEB or order.modes.get("binding", LOCAL) == LOCAL
    database = {"MM_DATABASE_URL": order.database_url} if needs_database else {}
    return ProcessSpec(
        name=f"{order.subject.name} {_tier(order, part)}",
        part=part,
        command=tuple(word.replace("{artifact}", str(order.artifact)) for word in order.subject.implementation.start),
        folder=order.subject.platform.folder,
        log=order.logs / f"{part.value}.log",
        settings={"MM_HOST": HOST, "MM_PORT": str(port), **database, **chosen, **order.settings, **settings},
        ready_url=f"http://{HOST}:{port}/health",
        ports=(port,),
    )
