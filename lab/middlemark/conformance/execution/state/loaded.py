"""The loaded data set, kept as copies beside the tables: what has changed since, and putting it back.

Only the rows that differ are touched, so that putting back takes milliseconds; the keys of the tables say which rows
belong together. Everything is one transaction that holds a lock on every table: an application that still works on
something finishes first.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from middlemark.conformance.execution.state import statements
from middlemark.conformance.execution.state.tables import IdColumn, LoadedIds, read_tables
from middlemark.databases.database import COPIES, Connection, end_other_connections

_TRIES = 5
_LOCK_SECONDS = 3

_SHAPE = """
SELECT coalesce(md5(string_agg(line, E'\n' ORDER BY line)), '') FROM (
    SELECT concat_ws(' ', 'relation', n.nspname, c.relname, c.relkind, pg_get_expr(c.relpartbound, c.oid)) AS line
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname NOT LIKE 'pg\\_%%' AND n.nspname NOT IN ('information_schema', %(copies)s)
    UNION ALL
    SELECT concat_ws(' ', 'column', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull)
    FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
    WHERE attnum > 0 AND c.relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', 'constraint', conrelid::regclass, pg_get_constraintdef(oid), convalidated)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', 'trigger', tgrelid::regclass, tgname, tgenabled) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL
    SELECT concat_ws(' ', 'function', p.oid::regprocedure)
    FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
    WHERE n.nspname NOT LIKE 'pg\\_%%' AND n.nspname NOT IN ('information_schema', %(copies)s)
) AS lines
"""
_SEQUENCES = """
SELECT sequencename::text, last_value FROM pg_sequences WHERE schemaname = 'public' ORDER BY sequencename
"""
_IN_TRANSACTION = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'
  AND application_name <> 'middlemark' AND state_change < clock_timestamp() - interval '1 second'
"""


@dataclass(frozen=True)
class Change:
    """A row that was not loaded so (`added`) or is not there any more as it was loaded; columns as JSON values."""

    table: str
    added: bool
    row: Mapping[str, Any]


class LeftBehindError(Exception):
    """A case or the application left something that cannot be put back; the database must be made anew."""


class Loaded:
    """The loaded state of one database, over a connection of the lab's own that commits by itself."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.tables = read_tables(connection)
        self._changes = statements.changes(self.tables)
        # These queries look at small tables again and again: compiling them costs more than running them.
        connection.execute("SET jit = off")
        connection.execute("SELECT set_config('lock_timeout', %s, false)", [f"{_LOCK_SECONDS}s"])
        self._keep()
        self._sequences = self._read_sequences()
        self._shape = self._read_shape()
        self.ids = LoadedIds(self._read_last_ids(), self._read_uuids())

    def changes(self) -> tuple[Change, ...]:
        """Return the rows that differ from what was loaded, in a fixed order."""
        rows = self._connection.execute(self._changes).fetchall()
        return tuple(Change(name, added, json.loads(row, parse_float=str)) for name, added, row in rows)

    def put_back(self) -> None:
        """Make rows and sequences what they were.

        Raises LeftBehindError when the tables themselves are others now, or somebody holds a lock and does not let go.
        """
        if self._read_shape() != self._shape:
            raise LeftBehindError("tables, keys, triggers or functions are not those that were loaded")
        for attempt in range(1, _TRIES + 1):
            try:
                changed = self._put_rows_back()
                break
            except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
                if attempt == _TRIES or self._somebody_sleeps_in_a_transaction():
                    raise LeftBehindError("the application holds a transaction open") from error
                time.sleep(0.05)
            except psycopg.errors.IntegrityError as error:
                raise LeftBehindError("rows cannot be put back one by one") from error
        if changed and self.changes():
            raise LeftBehindError("rows are not as they were loaded after they were put back")

    def end_other_connections(self) -> int:
        """End every connection of others to this database, see them gone, and return how many there were."""
        return end_other_connections(self._connection)

    def _keep(self) -> None:
        self._connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(COPIES)))
        for table in self.tables:
            self._connection.execute(statements.keep(table))

    def _put_rows_back(self) -> bool:
        """Say whether there was anything to put back."""
        changed = {change.table for change in self.changes()}
        touched = [table for table in self.tables if table.name in changed]
        now = self._read_sequences()
        moved = [(name, value) for name, value in self._sequences.items() if now.get(name) != value]
        if not touched and not moved:
            return False
        words = [
            statements.lock(self.tables),
            *(statements.delete(table) for table in reversed(touched)),
            *(step(table) for table in touched for step in (statements.update, statements.insert)),
            *(statements.set_sequence(name, value) for name, value in moved),
        ]
        with self._connection.transaction():
            self._connection.execute(sql.SQL("; ").join(words))
        return True

    def _read_sequences(self) -> dict[str, int | None]:
        return dict(self._connection.execute(_SEQUENCES).fetchall())

    def _read_shape(self) -> str:
        row = self._connection.execute(_SHAPE, {"copies": COPIES}).fetchone()
        return "" if row is None else str(row[0])

    def _read_last_ids(self) -> dict[IdColumn, int]:
        """Return the greatest loaded value of each identity column."""
        last: dict[IdColumn, int] = {}
        for table in self.tables:
            for column in table.identities:
                row = self._connection.execute(statements.last_id(table, column)).fetchone()
                last[table.name, column] = 0 if row is None else int(row[0])
        return last

    def _read_uuids(self) -> frozenset[str]:
        return frozenset(value for (value,) in self._connection.execute(statements.uuids(self.tables)))

    def _somebody_sleeps_in_a_transaction(self) -> bool:
        row = self._connection.execute(_IN_TRANSACTION).fetchone()
        return row is not None and row[0] > 0
