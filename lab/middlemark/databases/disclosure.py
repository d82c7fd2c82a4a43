"""What a reader needs to know about the database of a run: version, durability, settings, and what a flush costs."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

from middlemark.checkout import checkout
from middlemark.databases.database import Database

_FLUSHES = 50
_WAL_PAGE = 8192

# Shown whether or not they are PostgreSQL's defaults: they decide what a commit means, and when pages are written.
_ALWAYS = (
    *("fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "data_checksums"),
    *("checkpoint_timeout", "checkpoint_completion_target", "max_wal_size"),
)
# Where this one server happens to be; they do not affect speed.
_PLACES = ("port", "data_directory", "config_file", "hba_file", "ident_file", "external_pid_file", "application_name")
_SETTINGS = """
SELECT name, current_setting(name) FROM pg_settings
WHERE (name = ANY(%s) OR source NOT IN ('default', 'client', 'session', 'override')) AND NOT name = ANY(%s)
ORDER BY name
"""

# Units are shown as in current_setting; a setting that a file names and leaves at its default is none of these.
_CHANGED = """
SELECT name, current_setting(name), CASE WHEN unit IS NULL THEN boot_val ELSE concat(boot_val, ' × ', unit) END
FROM pg_settings
WHERE source NOT IN ('default', 'client', 'session', 'override') AND setting IS DISTINCT FROM boot_val
  AND NOT name = ANY(%s)
ORDER BY name
"""


def disclosed(database: Database) -> dict[str, str]:
    """Return `version`, and each setting that decides durability or differs from PostgreSQL's default."""
    with database.admin() as admin:
        row = admin.execute("SELECT version()").fetchone()
        settings = admin.execute(_SETTINGS, [list(_ALWAYS), list(_PLACES)]).fetchall()
    return {"version": "" if row is None else str(row[0]), **{str(name): str(value) for name, value in settings}}


def not_default(database: Database) -> list[dict[str, str]]:
    """Return `what`, `value`, `why` of each setting that is not PostgreSQL's default, places and languages left out."""
    reasons = _reasons() if database.server is not None else {}
    with database.admin() as admin:
        rows = admin.execute(_CHANGED, [list(_PLACES)]).fetchall()
    why = "no file has the reason" if database.server is not None else "set by the administrator of this server"
    return [
        {
            "what": f"PostgreSQL: {name}",
            "value": f"{value} (default: {default})",
            "why": reasons.get(str(name).lower(), why),
        }
        for name, value, default in rows
    ]


def _reasons() -> dict[str, str]:
    """Return the comment above each setting of our own server's postgresql.conf, by its name in lower case."""
    reasons = {"listen_addresses": "this machine alone"}
    comment: list[str] = []
    for line in (checkout() / "databases" / "postgresql" / "postgresql.conf").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            comment.append(line.lstrip("# "))
        elif "=" in line:
            reasons[line.partition("=")[0].strip().lower()] = " ".join(comment)
        else:
            comment = []
    return reasons


def fsync_ms(folder: Path) -> float:
    """Return the median time in ms of making one page of a write-ahead log durable in this folder.

    As PostgreSQL does it: fdatasync after writing 8 KiB into a file that already has its length.
    """
    flush = os.fdatasync if hasattr(os, "fdatasync") else os.fsync  # macOS has only the latter
    with tempfile.TemporaryFile(dir=folder) as file:
        descriptor = file.fileno()
        os.write(descriptor, bytes(_FLUSHES * _WAL_PAGE))
        os.fsync(descriptor)
        times: list[float] = []
        for index in range(_FLUSHES):
            os.pwrite(descriptor, os.urandom(_WAL_PAGE), index * _WAL_PAGE)
            before = time.perf_counter()
            flush(descriptor)
            times.append((time.perf_counter() - before) * 1000)
    return statistics.median(times)
