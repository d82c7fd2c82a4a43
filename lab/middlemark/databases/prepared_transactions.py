"""Prepared transactions of two-phase commit in a database server, and how they ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from middlemark.databases.database import Connection

# pg_prepared_xacts has the lower 32 bits of a transaction's id, pg_xact_status needs all 64: a prepared transaction is
# never 2^32 ids older than the next one (PostgreSQL manual, Transaction IDs and Wraparound).
_PREPARED = """
SELECT gid, next - (next - transaction::text::bigint) %% 4294967296,
       extract(epoch FROM clock_timestamp() - prepared)::float8
FROM pg_prepared_xacts, (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next) AS ids
WHERE database = %s ORDER BY prepared
"""
_ENDED = """
SELECT id::text::bigint, pg_xact_status(id) = 'committed' FROM unnest(%s::text[]::xid8[]) AS id
WHERE pg_xact_status(id) <> 'in progress'
"""


@dataclass(frozen=True)
class PreparedTransaction:
    """A transaction that is prepared, for `age_s` seconds; `xid` has all 64 bits."""

    gid: str
    xid: int
    age_s: float


def prepared_transactions(connection: Connection, database: str) -> list[PreparedTransaction]:
    """The prepared transactions of a database of the server, the oldest first."""
    return [PreparedTransaction(*row) for row in connection.execute(_PREPARED, [database])]


def ended_transactions(connection: Connection, xids: Sequence[int]) -> Mapping[int, bool]:
    """By id, whether a transaction was committed; without those that have not ended."""
    return dict(connection.execute(_ENDED, [[str(one) for one in xids]]).fetchall())
