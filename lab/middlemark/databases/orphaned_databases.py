"""Orphaned databases: those that a killed lab has left in the user's PostgreSQL, found by its token in their names."""

from __future__ import annotations

from collections.abc import Collection

from psycopg import sql

from middlemark.databases.database import COPIES, MARK, PREFIX, Connection, drop_database, unfinished_databases
from middlemark.databases.users_own import database_at
from middlemark.processes.watchdog import name_part

_NAME_PART = "_([0-9]+_[0-9a-f]{12})(_|$)"
"""The pattern of what `name_part` returns."""
_LEFT_COPIES = """
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = %s AND pg_has_role(nspowner, 'USAGE'))
   AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                   AND application_name = 'middlemark' AND pid <> pg_backend_pid())
"""


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


def has_left_copies(url: str) -> bool:
    """Whether the database of the URL holds copies of its tables that a killed verification has left.

    A lab that works there is connected to it. Raises HostError when the server cannot be reached.
    """
    with database_at(url).admin() as admin:
        row = admin.execute(_LEFT_COPIES, [COPIES]).fetchone()
        return row is not None and bool(row[0])


def drop_copies(url: str) -> None:
    """Drop the copies of tables that a killed verification has left in the database of the URL."""
    with database_at(url).admin() as admin:
        admin.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(COPIES)))


def _marked(admin: Connection, part: str = "") -> list[str]:
    """Return the names of the user's databases of labs, of those alone that have `part` in them."""
    rows = admin.execute(
        "SELECT datname FROM pg_database WHERE starts_with(datname, %s) AND datname ~ %s AND strpos(datname, %s) > 0 "
        "AND shobj_description(oid, 'pg_database') = %s AND pg_has_role(datdba, 'USAGE')",
        [PREFIX, _NAME_PART, part, MARK],
    ).fetchall()
    return [str(name) for (name,) in rows]
