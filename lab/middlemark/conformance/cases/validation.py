"""Holds a case against its specification: every name in it is one that the specification has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from middlemark.conformance.cases.case import REPLAY
from middlemark.conformance.cases.contract import contract_for
from middlemark.conformance.cases.database_uses import DatabaseUse, database_uses
from middlemark.conformance.cases.interfaces import grpc_interface, operations_of
from middlemark.conformance.cases.needs import Needs
from middlemark.conformance.cases.placed import Placed, placed_steps
from middlemark.conformance.cases.rule_names import rule_name, rules_of
from middlemark.conformance.cases.step import Call, Send, SendGrpc, Visit
from middlemark.documents import Location, suggestion
from middlemark.errors import InputError
from middlemark.specification.specification import Specification


def mistakes_in_settings(
    settings: Mapping[str, str], file: Path, lines: Mapping[Location, int], specification: Specification
) -> Iterator[InputError]:
    """Yield a mistake for each setting that cannot be set so."""
    for name, value in settings.items():
        try:
            specification.require_setting(name, value)
        except InputError as error:
            line = lines.get(("settings", name), 1)
            yield InputError(error.what, where=f"{file}:{line}", todo=error.todo)


def mistakes_in_case(placed: Placed, specification: Specification) -> Iterator[InputError]:
    """Yield a mistake for everything that a case names and the specification does not have."""
    yield from _unknown_operations(placed, specification)
    yield from _unknown_rule(placed, specification)
    yield from _not_for_replay(placed)
    for fault in mode_faults(placed.case.modes, specification):
        yield InputError(fault, where=placed.where_of(("modes",)))
    for fault in need_faults(placed.case.needs, specification):
        yield InputError(fault, where=placed.where_of(("needs",)))
    yield from _captured_modes(placed, specification)
    yield from _unknown_interfaces(placed, specification)
    yield from _unknown_databases(placed, specification)
    yield from _no_login(placed, specification)
    yield from _nothing_encrypted(placed, specification)


def mode_faults(modes: Mapping[str, Iterable[str]], specification: Specification) -> Iterator[str]:
    """Yield what is wrong with modes that a case or page names, each with its values."""
    known = specification.description.modes
    for mode, values in modes.items():
        if mode not in known:
            yield f"'{mode}' is not a mode. {suggestion(mode, list(known))}"
        elif known[mode].named_by_platforms:
            yield f"platforms name the values of '{mode}', so that nothing outside may depend on it"
        else:
            unknown = (value for value in values if value not in known[mode].values)
            yield from (f"'{one}' is not a value of {mode}. {suggestion(one, known[mode].values)}" for one in unknown)


def need_faults(needs: Needs, specification: Specification) -> Iterator[str]:
    """Yield what is wrong with the needs that a case or page names."""
    description = specification.description
    roles = list(description.roles.carries) if description.roles else []
    for what, names, known in (
        ("a feature", needs.features, list(description.features)),
        ("a role", needs.roles, roles),
        ("an interface", needs.interfaces, list(description.interfaces)),
    ):
        yield from (f"'{one}' is not {what}. {suggestion(one, known)}" for one in names if one not in known)
    yield from mode_faults(needs.modes, specification)


def _unknown_operations(placed: Placed, specification: Specification) -> Iterator[InputError]:
    if not placed.operations:
        return
    offered = operations_of(specification)
    known = frozenset[str]().union(*offered.values())
    for location, step in placed_steps(placed.case.steps):
        if isinstance(step, Call) and step.call not in known:
            what = f"'{step.call}' is not an operation. {suggestion(step.call, known)}"
            yield InputError(what, where=placed.where_of(location))
        elif isinstance(step, Call):
            yield from _wrong_keys(step, placed, location, specification)
    if placed.operations <= known and not any(placed.operations <= operations for operations in offered.values()):
        yield InputError("no interface has all operations that this case calls", where=placed.where)


def _wrong_keys(step: Call, placed: Placed, location: Location, specification: Specification) -> Iterator[InputError]:
    """Yield a mistake for a request that the method and path of its operation cannot express."""
    for name, interface in specification.description.interfaces.items():
        if interface.contract == "openapi" and step.call in operations_of(specification)[name]:
            fault = contract_for(specification, name).fault_of_keys(step.call, step.with_.keys())
            if fault:
                yield InputError(fault, where=placed.where_of(location))
                return


def _unknown_rule(placed: Placed, specification: Specification) -> Iterator[InputError]:
    rule = placed.case.rule
    rules = rules_of(specification.folder)
    if rule is not None and rule_name(rule) not in rules:
        yield InputError(
            f"'{rule}' is not a rule of the specification. {suggestion(rule_name(rule), rules)}",
            where=placed.where_of(("rule",)),
        )


def _not_for_replay(placed: Placed) -> Iterator[InputError]:
    """Yield a mistake for a replayed case that needs more than the pages and data of what has just been measured."""
    if REPLAY not in placed.case.tags:
        return
    needs = [what for what, there in (("call", placed.operations), ("fails", placed.case.fails)) if there]
    needs += ["settings"] if placed.settings else []
    if needs:
        where = placed.where_of(("tags",))
        yield InputError(
            f"a case with `{needs[0]}` cannot be tagged replay", where=where, todo="Use pages and SQL alone"
        )


def _captured_modes(placed: Placed, specification: Specification) -> Iterator[InputError]:
    """Yield a mistake for each captured value that has the name of a mode that requests carry."""
    for location, step in placed_steps(placed.case.steps):
        for name in getattr(step, "capture", {}):
            if name in specification.description.carried_modes:
                what = f"'{name}' is a mode of the specification; choose another name"
                yield InputError(what, where=placed.where_of((*location, "capture", name)))


def _unknown_interfaces(placed: Placed, specification: Specification) -> Iterator[InputError]:
    known = list(specification.description.interfaces)
    for name in placed.case.interfaces:
        if name not in known:
            what = f"'{name}' is not an interface. {suggestion(name, known)}"
            yield InputError(what, where=placed.where_of(("interfaces",)))
    for location, step in placed_steps(placed.case.steps):
        if isinstance(step, SendGrpc):
            try:
                grpc_interface(specification, step.interface)
            except InputError as error:
                yield InputError(error.what, where=placed.where_of(location), todo=error.todo)


def _unknown_databases(placed: Placed, specification: Specification) -> Iterator[InputError]:
    for use in database_uses(placed):
        try:
            _require_databases(use, specification)
        except InputError as error:
            yield InputError(error.what, where=placed.where_of(use.location), todo=error.todo)


def _require_databases(use: DatabaseUse, specification: Specification) -> None:
    unfinished = specification.description.unfinished
    if use.settles:
        if use.settles not in unfinished:
            raise InputError(f"'{use.settles}' is not unfinished work. {suggestion(use.settles, list(unfinished))}")
        specification.database_called(unfinished[use.settles].database)
    elif not use.every:
        specification.database_called(use.database)
    elif not specification.description.databases:
        raise InputError(f"{specification.name} has no database")


def _no_login(placed: Placed, specification: Specification) -> Iterator[InputError]:
    for location, step in placed_steps(placed.case.steps):
        if isinstance(step, Visit | Send) and step.user is not None and specification.description.login is None:
            what = "no user can log in, since the specification has no [login]"
            yield InputError(what, where=placed.where_of(location))


def _nothing_encrypted(placed: Placed, specification: Specification) -> Iterator[InputError]:
    """Yield a mistake for each step that asks a listener over https, or shows a certificate, that there never is."""
    description = specification.description
    certificates = description.tls.certificates if description.tls else {}
    for location, step in placed_steps(placed.case.steps):
        if not isinstance(step, Visit | Send):
            continue
        tier = specification.tier_of(step.send.path) if isinstance(step, Send) else description.entry
        if step.over not in description.tiers[tier].listens:
            what = f"{tier} does not listen on {step.over}"
            yield InputError(what, where=placed.where_of((*location, "over")))
        if step.certificate is not None and step.certificate not in certificates:
            what = f"'{step.certificate}' is not a certificate. {suggestion(step.certificate, certificates)}"
            yield InputError(what, where=placed.where_of((*location, "certificate")))
