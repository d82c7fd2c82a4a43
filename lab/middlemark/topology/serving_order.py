"""What is to be started: the wishes of whoever starts a subject, checked before anything is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.processes.ending import Part
from middlemark.records.placement import Placement
from middlemark.records.run import BINDING, ORDERS
from middlemark.subject.server import Server
from middlemark.subject.subject import Subject

LOCAL = "local"
GRPC = "grpc"

SETTINGS = frozenset(
    {
        "MM_CONFIG_PAGE",
        "MM_DATABASE_POOL",
        "MM_MARKET_SUMMARY_SECONDS",
        "MM_PROCESSOR_BATCH",
        "MM_PROCESSOR_CONCURRENCY",
        "MM_PROCESSOR_SECONDS",
        "MM_PROCESSOR_TIMEOUT_SECONDS",
        "MM_SERVICES_CONNECTIONS",
        "MM_SESSION_SECONDS",
    }
)
"""What an order may set (specs/README.md); the other variables follow from its modes and from the topology."""


@dataclass(frozen=True)
class Program:
    """A subject and what was built of it."""

    subject: Subject
    artifact: Path


@dataclass(frozen=True)
class ServingOrder:
    """What to start. `modes` are wishes, the rest takes its defaults; `settings` are among SETTINGS.

    `logs` is where logs go. `port` is for people, the first web process's; a free one when None. `processors` counts
    when orders are asynchronous. `front` is a server that stands before what is called over HTTP: the services, or the
    web processes when they carry the services (`local`). `offer_services` opens every binding the platform knows: with
    `local`, one process of role `all` serves them instead of a web process; else the services process does. `web` is
    another subject whose web tier calls these services, over a remote binding. `placement` None: wherever the lab is.
    """

    subject: Subject
    artifact: Path
    modes: Mapping[str, str]
    database_url: str
    logs: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    web_servers: int = 1
    processors: int = 1
    front: Server | None = None
    offer_services: bool = False
    web: Program | None = None
    placement: Placement | None = None

    @property
    def chosen(self) -> dict[str, str]:
        """Return a value for every mode: the wish, else the default; InputError for a wish it cannot fulfil."""
        return self.subject.chosen(self.modes)

    def cpus(self, tier: str) -> frozenset[int]:
        """Return the CPUs of a tier; none when it may run wherever the lab does."""
        return self.placement.of(tier) if self.placement else frozenset()

    def program(self, part: Part) -> Program:
        """Return what is started for a part of the application."""
        return self.web if self.web and part is Part.WEB else Program(self.subject, self.artifact)

    def modes_of(self, part: Part) -> dict[str, str]:
        """Return a value for every mode of what is started for a part.

        Another subject's web tier has binding and order mode in common with the services, its own modes as they are
        by default.
        """
        subject = self.program(part).subject
        if subject is self.subject:
            return self.chosen
        shared = {mode: value for mode, value in self.chosen.items() if mode in (BINDING, ORDERS)}
        return subject.chosen({mode: value for mode, value in shared.items() if mode in subject.modes})


def check_order(order: ServingOrder) -> None:
    """Raise InputError for an order that cannot be fulfilled."""
    for subject in (order.subject, order.program(Part.WEB).subject):
        if subject.server is None and not subject.implementation.start:
            raise InputError(f"{subject.name} has no `start`", where="platform.toml")
    if order.web is not None and order.chosen[BINDING] == LOCAL:
        raise InputError(f"the web tier of {order.web.subject.name} cannot carry the services of {order.subject.name}")
    order.modes_of(Part.WEB)
    if order.web_servers < 1:
        raise InputError("an application has at least one web process")
    if order.processors < 1:
        raise InputError("asynchronous orders need at least one processor")
    if order.offer_services and order.web_servers > 1 and order.chosen[BINDING] == LOCAL:
        raise InputError("one process offers the services; it cannot be several web processes")
    if order.front is not None:
        order.front.require_passes(order.chosen[BINDING])
    for name in order.settings:
        if name not in SETTINGS:
            raise InputError(f"'{name}' cannot be set. {suggestion(name, sorted(SETTINGS))}")
