"""Which cases are played where: the cells of a subject, and the plays of each.

For every value of `data-access`: the web tier with its services in process and the first order mode plays every case,
operations over every binding. The other cells (the web tier over each binding; each further order mode) play the
cases tagged `interop`, and those that name the cell's order mode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from middlemark.conformance.result import DATA_ACCESS
from middlemark.conformance.suite import Placed
from middlemark.results.run import BINDING, ORDERS, SYNC
from middlemark.target.serving_order import LOCAL
from middlemark.target.subject import Subject

BINDINGS = ("json", "soap", "grpc")
_NONE = ("",)


@dataclass(frozen=True)
class Cell:
    """One way to run a subject. `bindings` are those operations are called over; `complete`: every case is played."""

    modes: Mapping[str, str]
    bindings: tuple[str, ...]
    complete: bool

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
        return self.complete or placed.is_interop or (self.modes[BINDING] == LOCAL and self.orders in orders)

    def _bindings_of(self, placed: Placed) -> tuple[str, ...]:
        wanted = placed.case.bindings
        offered = tuple(binding for binding in self.bindings if not wanted or binding in wanted)
        if placed.calls:
            return offered
        return _NONE if offered or not wanted else ()


def cells(subject: Subject) -> list[Cell]:
    """Return the cells of a subject, the complete ones first."""
    offered = tuple(binding for binding in BINDINGS if binding in subject.offers(BINDING))
    found: list[Cell] = []
    for data_access in subject.offers(DATA_ACCESS) or _NONE:
        chosen = {DATA_ACCESS: data_access} if data_access else {}
        first, *others = subject.offers(ORDERS) or (SYNC,)
        known = {ORDERS: first} if subject.offers(ORDERS) else {}
        found.append(Cell({**chosen, BINDING: LOCAL, **known}, offered, complete=True))
        found += [Cell({**chosen, BINDING: one, **known}, (one,), complete=False) for one in offered]
        found += [Cell({**chosen, BINDING: LOCAL, ORDERS: one}, offered, complete=False) for one in others]
    return sorted(found, key=lambda cell: not cell.complete)


def not_offered(subject: Subject) -> list[str]:
    """Return what the specification knows and the subject does not offer, and which therefore is not verified."""
    missing = [f"binding {one}" for one in BINDINGS if one not in subject.offers(BINDING)]
    return [*missing, *(["binding local"] if LOCAL not in subject.offers(BINDING) else [])]
