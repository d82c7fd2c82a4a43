"""The audit can fail: every rule finds the damage it is there for, and hardly a random change goes unnoticed."""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from simulated_trading import trade_honestly

from middlemark.audit.auditing import audit
from middlemark.audit.confirmed import judge_confirmed, read_confirmed
from middlemark.audit.driver_report import DriverReport
from middlemark.audit.rules import judge_rule, read_rules
from middlemark.databases.database import Connection, Database
from middlemark.load.loading import reset_database
from middlemark.records.point import Outcome
from middlemark.specification.specification import read_specification

BROKERAGE = read_specification(Path(__file__).parents[2] / "specs" / "brokerage")
RULES = {rule.name: rule for rule in read_rules(BROKERAGE)}
EFFECTS = read_confirmed(BROKERAGE)
NAME = "middlemark_audit_damage"
DAMAGES = tomllib.loads((Path(__file__).parent / "audit_damages.toml").read_text(encoding="utf-8"))["damage"]
CHANGES = 500
MIN_SHARE = 0.95

_BETWEEN = "any time between two others that the rules tie it to is as good"
MAY_BE_MISSED = {
    ("accounts", "last_login"): _BETWEEN,
    ("orders", "open_time"): _BETWEEN,
    ("orders", "completion_time"): f"a sell's: {_BETWEEN}",
    ("orders", "seen"): "the last alerts of a user may have been shown or not: only the user knows",
}

Value = str | int | bool | Decimal | datetime | None


@dataclass(frozen=True)
class Change:
    """One value of one row, and what it is changed to."""

    table: str
    column: str
    row: str
    before: Value
    after: Value


@dataclass(frozen=True)
class Traded:
    """A database after honest trading, and what the driver reported of it."""

    database: str
    report: DriverReport


@pytest.fixture(scope="module")
def traded(database_cluster: Database, tiny_template: str) -> Traded:
    """Give a database after a simulated run."""
    reset_database(database_cluster, tiny_template, NAME)
    with database_cluster.connected(NAME) as connection:
        return Traded(NAME, trade_honestly(connection))


@pytest.fixture
def connection(database_cluster: Database, traded: Traded) -> Iterator[Connection]:
    """Give a connection in a transaction that is rolled back."""
    with database_cluster.connected(traded.database) as connection, connection.transaction(force_rollback=True):
        yield connection


def test_the_run_itself_is_honest(database_cluster: Database, traded: Traded) -> None:
    with database_cluster.connected(traded.database) as connection:
        found = audit({"brokerage": connection}, BROKERAGE, traded.report)

    assert [finding for finding in found.findings if finding.outcome != Outcome.PASSED] == []


@pytest.mark.parametrize("damage", DAMAGES, ids=[f"{damage['rule']}: {damage['what']}" for damage in DAMAGES])
def test_a_rule_finds_its_damage(connection: Connection, damage: dict[str, str]) -> None:
    connection.execute(damage["sql"].encode())

    finding = judge_rule(connection, RULES[damage["rule"]])

    assert finding.outcome == Outcome.FAILED
    assert finding.count >= 1
    assert finding.rows


def test_a_transaction_left_prepared_is_found(database_cluster: Database, traded: Traded) -> None:
    with psycopg.connect(database_cluster.url(traded.database)) as connection:
        connection.execute("UPDATE accounts SET login_count = 1 WHERE account_id = 1")
        connection.execute("PREPARE TRANSACTION 'left behind'")
    with database_cluster.connected(traded.database) as connection:
        try:
            finding = judge_rule(connection, RULES["prepared-none"])
        finally:
            connection.execute("ROLLBACK PREPARED 'left behind'")

    assert finding.outcome == Outcome.FAILED
    assert [row["gid"] for row in finding.rows] == ["left behind"]


def test_every_rule_has_a_damage_that_shows_it_works() -> None:
    assert {damage["rule"] for damage in DAMAGES} | {"prepared-none"} == set(RULES)


def test_random_changes_of_single_values_are_found(connection: Connection, traded: Traded) -> None:
    chance = random.Random(20261121)  # noqa: S311 (the same changes every time)
    columns = _columns(connection)
    missed: list[Change] = []
    made: Counter[tuple[str, str]] = Counter()
    while made.total() < CHANGES:
        change = _change(connection, chance, chance.choice(columns))
        if change is None:
            continue
        made[change.table, change.column] += 1
        if not _is_found(connection, traded.report, change):
            missed.append(change)

    share = 1 - len(missed) / CHANGES
    print(f"{CHANGES - len(missed)} of {CHANGES} changes found ({100 * share:.1f} %) in {len(made)} columns; missed:")
    for (table, column), count in Counter((one.table, one.column) for one in missed).most_common():
        print(f"  {table}.{column}: {count} of {made[table, column]}: {MAY_BE_MISSED.get((table, column), '?')}")
    assert [one for one in missed if (one.table, one.column) not in MAY_BE_MISSED] == []
    assert share >= MIN_SHARE


def _columns(connection: Connection) -> list[tuple[str, str, str]]:
    """Return table, column and type of every column of every table that has rows."""
    found = connection.execute(
        "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'"
        " ORDER BY table_name, ordinal_position"
    ).fetchall()
    tables = {table for table, _, _ in found}
    filled = {t for t in tables if connection.execute(sql.SQL("SELECT 1 FROM {}").format(sql.Identifier(t))).fetchone()}
    assert tables - filled <= {"order_messages"}, "an empty table cannot be changed"
    return [(table, column, kind) for table, column, kind in found if table in filled]


def _change(connection: Connection, chance: random.Random, where: tuple[str, str, str]) -> Change | None:
    """Return a change of one value of one row, None when the database refuses it."""
    table, column, kind = where
    names = {"table": sql.Identifier(table), "column": sql.Identifier(column)}
    rows = connection.execute(sql.SQL("SELECT ctid::text, {column} FROM {table} ORDER BY ctid").format(**names))
    (row, before), (_, other) = chance.choices(rows.fetchall(), k=2)
    after = other if chance.random() < 0.25 else _another(chance, before, kind)
    if after == before:
        return None
    change = Change(table, column, row, before, after)
    with connection.transaction(force_rollback=True):
        return change if _apply(connection, change) else None


def _another(chance: random.Random, value: Value, kind: str) -> Value:
    """Return a value of the column's type that has little or much to do with the one before."""
    if isinstance(value, bool):
        return not value
    if kind == "bigint":
        number = value if isinstance(value, int) else 0
        return number + chance.choice([-1, 1, chance.randint(-1000, 1000), -number])
    if isinstance(value, Decimal):
        cents = chance.choice([-1, 1, chance.randint(-100_000, 100_000)])
        return value + Decimal(cents) / 100
    if isinstance(value, datetime):
        seconds = 10 ** chance.uniform(-5, 7.5) * chance.choice([-1, 1])
        return value + timedelta(seconds=seconds)
    text = str(value)
    letters = [chr(chance.randint(33, 126)) for _ in range(chance.randint(1, 80))]
    place = chance.randrange(len(text)) if text else 0
    edited = text[:place] + letters[0] + text[place + 1 :]
    return chance.choice(["", "".join(letters), edited, text[:-1], text + letters[0]])


def _apply(connection: Connection, change: Change) -> bool:
    """Make the change; say whether the database let it."""
    statement = sql.SQL("UPDATE {} SET {} = %s WHERE ctid = %s::tid").format(
        sql.Identifier(change.table), sql.Identifier(change.column)
    )
    try:
        with connection.transaction():
            connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            return connection.execute(statement, [change.after, change.row]).rowcount == 1
    except psycopg.IntegrityError:
        return False
    except psycopg.DataError:
        return False


def _is_found(connection: Connection, report: DriverReport, change: Change) -> bool:
    with connection.transaction(force_rollback=True):
        assert _apply(connection, change)
        if any(judge_rule(connection, rule).outcome is Outcome.FAILED for rule in RULES.values()):
            return True
        judged = judge_confirmed({"brokerage": connection}, EFFECTS, report)
        return any(finding.outcome is Outcome.FAILED for finding in judged.findings.values())
