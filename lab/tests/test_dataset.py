"""A data set is the same every time, a copy of it is exact, and a changed value shows."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from middlemark.databases.database import Database, create_database, drop_database
from middlemark.errors import InputError
from middlemark.load.fingerprint import fingerprint, row_counts
from middlemark.load.loading import Progress, load_dataset, reset_database
from middlemark.specification.dataset import Dataset, read_dataset
from middlemark.specification.specification import read_specification

BROKERAGE = Path(__file__).parents[2] / "specs" / "brokerage"


def dataset_at(scale: str) -> Dataset:
    return read_specification(BROKERAGE).datasets(scale)["brokerage"]


def _fingerprint(database: Database, name: str) -> str:
    with database.connected(name) as connection:
        return fingerprint(connection)


def _execute(database: Database, name: str, statement: str) -> None:
    with database.connected(name) as connection:
        connection.execute(statement.encode())


def test_a_scale_loaded_twice_has_the_same_fingerprint(database_cluster: Database, tiny_template: str) -> None:
    load_dataset(database_cluster, dataset_at("tiny"), "middlemark_again")

    assert _fingerprint(database_cluster, "middlemark_again") == _fingerprint(database_cluster, tiny_template)


def test_every_row_of_the_scale_is_there(database_cluster: Database, tiny_template: str) -> None:
    with database_cluster.connected(tiny_template) as connection:
        counts = row_counts(connection)

    assert counts == {
        "accounts": 50,
        "holdings": 250,
        "order_messages": 0,
        "orders": 250,
        "profiles": 50,
        "quotes": 100,
    }


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE accounts SET balance = balance + 0.01 WHERE account_id = 7",
        "UPDATE holdings SET purchase_time = purchase_time + interval '1 microsecond' WHERE holding_id = 7",
        "UPDATE profiles SET email = upper(email) WHERE user_id = 'uid:7'",
        "UPDATE orders SET seen = false WHERE order_id = 7",
        "UPDATE holdings SET account_id = CASE holding_id WHEN 1 THEN 2 ELSE 1 END WHERE holding_id IN (1, 6)",
        "DELETE FROM holdings WHERE holding_id = 7",
        "INSERT INTO profiles SELECT user_id || 'x', password, full_name, address, email, credit_card FROM profiles",
        "SELECT nextval('orders_order_id_seq')",
        "ALTER TABLE quotes ADD COLUMN note text",
        "CREATE TABLE queue (message text)",
    ],
)
def test_a_change_gives_another_fingerprint_and_a_reset_restores_it(
    database_cluster: Database, tiny_template: str, change: str
) -> None:
    name = "middlemark_changed"
    original = _fingerprint(database_cluster, tiny_template)
    reset_database(database_cluster, tiny_template, name)
    assert _fingerprint(database_cluster, name) == original

    _execute(database_cluster, name, change)
    assert _fingerprint(database_cluster, name) != original

    reset_database(database_cluster, tiny_template, name)
    assert _fingerprint(database_cluster, name) == original


def test_rows_in_another_order_have_the_same_fingerprint(database_cluster: Database, tiny_template: str) -> None:
    reset_database(database_cluster, tiny_template, "middlemark_order")

    _execute(
        database_cluster,
        "middlemark_order",
        "CREATE TEMP TABLE moved AS SELECT * FROM holdings ORDER BY holding_id DESC;"
        " TRUNCATE holdings; INSERT INTO holdings SELECT * FROM moved",
    )

    assert _fingerprint(database_cluster, "middlemark_order") == _fingerprint(database_cluster, tiny_template)


def test_a_reset_throws_out_sessions_and_prepared_transactions(database_cluster: Database, tiny_template: str) -> None:
    name = "middlemark_busy"
    reset_database(database_cluster, tiny_template, name)
    with psycopg.connect(database_cluster.url(name)) as idle:
        idle.execute("UPDATE accounts SET balance = 0 WHERE account_id = 1")
        with psycopg.connect(database_cluster.url(name)) as prepared:
            prepared.execute("UPDATE accounts SET balance = 0 WHERE account_id = 2")
            prepared.execute("PREPARE TRANSACTION 'left by a crash'")

        reset_database(database_cluster, tiny_template, name)

        with pytest.raises(psycopg.OperationalError):
            idle.execute("SELECT 1")
    assert _fingerprint(database_cluster, name) == _fingerprint(database_cluster, tiny_template)


@pytest.mark.full  # 0.2 s by itself, but other tests may keep both processors and the disk busy
def test_a_reset_of_a_small_scale_takes_well_under_a_second(database_cluster: Database, tiny_template: str) -> None:
    reset_database(database_cluster, tiny_template, "middlemark_fast")
    times = []
    for _ in range(5):
        began = time.monotonic()
        reset_database(database_cluster, tiny_template, "middlemark_fast")
        times.append(time.monotonic() - began)

    assert min(times) < 1


def test_a_reset_leaves_nothing_to_write_for_the_next_checkpoint(
    database_cluster: Database, tiny_template: str
) -> None:
    reset_database(database_cluster, tiny_template, "middlemark_clean")

    with database_cluster.admin() as admin:
        row = admin.execute(
            "SELECT pg_current_wal_insert_lsn() - redo_lsn < 65536 FROM pg_control_checkpoint()"
        ).fetchone()
    assert row == (True,)


def test_progress_runs_from_nothing_to_all(database_cluster: Database) -> None:
    reported: list[Progress] = []

    rows = load_dataset(database_cluster, dataset_at("tiny"), "middlemark_progress", reported.append)

    assert rows == reported[-1].rows == 700
    assert (reported[0].done, reported[-1].done) == (0, reported[-1].total)
    assert [step.done for step in reported] == sorted(step.done for step in reported)
    assert {"quotes", "orders", "keys and indexes"} <= {step.step for step in reported}


def test_slices_cover_every_number_once() -> None:
    dataset = dataset_at("demo")

    sizes: dict[str, int] = {}
    for part in dataset.slices():
        sizes[part.table] = sizes.get(part.table, 0) + part.size

    assert sizes == {"quotes": 1000, "profiles": 5000, "accounts": 5000, "orders": 5000, "holdings": 5000}
    assert "{" not in "".join(part.sql for part in dataset.slices())


def test_an_unknown_scale_is_named_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"spec\.toml: brokerage has no scale 'huge'\. Known here: demo, full, tiny"):
        dataset_at("huge")


def _dataset_of(folder: Path, generate: str) -> Dataset:
    (folder / "schema.sql").write_text("CREATE TABLE t (n bigint)", encoding="utf-8")
    (folder / "keys.sql").write_text("ALTER TABLE t ADD PRIMARY KEY (n)", encoding="utf-8")
    (folder / "dataset.toml").write_text(f"version = 1\n[[generate]]\n{generate}\n", encoding="utf-8")
    return read_dataset("small", folder, "tiny", {"rows": 3})


def test_a_number_the_scale_does_not_have_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"dataset\.toml.*table t: scale tiny has no 'row'\. The scales are in spec\.toml"
    ):
        _dataset_of(tmp_path, "table = 't'\nover = 'rows'\nsql = 'SELECT {row}'")
    with pytest.raises(InputError, match=r"dataset\.toml: scale tiny has no number 'lines' for table t"):
        _dataset_of(tmp_path, "table = 't'\nover = 'lines'\nsql = 'SELECT 1'")


def test_sql_that_postgresql_refuses_is_named_with_its_file(tmp_path: Path, database_cluster: Database) -> None:
    dataset = _dataset_of(tmp_path, "table = 't'\nover = 'rows'\nsql = 'INSERT INTO u SELECT 1'")

    with pytest.raises(InputError, match=r"dataset\.toml, table t: .*relation \"u\" does not exist"):
        load_dataset(database_cluster, dataset, "middlemark_wrong")


def test_a_database_of_somebody_else_is_never_replaced(database_cluster: Database) -> None:
    with database_cluster.admin() as admin:
        admin.execute("CREATE DATABASE precious")

    with pytest.raises(Exception, match="precious exists and was not made by Middlemark"):
        load_dataset(database_cluster, dataset_at("tiny"), "precious")

    create_database(database_cluster, "middlemark_beside")
    with database_cluster.admin() as admin:
        assert admin.execute("SELECT 1 FROM pg_database WHERE datname = 'precious'").fetchone() == (1,)


LOADING = """
import sys
from pathlib import Path
from middlemark.databases.users_own import checked_database, database_at
from middlemark.load.loading import load_dataset
from middlemark.specification.dataset import Dataset
slow = Dataset("shop", Path(), "any", {}, "SELECT pg_sleep(3600)", "", ())
load_dataset(checked_database(database_at(sys.argv[1])), slow, sys.argv[2])
"""


def test_the_server_ends_what_a_killed_lab_has_begun_to_load(database_cluster: Database) -> None:
    name = "middlemark_killed"
    lab = subprocess.Popen([sys.executable, "-c", LOADING, database_cluster.url("postgres"), name])
    working = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND query LIKE 'SELECT pg_sleep%%'"
    with database_cluster.admin() as admin:
        for sessions in (1, 0):
            deadline = time.monotonic() + 60
            while admin.execute(working, [name]).fetchone() != (sessions,):
                assert time.monotonic() < deadline, f"expected {sessions} sessions"
                time.sleep(0.05)
            lab.kill()
            lab.wait()
    drop_database(database_cluster, name)
