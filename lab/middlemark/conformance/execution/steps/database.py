"""SQL in a case: statements, questions with their rows, settling, cutting connections."""

from __future__ import annotations

import datetime
import time
from dataclasses import dataclass

import psycopg

from middlemark.conformance.cases.expected import Elements, Expected
from middlemark.conformance.cases.names import filled, text_of
from middlemark.conformance.cases.step import Sql
from middlemark.conformance.comparison.match import Surroundings, difference
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.failure import StepFailed, Stopped
from middlemark.databases.database import Connection
from middlemark.errors import InputError
from middlemark.records.run import SYNC
from middlemark.wording import first_line

SETTLED = "cases/settle-{}.sql"
"""The file of a specification that returns rows as long as the named work is unfinished."""
_SETTLE_SECONDS = 10.0
_PAUSE_SECONDS = 0.01


@dataclass(frozen=True)
class Rows:
    """What a query answered; values as a case writes them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def play_sql(step: Sql, actor: Actor) -> None:
    """Run the statement; with rows, compare them until they are there or the time is over.

    Stopped when that was asked for.
    """
    statement = filled(step.sql, actor.captured)
    deadline = time.monotonic() + (step.within.seconds if step.within else 0)
    while True:
        rows = question(actor.connection(), statement)
        fault = _fault(step, rows, actor)
        if fault is None:
            break
        if time.monotonic() >= deadline:
            asked = f" (asked again for {step.within})" if step.within else ""
            raise StepFailed(f"{fault}{asked}")
        if actor.stage.stop.wait(_PAUSE_SECONDS):
            raise Stopped
    for name, column in step.capture.items():
        if not rows.rows or column not in rows.columns:
            raise StepFailed(f"capture {name}: expected a row with the column {column}, came {rows.columns}")
        actor.captured[name] = rows.rows[0][rows.columns.index(column)]


def settle(what: str, actor: Actor) -> None:
    """Return when the specification's query for unfinished work finds none; StepFailed after 10 s.

    Stopped when that was asked for.

    In the mode `sync` every answer says that the work is done, so that an unknown database is no hindrance.
    """
    if actor.stage.database is None and actor.stage.orders == SYNC:
        return
    path = actor.stage.spec_folder / SETTLED.format(what)
    if not path.is_file():
        raise InputError(f"this specification does not say when {what} are settled", where=str(path))
    query = path.read_text(encoding="utf-8")
    deadline = time.monotonic() + _SETTLE_SECONDS
    while rows := question(actor.connection(), query).rows:
        if time.monotonic() >= deadline:
            raise StepFailed(f"expected no unfinished {what} after {_SETTLE_SECONDS:.0f} s, came {rows[0]}")
        if actor.stage.stop.wait(_PAUSE_SECONDS):
            raise Stopped


def ask(actor: Actor, query: str) -> object:
    """Return the one value a query answers, as text, null as None; InputError when it is not one row of one column."""
    rows = question(actor.connection(), query).rows
    if len(rows) != 1 or len(rows[0]) != 1:
        raise InputError(f"this query must answer one row of one column, and answers {len(rows)} rows: {query}")
    return rows[0][0]


def question(connection: Connection, query: str) -> Rows:
    """Return the rows of a query, none for a statement without; InputError when it cannot be run."""
    try:
        cursor = connection.execute(query.encode())
        if cursor.description is None:
            return Rows((), ())
        columns = tuple(column.name for column in cursor.description)
        return Rows(columns, tuple(tuple(_written(value) for value in row) for row in cursor.fetchall()))
    except psycopg.Error as error:
        raise InputError(f"this SQL cannot be run ({first_line(error)}): {query}") from error


def _fault(step: Sql, rows: Rows, actor: Actor) -> str | None:
    if step.rows is None:
        return None
    wanted = Expected(Elements(tuple(Elements(tuple(one.wanted for one in row)) for row in step.rows)))
    # Rows are texts, and so are captured numbers here.
    captured = {name: text_of(value) for name, value in actor.captured.items()}
    around = Surroundings(captured, actor.began, lambda query: ask(actor, query))
    return difference(wanted, rows.rows, "rows", around)


def _written(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return f"{value.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S.%f}"
    return str(value)
