"""Orphaned databases: those that a killed lab has left in the user's PostgreSQL, found by its token in their names."""

from __future__ import annotations

from collections.abc import Collection

from middlemark.databases.database import MARK, PREFIX, Connection, drop_database, unfinished_databases
from middlemark.databases.users_own import database_at
from middlemark.processes.watchdog import name_part

_NAME_PART = "_([0-9]+_[0-9a-f]{12})(_|$)"
"""The pattern of what `name_part` returns."""


def orphaned_databases(url: str, token: str) -> list[str]:
    """Return the names of the databases that the lab with this token has made in the server and not dropped.

    Among them are those that nobody finishes any more: in their names there is no token yet. Raises HostError when the
    server cannot be reached.
    """
    server = database_at(url)
    with server.admin() as admin:
        return sorted({*_marked(admin, name_part(token)), *unfinished_databases(admin)})


def left_databases(url: str, running: Collection[str]) -> list[str]:
    """Return the names of the databases in the server that ended labs have left, whichever these were.

    `running` has the tokens of the labs of this machine that still run. A lab of another machine runs as long as
    anything is connected to one of its databases. Raises HostError when the server cannot be reached.
    """
    parts = {name_part(token) for token in running}
    with database_at(url).admin() as admin:
        rows = admin.execute(
            "SELECT DISTINCT substring(datname FROM %s) FROM pg_stat_activity WHERE datname IS NOT NULL", [_NAME_PART]
        ).fetchall()
        parts |= {str(part) for (part,) in rows if part}
        ended = [name for name in _marked(admin) if not any(part in name for part in parts)]
        return sorted({*ended, *unfinished_databases(admin)})


def drop_databases(url: str, names: Collection[str]) -> None:
    """Drop these databases; HostError when one cannot be dropped, or was not made by Middlemark."""
    server = database_at(url)
    for name in names:
        drop_database(server, name)


def _marked(admin: Connection, part: str = "") -> list[str]:
    """Return the names of the user's databases of labs, of those alone that have `part` in them."""
    rows = admin.execute(
        "SELECT datname FROM pg_database WHERE starts_with(datname, %s) AND datname ~ %s AND strpos(datname, %s) > 0 "
        "AND shobj_description(oid, 'pg_database') = %s AND pg_has_role(datdba, 'USAGE')",
        [PREFIX, _NAME_PART, part, MARK],
    ).fetchall()
    return [str(name) for (name,) in rows]
