"""What is to be started: the wishes of whoever starts a subject, checked before anything is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.results.run import BINDING
from middlemark.target.server import Server
from middlemark.target.subject import Subject

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
class ServingOrder:
    """What to start. `modes` are wishes, the rest takes its defaults; `settings` are among SETTINGS.

    `logs` is where logs go. `port` is for people, the first web process's; a free one when None. `processors` counts
    when orders are asynchronous. `front` is a server that stands before what is called over HTTP: the services, or the
    web processes when they carry the services (`local`). `offer_services` opens every binding the platform knows: with
    `local`, one process of role `all` serves them instead of a web process; else the services process does.
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

    @property
    def chosen(self) -> dict[str, str]:
        """Return a value for every mode: the wish, else the default; InputError for a wish it cannot fulfil."""
        return self.subject.chosen(self.modes)


def check_order(order: ServingOrder) -> None:
    """Raise InputError for an order that cannot be fulfilled."""
    if order.subject.server is None and not order.subject.implementation.start:
        raise InputError(f"{order.subject.name} has no `start`", where="platform.toml")
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
