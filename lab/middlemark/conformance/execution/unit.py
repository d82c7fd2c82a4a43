"""Cuts the executions of a pairing into units that share one started application."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from middlemark.conformance.cases.placed import Placed
from middlemark.conformance.execution.configuration import Configuration, PlannedExecution
from middlemark.conformance.execution.pairing import Pairing

# Fewer are not worth another application: an application server that starts costs as much CPU time as some 80 cases.
_MIN_EXECUTIONS = 200


@dataclass(frozen=True)
class Unit:
    """Executions of one configuration with equal settings, in order. `pairing` is its number in the verification."""

    pairing: int
    configuration: Configuration
    settings: tuple[tuple[str, str], ...]
    executions: tuple[PlannedExecution, ...]


def units_of(pairings: Sequence[Pairing], cases: Sequence[Placed], jobs: int) -> list[Unit]:
    """Return the units of all pairings, in the order of their configurations.

    A configuration is dealt out to several jobs only where it is more than one of them has to do of all executions.
    """
    groups = list(_groups(pairings, cases))
    share = max(_MIN_EXECUTIONS, math.ceil(sum(len(one.executions) for one in groups) / jobs))
    return [unit for group in groups for unit in _dealt(group, math.ceil(len(group.executions) / share))]


def chains_of(units: Iterable[Unit], pairings: Sequence[Pairing]) -> list[list[Unit]]:
    """Put units together that run on the same processes behind their front ends, one after the other.

    These are started once for all of them. Alone is a unit whose front end calls nothing in another process; what was
    dealt out stays so.
    """
    parts: Counter[object] = Counter()
    chains: dict[object, list[Unit]] = {}
    for number, unit in enumerate(units):
        behind, group = unit.configuration.modes_behind, (unit.pairing, unit.configuration.name, unit.settings)
        subject = pairings[unit.pairing].subject.name
        same = number if behind is None else (subject, behind, unit.settings, parts[group])
        parts[group] += 1
        chains.setdefault(same, []).append(unit)
    return list(chains.values())


def _groups(pairings: Sequence[Pairing], cases: Sequence[Placed]) -> Iterator[Unit]:
    """Units that are not dealt out yet."""
    for number, pairing in enumerate(pairings):
        for configuration in pairing.configurations:
            by_settings: dict[tuple[tuple[str, str], ...], list[PlannedExecution]] = {}
            for one in configuration.executions(cases):
                by_settings.setdefault(tuple(sorted(one.placed.settings.items())), []).append(one)
            for settings, executions in by_settings.items():
                yield Unit(number, configuration, settings, tuple(executions))


def _dealt(group: Unit, parts: int) -> Iterator[Unit]:
    for part in range(parts):
        yield replace(group, executions=group.executions[part::parts])
