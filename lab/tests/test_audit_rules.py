"""Every rule of the brokerage's audit holds after honest trading and finds the damage it is there for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from simulated_trading import Brokerage

from middlemark.audit.auditing import audit
from middlemark.audit.rules import Rule, judge_rule, read_rules
from middlemark.dataset.loading import reset_database
from middlemark.errors import InputError, TargetError
from middlemark.results.point import Outcome
from middlemark.target.database import Connection, Database, create_database

BROKERAGE = Path(__file__).parents[2] / "specs" / "brokerage"
RULES = {rule.name: rule for rule in read_rules(BROKERAGE)}
TRADED = "middlemark_audit_traded"

# Rule, what goes wrong, SQL that does it. Some damage needs the database's own guard to be taken away first.
DAMAGES = [
    ("account-balance", "a cent too much", "UPDATE accounts SET balance = balance + 0.01 WHERE account_id = 7"),
    (
        "account-balance",
        "a new account's fee forgotten",
        "UPDATE accounts SET balance = balance + 24.95 WHERE user_id = 'new:1'",
    ),
    ("account-covered", "bought without money", "UPDATE accounts SET balance = -0.01 WHERE account_id = 7"),
    ("account-profile", "a profile without account", "INSERT INTO profiles VALUES ('nobody', 'x', 'x', 'x', 'x', 'x')"),
    (
        "account-profile",
        "two accounts of one user",
        "ALTER TABLE accounts DROP CONSTRAINT accounts_user_id_key;"
        " UPDATE accounts SET user_id = 'uid:1' WHERE user_id = 'uid:2'; DELETE FROM profiles WHERE user_id = 'uid:2'",
    ),
    ("holding-being-sold", "marked for ever", "UPDATE holdings SET being_sold = true WHERE holding_id = 7"),
    ("holding-bought", "more shares than bought", "UPDATE holdings SET quantity = quantity + 1 WHERE holding_id = 7"),
    ("holding-bought", "another's", "UPDATE holdings SET account_id = 1 WHERE holding_id = 200"),
    ("holding-bought", "another price", "UPDATE holdings SET purchase_price = 1 WHERE holding_id = 7"),
    (
        "holding-bought",
        "out of nothing",
        "INSERT INTO holdings (account_id, symbol, quantity, purchase_price, purchase_time, being_sold)"
        " VALUES (1, 's:1', 1, 1, now(), false)",
    ),
    ("holding-kept", "lost", "DELETE FROM holdings WHERE holding_id = 7"),
    (
        "holding-kept",
        "sold and still there",
        "INSERT INTO holdings SELECT holding_id, account_id, symbol, quantity, price, open_time, false"
        " FROM orders WHERE order_type = 'sell'",
    ),
    (
        "order-closed",
        "completed before it was placed",
        "UPDATE orders SET open_time = completion_time + interval '1 s'",
    ),
    (
        "order-closed",
        "completed twice",
        "DROP INDEX orders_one_per_holding; UPDATE orders SET holding_id = 7 WHERE order_id = 8",
    ),
    (
        "order-closed",
        "without a holding",
        "ALTER TABLE orders DROP CONSTRAINT orders_check1; UPDATE orders SET holding_id = NULL WHERE order_id = 8",
    ),
    ("order-limits", "another fee", "UPDATE orders SET fee = 24.94 WHERE order_id = 7"),
    ("order-limits", "too many shares", "UPDATE orders SET quantity = 1000001 WHERE order_id = 7"),
    ("order-none-open", "never completed", "UPDATE orders SET status = 'open' WHERE order_id = 7"),
    (
        "order-price",
        "a price the symbol never had",
        "UPDATE orders SET price = price + 0.01 WHERE order_type = 'sell'",
    ),
    ("quote-trades", "one trade too many", "UPDATE quotes SET trades = trades + 1 WHERE symbol = 's:3'"),
    ("quote-volume", "a share lost", "UPDATE quotes SET volume = volume - 1 WHERE symbol = 's:3'"),
    ("quote-walk", "a wrong price", "UPDATE quotes SET price = low, change = low - open WHERE symbol = 's:2'"),
    ("quote-walk", "a wrong low", "UPDATE quotes SET low = low - 0.01 WHERE symbol = 's:3'"),
    ("quote-walk", "a wrong high", "UPDATE quotes SET high = high + 0.01 WHERE symbol = 's:99'"),
    (
        "quote-walk",
        "a wrong change",
        "ALTER TABLE quotes DROP CONSTRAINT quotes_check; UPDATE quotes SET change = 0 WHERE symbol = 's:2'",
    ),
    ("sell-owned", "another's holding sold", "UPDATE orders SET account_id = 1 WHERE order_type = 'sell'"),
    ("sell-owned", "half a holding sold", "UPDATE orders SET quantity = quantity / 2 WHERE order_type = 'sell'"),
]


@pytest.fixture(scope="module")
def traded(database_cluster: Database, tiny_template: str) -> str:
    """Give a database after honest trading: buys, sells, a split and a penny stock."""
    reset_database(database_cluster, tiny_template, TRADED)
    with database_cluster.connected(TRADED) as connection:
        brokerage = Brokerage(connection)
        brokerage.open_at("s:0", 40000)
        brokerage.open_at("s:1", 100)
        brokerage.register("new:1")
        brokerage.register("new:2")
        for index in range(40):
            brokerage.buy("new:1", f"s:{index % 4}", quantity=1 + index)
        kept, sold = (brokerage.buy("new:2", "s:2") for _ in range(2))
        assert kept != sold
        brokerage.sell("new:2", sold)
        brokerage.sell("uid:3", 16)
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


@pytest.mark.parametrize(
    ("name", "damage"), [(name, sql) for name, _, sql in DAMAGES], ids=[f"{n}: {w}" for n, w, _ in DAMAGES]
)
def test_a_rule_finds_its_damage(connection: Connection, name: str, damage: str) -> None:
    connection.execute(damage.encode())

    finding = judge_rule(connection, RULES[name])

    assert finding.outcome == Outcome.FAILED
    assert finding.count >= 1
    assert finding.rows


def test_a_transaction_left_prepared_is_found(database_cluster: Database, traded: str) -> None:
    with psycopg.connect(database_cluster.url(traded)) as connection:
        connection.execute("UPDATE accounts SET login_count = 1 WHERE account_id = 1")
        connection.execute("PREPARE TRANSACTION 'left behind'")
    with database_cluster.connected(traded) as connection:
        try:
            finding = judge_rule(connection, RULES["prepared-none"])
        finally:
            connection.execute("ROLLBACK PREPARED 'left behind'")

    assert finding.outcome == Outcome.FAILED
    assert [row["gid"] for row in finding.rows] == ["left behind"]


def test_every_rule_has_a_damage_that_shows_it_works() -> None:
    assert {name for name, _, _ in DAMAGES} | {"prepared-none"} == set(RULES)


def test_all_offending_rows_are_counted_and_ten_are_shown(connection: Connection) -> None:
    connection.execute("UPDATE orders SET fee = 0 WHERE order_id <= 25")

    finding = judge_rule(connection, RULES["order-limits"])

    assert finding.count == 25
    assert len(finding.rows) == 10
    assert finding.rows[0]["fee"] == "0.00"


def test_a_run_that_took_a_long_walk_is_audited(database_cluster: Database, tiny_template: str) -> None:
    name = "middlemark_audit_walk"
    reset_database(database_cluster, tiny_template, name)
    with database_cluster.connected(name) as connection:
        brokerage = Brokerage(connection)
        brokerage.register("new:1")
        for index in range(300):
            brokerage.buy("new:1", f"s:{index % 2}", quantity=1)
        assert audit(connection, BROKERAGE, None).passed


def test_a_database_of_something_else_is_said_to_be_one(database_cluster: Database) -> None:
    create_database(database_cluster, "middlemark_audit_empty")

    with (
        database_cluster.connected("middlemark_audit_empty") as connection,
        pytest.raises(TargetError, match="Is this a database of that specification"),
    ):
        audit(connection, BROKERAGE, None)


def test_a_rule_without_a_sentence_is_refused(tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "silent.sql").write_text("SELECT 1\n", encoding="utf-8")

    with pytest.raises(InputError, match=r"silent\.sql:1"):
        read_rules(tmp_path)


def test_a_specification_without_rules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no audit rules"):
        read_rules(tmp_path)
