"""What callers who have gone had asked for is done before a database is reset."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import psycopg
import pytest
from small_specification import small_subject, stores_at
from synthetic_result import COMBINATIONS

from middlemark.databases.at_rest import wait_until_at_rest
from middlemark.databases.database import Database
from middlemark.experiment import run_context
from middlemark.experiment.run_context import RunningSubject
from middlemark.load.loading import reset_database
from middlemark.topology.target import Target

if TYPE_CHECKING:
    from middlemark.experiment.run_context import RunContext

SECONDS = 30.0


def test_statements_and_open_transactions_are_waited_for(database_cluster: Database, tiny_template: str) -> None:
    name = "middlemark_resting"
    reset_database(database_cluster, tiny_template, name)
    assert wait_until_at_rest(database_cluster, name, SECONDS)
    with psycopg.connect(database_cluster.url(name), autocommit=True) as caller:
        ended: list[float] = []

        def work() -> None:
            caller.execute("SELECT pg_sleep(0.5)")
            ended.append(time.monotonic())

        working = threading.Thread(target=work)
        working.start()
        while not _works(database_cluster, name):
            time.sleep(0.01)  # PostgreSQL tells nobody when a statement begins
        assert wait_until_at_rest(database_cluster, name, SECONDS)
        rested = time.monotonic()
        working.join()
        assert ended[0] < rested + 0.1  # the caller reads the answer a moment after its statement has ended
        # Idle, but in the middle of a transaction: the next statement may come.
        with caller.transaction():
            caller.execute("SELECT 1")
            assert not wait_until_at_rest(database_cluster, name, 0.3)
        assert wait_until_at_rest(database_cluster, name, SECONDS)


def test_a_subject_that_does_not_come_to_rest_is_reported_and_its_database_reset_all_the_same(
    database_cluster: Database, tiny_template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_context, "LIMIT_SECONDS", 0.3)
    stores = stores_at(database_cluster, tiny_template, "middlemark_restless")
    store = stores["brokerage"]
    store.reset()
    reported: list[str] = []
    context = SimpleNamespace(stores_of=lambda _: stores, progress=SimpleNamespace(step=reported.append))
    subject = RunningSubject(cast("RunContext", context), Target((), {}, small_subject()), COMBINATIONS[0])

    subject.reset()
    assert reported == []
    with closing(psycopg.connect(store.url)) as caller:
        caller.execute("CREATE TABLE left_behind ()")
        subject.reset()
    assert len(reported) == 1
    assert "go local still works in its database 0.3 s after its callers left" in reported[0]
    with store.connected() as connection:
        assert connection.execute("SELECT to_regclass('left_behind')").fetchone() == (None,)


def test_a_reset_between_points_ends_no_statement(database_cluster: Database, tiny_template: str) -> None:
    name = "middlemark_reset_at_rest"
    stores = stores_at(database_cluster, tiny_template, name)
    stores["brokerage"].reset()
    context = cast("RunContext", SimpleNamespace(stores_of=lambda _: stores))
    subject = RunningSubject(context, Target((), {}, small_subject()), COMBINATIONS[0])
    with psycopg.connect(database_cluster.url(name), autocommit=True) as caller, ThreadPoolExecutor(1) as callers:
        working = callers.submit(caller.execute, "SELECT pg_sleep(0.5)")
        while not _works(database_cluster, name):
            time.sleep(0.01)  # PostgreSQL tells nobody when a statement begins

        subject.reset()

        # A connection that the reset ends in the middle of a statement raises here.
        working.result()


def _works(cluster: Database, name: str) -> bool:
    with cluster.admin() as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND state = 'active'", (name,)
        ).fetchone()
    return row == (1,)
