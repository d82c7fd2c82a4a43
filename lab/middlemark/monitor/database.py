"""What PostgreSQL counts of databases while they are loaded."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import LiteralString

import psycopg

from middlemark.databases.database import Connection, Database, open_connection
from middlemark.errors import HostError
from middlemark.monitor.clients import Clients, PoolOwner
from middlemark.monitor.sessions import SessionLooks, looking
from middlemark.records.samples import DatabaseSample, Statement

MAX_STATEMENTS = 10

# From a session in another database: the one that is watched is dropped and made anew between points.
_COUNTERS: LiteralString = """
SELECT xact_commit, xact_rollback, deadlocks, blks_hit, blks_read, temp_bytes,
       (SELECT count(*) FROM pg_locks WHERE NOT granted),
       (SELECT count(*) FROM pg_stat_activity WHERE datname = %(name)s AND state = 'active'),
       numbackends, (SELECT count(*) FROM pg_prepared_xacts WHERE database = %(name)s)
FROM pg_stat_database WHERE datname = %(name)s
"""
# It looks at every file of the database, some thousands in a large one: about as often as a report draws it.
_SIZE: LiteralString = "SELECT pg_database_size(%(name)s)"
SIZE_SECONDS = 5.0
_LOG: LiteralString = "SELECT wal_bytes, wal_fpi FROM pg_stat_wal"
_CHECKPOINTS: LiteralString = "SELECT num_timed + num_requested, buffers_written FROM pg_stat_checkpointer"
_CHECKPOINTS_BEFORE_17: LiteralString = """
SELECT checkpoints_timed + checkpoints_req, buffers_checkpoint FROM pg_stat_bgwriter
"""
_STATEMENTS: LiteralString = """
SELECT query, sum(calls)::bigint, sum(total_exec_time)
FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = s.dbid
WHERE d.datname = %(name)s GROUP BY query
"""


@dataclass(frozen=True)
class WatchedDatabase:
    """A database to watch: its server, its name there, and the tiers that may have pools of connections to it."""

    server: Database
    database: str
    owners: Mapping[str, PoolOwner] = field(default_factory=dict)


class DatabaseWatch:
    """A session that asks once a second about one database; one that was lost stays lost, and has no more samples.

    `name` is the specification's for the database, `watched` the one in use; `looks` are those at its sessions.
    """

    def __init__(self, connection: Connection, name: str, watched: WatchedDatabase, looks: SessionLooks) -> None:
        self.name = name
        self._connection: Connection | None = connection
        self._database = watched.database
        self._checkpoints = _CHECKPOINTS if watched.server.version >= 170000 else _CHECKPOINTS_BEFORE_17
        self._looks = looks
        self._before = self._statements()
        self._size_bytes: int | None = None
        self._size_due = 0.0

    def sample(self) -> DatabaseSample | None:
        """Return the counters now; None when the database does not exist or the session was lost."""
        row = self._ask(_COUNTERS)
        if not row:
            return None
        commits, rollbacks, deadlocks, hit, read, temporary, waiting, active, connections, prepared = (
            int(str(value)) for value in row[0]
        )
        log_bytes, full_pages = self._pair(_LOG)
        checkpoints, checkpoint_pages = self._pair(self._checkpoints)
        return DatabaseSample(
            commits=commits,
            rollbacks=rollbacks,
            deadlocks=deadlocks,
            blocks_hit=hit,
            blocks_read=read,
            temporary_bytes=temporary,
            waiting_locks=waiting,
            active_sessions=active,
            connections=connections,
            prepared=prepared,
            size_bytes=self._size(),
            log_bytes=log_bytes,
            full_pages=full_pages,
            checkpoints=checkpoints,
            checkpoint_pages=checkpoint_pages,
            sessions=self._looks.take(),
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

    def _size(self) -> int | None:
        """Bytes of the database's files, some seconds old at most; None where this user may not ask."""
        if time.monotonic() >= self._size_due:
            self._size_due = time.monotonic() + SIZE_SECONDS
            rows = self._ask(_SIZE)
            self._size_bytes = int(str(rows[0][0])) if rows else None
        return self._size_bytes

    def _pair(self, query: LiteralString) -> tuple[int | None, int | None]:
        """Return the two counters of a query; None for those that this server does not have."""
        rows = self._ask(query)
        return (int(str(rows[0][0])), int(str(rows[0][1]))) if rows else (None, None)

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
def watching(databases: Mapping[str, WatchedDatabase]) -> Iterator[DatabaseWatches]:
    """Watch databases until the context ends, by the specification's name for each.

    One whose server refuses a session is left out.
    """
    with ExitStack() as stack:
        watches = []
        for name, watched in databases.items():
            with suppress(HostError):
                counters, sessions = (_connected(stack, watched.server) for _ in range(2))
                looks = stack.enter_context(looking(sessions, watched.database, Clients(watched.owners)))
                watches.append(DatabaseWatch(counters, name, watched, looks))
        yield DatabaseWatches(tuple(watches))


def _connected(stack: ExitStack, server: Database) -> Connection:
    connection = open_connection(server, server.maintenance)
    stack.callback(connection.close)
    return connection
