"""What clients of a database see of the faults that are injected into its server."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from middlemark.databases.database import Connection, Database
from middlemark.databases.postgresql import embedded_postgresql
from middlemark.experiment.fault_targets import FaultTarget, target_of
from middlemark.experiment.faults_definition import fault_kind
from middlemark.load.stores import Store
from middlemark.records.placement import DATABASE

ADMIN_SHUTDOWN = "57P01"
KILL = os.kill


@pytest.fixture(scope="module")
def server() -> Iterator[Database]:
    with embedded_postgresql() as database:
        yield database


@pytest.fixture
def clients(server: Database) -> Iterator[list[Connection]]:
    """Connections of an application, many enough for those that would have time for a last word."""
    with ExitStack() as stack:
        made = [psycopg.connect(server.url("postgres"), autocommit=True) for _ in range(20)]
        for one in made:
            stack.callback(one.close)
        yield made


def target(server: Database, kind: str) -> FaultTarget:
    store = Store(name="orders", tier=DATABASE, server=server, template="", database="postgres")
    context = SimpleNamespace(servers={DATABASE: server}, watchdog=None)
    subject: Any = SimpleNamespace(context=context, stores={"orders": store})
    return target_of(fault_kind(kind), subject, random.Random(1))  # noqa: S311 (no secret)


def last_words(clients: list[Connection]) -> set[str | None]:
    """The SQLSTATE of each connection's end; None: it broke without a word."""
    words: set[str | None] = set()
    for one in clients:
        with pytest.raises(psycopg.OperationalError) as ended:
            one.execute("SELECT 1")
        words.add(ended.value.sqlstate)
    return words


def slow_kill(pid: int, what: int) -> None:
    """Send a signal as on a machine so busy that the next one is late."""
    KILL(pid, what)
    time.sleep(0.02)


def test_a_server_that_is_killed_tells_no_client(
    server: Database, clients: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as busy:
        busy.setattr(os, "kill", slow_kill)
        target(server, "kill-database").inject()

    assert last_words(clients) == {None}
    assert server.server
    server.server.restart()


def test_a_server_that_cuts_connections_tells_every_client_and_takes_new_ones(
    server: Database, clients: list[Connection]
) -> None:
    cut = target(server, "cut-database")
    cut.inject()
    cut.bring_back()

    assert last_words(clients) == {ADMIN_SHUTDOWN}
    with server.admin() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
