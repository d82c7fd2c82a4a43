"""Which processes a subject becomes: computed from the order before anything is started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from middlemark.errors import InputError
from middlemark.processes.ending import Part
from middlemark.records.run import BINDING, ORDERS, SYNC
from middlemark.topology.serving_order import GRPC, LOCAL, ServingOrder

ALL = "all"


@dataclass(frozen=True)
class Place:
    """One process to be started.

    `role` is its MM_ROLE, empty for a front, which is no application. `calls` names the place it sends requests to,
    empty when it sends none. `port` is a wish. The tier joins the parts of one process by `+`.
    """

    name: str
    part: Part
    tier: str
    role: str = ""
    calls: str = ""
    serves_grpc: bool = False
    port: int | None = None


def layout(order: ServingOrder) -> tuple[Place, ...]:
    """Return the processes in the order in which they start: each after the one it calls.

    Raises InputError for a division into processes that the platform does not offer.
    """
    modes = order.chosen
    if _is_whole(order):
        return (*_wholes(order, modes), *_fronts_before_web(order))
    processors = [
        Place(name, Part.PROCESSOR, "processor", _role(order, Part.PROCESSOR))
        for name in _names("processor", order.processors if modes.get(ORDERS, SYNC) != SYNC else 0)
    ]
    if modes[BINDING] == LOCAL:
        webs = _webs(order, "web+services", "")
        return (*processors, *webs, *_fronts_before_web(order))
    grpc = modes[BINDING] == GRPC or (order.offer_services and GRPC in order.subject.implementation.bindings)
    services = Place("services", Part.SERVICES, "services", _role(order, Part.SERVICES), serves_grpc=grpc)
    front = [Place("front", Part.FRONT, "front", calls="services")] if order.front else []
    return (*processors, services, *front, *_webs(order, "web", "front" if front else "services"))


def _is_whole(order: ServingOrder) -> bool:
    """Tell whether one process is to carry every part: it was asked for, or the platform is not divided."""
    asked = order.offer_services or Part.WEB.value not in order.subject.implementation.roles
    return asked and order.chosen[BINDING] == LOCAL


def _wholes(order: ServingOrder, modes: Mapping[str, str]) -> list[Place]:
    """Return the processes that carry everything and offer the services over every binding."""
    if ALL not in order.subject.implementation.roles:
        raise InputError(f"{order.subject.name} has no role '{ALL}': its services cannot be offered by one process")
    parts = (Part.WEB, Part.SERVICES, *([Part.PROCESSOR] if modes.get(ORDERS, SYNC) != SYNC else []))
    grpc = GRPC in order.subject.implementation.bindings
    return [
        Place(name, Part.WEB, "+".join(parts), ALL, serves_grpc=grpc, port=_wish(order, n))
        for n, name in enumerate(_names(ALL, order.web_servers))
    ]


def _webs(order: ServingOrder, tier: str, calls: str) -> list[Place]:
    return [
        Place(name, Part.WEB, tier, _role(order, Part.WEB), calls, port=_wish(order, n))
        for n, name in enumerate(_names("web", order.web_servers))
    ]


def _wish(order: ServingOrder, index: int) -> int | None:
    """Return the port of a web process: the order's is the first one's, unless a front stands before it."""
    return None if index or (order.front and order.chosen[BINDING] == LOCAL) else order.port


def _fronts_before_web(order: ServingOrder) -> list[Place]:
    """Return a front for each web process: a session lives in one process, so that none may be shared by several."""
    if order.front is None:
        return []
    fronts = _names("front", order.web_servers)
    webs = _names(ALL if _is_whole(order) else "web", order.web_servers)
    return [
        Place(front, Part.FRONT, "front", calls=web, port=None if n else order.port)
        for n, (front, web) in enumerate(zip(fronts, webs, strict=True))
    ]


def _names(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}-{number}" for number in range(1, count + 1)]


def _role(order: ServingOrder, part: Part) -> str:
    subject = order.program(part).subject
    if part.value not in subject.implementation.roles:
        raise InputError(f"{subject.name} has no role '{part.value}'", where="platform.toml")
    return part.value
