"""Which cases are played where: the cells of a subject, and the plays of each.

For every value of `data-access`: the web tier with its services in process and the first order mode plays every case,
operations over every binding. The other cells (the web tier over each binding; each further order mode) play the
cases tagged `interop`, and those that name the cell's order mode. The web tier of one subject on the services of
another plays the cases tagged `interop` that ask for pages, over each binding: the other cases ask the services alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from middlemark.conformance.cases.suite import Placed
from middlemark.conformance.result import DATA_ACCESS
from middlemark.processes.ending import Part
from middlemark.records.run import BINDING, ORDERS, SYNC
from middlemark.subject.subject import Subject
from middlemark.topology.serving_order import LOCAL

BINDINGS = ("json", "soap", "grpc")
_NONE = ("",)


class Extent(StrEnum):
    """Which cases a cell plays: all; those tagged `interop` and its own; those tagged `interop` that ask for pages."""

    COMPLETE = "complete"
    INTEROP = "interop"
    PAGES = "pages"


@dataclass(frozen=True)
class Cell:
    """One way to run a subject. `bindings` are those operations are called over."""

    modes: Mapping[str, str]
    bindings: tuple[str, ...]
    extent: Extent

    @property
    def orders(self) -> str:
        """Return the order mode."""
        return self.modes.get(ORDERS, SYNC)

    @property
    def name(self) -> str:
        """Return its name in tables: its modes."""
        return ", ".join(f"{mode}={value}" for mode, value in self.modes.items())

    def plays(self, cases: Sequence[Placed]) -> list[tuple[Placed, str]]:
        """Return the cases played here, each with the binding of its calls (empty without calls)."""
        return [(placed, binding) for placed in cases if self._has(placed) for binding in self._bindings_of(placed)]

    def _has(self, placed: Placed) -> bool:
        orders = placed.case.orders
        if orders and self.orders not in orders:
            return False
        if self.extent is Extent.PAGES:
            return placed.is_interop and placed.visits
        own = self.extent is Extent.COMPLETE or (self.modes[BINDING] == LOCAL and self.orders in orders)
        return own or placed.is_interop

    def _bindings_of(self, placed: Placed) -> tuple[str, ...]:
        wanted = placed.case.bindings
        offered = tuple(binding for binding in self.bindings if not wanted or binding in wanted)
        if placed.calls:
            return offered
        return _NONE if offered or not wanted else ()


def cells(subject: Subject) -> list[Cell]:
    """Return the cells of a subject, the complete ones first."""
    offered = tuple(binding for binding in BINDINGS if binding in subject.offers(BINDING))
    first, *others = subject.offers(ORDERS) or _NONE
    found: list[Cell] = []
    for idiom in subject.offers(DATA_ACCESS) or _NONE:
        found.append(Cell(_modes(idiom, LOCAL, first), offered, Extent.COMPLETE))
        found += [Cell(_modes(idiom, one, first), (one,), Extent.INTEROP) for one in offered]
        found += [Cell(_modes(idiom, LOCAL, one), offered, Extent.INTEROP) for one in others]
    return sorted(found, key=lambda cell: cell.extent is not Extent.COMPLETE)


def shared_cells(services: Subject, web: Subject) -> list[Cell]:
    """Return the cells of one subject's web tier on the services of another: one for each binding that both know.

    Data access is the services' first, since no web tier can tell; without an order mode in common there is no cell.
    """
    if Part.WEB not in web.implementation.roles or Part.SERVICES not in services.implementation.roles:
        return []
    idiom, *_ = services.offers(DATA_ACCESS) or _NONE
    known = web.offers(ORDERS) or (SYNC,)
    orders = [one for one in services.offers(ORDERS) or _NONE if not one or one in known][:1]
    shared = [one for one in BINDINGS if one in services.offers(BINDING) and one in web.offers(BINDING)]
    return [Cell(_modes(idiom, binding, first), (binding,), Extent.PAGES) for first in orders for binding in shared]


def _modes(data_access: str, binding: str, orders: str) -> dict[str, str]:
    """Return the modes by name in the order in which a cell names them, without those a subject does not know."""
    modes = {DATA_ACCESS: data_access, BINDING: binding, ORDERS: orders}
    return {mode: value for mode, value in modes.items() if value}


def not_offered(subject: Subject) -> list[str]:
    """Return what the specification knows and the subject does not offer, and which therefore is not verified."""
    missing = [f"binding {one}" for one in BINDINGS if one not in subject.offers(BINDING)]
    return [*missing, *(["binding local"] if LOCAL not in subject.offers(BINDING) else [])]
