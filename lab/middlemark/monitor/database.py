"""What PostgreSQL tells of a database while it is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString

import psycopg

from middlemark.databases.database import Connection, Database, open_connection
from middlemark.errors import HostError
from middlemark.records.samples import DatabaseSample, Statement

MOST_STATEMENTS = 10

# From a session in another database: the one that is watched is dropped and made anew between points.
_COUNTERS: LiteralString = """
SELECT xact_commit, xact_rollback, deadlocks, blks_hit, blks_read, temp_bytes,
       (SELECT count(*) FROM pg_locks WHERE NOT granted),
       (SELECT count(*) FROM pg_stat_activity WHERE datname = %(name)s AND state = 'active')
FROM pg_stat_database WHERE datname = %(name)s
"""
_STATEMENTS: LiteralString = """
SELECT query, sum(calls)::bigint, sum(total_exec_time)
FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = s.dbid
WHERE d.datname = %(name)s GROUP BY query
"""


class DatabaseWatch:
    """A session that asks once a second; one that was lost stays lost, and says nothing more."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection: Connection | None = connection
        self._name = name
        self._before = self._statements()

    def sample(self) -> DatabaseSample | None:
        """Return the counters now; None when there is no such database or the session was lost."""
        row = self._ask(_COUNTERS)
        if not row:
            return None
        commits, rollbacks, deadlocks, hit, read, temporary, waiting, active = (int(str(value)) for value in row[0])
        return DatabaseSample(
            commits=commits,
            rollbacks=rollbacks,
            deadlocks=deadlocks,
            blocks_hit=hit,
            blocks_read=read,
            temporary_bytes=temporary,
            waiting_locks=waiting,
            active_sessions=active,
        )

    def slowest(self) -> list[Statement]:
        """Return the statements that took most time since the watch began; none without pg_stat_statements."""
        found = []
        for query, (calls, total_ms) in self._statements().items():
            calls_before, ms_before = self._before.get(query, (0, 0.0))
            if calls > calls_before:
                found.append(Statement(query=query, calls=calls - calls_before, total_ms=total_ms - ms_before))
        return sorted(found, key=lambda statement: -statement.total_ms)[:MOST_STATEMENTS]

    def _statements(self) -> dict[str, tuple[int, float]]:
        if not self._ask("SELECT 1 WHERE to_regclass('pg_stat_statements') IS NOT NULL"):
            return {}
        rows = self._ask(_STATEMENTS)
        return {" ".join(str(query).split()): (int(str(calls)), float(str(ms))) for query, calls, ms in rows}

    def _ask(self, query: LiteralString) -> list[tuple[object, ...]]:
        if self._connection is None:
            return []
        try:
            return self._connection.execute(query, {"name": self._name}).fetchall()
        except psycopg.OperationalError:
            self._connection = None
        except psycopg.Error:
            # A view that its server does not let this user read, or one of another version.
            pass
        return []


@contextmanager
def watching(database: Database, name: str) -> Iterator[DatabaseWatch | None]:
    """Watch the database `name` of a server until the context ends; None when the server refuses a session."""
    try:
        connection = open_connection(database, database.maintenance)
    except HostError:
        yield None
        return
    try:
        yield DatabaseWatch(connection, name)
    finally:
        connection.close()
