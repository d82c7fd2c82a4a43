"""What a case needs beyond the address of an application."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from middlemark.conformance.cases.expected import Asked, Elements, Expected, Keys, Wanted
from middlemark.conformance.cases.step import Cut, Hold, Settle, Sql
from middlemark.conformance.cases.suite import Placed, all_steps
from middlemark.records.run import SYNC

_KINDS: dict[type, str] = {Sql: "sql", Cut: "cut", Hold: "hold", Settle: "settle"}


def database_need(placed: Placed, orders: str) -> str | None:
    """Say what of a case needs the database, None when nothing does; in the mode `sync` orders are always settled."""
    if placed.case.set_up:
        return "set_up"
    if placed.case.fails:
        return "fails"
    for step in all_steps(placed.case.steps):
        found = next((name for kind, name in _KINDS.items() if isinstance(step, kind)), None)
        if found == "settle" and orders == SYNC:
            continue
        if found:
            return f"the step {found}"
        if any(isinstance(wanted, Asked) for expected in _expected_in(step) for wanted in _all(expected.wanted)):
            return "the matcher sql"
    return None


def _expected_in(value: object) -> Iterator[Expected]:
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
