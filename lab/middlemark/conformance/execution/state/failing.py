"""Makes statements of the application fail while a case runs.

Writing fails by a trigger that counts with a sequence, because a sequence also counts what is rolled back. Reading
fails because the table has another name meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from middlemark.conformance.cases.case import Fail, Statement
from middlemark.databases.database import Connection
from middlemark.errors import InputError
from middlemark.wording import first_line

_SCHEMA = "middlemark_failing"
_SERIALIZATION_FAILURE = "40001"
_AWAY = "_away"


@contextmanager
def failing(connection: Connection, fails: tuple[Fail, ...]) -> Iterator[list[str]]:
    """Let the statements fail until the context ends; afterwards nothing of it is left in the database.

    The list is empty until the context has ended, and then says why all of it is left, if it is: the tables are others
    now, or somebody holds a lock. Raises InputError when a statement cannot be made to fail.
    """
    left: list[str] = []
    if not fails:
        yield left
        return
    try:
        _make(connection, fails)
    except psycopg.Error as error:
        raise InputError(f"these statements cannot be made to fail ({first_line(error)})") from error
    try:
        yield left
    finally:
        try:
            _take_back(connection, fails)
        except psycopg.Error as error:
            left.append(f"what made statements fail cannot be taken back ({first_line(error)})")


def _make(connection: Connection, fails: tuple[Fail, ...]) -> None:
    with connection.transaction():
        connection.execute(f"CREATE SCHEMA {_SCHEMA}".encode())
        for number, fail in enumerate(fails):
            for statement in _begin(number, fail):
                connection.execute(statement.encode())


def _take_back(connection: Connection, fails: tuple[Fail, ...]) -> None:
    with connection.transaction():
        for number, fail in enumerate(fails):
            connection.execute(_end(number, fail).encode())
        connection.execute(f"DROP SCHEMA {_SCHEMA} CASCADE".encode())


def _begin(number: int, fail: Fail) -> tuple[str, ...]:
    if fail.on is Statement.READ:
        return (f"ALTER TABLE public.{fail.table} RENAME TO {fail.table}{_AWAY}",)
    name = f"{_SCHEMA}.fail_{number}"
    state = fail.sqlstate or _SERIALIZATION_FAILURE
    count = f"nextval('{name}_count') <= {fail.times}" if fail.times else "true"
    return (
        f"CREATE SEQUENCE {name}_count",
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
        f" IF {count} THEN RAISE EXCEPTION 'made to fail' USING ERRCODE = '{state}'; END IF; RETURN NULL; END$$",
        f"CREATE TRIGGER fail_{number} AFTER {fail.on.value} ON public.{fail.table}"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
    )


def _end(number: int, fail: Fail) -> str:
    if fail.on is Statement.READ:
        return f"ALTER TABLE public.{fail.table}{_AWAY} RENAME TO {fail.table}"
    return f"DROP TRIGGER fail_{number} ON public.{fail.table}"
