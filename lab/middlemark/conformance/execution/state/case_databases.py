"""The databases of an application while cases run: the loaded state of each, and what differs from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from psycopg import sql

from middlemark.conformance.execution.state.digest import end_state
from middlemark.conformance.execution.state.loaded import LeftBehindError, Loaded
from middlemark.conformance.execution.state.rules import Rules
from middlemark.conformance.execution.state.tables import LoadedIds
from middlemark.databases.database import COPIES, Connection, Database
from middlemark.specification.specification import Specification

DatabasesInUse = Mapping[str, tuple[Database, str]]
"""Each database of a specification by its name: its server, and what it is called there."""


@dataclass(frozen=True)
class CaseDatabase:
    """One database: its server, what it is called there, a connection of the lab's own, and what was loaded.

    `name` is the specification's.
    """

    name: str
    server: Database
    database: str
    connection: Connection
    loaded: Loaded


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
    def loaded_ids(self) -> LoadedIds:
        """Return the ids of all loaded data; of several databases each table with the name of its own."""
        last = {
            (self._shown(one, table), column): value
            for one in self.every
            for (table, column), value in one.loaded.ids.last.items()
        }
        return LoadedIds(last, frozenset().union(*(one.loaded.ids.uuids for one in self.every)))

    def put_back(self) -> None:
        """Make all rows and sequences what they were; raises what `Loaded.put_back` raises, with the database."""
        for one in self.every:
            try:
                one.loaded.put_back()
            except LeftBehindError as left:
                raise LeftBehindError(f"{left} in the database {one.name}") from left

    def end_state(self) -> tuple[str, ...]:
        """Return the rows that differ from the loaded data as lines; of several databases with their names.

        An id that one database has drawn counts by what it refers to in the others, too. Tables of an application's own
        bookkeeping are left out.
        """
        changes, tables = [], []
        for one in self.every:
            apart = self._specification.description.databases[one.name].bookkeeping
            rows = [row for row in one.loaded.changes() if row.table not in apart]
            changes += [dataclasses.replace(row, table=self._shown(one, row.table)) for row in rows]
            tables += [dataclasses.replace(table, name=self._shown(one, table.name)) for table in one.loaded.tables]
        return end_state(changes, tables, self.loaded_ids)

    def _shown(self, one: CaseDatabase, table: str) -> str:
        """Return the name of a table, of several databases with that of its own."""
        return f"{one.name}.{table}" if len(self._databases) > 1 else table


@contextmanager
def case_databases(specification: Specification, databases: DatabasesInUse) -> Iterator[CaseDatabases]:
    """Keep the state of these databases as the loaded one; the copies beside the tables go when the context ends.

    Raises HostError when one cannot be reached, InputError for a table without a primary key.
    """
    with ExitStack() as stack:
        kept = {name: stack.enter_context(_kept(name, *one)) for name, one in databases.items()}
        yield CaseDatabases(specification, kept)


@contextmanager
def _kept(name: str, server: Database, database: str) -> Iterator[CaseDatabase]:
    drop = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(COPIES))
    with server.connected(database) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute(drop)
        try:
            yield CaseDatabase(name, server, database, connection, Loaded(connection))
        finally:
            connection.execute(drop)
