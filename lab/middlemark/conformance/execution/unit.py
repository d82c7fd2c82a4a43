"""Cuts the plays of a party into units that share one started application."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from middlemark.conformance.cases.suite import Placed
from middlemark.conformance.execution.cell import Cell
from middlemark.conformance.execution.party import Party

# Fewer are not worth another application: an application server that starts costs as much CPU time as some 80 plays.
_LEAST_PLAYS = 200

PlayOrder = tuple[Placed, str]


@dataclass(frozen=True)
class Unit:
    """Plays of one cell with equal settings, in order. `party` is the place of its party in the verification."""

    party: int
    cell: Cell
    settings: tuple[tuple[str, str], ...]
    plays: tuple[PlayOrder, ...]


def units_of(number: int, party: Party, cases: Sequence[Placed], jobs: int) -> list[Unit]:
    """Return the units of a party, in the order of its cells."""
    return [unit for cell in party.cells for unit in _units_of_cell(number, cell, cases, jobs)]


def _units_of_cell(number: int, cell: Cell, cases: Sequence[Placed], jobs: int) -> Iterator[Unit]:
    groups: dict[tuple[tuple[str, str], ...], list[PlayOrder]] = {}
    for placed, binding in cell.plays(cases):
        groups.setdefault(tuple(sorted(placed.settings.items())), []).append((placed, binding))
    for settings, plays in groups.items():
        parts = min(jobs, max(1, len(plays) // _LEAST_PLAYS))
        for part in range(parts):
            yield Unit(number, cell, settings, tuple(plays[part::parts]))
