"""Every rule of the brokerage's audit holds after honest trading; how rules are read, asked and waited for.

That each finds the damage it is there for: test_audit_damage.py.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from simulated_trading import Brokerage, trade_honestly

from middlemark.audit.auditing import audit
from middlemark.audit.drained import wait_until_drained
from middlemark.audit.rules import Rule, judge_rule, read_rules
from middlemark.databases.database import Connection, Database, create_database
from middlemark.errors import InputError, TargetError
from middlemark.load.loading import reset_database
from middlemark.records.point import Outcome
from middlemark.specification.specification import read_specification

pytestmark = pytest.mark.long

BROKERAGE = read_specification(Path(__file__).parents[2] / "specs" / "brokerage")
RULES = {rule.name: rule for rule in read_rules(BROKERAGE)}
TRADED = "middlemark_audit_traded"
# Rules that a set-up with other opening prices breaks on purpose.
OPENING = {"opening-quotes"}


@pytest.fixture(scope="module")
def traded(database_cluster: Database, tiny_template: str) -> str:
    """Give a database after honest trading."""
    reset_database(database_cluster, tiny_template, TRADED)
    with database_cluster.connected(TRADED) as connection:
        trade_honestly(connection)
    return TRADED


@pytest.fixture
def connection(database_cluster: Database, traded: str) -> Iterator[Connection]:
    """Give a connection in a transaction that is rolled back."""
    with database_cluster.connected(traded) as connection, connection.transaction(force_rollback=True):
        yield connection


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_holds_for_the_fresh_data_set(database_cluster: Database, tiny_template: str, rule: Rule) -> None:
    with database_cluster.connected(tiny_template) as connection:
        finding = judge_rule(connection, rule)

    assert finding.outcome == Outcome.PASSED, finding.rows


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_holds_after_honest_trading(connection: Connection, rule: Rule) -> None:
    finding = judge_rule(connection, rule)

    assert finding.outcome == Outcome.PASSED, finding.rows


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_only_rules_that_wait_are_broken_while_orders_are_open(connection: Connection, rule: Rule) -> None:
    brokerage = Brokerage(connection)
    brokerage.now = connection.execute("SELECT max(completion_time) FROM orders").fetchall()[0][0]
    brokerage.place_sell("uid:3", 16)
    brokerage.place_sell("uid:4", 21)
    brokerage.complete(brokerage.place_buy("new:1", "s:5"))
    brokerage.place_buy("new:1", "s:6")

    finding = judge_rule(connection, rule)

    assert finding.count == {"order-none-open": 3, "message-none-left": 3}.get(rule.name, 0), finding.rows
    assert (finding.outcome is Outcome.FAILED) == (rule.within_s > 0)


def test_two_connections_audit_one_moment_and_find_what_one_finds(
    database_cluster: Database, tiny_template: str
) -> None:
    name = "middlemark_audit_beside"
    reset_database(database_cluster, tiny_template, name)
    with database_cluster.connected(name) as one, database_cluster.connected(name) as other:
        one.execute("UPDATE accounts SET balance = balance + 1 WHERE account_id = 1")
        one.execute("DELETE FROM orders WHERE order_id = 1")
        alone = audit({"brokerage": one}, BROKERAGE, None)
        together = audit({"brokerage": one}, BROKERAGE, None, {"brokerage": other})

    assert not alone.passed
    assert together == alone


def test_an_audit_waits_until_the_open_orders_are_completed(database_cluster: Database, tiny_template: str) -> None:
    name = "middlemark_audit_waiting"
    reset_database(database_cluster, tiny_template, name)
    with database_cluster.connected(name) as working, database_cluster.connected(name) as asking:
        brokerage = Brokerage(working)
        order = brokerage.place_buy("uid:1", "s:1")

        def complete() -> None:
            # In one transaction, as an application does: the audit is not to meet half of it.
            with working.transaction():
                brokerage.complete(order)

        processor = threading.Timer(0.5, complete)
        processor.start()
        try:
            found = audit({"brokerage": asking}, BROKERAGE, None)
        finally:
            processor.join()

    assert found.passed, [finding for finding in found.findings if finding.outcome is Outcome.FAILED]


def test_an_audit_waits_until_what_a_crash_has_left_prepared_is_finished(
    database_cluster: Database, tiny_template: str
) -> None:
    name = "middlemark_audit_recovering"
    reset_database(database_cluster, tiny_template, name)
    with database_cluster.connected(name) as recovering, database_cluster.connected(name) as asking:
        with psycopg.connect(database_cluster.url(name)) as crashing:
            brokerage = Brokerage(crashing)
            brokerage.complete(brokerage.place_buy("uid:1", "s:1"))
            crashing.execute("PREPARE TRANSACTION 'in doubt'")
        before = RULES["prepared-none"]
        assert judge_rule(asking, before).outcome is Outcome.FAILED
        recovery = threading.Timer(0.5, recovering.execute, ["COMMIT PREPARED 'in doubt'"])
        recovery.start()
        try:
            left = wait_until_drained({"brokerage": asking}, BROKERAGE, after_crash=True)
            found = audit({"brokerage": asking}, BROKERAGE, None)
        finally:
            recovery.join()

    assert (left.done, left.seconds > 0.3, left.limit_s) == (True, True, 360.0)
    assert found.passed, [finding for finding in found.findings if finding.outcome is Outcome.FAILED]


def test_an_open_order_needs_no_row_where_messages_lie_in_another_queue(
    database_cluster: Database, tiny_template: str
) -> None:
    name = "middlemark_audit_elsewhere"
    reset_database(database_cluster, tiny_template, name)
    with database_cluster.connected(name) as connection:
        connection.execute("UPDATE orders SET status = 'open' WHERE order_id = 7")
        elsewhere = judge_rule(connection, RULES["message-open-order"])
        connection.execute("SELECT nextval(pg_get_serial_sequence('order_messages', 'message_id'))")
        here = judge_rule(connection, RULES["message-open-order"])

    assert (elsewhere.count, here.count) == (0, 1)


def test_all_offending_rows_are_counted_and_ten_are_shown(connection: Connection) -> None:
    connection.execute("UPDATE orders SET fee = 0 WHERE order_id <= 25")

    finding = judge_rule(connection, RULES["order-limits"])

    assert finding.count == 25
    assert len(finding.rows) == 10
    assert finding.rows[0]["fee"] == "0.00"


def test_a_long_walk_with_a_split_and_a_penny_stock_is_audited(database_cluster: Database, tiny_template: str) -> None:
    name = "middlemark_audit_walk"
    reset_database(database_cluster, tiny_template, name)
    with database_cluster.connected(name) as connection:
        brokerage = Brokerage(connection)
        brokerage.open_at("s:0", 40000)
        brokerage.open_at("s:1", 100)
        brokerage.register("new:1")
        for index in range(300):
            brokerage.buy("new:1", f"s:{index % 3}", quantity=1)
        broken = {rule.name for rule in RULES.values() if judge_rule(connection, rule).outcome is Outcome.FAILED}

    assert broken == OPENING


def test_a_database_of_something_else_is_reported(database_cluster: Database) -> None:
    create_database(database_cluster, "middlemark_audit_empty")

    with (
        database_cluster.connected("middlemark_audit_empty") as connection,
        pytest.raises(TargetError, match="Is this a database of that specification"),
    ):
        audit({"brokerage": connection}, BROKERAGE, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT 1\n", r"wrong\.sql:1: the first line must be a comment"),
        ("-- Nothing is left.\n-- within: soon\nSELECT 1\n", r"wrong\.sql:2: not a length of time"),
        ("-- Nothing is left.\n-- recovery: soon\nSELECT 1\n", r"wrong\.sql:2: not .* Write it like -- recovery: 60 s"),
    ],
)
def test_a_rule_that_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "wrong.sql").write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=message):
        read_rules(replace(BROKERAGE, folder=tmp_path))


@pytest.mark.parametrize(("session", "broken"), [("brokerage", 1), ("another", 0)])
def test_a_rule_about_a_session_is_asked_after_that_session_only(
    database_cluster: Database, tiny_template: str, session: str, broken: int
) -> None:
    name = "middlemark_audit_session"
    reset_database(database_cluster, tiny_template, name)
    with database_cluster.connected(name) as connection:
        brokerage = Brokerage(connection)
        brokerage.register("new:1")
        connection.execute("UPDATE profiles SET email = 'other' WHERE user_id = 'new:1'")
        found = audit({"brokerage": connection}, BROKERAGE, replace(brokerage.report(), session=session))

    failed = [finding.rule for finding in found.findings if finding.outcome is Outcome.FAILED]
    assert failed == [RULES["session-brokerage"].sentence][:broken]


def test_a_database_without_rules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no audit rules"):
        read_rules(replace(BROKERAGE, folder=tmp_path))
