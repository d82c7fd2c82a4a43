"""SQL of a case, and what it answers."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import psycopg

from middlemark.databases.database import Connection
from middlemark.errors import InputError
from middlemark.wording import counted, first_line


@dataclass(frozen=True)
class Rows:
    """What a query answered; values as a case writes them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def rows_of(connection: Connection, query: str) -> Rows:
    """Return the rows of a query, none for a statement without; InputError when it cannot be run."""
    try:
        cursor = connection.execute(query.encode())
        if cursor.description is None:
            return Rows((), ())
        columns = tuple(column.name for column in cursor.description)
        return Rows(columns, tuple(tuple(_written(value) for value in row) for row in cursor.fetchall()))
    except psycopg.Error as error:
        raise InputError(f"this SQL cannot be run ({first_line(error)}): {query}") from error


def value_of(connection: Connection, query: str) -> str | None:
    """Return the one value a query answers, as text, null as None; InputError when it is not one row of one column."""
    rows = rows_of(connection, query).rows
    if len(rows) != 1 or len(rows[0]) != 1:
        found = counted(len(rows), "row")
        raise InputError(f"this query must answer one row of one column, and answers {found}: {query}")
    return rows[0][0]


def _written(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return f"{value.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S.%f}"
    return str(value)
