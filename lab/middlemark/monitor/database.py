"""What PostgreSQL counts of databases while they are loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import LiteralString

import psycopg

from middlemark.databases.database import Connection, Database, open_connection
from middlemark.errors import HostError
from middlemark.records.samples import DatabaseSample, Statement

MAX_STATEMENTS = 10

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
    """A session that asks once a second about one database; one that was lost stays lost, and has no more samples.

    `name` is the specification's for the database, `database` that of the one in use.
    """

    def __init__(self, connection: Connection, name: str, database: str) -> None:
        self.name = name
        self._connection: Connection | None = connection
        self._database = database
        self._before = self._statements()

    def sample(self) -> DatabaseSample | None:
        """Return the counters now; None when the database does not exist or the session was lost."""
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
                ms = total_ms - ms_before
                found.append(Statement(database=self.name, query=query, calls=calls - calls_before, total_ms=ms))
        return sorted(found, key=lambda statement: -statement.total_ms)[:MAX_STATEMENTS]

    def _statements(self) -> dict[str, tuple[int, float]]:
        if not self._ask("SELECT 1 WHERE to_regclass('pg_stat_statements') IS NOT NULL"):
            return {}
        rows = self._ask(_STATEMENTS)
        return {" ".join(str(query).split()): (int(str(calls)), float(str(ms))) for query, calls, ms in rows}

    def _ask(self, query: LiteralString) -> list[tuple[object, ...]]:
        if self._connection is None:
            return []
        try:
            return self._connection.execute(query, {"name": self._database}).fetchall()
        except psycopg.OperationalError:
            self._connection = None
        except psycopg.Error:
            # A view that its server does not let this user read, or one of another version.
            pass
        return []


@dataclass(frozen=True)
class DatabaseWatches:
    """The watch of every database of a specification whose server allows a session."""

    watches: tuple[DatabaseWatch, ...] = ()

    def sample(self) -> dict[str, DatabaseSample]:
        """Return the counters of each database now, by the specification's name for it."""
        found = {watch.name: watch.sample() for watch in self.watches}
        return {name: sample for name, sample in found.items() if sample is not None}

    def slowest(self) -> list[Statement]:
        """Return the statements of each database that took most time since the watch began."""
        return [statement for watch in self.watches for statement in watch.slowest()]


@contextmanager
def watching(databases: Mapping[str, tuple[Database, str]]) -> Iterator[DatabaseWatches]:
    """Watch databases until the context ends: of each its server and the name of the one in use, by its own name.

    One whose server refuses a session is left out.
    """
    with ExitStack() as stack:
        watches = []
        for name, (server, database) in databases.items():
            with suppress(HostError):
                connection = open_connection(server, server.maintenance)
                stack.callback(connection.close)
                watches.append(DatabaseWatch(connection, name, database))
        yield DatabaseWatches(tuple(watches))
