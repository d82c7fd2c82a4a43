"""The user's own PostgreSQL, reached by a URL: checked first, left as it was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from middlemark.databases.database import Database, drop_database, open_connection
from middlemark.errors import HostError, InputError
from middlemark.processes.ports import LOOPBACK

MIN_VERSION = 140000
_LOOPBACKS = {LOOPBACK, "localhost", "::1"}
_SHAPE = "postgresql://user:password@host:port/name"


@contextmanager
def user_database(url: str) -> Iterator[Database]:
    """Work on the user's PostgreSQL; on leaving, the databases made here and not kept are dropped.

    Raises:
        InputError: the URL is not of the shape postgresql://user:password@host:port/name.
        HostError: nothing answers, the login is refused, the version is too old, or databases may not be made.
    """
    database = checked_database(database_at(url)[0])
    try:
        yield database
    finally:
        for name in tuple(database.created):
            drop_database(database, name)


def keep_database(database: Database, name: str) -> None:
    """Leave the database `name` behind when the work on the server ends."""
    database.created.remove(name)


def database_at(url: str) -> tuple[Database, str]:
    """Return the server a URL names, not yet reached, and the database's name; the name may be missing (postgres)."""
    try:
        parts = urlsplit(url)
        port = parts.port or 5432
    except ValueError as error:
        raise InputError("the port of the database URL is not a number", todo=f"Write {_SHAPE}") from error
    if parts.scheme not in {"postgresql", "postgres"} or not parts.hostname or not parts.username or parts.query:
        raise InputError("this is not a database URL", todo=f"Write {_SHAPE}")
    name = unquote(parts.path.removeprefix("/")) or "postgres"
    return Database(
        host=parts.hostname,
        port=port,
        user=unquote(parts.username),
        password=unquote(parts.password or ""),
        maintenance=name,
    ), name


def require_apart(urls: Mapping[str, str]) -> None:
    """Raise InputError when two databases (name: URL) are one: what is done to the first is done to the second."""
    places: dict[tuple[str, int, str], str] = {}
    for name, url in urls.items():
        server, database = database_at(url)
        host = LOOPBACK if server.host in _LOOPBACKS else server.host
        other = places.setdefault((host, server.port, database), name)
        if other != name:
            raise InputError(
                f"the databases '{other}' and '{name}' have one address, {server.address}/{database}",
                todo="Give each of them one of its own",
            )


def checked_database(database: Database) -> Database:
    """Reach the server, and return it with its version if the lab can work on it."""
    with open_connection(database, database.maintenance) as connection:
        version = connection.info.server_version
        row = connection.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
    if version < MIN_VERSION:
        raise HostError(
            f"this is PostgreSQL {version // 10000}, and 14 or later is needed",
            where=database.address,
            todo="Update it, or leave out --database to use Middlemark's own",
        )
    if row is None or not row[0]:
        raise HostError(
            f"the user {database.user} may not make databases",
            where=database.address,
            todo=f'Let an administrator run: ALTER ROLE "{database.user}" CREATEDB',
        )
    return replace(database, version=version)
