"""Whether an application has done what it was asked for before its callers left."""

from __future__ import annotations

import time

from middlemark.databases.database import Connection, Database

# Between two statements a connection of a busy application is idle: hardly ever all of them in so many looks.
LOOKS = 4
_PAUSE_SECONDS = 0.05
LIMIT_SECONDS = 30.0

_BUSY = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = %s AND backend_type = 'client backend' AND state <> 'idle'
"""


def wait_until_at_rest(server: Database, name: str, limit_s: float) -> bool:
    """Wait until nobody works in a database, at most so long; return whether that came.

    Requests whose callers have gone are still carried out, also those that wait for a connection: after a reset they
    would write into what is measured next.
    """
    deadline, quiet = time.monotonic() + limit_s, 0
    with server.admin() as connection:
        while quiet < LOOKS and time.monotonic() < deadline:
            quiet = 0 if _busy(connection, name) else quiet + 1
            time.sleep(_PAUSE_SECONDS)  # PostgreSQL tells nobody when a session becomes idle
    return quiet == LOOKS


def _busy(connection: Connection, name: str) -> bool:
    row = connection.execute(_BUSY, (name,)).fetchone()
    return row is not None and row[0] > 0
