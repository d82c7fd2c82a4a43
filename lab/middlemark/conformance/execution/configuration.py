"""In which configurations of a subject which cases run.

Each value of the modes that platforms name makes a base configuration: every other mode has its in-process value where
a call's mode has one that the subject offers, else the subject's first value. It offers every interface and runs every
case. Each further value of each other mode makes one more configuration, with that mode alone changed: it runs the
cases tagged `interop`, and those that name the value. A value that exists only with values of others has their first.
A call's mode changed to an interface has the operations called over that interface alone. Who asks for several modes
changed together gets one more configuration of each base, which runs the same.

Requests carry the values of some modes. A case whose steps hold `${mode}`, or that names values of it, is executed once
for each value that the subject offers. The processes are the same for all of these, unless a call's mode has values in
process: then the others have processes of their own.

The front end of one subject on the tiers behind of another runs the cases tagged `interop` that ask for pages, once for
each interface that both know: the other cases ask the tiers behind alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from middlemark.conformance.cases.interfaces import operations_of
from middlemark.conformance.cases.placed import Placed
from middlemark.conformance.execution.offer import Offer, offer_of
from middlemark.conformance.execution.sample import is_picked, number_of
from middlemark.conformance.result import configuration_label
from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.specification.specification import Specification
from middlemark.subject.subject import Subject

_NO_CALLS = ("",)

Modes = Mapping[str, str]
"""Values of some or all modes."""


class Extent(StrEnum):
    """Which cases run: all; those tagged `interop` and its own; those tagged `interop` that ask for pages."""

    COMPLETE = "complete"
    INTEROP = "interop"
    PAGES = "pages"


class PlannedExecution(NamedTuple):
    """A case, the interface of its calls (empty without any), and the value of each mode."""

    placed: Placed
    interface: str
    modes: Modes


@dataclass(frozen=True)
class Configuration:
    """One way to run what offers this. Operations are called over `interfaces`; `varied` are not as in the base.

    `modes` has of a mode that requests carry one of the values with these processes, where it decides which there are.
    With a number as `sample` it runs what belongs to the sample, and each case over one interface, another one for
    another number.
    """

    offer: Offer
    modes: Modes
    interfaces: tuple[str, ...]
    extent: Extent
    varied: tuple[str, ...] = ()
    sample: int | None = None

    @property
    def name(self) -> str:
        """Return its name in tables: its mode values."""
        return configuration_label(self.modes)

    @property
    def specification(self) -> Specification:
        """Return the specification of what is run."""
        return self.offer.specification

    @property
    def modes_behind(self) -> tuple[tuple[str, str], ...] | None:
        """The modes that the tiers behind the front end have, by name; None where one of them runs in its process."""
        in_process = self.specification.description.values_in_process
        calls = _calls_of_entry(self.specification)
        if not calls or any(not mode or self.modes[mode] in in_process[mode] for mode in calls):
            return None
        return tuple(sorted((mode, value) for mode, value in self.modes.items() if mode not in calls))

    @property
    def carried(self) -> dict[str, tuple[str, ...]]:
        """Return the values of each mode that requests to these processes may carry."""
        description = self.specification.description
        found = {mode: self.offer.modes.get(mode, ()) for mode in description.carried_modes}
        for mode, inside in description.values_in_process.items():
            if mode in found:
                is_inside = self.modes[mode] in inside
                found[mode] = tuple(value for value in found[mode] if (value in inside) == is_inside)
        fixed = {mode: value for mode, value in self.modes.items() if mode not in found}
        against = self.specification.reason_against
        return {mode: tuple(one for one in own if not against({**fixed, mode: one})) for mode, own in found.items()}

    @property
    def started_with(self) -> dict[str, str]:
        """Return the modes its processes start with; those that requests carry have their first possible value."""
        return {**{mode: values[0] for mode, values in self.carried.items() if values}, **self.modes}

    def executions(self, cases: Sequence[Placed]) -> list[PlannedExecution]:
        """Return the cases that run here, each with each interface of its calls and each value that it carries."""
        return [
            PlannedExecution(placed, interface, modes)
            for placed in cases
            if self._has(placed)
            for interface in self._interfaces_of(placed)
            for modes in self._modes_of(placed)
        ]

    def _has(self, placed: Placed) -> bool:
        carried = self.carried.keys()
        of_processes = {mode: values for mode, values in placed.case.modes.items() if mode not in carried}
        if not self.specification.holds(of_processes, self.modes) or not self.offer.meets(placed.case.needs):
            return False
        if self.extent is Extent.PAGES:
            return placed.is_interop and placed.visits
        named = placed.case.modes.keys() | (placed.names & carried)
        if self.extent is Extent.COMPLETE or not named.isdisjoint(self.varied):
            return True
        return placed.is_interop and (self.sample is None or is_picked(placed))

    def _modes_of(self, placed: Placed) -> Iterator[dict[str, str]]:
        """Yield the modes of each execution; of those that requests carry the ones that the case names, or in process.

        In a sample each has one value, another one for another number.
        """
        description, named = self.specification.description, placed.case.modes
        carried = {mode: own for mode, own in self.carried.items() if mode in named or mode in placed.names}
        choices = [[(mode, one) for one in own if one in named.get(mode, own)] for mode, own in carried.items()]
        if self.sample is not None:
            place = number_of(placed) + self.sample
            choices = [own and [own[place % len(own)]] for own in choices]
        inside = description.values_in_process
        of_processes = {
            mode: value
            for mode, value in self.modes.items()
            if mode not in description.carried_modes or value in inside[mode]
        }
        for values in itertools.product(*choices):
            modes = {**of_processes, **dict(values)}
            if not self.specification.reason_against(modes):
                yield {mode: modes[mode] for mode in description.modes if mode in modes}

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


def configurations(subject: Subject, also: Sequence[Modes] = ()) -> list[Configuration]:
    """Return the configurations of a subject, the complete ones first; then what is `also` asked for.

    Raises InputError when `also` has a mode or value that the subject does not offer.
    """
    offer = offer_of(subject)
    bases = [Configuration(offer, modes, offer.interfaces, Extent.COMPLETE) for modes in _bases(subject)]
    found = [*bases, *(one for base in bases for one in _varied(base, subject))]
    for changed in also:
        _check_offered(subject, changed)
        started = _without_carried(subject, changed)
        combined = (one for base in bases if started and _fits(base, started) for one in _existing(base, started))
        found += [one for one in combined if one.modes not in [known.modes for known in found]]
    return found


def sampled(found: Sequence[Configuration]) -> list[Configuration]:
    """Return the configurations of a sample: the first one, and one in which every mode has its last value.

    Each further one is an application that has to be started.
    """
    first, *_, last = [found[0], *(one for one in found if one.extent is Extent.COMPLETE)]
    changed = {mode: one.modes[mode] for one in found for mode in one.varied}
    if last.specification.reason_against({**last.modes, **changed}):
        changed = {mode: found[-1].modes[mode] for mode in found[-1].varied}
    other = _changed(last, changed, last.specification)
    varied = tuple(mode for mode, value in other.modes.items() if value != first.modes[mode])
    beside = [replace(other, varied=varied)] if varied else []
    return [replace(one, sample=number) for number, one in enumerate([first, *beside])]


def configurations_with_front_end(
    subject: Subject, front_end: Subject, also: Sequence[Modes] = ()
) -> list[Configuration]:
    """Return the configurations of a subject behind the front end of another, none where the two do not fit.

    What is `also` asked for is among them where both offer it, over an interface that both know.
    """
    values = _shared_values(subject, front_end)
    offer = offer_of(subject).with_front_end(offer_of(front_end))
    if not _are_divided(subject, front_end) or not all(values.values()):
        return []
    base = {mode: first for mode, (first, *_) in values.items()}
    carried = subject.specification.description.carried_modes
    chosen_by = [mode for mode in _calls_of_entry(subject.specification) if mode and mode not in carried]
    varied = [{**base, mode: value} for mode in chosen_by for value in values[mode]] or [base]
    for one in also:
        changed = {mode: value for mode, value in one.items() if mode not in carried}
        if all(value in values.get(mode, ()) for mode, value in changed.items()):
            varied += [{**one, **changed} for one in varied]
    return [
        Configuration(offer, modes, tuple(modes[mode] for mode in chosen_by) or offer.interfaces, Extent.PAGES)
        for number, modes in enumerate(varied)
        if modes not in varied[:number] and not subject.specification.reason_against(modes)
    ]


def never_combined(subject: Subject, cases: Sequence[Placed], also: Sequence[Modes] = ()) -> list[Placed]:
    """Return the cases that no configuration runs though the subject offers a value of each mode they name."""
    found, offer = configurations(subject, also), offer_of(subject)
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
    in_process, carried = specification.description.values_in_process, specification.description.carried_modes
    choices: list[list[tuple[str, str]]] = []
    for mode, offered in subject.modes.items():
        if mode in carried and mode not in in_process:
            continue
        named = specification.description.modes[mode].named_by_platforms
        inside = [value for value in in_process.get(mode, ()) if value in offered]
        values = offered if named else (inside or offered)[:1]
        choices.append([(mode, value) for value in values])
    return (dict(modes) for modes in itertools.product(*choices))


def _varied(base: Configuration, subject: Subject) -> Iterator[Configuration]:
    """Yield a configuration for each further value of each mode whose values the specification names.

    Of a mode that requests carry all further values that need other processes have one.
    """
    known = subject.specification.description.modes
    for mode, values in subject.modes.items():
        if known[mode].named_by_platforms or mode not in base.modes:
            continue
        further = [value for value in values if value != base.modes[mode]]
        if known[mode].is_carried:
            further = [value for value in further if value not in base.carried[mode]][:1]
        for value in further:
            yield from _existing(base, {mode: value})


def _existing(base: Configuration, changed: Modes) -> Iterator[Configuration]:
    """Yield the configuration with these values and what they exist with; none where that is not offered."""
    specification, wanted = base.specification, dict(changed)
    for mode, value in changed.items():
        for other, values in specification.description.modes[mode].only_with.get(value, {}).items():
            if other in base.modes and wanted.get(other, base.modes[other]) not in values:
                wanted[other] = next((one for one in base.offer.modes.get(other, ()) if one in values), "")
    if "" in wanted.values() or specification.reason_against({**base.modes, **wanted}):
        return
    found = _changed(base, wanted, specification)
    if all(found.carried.values()):
        yield found


def _changed(base: Configuration, changed: Modes, specification: Specification) -> Configuration:
    """Return a complete configuration with other values of these modes."""
    of_calls = specification.description.values_in_process
    varied = tuple(mode for mode, value in changed.items() if value != base.modes[mode])
    found = Configuration(base.offer, {**base.modes, **changed}, base.interfaces, Extent.INTEROP, varied)
    values = [one for mode in varied if mode in of_calls for one in found.carried.get(mode, (changed[mode],))]
    interfaces = tuple(one for one in values if one in specification.description.interfaces)
    return replace(found, interfaces=interfaces) if interfaces else found


def _without_carried(subject: Subject, changed: Modes) -> dict[str, str]:
    """Return the values with which processes are started: of a mode that requests carry at most the first such one."""
    description, found = subject.specification.description, dict(changed)
    for mode in found.keys() & {*description.carried_modes}:
        inside = description.values_in_process.get(mode)
        value = found.pop(mode)
        if inside is not None:
            found[mode] = next(one for one in subject.offers(mode) if (one in inside) == (value in inside))
    return found


def _fits(base: Configuration, changed: Modes) -> bool:
    """Say whether a complete configuration has the values that platforms name: each of them has one of its own."""
    known = base.specification.description.modes
    return all(base.modes[mode] == value for mode, value in changed.items() if known[mode].named_by_platforms)


def _check_offered(subject: Subject, changed: Modes) -> None:
    for mode, value in changed.items():
        if mode not in subject.modes:
            what = f"{subject.specification.name} has no mode '{mode}'. {suggestion(mode, list(subject.modes))}"
            raise InputError(what, where="--configuration")
        if value not in subject.offers(mode):
            offered = ", ".join(subject.offers(mode))
            todo = f"Its values are {offered}; verify subjects that differ in them one by one"
            raise InputError(f"{subject.name} does not offer {mode}={value}", where="--configuration", todo=todo)
    if reason := subject.specification.reason_against(changed):
        raise InputError(reason, where="--configuration")


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
    know, or where each listener has an address with what both offer outside of a process. Of any other mode the value
    of the subject's base configuration is preferred, else the first that both offer.
    """
    description = subject.specification.description
    calls = _calls_of_entry(subject.specification)
    both = offer_of(subject).with_front_end(offer_of(front_end)).interfaces
    found: dict[str, tuple[str, ...]] = {}
    for mode, value in next(_bases(subject)).items():
        offered = tuple(dict.fromkeys((value, *subject.offers(mode))))
        if description.modes[mode].named_by_platforms:
            found[mode] = offered
        elif mode in calls and description.tiers[description.entry].calls[calls[mode]].addresses:
            inside = description.values_in_process[mode]
            found[mode] = tuple(one for one in offered if one in front_end.offers(mode) and one not in inside)
        elif mode in calls:
            found[mode] = tuple(one for one in both if description.interfaces[one].tier == calls[mode])
        else:
            found[mode] = tuple(one for one in offered if one in front_end.offers(mode))
    return found
