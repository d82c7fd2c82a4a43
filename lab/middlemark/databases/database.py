"""A PostgreSQL server the lab works on: where it is, and making and dropping databases in it.

Each database made here carries a comment; a database without it was not made here and is never dropped. It is made
under a temporary name, and gets its own once it carries the comment. What an interrupted lab leaves behind is therefore
recognised, and dropped by the next one.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import LiteralString, Protocol

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

from middlemark.databases.database_url import for_every_client, is_socket, url_of
from middlemark.errors import HostError, InputError
from middlemark.saving import ANOTHER_TMPDIR, no_space
from middlemark.wording import first_line

Connection = psycopg.Connection[TupleRow]

PREFIX = "middlemark_"
UNFINISHED = f"{PREFIX}new_"
MARK = "Made by Middlemark; may be dropped"
COPIES = "middlemark_loaded"
"""The schema that holds copies of loaded tables while `verify` works in a database; applications never see it."""
_CONNECT_SECONDS = 10
DEFAULT_PORT = "5432"
_MAX_NAME_BYTES = 63
# Else the user's PGSSLMODE, PGHOSTADDR and so on, made for another server, would be in effect.
_EMBEDDED = {
    **dict.fromkeys(("sslmode", "gssencmode", "channel_binding"), "disable"),
    "hostaddr": "",
    "options": "",
    "require_auth": "scram-sha-256",
    "target_session_attrs": "any",
}


_END_THE_OTHERS = """
SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> 'middlemark'
"""
_STILL_THERE = "SELECT 1 FROM pg_stat_activity WHERE pid = ANY (%s) LIMIT 1"
_ENDING_SECONDS = 10.0

_UNREACHABLE = ("onnection refused", "timeout", "could not translate", "resolve", "No such file or directory\n")
_OF_PARAMETERS = ("SSL", "certificate", "invalid", "service", "session is", "server is")


class CopyStrategy(StrEnum):
    """How CREATE DATABASE copies its template (PostgreSQL 15 or later; 14 always copies files)."""

    FILES = "FILE_COPY"
    LOG = "WAL_LOG"


class DatabaseServer(Protocol):
    """What the lab can do with a server that it has started itself."""

    @property
    def pid(self) -> int:
        """Return the process id of the postmaster, which is also its process group and session."""
        ...

    @property
    def folder(self) -> Path:
        """Return the private folder that holds the cluster."""
        ...

    def pids(self) -> tuple[int, ...]:
        """Return the postmaster and its backends; a backend is in a session of its own."""
        ...

    def alive(self) -> bool:
        """Return whether the postmaster runs."""
        ...

    def lacked_space(self) -> bool:
        """Return whether its disk has been full since it was started: it ends itself when its log finds no room."""
        ...

    def restart(self) -> None:
        """Stop the server if it still runs and start it on the same folder and port."""
        ...


@dataclass(frozen=True)
class Database:
    """A PostgreSQL server. `version` is as in 180004; `server` is None when it is the user's own.

    `port` is libpq's, so it may be several, and empty for the default; once the server was reached, it is its number.
    `parameters` are the further ones of libpq. `created`: the names of the databases made here and not yet dropped.
    """

    host: str
    port: str
    user: str
    password: str = field(repr=False)
    version: int = 0
    maintenance: str = "postgres"
    server: DatabaseServer | None = None
    created: list[str] = field(default_factory=list, compare=False)
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)

    def conninfo(self, name: str) -> dict[str, str]:
        """Return the parameters of a connection to the database `name`; what is empty is libpq's default."""
        place = {"host": self.host, "port": self.port, "user": self.user, "password": self.password, "dbname": name}
        return {**self.parameters, **{one: value for one, value in place.items() if value}}

    def url(self, name: str) -> str:
        """Return the address of the database `name` as applications take it."""
        return url_of(for_every_client(self.conninfo(name)))

    @property
    def address(self) -> str:
        """Return host:port, for messages."""
        return f"{self.host or 'this machine'}:{self.port or DEFAULT_PORT}"

    @property
    def tcp_port(self) -> int | None:
        """Return the port of a server that was reached; None over a socket."""
        return None if is_socket(self.host) else int(self.port)

    @contextmanager
    def connected(self, name: str) -> Iterator[Connection]:
        """Hold a connection to the database `name` which commits each statement by itself.

        Raises HostError when the server refuses it, ends it, or has no space or memory left.
        """
        connection = open_connection(self, name)
        try:
            with connection:
                yield connection
        except psycopg.OperationalError as error:
            if _is_lost(error) and not connection.broken:
                raise  # a connection around this one was lost: where that is held, its database is named
            raise _failure(self, f"PostgreSQL ended the connection to the database {name}", error) from error

    @contextmanager
    def admin(self) -> Iterator[Connection]:
        """Hold a connection to the maintenance database, for making and dropping others."""
        with self.connected(self.maintenance) as connection:
            yield connection


def open_connection(database: Database, name: str) -> Connection:
    """Connect to the database `name` with autocommit; HostError says why that is not possible, never the password."""
    try:
        return psycopg.connect(
            make_conninfo(
                "",
                **{"connect_timeout": str(_CONNECT_SECONDS)}
                | database.conninfo(name)
                | ({} if database.server is None else _EMBEDDED)
                | {"application_name": "middlemark"},
            ),
            autocommit=True,
        )
    except psycopg.OperationalError as error:
        raise _refusal(database, name, error) from error


def exists(database: Database, name: str) -> bool:
    """Return whether there is a database `name`."""
    with database.admin() as admin:
        return admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is not None


def create_database(
    database: Database, name: str, template: str = "template0", strategy: CopyStrategy = CopyStrategy.FILES
) -> None:
    """Make the database `name`: UTF-8, collation C, time zone UTC; its template's content.

    Raises InputError for a name that is too long, HostError when it exists and was not made here, or cannot be made.
    """
    _require_name(name)
    words: list[sql.Composable] = [sql.SQL("")]
    if template == "template0":
        words.append(sql.SQL("ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"))
        if database.version >= 150000:  # else a server whose default is ICU would collate by ICU
            words.append(sql.SQL("LOCALE_PROVIDER libc"))
    if database.version >= 150000:
        words.append(sql.SQL("STRATEGY {}").format(sql.SQL(strategy.value)))
    unfinished = f"{UNFINISHED}{secrets.token_hex(8)}"
    made = sql.Identifier(unfinished)
    steps = (
        sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(made, sql.Identifier(template)) + sql.SQL(" ").join(words),
        sql.SQL("COMMENT ON DATABASE {} IS {}").format(made, MARK),
        sql.SQL("ALTER DATABASE {} SET timezone TO 'UTC'").format(made),
        sql.SQL("ALTER DATABASE {} RENAME TO {}").format(made, sql.Identifier(name)),
    )
    try:
        with database.admin() as admin:
            _drop_unfinished(admin)
            # Held until the database is complete: whoever gets this lock knows that nobody works on it any more.
            admin.execute("SELECT pg_advisory_lock(hashtext(%s))", [unfinished])
            database.created.append(name)  # before it is: an interruption may come when it just is
            for step in steps:
                admin.execute(step)
    except BaseException as error:
        with suppress(HostError, psycopg.Error), database.admin() as admin:
            _drop_unfinished(admin)
        if isinstance(error, Exception):
            _forget(database, name)
        if isinstance(error, psycopg.errors.DuplicateDatabase):
            raise _foreign(database, name) from error
        if isinstance(error, psycopg.Error):
            raise _failure(database, f"cannot make the database {name}", error) from error
        raise


def _drop_unfinished(admin: Connection) -> None:
    """Drop the databases that nobody finishes any more."""
    for name in unfinished_databases(admin):
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
        admin.execute("SELECT pg_advisory_unlock(hashtext(%s))", [name])


def unfinished_databases(admin: Connection) -> list[str]:
    """Return the names of the user's databases that nobody finishes any more: their maker was killed, or has failed.

    The connection holds the lock of each.
    """
    found = admin.execute(
        "SELECT datname FROM pg_database WHERE starts_with(datname, %s) AND pg_has_role(datdba, 'USAGE')", [UNFINISHED]
    ).fetchall()
    names = [str(name) for (name,) in found]
    lock = "SELECT pg_try_advisory_lock(hashtext(%s))"
    return [name for name in names if admin.execute(lock, [name]).fetchone() == (True,)]


def drop_database(database: Database, name: str) -> None:
    """Drop the database `name` if there is one: ends its sessions and rolls back its prepared transactions.

    Raises HostError when it was not made by Middlemark, InputError for a name that is too long.
    """
    _require_name(name)
    with database.admin() as admin:
        found = admin.execute(
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s", [name]
        ).fetchone()
        if found is None:
            _forget(database, name)
            return
        if found[0] != MARK and not name.startswith(UNFINISHED):
            raise _foreign(database, name)
        _roll_back_prepared(database, name)
        try:
            _drop(admin, name)
        except psycopg.Error as error:
            raise _failure(database, f"cannot drop the database {name}", error) from error
    _forget(database, name)


def rename_database(database: Database, name: str, new: str) -> None:
    """Call the database `name`, which nobody uses, `new`; HostError when that is not possible."""
    _require_name(new)
    rename = sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(new))
    try:
        with database.admin() as admin:
            admin.execute(rename)
    except psycopg.Error as error:
        raise _failure(database, f"cannot call the database {name} {new}", error) from error
    _forget(database, name)


def _require_name(name: str) -> None:
    """Refuse a name that PostgreSQL would cut off without an error: two databases would become one."""
    length = len(name.encode())
    if length > _MAX_NAME_BYTES:
        raise InputError(
            f"the database name {name} has {length} bytes, and PostgreSQL takes {_MAX_NAME_BYTES}",
            todo="Shorten the names of the database and the scale in spec.toml",
        )


def _drop(admin: Connection, name: str) -> None:
    """Drop a database with sessions. FORCE stops at an autovacuum worker, which is the superuser's: DROP ends it."""
    drop = sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name))
    try:
        admin.execute(drop + sql.SQL(" WITH (FORCE)"))
    except psycopg.errors.InsufficientPrivilege:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND usename = current_user",
            [name],
        )
        admin.execute(drop)


def _roll_back_prepared(database: Database, name: str) -> None:
    """Prepared transactions outlive their sessions and keep a database from being dropped."""
    with database.admin() as admin:
        rows = admin.execute("SELECT gid FROM pg_prepared_xacts WHERE database = %s", [name]).fetchall()
    if not rows:
        return
    with database.connected(name) as connection:
        for (gid,) in rows:
            connection.execute(sql.SQL("ROLLBACK PREPARED {}").format(gid))


def checkpoint(database: Database) -> bool:
    """Write everything to disk now rather than inside a measured window; False when the user may not."""
    with database.admin() as admin:
        try:
            admin.execute("CHECKPOINT")
        except psycopg.errors.InsufficientPrivilege:
            return False
    return True


def end_other_connections(connection: Connection) -> int:
    """End every connection of others to this database, see them gone, and return how many there were."""
    ended = [pid for pid, _ in connection.execute(_END_THE_OTHERS).fetchall()]
    deadline = time.monotonic() + _ENDING_SECONDS
    # That only sends a signal: on a busy machine a connection may still answer before it ends.
    while connection.execute(_STILL_THERE, [ended]).fetchone() and time.monotonic() < deadline:
        time.sleep(0.005)  # nothing tells when they have ended
    return len(ended)


def setting(connection: Connection, name: LiteralString) -> str:
    """Return the server setting `name` in effect."""
    row = connection.execute(sql.SQL("SHOW {}").format(sql.SQL(name))).fetchone()
    return "" if row is None else str(row[0])


def _forget(database: Database, name: str) -> None:
    if name in database.created:
        database.created.remove(name)


def _foreign(database: Database, name: str) -> HostError:
    return HostError(
        f"the database {name} exists and was not made by Middlemark", where=database.address, todo="Rename or drop it"
    )


def _failure(database: Database, what: str, error: psycopg.Error) -> HostError:
    if database.server is not None and (isinstance(error, psycopg.errors.DiskFull) or database.server.lacked_space()):
        return no_space(database.server.folder, ANOTHER_TMPDIR)
    return HostError(f"{what} ({first_line(error).rstrip('.')})", where=database.address)


def _is_lost(error: psycopg.OperationalError) -> bool:
    """Say whether a connection has ended; libpq gives no code when the server is simply gone."""
    return error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))


def _refusal(database: Database, name: str, error: psycopg.OperationalError) -> HostError:
    """Translate a failed connection. libpq gives no code for these, so its text decides."""
    text, reason = str(error), first_line(error).rstrip(".")
    where = database.address
    if "password" in text and ("authentication failed" in text or "no password supplied" in text):
        todo = "Check user and password of the URL"
        return HostError(f"PostgreSQL refuses the user {database.user} (wrong password)", where=where, todo=todo)
    if "does not exist" in text and "database" in text:
        todo = "Check the name at the end of the URL"
        return HostError(f"the database {name} does not exist", where=where, todo=todo)
    if any(word in text for word in _UNREACHABLE):
        todo = "Start PostgreSQL or check host and port of the URL"
        return HostError(f"no PostgreSQL answers ({reason})", where=where, todo=todo)
    if any(word in text for word in _OF_PARAMETERS):
        todo = "Check the parameters of the URL, such as sslmode, sslrootcert and service"
        return HostError(f"no connection as the URL wants it ({reason})", where=where, todo=todo)
    return HostError(f"PostgreSQL refuses the connection ({reason})", where=where)
