"""The statements that sessions send to a PostgreSQL server of ours, from its own log.

PostgreSQL counts statements only with the extension pg_stat_statements, which not every build has.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

from psycopg import sql

from middlemark.databases.database import Database, setting
from middlemark.errors import HostError

_SETTINGS: dict[LiteralString, LiteralString] = {
    "log_line_prefix": "'middlemark %n %d '",
    "log_parameter_max_length": "0",
    "log_statement": "'all'",
}
# A prepared statement whose rows are fetched in parts is logged again as "execute fetch from"; it was sent once.
_LINE = re.compile(
    r"middlemark (?P<time>\d+\.\d+) (?P<database>\S+) "
    r"LOG:  (?:statement|execute (?!fetch from )[^:]*): (?P<text>.*(?:\n\t.*)*)"
)
_RELOAD_SECONDS = 10.0


@dataclass(frozen=True)
class LoggedStatement:
    """A statement as a session sent it; `time_s` in seconds since 1970, exact to a millisecond, cut off."""

    time_s: float
    database: str
    text: str


class StatementLog:
    """The part of a server's log that is written from now on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begin = path.stat().st_size

    def statements(self) -> list[LoggedStatement]:
        """The statements so far, in the order of the log; each text on one line."""
        with self._path.open("rb") as log:
            log.seek(self._begin)
            text = log.read().decode(errors="replace")
        return [
            LoggedStatement(float(one["time"]), one["database"], " ".join(one["text"].split()))
            for one in _LINE.finditer(text)
        ]


@contextmanager
def logging_statements(server: Database) -> Iterator[StatementLog]:
    """Let a server of ours log every statement until the context ends, also of the sessions that are open.

    Raises HostError when the server is the user's own, or does not take the settings.
    """
    if server.server is None:
        raise HostError("the log of a PostgreSQL of your own cannot be read", where=server.address)
    log = StatementLog(server.server.folder / "server.log")
    try:
        _set(server, {name: sql.SQL("TO ") + sql.SQL(value) for name, value in _SETTINGS.items()})
        _wait_until(server, "all")
        yield log
    finally:
        _reset(server)


def _set(server: Database, values: dict[LiteralString, sql.Composed]) -> None:
    with server.admin() as admin:
        for name, value in values.items():
            admin.execute(sql.SQL("ALTER SYSTEM SET {} ").format(sql.Identifier(name)) + value)
        admin.execute("SELECT pg_reload_conf()")


def _reset(server: Database) -> None:
    with server.admin() as admin:
        for name in _SETTINGS:
            admin.execute(sql.SQL("ALTER SYSTEM RESET {}").format(sql.Identifier(name)))
        admin.execute("SELECT pg_reload_conf()")
    _wait_until(server, "none")


def _wait_until(server: Database, value: str) -> None:
    """Wait until new sessions have a value of log_statement; older ones take it before their next statement."""
    deadline = time.monotonic() + _RELOAD_SECONDS
    while time.monotonic() < deadline:
        with server.admin() as admin:
            if setting(admin, "log_statement") == value:
                return
        time.sleep(0.02)  # PostgreSQL does not say when it has read its settings
    raise HostError(f"PostgreSQL does not set log_statement to {value}", where=server.address)
