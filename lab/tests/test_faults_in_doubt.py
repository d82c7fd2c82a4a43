"""Faults that are injected between prepare and commit: some transactions are in doubt, and what became of each."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from own_checkout import checkout_at
from run_command import finish, found_in

from middlemark.databases.database import Database, create_database, drop_database
from middlemark.experiment.in_doubt import follow, transactions_in_doubt
from middlemark.load.stores import Store
from middlemark.records.findings import Findings
from middlemark.records.point import Outcome
from middlemark.records.run_parts import TransactionOutcome
from middlemark.records.window import Window

EXPERIMENT = """\
spec: supply
scale: tiny
sessions: supply
subjects: [plain]
loads: {users: [8]}
phases: {warm: 500ms, settle: 200ms, measure: 6s}
faults:
"""


@contextmanager
def shop(server: Database) -> Iterator[Store]:
    """An empty database, with none of its transactions left prepared."""
    create_database(server, "in_doubt")
    try:
        yield Store(name="stock", tier="database", server=server, template="", database="in_doubt")
    finally:
        drop_database(server, "in_doubt")


def test_what_became_of_each_transaction_in_doubt_is_the_databases_own_word(database_cluster: Database) -> None:
    with shop(database_cluster) as store, store.connected() as connection:
        connection.execute("CREATE TABLE rows (name text)")
        for gid in ("kept", "dropped", "left"):
            connection.execute("BEGIN")
            connection.execute("INSERT INTO rows VALUES (%s)", [gid])
            connection.execute(f"PREPARE TRANSACTION '{gid}'".encode())
        in_doubt = transactions_in_doubt([(store, connection)], pytest.fail)
        assert [(one.database, one.gid) for one in in_doubt] == [
            ("stock", "kept"),
            ("stock", "dropped"),
            ("stock", "left"),
        ]
        assert all(0.1 <= one.prepared_s < 10 for one in in_doubt)

        connection.execute("COMMIT PREPARED 'kept'")
        connection.execute("ROLLBACK PREPARED 'dropped'")
        kept, dropped, left = follow(in_doubt, {"stock": store}, 0.1, lambda: 12.5)

    assert (kept.outcome, kept.ended_s) == (TransactionOutcome.COMMITTED, 12.5)
    assert (dropped.outcome, dropped.ended_s) == (TransactionOutcome.ROLLED_BACK, 12.5)
    assert (left.outcome, left.ended_s) == (TransactionOutcome.STILL_PREPARED, None)


def test_where_nothing_is_prepared_the_look_ends(database_cluster: Database) -> None:
    with shop(database_cluster) as store, store.connected() as connection:
        assert transactions_in_doubt([(store, connection)], pytest.fail) == ()


def test_a_look_that_waits_for_a_frozen_process_thaws_it_and_has_found_nothing(database_cluster: Database) -> None:
    with shop(database_cluster) as store, store.connected() as connection, store.connected() as frozen:
        connection.execute("BEGIN")
        connection.execute("PREPARE TRANSACTION 'left'")
        frozen.execute("BEGIN")
        frozen.execute("LOCK TABLE pg_catalog.pg_database IN ACCESS EXCLUSIVE MODE")
        thaws: list[str] = []

        def thaw() -> None:
            thaws.append("now")
            frozen.execute("ROLLBACK")
            time.sleep(0.5)  # the look ends before this does

        assert transactions_in_doubt([(store, connection)], thaw, 0.2) == ()
        assert thaws == ["now"]
        connection.execute("ROLLBACK PREPARED 'left'")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the small shop over two databases, whose program finds psycopg where the lab does."""
    home = tmp_path / "checkout"
    checkout_at(home)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    return home


def run(checkout: Path, faults: str) -> tuple[Findings, str]:
    """The findings of a run, and what its log says of starts and points."""
    file, out = checkout / "experiments" / "in-doubt.yaml", checkout.parent / "results"
    file.write_text(EXPERIMENT + faults, encoding="utf-8")
    done = finish(file, out, home=checkout)
    assert out.is_dir(), done.stderr
    (folder,) = out.iterdir()
    return found_in(folder), (folder / "logs" / "run.log").read_text(encoding="utf-8")


def changed(file: Path, text: str, replacement: str) -> None:
    before = file.read_text(encoding="utf-8")
    assert before.count(text) == 1
    file.write_text(before.replace(text, replacement), encoding="utf-8")


def failed(window: Window) -> dict[str, str]:
    return {check.name: check.message for check in window.checks if check.outcome is Outcome.FAILED}


@pytest.mark.long
@pytest.mark.full
def test_each_fault_during_a_freeze_meets_transactions_in_doubt_and_all_of_them_end(checkout: Path) -> None:
    kinds = [
        "kill-desk",
        "kill-database.stock",
        "kill-database.sales",
        "kill-database",
        "freeze-depot",
        "cut-database.stock",
    ]
    found, log = run(checkout, f"  - kinds: [{', '.join(kinds)}]\n    during: [freeze-database.sales]\n")

    faults = [fault for window in found.rounds for fault in window.faults]
    assert [fault.kind for fault in faults] == [f"{kind} during freeze-database.sales" for kind in kinds]
    assert [fault.target for fault in faults] == [
        "plain desk", "database.stock", "database.sales", "PostgreSQL", "plain depot", "database.stock"
    ]  # fmt: skip
    for window in found.rounds:
        assert not failed(window)
        (fault,) = window.faults
        assert fault.in_doubt
        for one in fault.in_doubt:
            assert one.database == "stock"
            assert one.outcome is TransactionOutcome.COMMITTED
            assert one.ended_s is not None
            assert fault.injected_s is not None
            assert one.ended_s > fault.injected_s
    assert log.count("starting plain") == 1
    number = sum(len(fault.in_doubt) for fault in faults)
    assert f"of {number} transactions in doubt none was left prepared; 6 of 6 audits passed." in found.answer
    page = (next((checkout.parent / "results").iterdir()) / "report.html").read_text(encoding="utf-8")
    assert f"{number} committed; longest " in page


@pytest.mark.long
@pytest.mark.full
def test_what_is_never_committed_stays_prepared_its_point_is_invalid_and_the_next_starts_anew(
    checkout: Path,
) -> None:
    supply, program = checkout / "specs" / "supply", checkout / "platforms" / "plain" / "supply" / "supply.py"
    changed(program, """stock.execute(f"COMMIT PREPARED '{name_of(stock, sale)}'")""", "pass")
    changed(supply / "stock" / "audit" / "none-prepared.sql", "20 s", "1 s")
    changed(supply / "sales" / "audit" / "none-pending.sql", "20 s", "1 s")
    changed(supply / "audit" / "across" / "shipped.toml", "20s", "1s")

    found, log = run(checkout, "  - kinds: [kill-desk]\n    during: [freeze-database.sales]\n    points: 2\n")

    for window in found.rounds:
        (fault,) = window.faults
        assert fault.left_prepared, fault
        assert all(one.gid in failed(window)["faults"] for one in fault.left_prepared)
        assert not window.valid
    assert log.count("starting plain") == 2
    assert "transactions in doubt" in found.answer
    assert "were left prepared" in found.answer or "was left prepared" in found.answer


@pytest.mark.long
def test_a_freeze_that_leaves_nothing_in_doubt_injects_nothing_and_the_point_is_invalid(checkout: Path) -> None:
    program = checkout / "platforms" / "plain" / "supply" / "supply.py"
    changed(program, """stock.execute(f"PREPARE TRANSACTION '{name_of(stock, sale)}'")""", 'stock.execute("COMMIT")')

    found, _ = run(checkout, "  - kinds: [kill-depot]\n    during: [freeze-database.stock]\n")

    (window,) = found.rounds
    (fault,) = window.faults
    assert (fault.injected_s, fault.in_doubt) == (None, ())
    assert "no transaction was in doubt during freeze-database.stock" in failed(window)["faults"]
    assert failed(window).keys() == {"faults"}
