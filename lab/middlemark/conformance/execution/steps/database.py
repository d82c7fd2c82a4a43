"""SQL in a case: statements, queries with their rows, waiting for unfinished work."""

from __future__ import annotations

import time

from middlemark.conformance.cases.expected import Elements, Exactly, Expected
from middlemark.conformance.cases.names import filled
from middlemark.conformance.cases.step import Sql
from middlemark.conformance.comparison.match import difference
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.context import Context
from middlemark.conformance.execution.steps.queries import Rows, rows_of
from middlemark.conformance.failure import StepFailed, Stopped
from middlemark.specification.description import Unfinished
from middlemark.steps.template import text_of

_SETTLE_SECONDS = 10.0
_PAUSE_SECONDS = 0.01


def run_sql(step: Sql, actor: Actor) -> None:
    """Run the statement; with rows, compare them until they are there or the time is over.

    Stopped when that was asked for.
    """
    statement = filled(step.sql, actor.captured)
    deadline = time.monotonic() + (step.within.seconds if step.within else 0)
    while True:
        rows = rows_of(actor.connection(step.database), statement)
        fault = _fault(step, rows, actor)
        if fault is None:
            break
        if time.monotonic() >= deadline:
            repeated = f" (repeated for {step.within})" if step.within else ""
            raise StepFailed(f"{fault}{_origin(step)}{repeated}")
        if actor.context.stop.wait(_PAUSE_SECONDS):
            raise Stopped
    for name, column in step.capture.items():
        if not rows.rows or column not in rows.columns:
            raise StepFailed(f"capture {name}: expected a row with the column {column}, found {rows.columns}")
        actor.captured[name] = rows.rows[0][rows.columns.index(column)]


def settle(name: str, actor: Actor) -> None:
    """Return when the specification's query for unfinished work of this name finds none; StepFailed after 10 s.

    Stopped when that was asked for. Where an answer says that such work is done, an unknown database is no hindrance.
    """
    unfinished = actor.context.specification.description.unfinished[name]
    if actor.context.databases is None and not actor.context.holds(unfinished.when):
        return
    connection = actor.connection(unfinished.database)
    query = _query(unfinished, actor.context)
    deadline = time.monotonic() + _SETTLE_SECONDS
    while rows := rows_of(connection, query).rows:
        if time.monotonic() >= deadline:
            raise StepFailed(f"expected no unfinished {name} after {_SETTLE_SECONDS:.0f} s, found {rows[0]}")
        if actor.context.stop.wait(_PAUSE_SECONDS):
            raise Stopped


def is_settled(context: Context) -> bool:
    """Say whether the specification's queries find no unfinished work in the databases."""
    return not any(
        rows_of(context.database(one.database).connection, _query(one, context)).rows
        for one in context.specification.description.unfinished.values()
        if context.holds(one.when)
    )


def _query(unfinished: Unfinished, context: Context) -> str:
    return (context.specification.folder / unfinished.query).read_text(encoding="utf-8-sig")


def _origin(step: Sql) -> str:
    """Where both values of a fault come from, for rows with names: a response may be wrong, and the database right."""
    values = [one.wanted.value for row in step.rows or () for one in row if isinstance(one.wanted, Exactly)]
    named = [value for value in values if isinstance(value, str) and "${" in value.replace("$${", "")]
    return f" (expected: {', '.join(named)}; found: by the query)" if named else ""


def _fault(step: Sql, rows: Rows, actor: Actor) -> str | None:
    if step.rows is None:
        return None
    wanted = Expected(Elements(tuple(Elements(tuple(one.wanted for one in row)) for row in step.rows)))
    # Rows are texts, and so are captured numbers here.
    captured = {name: text_of(value) for name, value in actor.captured.items()}
    return difference(wanted, rows.rows, "rows", actor.surroundings(captured))
