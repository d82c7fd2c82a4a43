"""Where a case works on databases: the key or step, and the name of the database, None for the only one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import BaseModel

from middlemark.conformance.cases.case import SetUp
from middlemark.conformance.cases.expected import Elements, Expected, Keys, Queried, Wanted
from middlemark.conformance.cases.placed import Placed, placed_steps
from middlemark.conformance.cases.step import CONNECTIONS, AtOnce, Cut, Hold, Notified, Repeat, Settle, Sql, Step
from middlemark.documents import Location


class DatabaseUse(NamedTuple):
    """One place where a case works on a database, or on `every` one; `settles` is the unfinished work it waits for."""

    location: Location
    what: str
    database: str | None = None
    every: bool = False
    settles: str = ""


def database_uses(placed: Placed) -> Iterator[DatabaseUse]:
    """Yield every place where a case works on a database."""
    for index, statement in enumerate(placed.case.set_up):
        name = statement.database if isinstance(statement, SetUp) else None
        yield DatabaseUse(("set_up", index), "set_up", name)
    for index, fail in enumerate(placed.case.fails):
        yield DatabaseUse(("fails", index), "fails", fail.database)
    if placed.case.changes is not None:
        yield DatabaseUse(("changes",), "changes", every=True)
    for location, step in placed_steps(placed.case.steps):
        yield from _uses_of(step, location)


def _uses_of(step: Step, location: Location) -> Iterator[DatabaseUse]:
    match step:
        case Sql():
            yield DatabaseUse(location, "the step sql", step.database)
        case Hold():
            yield DatabaseUse(location, "the step hold", step.database)
        case Notified():
            yield DatabaseUse(location, "the step notified", step.database)
        case Cut():
            every = step.cut == CONNECTIONS
            yield DatabaseUse(location, "the step cut", None if every else step.cut, every=every)
        case Settle():
            yield DatabaseUse(location, "the step settle", settles=step.settle)
        case _:
            pass
    if isinstance(step, AtOnce | Repeat | Hold | Notified):
        return  # what the steps inside expect is theirs
    for expected in _expected_in(step):
        for wanted in _all(expected.wanted):
            if isinstance(wanted, Queried):
                yield DatabaseUse(location, "the matcher sql", wanted.database)


def _expected_in(value: object) -> Iterator[Expected]:
    """Yield everything expected in a step."""
    if isinstance(value, Expected):
        yield value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _expected_in(getattr(value, name))
    elif isinstance(value, dict):
        for item in value.values():
            yield from _expected_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _expected_in(item)


def _all(wanted: Wanted) -> Iterator[Wanted]:
    yield wanted
    parts: tuple[Wanted, ...] = ()
    if isinstance(wanted, Elements):
        parts = wanted.elements
    elif isinstance(wanted, Keys):
        parts = tuple(wanted.keys.values())
    for part in parts:
        yield from _all(part)
