"""What each transaction asks of the databases: counted from PostgreSQL's logs, and compared between combinations."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import psycopg
import pytest
from report_html import parsed, words
from synthetic_result import COMBINATIONS, write_synthetic

from middlemark.databases.database import Database, setting
from middlemark.databases.statement_log import LoggedStatement, logging_statements
from middlemark.databases.write_ahead_log import WrittenTransaction, keeping_log
from middlemark.errors import HostError
from middlemark.experiment.work import Execution, executions_by_step, step_work
from middlemark.judge.result import judge_folder
from middlemark.load.loading import reset_database
from middlemark.records.folder import write_json
from middlemark.records.side_files import StepWork, Work, work_file
from middlemark.show.page import report_page
from middlemark.show.terminal import answer_lines
from middlemark.workload.transaction_records import TransactionRecord, read_transaction_records

BUY = StepWork(step="buy-1", transaction="buy", count=4, statements=6, transaction_control=2, rows=4, wal_bytes=1_000)


def test_statements_of_open_sessions_are_logged_and_the_settings_put_back(
    database_cluster: Database, tiny_template: str
) -> None:
    name = "middlemark_statements"
    reset_database(database_cluster, tiny_template, name)
    with psycopg.connect(database_cluster.url(name), autocommit=True) as caller:
        caller.execute("SELECT 'before'")
        with logging_statements(database_cluster) as log:
            caller.execute("SELECT\n\t1")
            caller.execute("SELECT balance FROM accounts WHERE user_id = %s", ["uid:1"], prepare=True)
            with caller.transaction():
                caller.execute("UPDATE accounts SET balance = 0 WHERE user_id = 'uid:1'")
            logged = [one for one in log.statements() if one.database == name]
        caller.execute("SELECT 'afterwards'")
        size = len([one for one in log.statements() if one.database == name])

    assert [one.text for one in logged] == [
        "SELECT 1",
        "SELECT balance FROM accounts WHERE user_id = $1",
        "BEGIN",
        "UPDATE accounts SET balance = 0 WHERE user_id = 'uid:1'",
        "COMMIT",
    ]
    assert sorted(one.time_s for one in logged) == [one.time_s for one in logged]
    assert size == len(logged)
    with database_cluster.admin() as admin:
        assert setting(admin, "log_statement") == "none"
        assert "middlemark" not in setting(admin, "log_line_prefix")


def test_rows_and_bytes_of_committed_transactions_are_read_from_the_write_ahead_log(
    database_cluster: Database, tiny_template: str
) -> None:
    names = ("middlemark_written", "middlemark_written_elsewhere")
    for name in names:
        reset_database(database_cluster, tiny_template, name)
    own, other = (psycopg.connect(database_cluster.url(name), autocommit=True) for name in names)
    with own, other, keeping_log(database_cluster) as log:
        with own.transaction():
            own.execute("UPDATE accounts SET balance = balance + 1 WHERE account_id <= 3")
            own.execute("DELETE FROM order_messages")
            own.execute("INSERT INTO profiles VALUES ('u', 'p', 'n', 'a', 'e', 'c')")
        own.execute("SELECT FROM accounts")
        own.execute("BEGIN; UPDATE accounts SET balance = 0; ROLLBACK")
        own.execute("BEGIN; DELETE FROM profiles WHERE user_id = 'u'; PREPARE TRANSACTION 'middlemark test'")
        own.execute("COMMIT PREPARED 'middlemark test'")
        other.execute("UPDATE accounts SET balance = 0")
        first, second = log.transactions(names[0])

    assert (first.rows, second.rows) == (4, 1)
    assert 4 * 50 < first.wal_bytes < 4 * 500  # images of whole pages would be thousands
    assert 50 < second.wal_bytes < 1_000
    assert 0 <= second.time_s - first.time_s < 60


def test_a_server_of_the_users_own_is_refused_with_the_reason() -> None:
    server = Database(host="127.0.0.1", port="1", user="u", password="")
    with pytest.raises(HostError, match="your own"), logging_statements(server):
        pass
    with pytest.raises(HostError, match="your own"), keeping_log(server):
        pass


def test_what_reaches_the_databases_until_the_next_step_is_the_steps() -> None:
    steps = [("home", 0), ("buy", 0), ("home", 1), ("buy", 1), ("home", 2), ("buy", 2), ("home", 3)]
    records = [
        (float(second), TransactionRecord(second, name, iteration, valid=second != 5))
        for second, (name, iteration) in enumerate(steps)
    ]
    sent = [
        LoggedStatement(time_s, "shop", text)
        # 1.999: the log cuts milliseconds off, so that it may be before the step that sent it.
        for time_s, text in [
            (1.1, "SELECT 0"),
            (1.9994, "SELECT 1"),
            (2.2, ""),
            (3.0, "BEGIN"),
            (3.1, "UPDATE a"),
            (3.9, "x"),
        ]
    ]

    found = executions_by_step(records, sent, [WrittenTransaction(3.2, 1, 70), WrittenTransaction(5.5, 1, 70)])

    # Neither the first iteration nor the failed step, nor the last one.
    assert {step: len(executions) for step, executions in found.items()} == {"home": 2, "buy": 1}
    assert found["home"][0].statements == ("SELECT 1",)
    assert found["buy"] == [Execution(("BEGIN", "UPDATE a", "x"), (WrittenTransaction(3.2, 1, 70),))]


def test_the_median_leaves_out_what_an_application_does_now_and_then() -> None:
    usual = Execution(("BEGIN", "SELECT 1", "UPDATE a", "COMMIT"), (WrittenTransaction(1.0, 1, 70),))
    beside = Execution((*usual.statements, "SELECT summary"), (*usual.written, WrittenTransaction(1.0, 9, 900)))

    work = step_work("buy-1", "buy", [usual, beside, usual, beside])

    assert (work.statements, work.transaction_control, work.rows, work.wal_bytes) == (2, 2, 1, 70)
    assert work.texts == ["SELECT 1", "UPDATE a"]


def test_the_drivers_records_are_read_in_the_order_of_their_begins(tmp_path: Path) -> None:
    head = json.dumps({"v": 1, "transactions": ["home", "buy"]}).ljust(63) + "\n"
    rows = [(2_000, 5, 5, 0, 1, 0, 1, 0, 2), (1_000, 5, 5, 0, 0, 0, 0, 3, 2)]
    body = b"".join(struct.pack("<QIIIIIHBB", *row) for row in rows)
    (tmp_path / "records.bin").write_bytes(head.encode() + body + b"cut")

    assert read_transaction_records(tmp_path / "records.bin") == [
        TransactionRecord(1_000, "home", 0, valid=False),
        TransactionRecord(2_000, "buy", 1, valid=True),
    ]


def test_the_report_and_the_last_lines_mark_unequal_work(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path / "result")
    sell = BUY.model_copy(update={"step": "sell", "transaction": "sell"})
    other = [BUY.model_copy(update={"statements": 7, "wal_bytes": 1_090}), sell.model_copy(update={"wal_bytes": 1_110})]
    for combination, steps in zip(COMBINATIONS, ([BUY, sell], other), strict=True):
        write_json(work_file(folder, combination), Work(combination=combination.path, steps=steps))
    found = judge_folder(folder)

    (mark,) = [one.text for one in found.marks if one.kind == "unequal work"]
    assert mark == (
        "Unequal work in the databases: buy 7 statements on json, 6 on local; sell 1,110 WAL bytes on json, "
        "1,000 on local."
    )
    assert mark[:100] in "\n".join(answer_lines(found, folder / "report.html"))
    text = words(parsed(report_page(found)))
    assert "buy statements 6 7 ≠ buy rows written 4 4 buy WAL bytes 1,000 1,090" in text
    assert "sell WAL bytes 1,000 1,110 ≠" in text


def test_equal_work_and_none_is_no_news(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path / "result")
    assert "asks of the databases" not in report_page(judge_folder(folder))
    write_json(work_file(folder, COMBINATIONS[0]), Work(combination=COMBINATIONS[0].path, steps=[BUY]))
    reason = Work(combination=COMBINATIONS[1].path, unavailable="its log cannot be read")
    write_json(work_file(folder, COMBINATIONS[1]), reason)

    found = judge_folder(folder)
    assert "unequal work" not in [mark.kind for mark in found.marks]
    assert "json : n/a, its log cannot be read" in words(parsed(report_page(found)))
