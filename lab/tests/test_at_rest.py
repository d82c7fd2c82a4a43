"""What callers who have gone had asked for is done before a database is reset."""

from __future__ import annotations

import threading
import time

import psycopg

from middlemark.databases.at_rest import wait_until_at_rest
from middlemark.databases.database import Database
from middlemark.load.loading import reset_database

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
            pass
        assert wait_until_at_rest(database_cluster, name, SECONDS)
        rested = time.monotonic()
        working.join()
        assert ended[0] < rested + 0.1  # the caller reads the answer a moment after its statement has ended
        # Idle, but in the middle of a transaction: the next statement may come.
        with caller.transaction():
            caller.execute("SELECT 1")
            assert not wait_until_at_rest(database_cluster, name, 0.3)
        assert wait_until_at_rest(database_cluster, name, SECONDS)


def _works(cluster: Database, name: str) -> bool:
    with cluster.admin() as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND state = 'active'", (name,)
        ).fetchone()
    return row == (1,)
