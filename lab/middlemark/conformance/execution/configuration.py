"""In which configurations of a subject which cases run.

Each value of the modes that platforms name makes a base configuration: every other mode has its in-process value where
a call's mode has one that the subject offers, else the subject's first value. It offers every interface and runs every
case. Each further value of each other mode makes one more configuration, with that mode alone changed: it runs the
cases tagged `interop`, and those that name the value. A call's mode changed to an interface has the operations called
over that interface alone.

The front end of one subject on the tiers behind of another runs the cases tagged `interop` that ask for pages, once for
each interface that both know: the other cases ask the tiers behind alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from middlemark.conformance.cases.interfaces import operations_of
from middlemark.conformance.cases.placed import Placed
from middlemark.conformance.execution.offer import Offer, offer_of
from middlemark.conformance.execution.sample import is_picked, number_of
from middlemark.conformance.result import configuration_label
from middlemark.specification.specification import Specification
from middlemark.subject.subject import Subject

_NO_CALLS = ("",)


class Extent(StrEnum):
    """Which cases run: all; those tagged `interop` and its own; those tagged `interop` that ask for pages."""

    COMPLETE = "complete"
    INTEROP = "interop"
    PAGES = "pages"


@dataclass(frozen=True)
class Configuration:
    """One way to run what offers this. Operations are called over `interfaces`; `varied` is not as in the base.

    With a number as `sample` it runs what belongs to the sample, and each case over one interface, another one for
    another number.
    """

    offer: Offer
    modes: Mapping[str, str]
    interfaces: tuple[str, ...]
    extent: Extent
    varied: str = ""
    sample: int | None = None

    @property
    def name(self) -> str:
        """Return its name in tables: its mode values."""
        return configuration_label(self.modes)

    @property
    def specification(self) -> Specification:
        """Return the specification of what is run."""
        return self.offer.specification

    def executions(self, cases: Sequence[Placed]) -> list[tuple[Placed, str]]:
        """Return the cases that run here, each with the interface of its calls (empty without calls)."""
        return [(placed, one) for placed in cases if self._has(placed) for one in self._interfaces_of(placed)]

    def _has(self, placed: Placed) -> bool:
        modes = placed.case.modes
        if not self.specification.holds(modes, self.modes) or not self.offer.meets(placed.case.needs):
            return False
        if self.extent is Extent.PAGES:
            return placed.is_interop and placed.visits
        if self.extent is Extent.COMPLETE or self.varied in modes:
            return True
        return placed.is_interop and (self.sample is None or is_picked(placed))

    def _interfaces_of(self, placed: Placed) -> tuple[str, ...]:
        wanted = placed.case.interfaces
        offered = tuple(one for one in self.interfaces if not wanted or one in wanted)
        if not placed.operations:
            return _NO_CALLS if offered or not wanted else ()
        operations = operations_of(self.specification)
        able = tuple(one for one in offered if placed.operations <= operations[one])
        if self.sample is None or not able:
            return able
        return (able[(number_of(placed) + self.sample) % len(able)],)


def configurations(subject: Subject) -> list[Configuration]:
    """Return the configurations of a subject, the complete ones first."""
    offer = offer_of(subject)
    bases = [Configuration(offer, modes, offer.interfaces, Extent.COMPLETE) for modes in _bases(subject)]
    return [*bases, *(one for base in bases for one in _varied(base, subject))]


def sampled(found: Sequence[Configuration]) -> list[Configuration]:
    """Return the configurations of a sample: the complete ones, and those that vary the first of them."""
    bases = [one for one in found if one.extent is Extent.COMPLETE]
    first = bases[0].modes
    beside = (one for one in found if one.varied and {**one.modes, one.varied: first[one.varied]} == first)
    return [replace(one, sample=number) for number, one in enumerate([*bases, *beside])]


def configurations_with_front_end(subject: Subject, front_end: Subject) -> list[Configuration]:
    """Return the configurations of a subject behind the front end of another, none where the two do not fit."""
    values = _shared_values(subject, front_end)
    offer = offer_of(subject).with_front_end(offer_of(front_end))
    if not _are_divided(subject, front_end) or not all(values.values()):
        return []
    base = {mode: first for mode, (first, *_) in values.items()}
    chosen_by = [mode for mode in _calls_of_entry(subject.specification) if mode]
    varied = [{**base, mode: value} for mode in chosen_by for value in values[mode]] or [base]
    return [
        Configuration(offer, modes, tuple(modes[mode] for mode in chosen_by) or offer.interfaces, Extent.PAGES)
        for number, modes in enumerate(varied)
        if modes not in varied[:number]
    ]


def never_combined(subject: Subject, cases: Sequence[Placed]) -> list[Placed]:
    """Return the cases that no configuration runs though the subject offers a value of each mode they name."""
    found, offer = configurations(subject), offer_of(subject)
    offered = (
        placed
        for placed in cases
        if all(set(values) & set(subject.offers(mode)) for mode, values in placed.case.modes.items())
        and (not placed.case.interfaces or set(placed.case.interfaces) & set(offer.interfaces))
        and offer.meets(placed.case.needs)
    )
    return [placed for placed in offered if not any(one.executions([placed]) for one in found)]


def _bases(subject: Subject) -> Iterator[dict[str, str]]:
    """Yield the modes of each complete configuration, in the order of the specification."""
    specification = subject.specification
    in_process = _in_process_values(specification)
    choices: list[list[tuple[str, str]]] = []
    for mode, offered in subject.modes.items():
        named = specification.description.modes[mode].named_by_platforms
        inside = [value for value in in_process.get(mode, ()) if value in offered]
        values = offered if named else (inside or offered)[:1]
        choices.append([(mode, value) for value in values])
    return (dict(modes) for modes in itertools.product(*choices))


def _varied(base: Configuration, subject: Subject) -> Iterator[Configuration]:
    """Yield a configuration for each further value of each mode whose values the specification names."""
    specification = subject.specification
    of_calls = {call.mode for tier in specification.description.tiers.values() for call in tier.calls.values()}
    for mode, values in subject.modes.items():
        if specification.description.modes[mode].named_by_platforms:
            continue
        for value in values:
            if value != base.modes[mode]:
                is_interface = mode in of_calls and value in specification.description.interfaces
                interfaces = (value,) if is_interface else base.interfaces
                yield Configuration(base.offer, {**base.modes, mode: value}, interfaces, Extent.INTEROP, mode)


def _in_process_values(specification: Specification) -> dict[str, tuple[str, ...]]:
    """Return for each mode of a call its values with which the called tier runs inside the caller's process."""
    calls = [call for tier in specification.description.tiers.values() for call in tier.calls.values()]
    return {call.mode: call.in_process for call in calls if call.mode}


def _calls_of_entry(specification: Specification) -> dict[str, str]:
    """Return the tiers that the entry calls, by the mode that chooses how; by the empty text where none does."""
    entry = specification.description.tiers[specification.description.entry]
    return {call.mode or "": callee for callee, call in entry.calls.items()}


def _are_divided(subject: Subject, front_end: Subject) -> bool:
    """Say whether the entry tier can run by itself for the one, and every tier that it calls for the other."""
    description = subject.specification.description
    called = description.tiers[description.entry].calls
    return bool(called) and _carries(front_end, description.entry) and all(_carries(subject, one) for one in called)


def _carries(subject: Subject, tier: str) -> bool:
    """Say whether the subject has a role that carries this tier alone."""
    roles = subject.specification.description.roles
    return roles is not None and any(roles.carries[role] == (tier,) for role in subject.implementation.roles)


def _shared_values(subject: Subject, front_end: Subject) -> dict[str, tuple[str, ...]]:
    """Return the values of each mode with which a front end can be another's, the preferred one first.

    What platforms name is the subject's, since no front end can tell. The entry's calls go over interfaces that both
    know. Any other mode has the value of the subject's base configuration, else the first that both offer.
    """
    description = subject.specification.description
    calls = _calls_of_entry(subject.specification)
    both = offer_of(subject).with_front_end(offer_of(front_end)).interfaces
    found: dict[str, tuple[str, ...]] = {}
    for mode, value in next(_bases(subject)).items():
        shared = [one for one in (value, *subject.offers(mode)) if one in front_end.offers(mode)]
        if description.modes[mode].named_by_platforms:
            found[mode] = (value,)
        elif mode in calls:
            found[mode] = tuple(one for one in both if description.interfaces[one].tier == calls[mode])
        else:
            found[mode] = tuple(shared[:1])
    return found
