"""A PostgreSQL of the user's: refused in one clear message, used without touching anything else, left as it was."""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

from middlemark.databases import users_own as postgresql_own
from middlemark.databases.database import (
    UNFINISHED,
    Connection,
    Database,
    create_database,
    drop_database,
    exists,
    setting,
)
from middlemark.databases.users_own import database_at, keep_database, user_database
from middlemark.errors import HostError, InputError

PASSWORD = "p@ss:w/ord"  # noqa: S105 (made for this test)


@pytest.fixture
def own(database_cluster: Database) -> Iterator[Database]:
    """Give the cluster as an ordinary user of it sees it, who may make databases."""
    with database_cluster.admin() as admin:
        admin.execute(f"CREATE ROLE ordinary LOGIN CREATEDB PASSWORD '{PASSWORD}'".encode())
    own = replace(database_cluster, user="ordinary", password=PASSWORD, server=None, created=[])
    yield own
    with database_cluster.admin() as admin:
        for (name,) in admin.execute("SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = 'ordinary'"):
            drop_database(replace(database_cluster, created=[name]), name)  # Of a test that failed.
        admin.execute("DROP ROLE ordinary")


def _message(url: str, error: type[Exception] = HostError) -> str:
    with pytest.raises(error) as caught, user_database(url):
        pass
    message = str(caught.value)
    assert "\n" not in message
    assert PASSWORD not in message
    assert quote(PASSWORD, safe="") not in message
    return message


def test_a_server_that_ends_the_connection_is_one_line(own: Database) -> None:
    with pytest.raises(HostError, match="PostgreSQL ended the connection to the database postgres") as caught:
        _lose_a_connection(own)
    assert "\n" not in str(caught.value)
    assert own.address in str(caught.value)


@pytest.mark.parametrize("name", ["postgres", "template1"])
def test_of_several_databases_the_one_is_named_whose_connection_ended(own: Database, name: str) -> None:
    with pytest.raises(HostError, match=f"ended the connection to the database {name} "):
        _lose_a_connection(own, name)


def _lose_a_connection(database: Database, name: str = "postgres") -> None:
    with ExitStack() as stack:
        held = {one: stack.enter_context(database.connected(one)) for one in ("postgres", "template1")}
        with database.admin() as admin:
            admin.execute("SELECT pg_terminate_backend(%s)", [held[name].info.backend_pid])
        held[name].execute("SELECT 1")


def test_databases_made_there_are_dropped_and_others_stay(own: Database) -> None:
    with user_database(own.url("postgres")) as database:
        create_database(database, "middlemark_made")
        create_database(database, "middlemark_complete")
        keep_database(database, "middlemark_complete", "middlemark_kept")
        with database.connected("middlemark_made") as connection:
            assert setting(connection, "server_encoding") == "UTF8"
            assert setting(connection, "timezone") == "UTC"

    assert _made_here(own) == ["middlemark_kept"]
    drop_database(own, "middlemark_kept")


def test_databases_made_there_are_dropped_after_a_failure(own: Database) -> None:
    with pytest.raises(KeyboardInterrupt), user_database(own.url("postgres")) as database:  # noqa: PT012 (the raise is the point)
        create_database(database, "middlemark_made")
        raise KeyboardInterrupt

    assert not exists(own, "middlemark_made")


def test_a_database_made_by_an_earlier_run_may_be_replaced(own: Database) -> None:
    create_database(own, "middlemark_earlier")

    with user_database(own.url("postgres")) as database:
        assert database.created == []
        drop_database(database, "middlemark_earlier")

    assert not exists(own, "middlemark_earlier")


@pytest.fixture
def eager_autovacuum(database_cluster: Database) -> Iterator[None]:
    """Let workers come within a second and stay for long."""
    changed = {"autovacuum_naptime": "1s", "autovacuum_vacuum_cost_delay": "100ms", "autovacuum_vacuum_cost_limit": "1"}
    with database_cluster.admin() as admin:
        for name, value in changed.items():
            admin.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
        admin.execute("SELECT pg_reload_conf()")
        yield
        for name in changed:
            admin.execute(f"ALTER SYSTEM RESET {name}".encode())
        admin.execute("SELECT pg_reload_conf()")


@pytest.mark.usefixtures("eager_autovacuum")
def test_a_database_with_sessions_is_dropped_by_its_owner_while_the_server_vacuums_it(
    own: Database, database_cluster: Database
) -> None:
    create_database(own, "middlemark_vacuumed")
    with own.connected("middlemark_vacuumed") as session, database_cluster.admin() as admin:
        session.execute("CREATE TABLE rows AS SELECT generate_series(1, 100000) AS row")
        session.execute("DELETE FROM rows")
        workers = (
            "SELECT 1 FROM pg_stat_activity WHERE datname = 'middlemark_vacuumed' AND backend_type LIKE 'autovacuum%'"
        )
        deadline = time.monotonic() + 60
        while not admin.execute(workers).fetchone():
            assert time.monotonic() < deadline, "no autovacuum worker came"
            time.sleep(0.05)

        drop_database(own, "middlemark_vacuumed")

    assert not exists(own, "middlemark_vacuumed")


def test_an_address_nobody_listens_on() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        message = _message(f"postgresql://me:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/postgres")

    assert message.startswith(f"127.0.0.1:{port}: no PostgreSQL answers")
    assert "Start PostgreSQL or check host and port" in message


def test_a_wrong_password(own: Database) -> None:
    message = _message(replace(own, password=PASSWORD + "x").url("postgres"))

    assert message == (
        f"{own.address}: PostgreSQL refuses the user ordinary (wrong password). Check user and password of the URL"
    )


def test_a_missing_password(own: Database) -> None:
    assert "wrong password" in _message(replace(own, password="").url("postgres"))


def test_a_database_that_is_not_there(own: Database) -> None:
    assert _message(own.url("nowhere")).startswith(f"{own.address}: the database nowhere does not exist")


def test_a_user_who_may_not_make_databases(own: Database, database_cluster: Database) -> None:
    with database_cluster.admin() as admin:
        admin.execute("ALTER ROLE ordinary NOCREATEDB")

    message = _message(own.url("postgres"))

    assert message.startswith(f"{own.address}: the user ordinary may not make databases")
    assert 'ALTER ROLE "ordinary" CREATEDB' in message


def test_a_version_that_is_too_old(own: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql_own, "MIN_VERSION", 990000)

    assert _message(own.url("postgres")).startswith(f"{own.address}: this is PostgreSQL 1")


def test_what_is_not_a_database_url() -> None:
    assert "postgresql://user:password@host:port/name" in _message("mysql://me@localhost/x", InputError)


def test_a_url_survives_the_way_there_and_back() -> None:
    url = f"postgresql://m%40e:{quote(PASSWORD, safe='')}@[::1]:5433/my%20base"
    database = database_at(url)

    assert (database.user, database.password, database.host, database.port) == ("m@e", PASSWORD, "::1", "5433")
    assert database.url(database.maintenance) == url


@pytest.mark.parametrize("step", range(-2, 4))
def test_an_interruption_while_a_database_is_made_leaves_nothing(
    own: Database, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each of the statements that look for what others left, hold its name, and make it."""
    execute, number = psycopg.Connection.execute, itertools.count(-2)

    def interrupted(connection: Connection, query: Any, *values: Any) -> object:
        if next(number) == step:
            raise KeyboardInterrupt
        return execute(connection, query, *values)

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(psycopg.Connection, "execute", interrupted)
        create_database(own, "middlemark_stopped")
    assert next(number) > step
    assert _made_here(own) == []
    create_database(replace(own, created=[]), "middlemark_other")
    drop_database(replace(own, created=[]), "middlemark_stopped")
    assert _made_here(own) == ["middlemark_other"]


@pytest.mark.parametrize("statement", ["RENAME TO", "DROP DATABASE"])
def test_an_interruption_while_a_database_is_just_complete_or_is_dropped_at_the_end_leaves_nothing(
    own: Database, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute, interruptions = psycopg.Connection.execute, iter([KeyboardInterrupt])

    def interrupted(connection: Connection, query: Any, *values: Any) -> object:
        result = execute(connection, query, *values)
        if isinstance(query, sql.Composed) and statement in query.as_string(connection):
            for interruption in interruptions:
                raise interruption
        return result

    monkeypatch.setattr(psycopg.Connection, "execute", interrupted)
    with pytest.raises(KeyboardInterrupt), user_database(own.url("postgres")) as database:  # noqa: PT012 (as above)
        create_database(database, "middlemark_first")
        create_database(database, "middlemark_second")
    assert _made_here(own) == []


def test_what_a_killed_lab_leaves_behind_is_dropped_and_what_another_one_makes_is_not(own: Database) -> None:
    with own.admin() as left:
        left.execute(f"CREATE DATABASE {UNFINISHED}left".encode())
    with own.admin() as other:
        other.execute("SELECT pg_advisory_lock(hashtext(%s))", [f"{UNFINISHED}other"])
        other.execute(f"CREATE DATABASE {UNFINISHED}other".encode())
        create_database(own, "middlemark_made")
        assert _made_here(own) == ["middlemark_made", f"{UNFINISHED}other"]


def _made_here(database: Database) -> list[str]:
    with database.admin() as admin:
        found = admin.execute("SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = 'ordinary' ORDER BY 1")
        return [str(name) for (name,) in found]
