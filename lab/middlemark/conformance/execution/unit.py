"""Cuts the executions of a pairing into units that share one started application."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from middlemark.conformance.cases.placed import Placed
from middlemark.conformance.execution.configuration import Configuration
from middlemark.conformance.execution.pairing import Pairing

# Fewer are not worth another application: an application server that starts costs as much CPU time as some 80 cases.
_MIN_EXECUTIONS = 200

PlannedExecution = tuple[Placed, str]
"""A case, and the interface of its calls."""


@dataclass(frozen=True)
class Unit:
    """Executions of one configuration with equal settings, in order. `pairing` is its number in the verification."""

    pairing: int
    configuration: Configuration
    settings: tuple[tuple[str, str], ...]
    executions: tuple[PlannedExecution, ...]


def units_of(number: int, pairing: Pairing, cases: Sequence[Placed], jobs: int) -> list[Unit]:
    """Return the units of a pairing, in the order of its configurations."""
    return [unit for one in pairing.configurations for unit in _units_of_configuration(number, one, cases, jobs)]


def _units_of_configuration(
    number: int, configuration: Configuration, cases: Sequence[Placed], jobs: int
) -> Iterator[Unit]:
    groups: dict[tuple[tuple[str, str], ...], list[PlannedExecution]] = {}
    for placed, interface in configuration.executions(cases):
        groups.setdefault(tuple(sorted(placed.settings.items())), []).append((placed, interface))
    for settings, executions in groups.items():
        parts = min(jobs, max(1, len(executions) // _MIN_EXECUTIONS))
        for part in range(parts):
            yield Unit(number, configuration, settings, tuple(executions[part::parts]))
