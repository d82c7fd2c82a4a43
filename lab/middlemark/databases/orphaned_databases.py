"""Orphaned databases: those that a killed lab has left in the user's PostgreSQL, found by its token in their names."""

from __future__ import annotations

from middlemark.databases.database import PREFIX, drop_database
from middlemark.databases.users_own import database_at
from middlemark.processes.watchdog import name_part


def orphaned_databases(url: str, token: str) -> list[str]:
    """Return the names of the databases that the lab with this token has made in the server and not dropped.

    Raises HostError when the server cannot be reached.
    """
    server, _ = database_at(url)
    with server.admin() as admin:
        rows = admin.execute(
            "SELECT datname FROM pg_database WHERE starts_with(datname, %s) AND strpos(datname, %s) > 0 ORDER BY 1",
            [PREFIX, name_part(token)],
        ).fetchall()
    return [str(name) for (name,) in rows]


def drop_orphaned_databases(url: str, token: str) -> list[str]:
    """Drop what `orphaned_databases` finds and return the names; raises what it raises."""
    server, _ = database_at(url)
    # The lab may have been killed before it could mark one as its own.
    server.created.extend(orphaned_databases(url, token))
    names = list(server.created)
    for name in names:
        drop_database(server, name)
    return names
