"""Keeps checkpoints of our own servers out of short windows, and evenly in long ones.

Why: docs/decisions/0011-checkpoints.md.
"""

from __future__ import annotations

from typing import LiteralString

from middlemark.databases.database import Database

# Windows as long as this hold several whole checkpoints.
LONG_WINDOW_S = 600.0
_EVENLY: LiteralString = "ALTER SYSTEM SET checkpoint_timeout = '5min'"


def space_checkpoints(database: Database, window_s: float) -> None:
    """Have a checkpoint every 5 minutes where the windows are long; the user's own server stays as it is."""
    if database.server is None or window_s < LONG_WINDOW_S:
        return
    with database.admin() as admin:
        admin.execute(_EVENLY)
        admin.execute("SELECT pg_reload_conf()")
