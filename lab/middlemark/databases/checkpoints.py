"""Keeps checkpoints of our own servers out of short windows, and evenly in long ones.

Why: docs/decisions/0011-checkpoints.md.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import LiteralString

from middlemark.databases.database import Database

# Windows as long as this hold several whole checkpoints.
LONG_WINDOW_S = 600.0
_EVENLY: LiteralString = "ALTER SYSTEM SET checkpoint_timeout = '5min'"
_GIB = 2**30
_MIN_LOG_GB, _MAX_LOG_GB = 4, 64


def log_room_gb(folder: Path) -> int:
    """Return how many GB of log a server in this folder may keep: half of the free space, a power of two from 4 to 64.

    A power of two, so that it seldom differs between two runs on one machine.
    """
    free = shutil.disk_usage(folder).free // 2 // _GIB
    return min(_MAX_LOG_GB, max(_MIN_LOG_GB, 1 << max(0, free.bit_length() - 1)))


def space_checkpoints(database: Database, window_s: float) -> None:
    """Have a checkpoint every 5 minutes where the windows are long; the user's own server stays as it is."""
    if database.server is None or window_s < LONG_WINDOW_S:
        return
    with database.admin() as admin:
        admin.execute(_EVENLY)
        admin.execute("SELECT pg_reload_conf()")
