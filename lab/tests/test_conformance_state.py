"""The data set is put back after every case, and an end state has the same digest whatever ids were drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg import sql

from middlemark.conformance.cases.case import Fail, Statement
from middlemark.conformance.execution.state.digest import digest, end_state
from middlemark.conformance.execution.state.failing import failing
from middlemark.conformance.execution.state.loaded import LeftBehindError, Loaded
from middlemark.conformance.execution.state.rules import Rules
from middlemark.databases.database import (
    COPIES,
    Connection,
    CopyStrategy,
    Database,
    create_database,
    drop_database,
    open_connection,
)
from middlemark.load.fingerprint import fingerprint
from middlemark.specification.specification import read_specification

NAME = "middlemark_state"
BROKERAGE = read_specification(Path(__file__).parents[2] / "specs" / "brokerage")
ORDER = (
    "INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time, seen) VALUES "
    "({account}, 'buy', 'open', '{symbol}', 1, 1, 24.95, now(), false)"
)
COMPLETED = "UPDATE orders SET completion_time = now() WHERE order_id > 250"
MESSAGE = "INSERT INTO order_messages (order_id, placed_at) VALUES (9, now())"


@pytest.fixture
def connection(database_cluster: Database, tiny_template: str) -> Iterator[Connection]:
    """Give a connection to a freshly loaded database."""
    drop_database(database_cluster, NAME)
    create_database(database_cluster, NAME, tiny_template, CopyStrategy.LOG)
    with database_cluster.connected(NAME) as one:
        yield one
    drop_database(database_cluster, NAME)


def run(connection: Connection, text: str) -> None:
    """Run SQL that a test makes."""
    connection.execute(text.encode())


def lines(loaded: Loaded) -> tuple[str, ...]:
    """Return the end state as it is now."""
    return end_state(loaded.changes(), loaded.tables, loaded.ids)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE accounts SET balance = balance - 1, login_count = 3",
        "DELETE FROM holdings WHERE holding_id < 20",
        "UPDATE quotes SET price = 1, low = 1, change = 1 - open, trades = 9",
        ORDER.format(account=1, symbol="s:1"),
        "INSERT INTO order_messages (order_id, placed_at) VALUES (1, now())",
        "TRUNCATE order_messages, orders, holdings, accounts, profiles",
        "INSERT INTO profiles VALUES ('x', 'x', 'x', '', '', ''); INSERT INTO accounts (user_id, creation_time, "
        "open_balance, balance, login_count, logout_count, last_login) VALUES ('x', now(), 1, 1, 0, 0, now())",
        "SELECT setval('orders_order_id_seq', 9999)",
        "UPDATE orders SET seen = false, completion_time = now()",
    ],
)
def test_rows_and_sequences_are_put_back(connection: Connection, damage: str) -> None:
    loaded = Loaded(connection)
    before = fingerprint(connection)
    run(connection, damage)
    assert fingerprint(connection) != before
    loaded.put_back()
    assert fingerprint(connection) == before
    assert loaded.changes() == ()


@pytest.mark.parametrize(
    "damage",
    [
        "CREATE TABLE other (x bigint)",
        "DROP INDEX holdings_account",
        "ALTER TABLE quotes RENAME TO prices",
        "ALTER TABLE accounts ADD COLUMN more text",
        "ALTER TABLE accounts DROP CONSTRAINT accounts_user_id_key CASCADE",
        "CREATE FUNCTION other() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
        "CREATE SCHEMA other CREATE TABLE x (y bigint)",
    ],
)
def test_what_cannot_be_put_back_is_reported(connection: Connection, damage: str) -> None:
    loaded = Loaded(connection)
    run(connection, damage)
    with pytest.raises(LeftBehindError, match="not those that were loaded"):
        loaded.put_back()


def test_a_transaction_that_somebody_leaves_open_is_reported(
    database_cluster: Database, connection: Connection
) -> None:
    loaded = Loaded(connection)
    run(connection, "UPDATE accounts SET balance = 1 WHERE account_id = 1")
    with open_connection(database_cluster, NAME) as other:
        other.execute("SET application_name = 'an application'")
        other.execute("BEGIN")
        other.execute("UPDATE quotes SET trades = 1 WHERE symbol = 's:1'")
        with pytest.raises(LeftBehindError, match="holds a transaction open"):
            loaded.put_back()


def test_connections_that_were_ended_are_gone(database_cluster: Database, connection: Connection) -> None:
    loaded = Loaded(connection)
    with open_connection(database_cluster, NAME) as one, open_connection(database_cluster, NAME) as two:
        pids = []
        for other in (one, two):
            other.execute("SET application_name = 'an application'")
            pids.append(other.info.backend_pid)
        assert loaded.end_other_connections() == len(pids)
        rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE pid = ANY (%s)", [pids])
        assert rows.fetchall() == []


def test_the_digest_does_not_depend_on_the_ids_that_were_drawn(connection: Connection) -> None:
    loaded = Loaded(connection)
    orders = [ORDER.format(account=1, symbol="s:1"), ORDER.format(account=2, symbol="s:2")]
    run(connection, "; ".join(orders))
    first = lines(loaded)
    loaded.put_back()
    run(connection, "SELECT setval('orders_order_id_seq', 4000)")
    run(connection, "; ".join(reversed(orders)))
    assert len(first) == 2
    assert lines(loaded) == first


@pytest.mark.parametrize(
    "other",
    [
        ORDER.format(account=1, symbol="s:2"),
        ORDER.format(account=2, symbol="s:1"),
        ORDER.format(account=1, symbol="s:1").replace("now(), false", "now(), true"),
        "; ".join([ORDER.format(account=1, symbol="s:1"), COMPLETED]),
        "; ".join([ORDER.format(account=1, symbol="s:1"), MESSAGE]),
    ],
)
def test_the_digest_depends_on_every_column(connection: Connection, other: str) -> None:
    loaded = Loaded(connection)
    run(connection, ORDER.format(account=1, symbol="s:1"))
    first = digest(lines(loaded))
    loaded.put_back()
    run(connection, other)
    assert digest(lines(loaded)) != first


def test_new_ids_keep_what_they_refer_to(connection: Connection) -> None:
    loaded = Loaded(connection)
    two = "; ".join(ORDER.format(account=1, symbol=symbol) for symbol in ("s:1", "s:2"))
    message = "INSERT INTO order_messages (order_id, placed_at) SELECT order_id, now() FROM orders WHERE order_id > 250"
    run(connection, f"{two}; {message} AND symbol = 's:1'")
    first = lines(loaded)
    loaded.put_back()
    run(connection, f"{two}; {message} AND symbol = 's:2'")
    assert lines(loaded) != first


SHELVES = """
CREATE TABLE shelves (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, room text, twice bigint GENERATED ALWAYS
    AS (2 * length(room)) STORED);
CREATE TABLE boxes (id bigserial PRIMARY KEY, room text);
CREATE TABLE labels (label text PRIMARY KEY);
INSERT INTO shelves (room) SELECT 'room ' || n FROM generate_series(1, 9) AS n;
INSERT INTO boxes (room) SELECT 'room' FROM generate_series(1, 3);
INSERT INTO labels VALUES ('red')
"""
RENAMED = "UPDATE shelves SET room = 'same' WHERE id = {id}"
DRAWN = "SELECT setval('boxes_id_seq', {id}); INSERT INTO boxes (room) VALUES ('new')"


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM shelves WHERE id = 4",
        "UPDATE shelves SET room = 'none'",
        "INSERT INTO boxes (room) VALUES ('new')",
        "DELETE FROM labels; INSERT INTO labels VALUES ('green')",
    ],
)
def test_tables_with_ids_that_nobody_may_write_and_computed_columns_are_put_back(
    connection: Connection, change: str
) -> None:
    run(connection, SHELVES)
    loaded = Loaded(connection)
    run(connection, change)
    assert loaded.changes()
    loaded.put_back()
    assert loaded.changes() == ()


def test_ids_of_columns_with_one_name_are_those_of_their_own_table(connection: Connection) -> None:
    run(connection, SHELVES)
    loaded = Loaded(connection)
    states = []
    for changed in (7, 8):  # both were loaded, though no box has such an id
        run(connection, RENAMED.format(id=changed))
        states.append(lines(loaded))
        loaded.put_back()
    assert states[0] != states[1]
    for drawn in (5, 6):  # both are new, though shelves with these ids were loaded
        run(connection, DRAWN.format(id=drawn))
        states.append(lines(loaded))
        loaded.put_back()
    assert states[2] == states[3]


RECEIPTS = """
CREATE DOMAIN receipt_key AS uuid;
CREATE TABLE receipts (receipt uuid DEFAULT gen_random_uuid() PRIMARY KEY, buyer text, paid jsonb);
CREATE TABLE parts (part int, of_receipt receipt_key REFERENCES receipts, PRIMARY KEY (of_receipt, part));
INSERT INTO receipts VALUES ('00000000-0000-4000-8000-000000000001', 'Anna', '{}'),
    ('00000000-0000-4000-8000-000000000002', 'Otto', '{}')
"""
SOLD = """
WITH sold AS (INSERT INTO receipts (buyer, paid) VALUES ('{buyer}', '[1]') RETURNING receipt)
INSERT INTO parts SELECT {part}, receipt FROM sold
"""
PART = "INSERT INTO parts SELECT 1, receipt FROM receipts WHERE buyer = '{buyer}'"


def states_after(connection: Connection, *changes: str) -> list[tuple[str, ...]]:
    """Return the end state after each of these changes, made one by one to the loaded data."""
    loaded, states = Loaded(connection), []
    for change in changes:
        run(connection, change)
        states.append(lines(loaded))
        loaded.put_back()
    return states


def test_a_uuid_that_was_drawn_counts_by_what_it_refers_to_whatever_its_columns_are_called(
    connection: Connection,
) -> None:
    run(connection, RECEIPTS)
    two = [SOLD.format(buyer="Anna", part=1), SOLD.format(buyer="Otto", part=2)]
    crossed = [SOLD.format(buyer="Anna", part=2), SOLD.format(buyer="Otto", part=1)]
    first, again, other = states_after(connection, "; ".join(two), "; ".join(reversed(two)), "; ".join(crossed))
    assert len(first) == 4
    assert first == again
    assert first != other


def test_a_uuid_that_was_loaded_is_a_value_like_others(connection: Connection) -> None:
    run(connection, RECEIPTS)
    anna, otto = states_after(connection, PART.format(buyer="Anna"), PART.format(buyer="Otto"))
    assert anna != otto


@pytest.mark.parametrize("statement", [Statement.INSERT, Statement.UPDATE, Statement.DELETE])
def test_statements_fail_so_often_also_when_they_are_rolled_back(connection: Connection, statement: Statement) -> None:
    texts = {
        Statement.INSERT: ORDER.format(account=1, symbol="s:1"),
        Statement.UPDATE: "UPDATE orders SET seen = false WHERE order_id = 1",
        Statement.DELETE: "DELETE FROM orders WHERE order_id = 1",
    }
    loaded = Loaded(connection)
    came = []
    with failing(connection, (Fail(table="orders", on=statement, sqlstate="40P01", times=2),)):
        for _ in range(3):
            try:
                run(connection, texts[statement])
                came.append("done")
            except Exception as error:  # noqa: BLE001 (what comes is what is asserted)
                came.append(getattr(error, "sqlstate", ""))
    assert came == ["40P01", "40P01", "done"]
    loaded.put_back()


def test_a_table_is_away_and_comes_back(connection: Connection) -> None:
    loaded = Loaded(connection)
    with failing(connection, (Fail(table="quotes", on=Statement.READ),)):
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        assert ("quotes",) not in names
    loaded.put_back()


def test_all_rules_stand_in_one_question_and_a_broken_one_shows_its_rows(connection: Connection) -> None:
    rules = Rules({"brokerage": connection}, BROKERAGE)
    assert rules.broken() == []
    run(connection, "UPDATE accounts SET balance = 1 WHERE user_id = 'uid:7'")
    broken = rules.broken()
    assert any("user_id uid:7, balance 1.00" in text for text in broken)


def test_the_copies_lie_in_a_schema_of_their_own(connection: Connection) -> None:
    Loaded(connection)
    row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(COPIES, "orders"))).fetchone()
    assert row == (250,)
