"""The user's own PostgreSQL, reached by a URL: checked first, left as it was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from middlemark.databases.database import (
    DEFAULT_PORT,
    Connection,
    Database,
    drop_database,
    open_connection,
    rename_database,
)
from middlemark.databases.database_url import parameters_of
from middlemark.errors import HostError, InputError
from middlemark.processes.ports import LOOPBACK

MIN_VERSION = 140000
_LOOPBACKS = {LOOPBACK, "localhost", "::1"}
_FOUND_OUT = {"hostaddr", "sslcertmode"}  # also by the library, where neither the user nor a service has them
_FOUND_BY = ("service", "servicefile", "passfile", "load_balance_hosts", "target_session_attrs")


@contextmanager
def user_database(url: str) -> Iterator[Database]:
    """Work on the user's PostgreSQL; on leaving, the databases made here and not kept are dropped.

    Raises:
        InputError: this is not a database URL.
        HostError: nothing answers, the login is refused, the version is too old, or databases may not be made.
    """
    database = checked_database(database_at(url))
    try:
        yield database
    finally:
        try:
            _drop_created(database)
        except KeyboardInterrupt:
            _drop_created(database)  # the first one may come when the work is done and only this is left
            raise


def _drop_created(database: Database) -> None:
    for name in tuple(database.created):
        drop_database(database, name)


def keep_database(database: Database, name: str, kept: str) -> None:
    """Leave the database `name` behind, by the name `kept`, when the work on the server ends."""
    rename_database(database, name, kept)


def database_at(url: str) -> Database:
    """Return the server of a URL, not yet reached. `maintenance` is the database in the URL, postgres without one.

    Raises InputError for what is not a database URL.
    """
    parameters = parameters_of(url)
    # What a service has is not known before libpq has read it.
    otherwise = "" if "service" in parameters else "postgres"
    host, port, user, password = (parameters.pop(name, "") for name in ("host", "port", "user", "password"))
    name = parameters.pop("dbname", otherwise)
    return Database(host, port, user, password, maintenance=name, parameters=parameters)


def require_apart(urls: Mapping[str, str]) -> None:
    """Raise InputError when two databases (name: URL) are one: what is done to the first is done to the second."""
    places: dict[tuple[str, ...], str] = {}
    for name, url in urls.items():
        server = database_at(url)
        host = LOOPBACK if server.host in _LOOPBACKS else server.host
        place = (host, server.port or DEFAULT_PORT, server.maintenance, server.parameters.get("service", ""))
        other = places.setdefault(place, name)
        if other != name:
            raise InputError(
                f"the databases '{other}' and '{name}' have one address, {server.address}/{server.maintenance}",
                todo="Give each of them one of its own",
            )


def checked_database(database: Database) -> Database:
    """Reach the server, and return it as it was reached, with its version, if the lab can work on it.

    Of several hosts it is the one that answered, and what a service, the environment and files of libpq's had is in it:
    everything else works on the same server, whatever client it has.
    """
    with open_connection(database, database.maintenance) as connection:
        row = connection.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
        reached = _as_reached(database, connection)
    if reached.version < MIN_VERSION:
        raise HostError(
            f"this is PostgreSQL {reached.version // 10000}, and 14 or later is needed",
            where=reached.address,
            todo="Update it, or leave out --database to use Middlemark's own",
        )
    if row is None or not row[0]:
        raise HostError(
            f"the user {reached.user} may not make databases",
            where=reached.address,
            todo=f'Let an administrator run: ALTER ROLE "{reached.user}" CREATEDB',
        )
    return reached


def _as_reached(database: Database, connection: Connection) -> Database:
    info, given = connection.info, database.parameters
    parameters = {**given, **info.get_parameters()}
    if "hostaddr" in given:
        parameters["hostaddr"] = info.hostaddr
    for name in ("host", "port", "user", "dbname", *_FOUND_BY, *(_FOUND_OUT - given.keys())):
        parameters.pop(name, None)
    return replace(
        database,
        host=info.host,
        port=str(info.port),
        user=info.user,
        password=info.password,
        version=info.server_version,
        maintenance=info.dbname,
        parameters=parameters,
    )
