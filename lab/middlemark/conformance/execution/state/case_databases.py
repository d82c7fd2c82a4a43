"""The databases of an application while cases run: the loaded state of each, and what differs from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from psycopg import sql

from middlemark.conformance.execution.state.digest import end_state
from middlemark.conformance.execution.state.loaded import Loaded
from middlemark.conformance.execution.state.rules import Rules
from middlemark.conformance.execution.state.tables import COPIES
from middlemark.databases.database import Connection, Database
from middlemark.specification.specification import Specification

DatabasesInUse = Mapping[str, tuple[Database, str]]
"""Each database of a specification by its name: its server, and what it is called there."""


@dataclass(frozen=True)
class CaseDatabase:
    """One database: its server, what it is called there, a connection of the lab's own, and what was loaded.

    `pooled`: the specification says how many connections an application holds to it.
    """

    server: Database
    database: str
    connection: Connection
    loaded: Loaded
    pooled: bool


class CaseDatabases:
    """Every database of a specification; none for a specification without."""

    def __init__(self, specification: Specification, databases: Mapping[str, CaseDatabase]) -> None:
        self._specification = specification
        self._databases = databases
        self.rules = Rules({name: one.connection for name, one in databases.items()}, specification)

    def called(self, name: str | None) -> CaseDatabase:
        """Return the database that is meant, the only one where none is named; InputError when there is none so."""
        return self._databases[self._specification.database_called(name)]

    @property
    def every(self) -> tuple[CaseDatabase, ...]:
        """Return all of them."""
        return tuple(self._databases.values())

    @property
    def last_loaded_ids(self) -> dict[str, int]:
        """Return the greatest loaded value of each identity column, of columns with one name the least of these."""
        last: dict[str, int] = {}
        for one in self.every:
            for column, value in one.loaded.last_loaded_ids.items():
                last[column] = min(value, last.get(column, value))
        return last

    def put_back(self) -> None:
        """Make all rows and sequences what they were; raises what `Loaded.put_back` raises."""
        for one in self.every:
            one.loaded.put_back()

    def end_state(self) -> tuple[str, ...]:
        """Return the rows that differ from the loaded data as lines; of several databases with their names.

        An id that one database has drawn counts by what it refers to in the others, too.
        """
        changes, tables = [], []
        for name, one in self._databases.items():
            prefix = f"{name}." if len(self._databases) > 1 else ""
            changes += [dataclasses.replace(row, table=f"{prefix}{row.table}") for row in one.loaded.changes()]
            tables += [dataclasses.replace(table, name=f"{prefix}{table.name}") for table in one.loaded.tables]
        return end_state(changes, tables, self.last_loaded_ids)


@contextmanager
def case_databases(specification: Specification, databases: DatabasesInUse) -> Iterator[CaseDatabases]:
    """Keep the state of these databases as the loaded one; the copies beside the tables go when the context ends.

    Raises HostError when one cannot be reached, InputError for a table without a primary key.
    """
    with ExitStack() as stack:
        pooled = {name: one.pool is not None for name, one in specification.description.databases.items()}
        kept = {name: stack.enter_context(_kept(*one, pooled=pooled[name])) for name, one in databases.items()}
        yield CaseDatabases(specification, kept)


@contextmanager
def _kept(server: Database, database: str, *, pooled: bool) -> Iterator[CaseDatabase]:
    drop = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(COPIES))
    with server.connected(database) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute(drop)
        try:
            yield CaseDatabase(server, database, connection, Loaded(connection), pooled)
        finally:
            connection.execute(drop)
