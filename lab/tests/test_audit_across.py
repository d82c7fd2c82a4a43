"""The audit of several databases: rules of each, rules across them, and effects in either; and of none."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from rich.console import Console

from middlemark.audit.auditing import audit, audit_at
from middlemark.audit.confirmed import read_confirmed
from middlemark.audit.drained import wait_until_drained
from middlemark.audit.driver_report import DriverReport
from middlemark.audit.rules import read_rules
from middlemark.audit.rules_across import judge_across, read_rules_across
from middlemark.audit.text import audit_sentence, audit_table
from middlemark.databases.database import Connection, Database, create_database, drop_database
from middlemark.errors import InputError, TargetError
from middlemark.records.driver_lines import ResponseCounts
from middlemark.records.point import Outcome
from middlemark.specification.specification import Specification, read_specification

SPEC = """
title = "Shop"
version = 1
[tiers.shop]
listens = { http = "MM_PORT" }
entry = true
databases = ["stock", "bills"]
[databases.stock]
variable = "MM_STOCK_URL"
folder = "databases/stock"
[databases.bills]
variable = "MM_BILLS_URL"
folder = "databases/bills"
[effects.sale]
transactions = ["sell"]
plural = "sales"
"""
CONFIRMED = """
version = 1
[transactions.sell]
effect = "sales billed"
database = "bills"
count = "SELECT count(*) FROM bills"
"""
ACROSS = """
sentence = "What left the stock was billed."
relation = "equal"
[left]
database = "stock"
query = "SELECT item, price FROM taken"
[right]
database = "bills"
query = "SELECT item, price FROM bills"
"""


def written(folder: Path, files: Mapping[str, str]) -> Specification:
    """Write the specification's files and read it."""
    for name, text in {"spec.toml": SPEC, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return read_specification(folder)


@pytest.fixture
def shop(tmp_path: Path) -> Specification:
    """Give a specification of two databases."""
    return written(
        tmp_path / "shop",
        {
            "databases/stock/audit/taken.sql": "-- Every price is positive.\nSELECT * FROM taken WHERE price <= 0\n",
            "databases/bills/audit/paid.sql": "-- All is paid.\n-- within: 5 s\nSELECT * FROM bills WHERE NOT paid",
            "audit/confirmed.toml": CONFIRMED,
            "audit/across/billed.toml": ACROSS,
        },
    )


@pytest.fixture
def connections(database_cluster: Database) -> Iterator[dict[str, Connection]]:
    """Give connections to both databases, each with one sale."""
    for name in ("stock", "bills"):
        create_database(database_cluster, f"middlemark_across_{name}")
    with (
        database_cluster.connected("middlemark_across_stock") as stock,
        database_cluster.connected("middlemark_across_bills") as bills,
    ):
        stock.execute("CREATE TABLE taken (item text, price numeric(9, 2))")
        bills.execute("CREATE TABLE bills (item text, price numeric(9, 2), paid boolean DEFAULT true)")
        stock.execute("INSERT INTO taken VALUES ('tea', 2.50)")
        bills.execute("INSERT INTO bills VALUES ('tea', 2.50)")
        yield {"stock": stock, "bills": bills}
    for name in ("stock", "bills"):
        drop_database(database_cluster, f"middlemark_across_{name}")


def sold(number: int) -> DriverReport:
    """Return the report of a driver that saw so many sales."""
    return DriverReport({"sell": ResponseCounts(valid=number)})


def test_every_database_is_audited_by_its_own_rules_and_by_those_across(
    connections: dict[str, Connection], shop: Specification
) -> None:
    found = audit(connections, shop, sold(1))

    assert found.passed
    assert [(one.database, one.rule) for one in found.findings] == [
        ("stock", "Every price is positive."),
        ("bills", "All is paid."),
        ("", "What left the stock was billed."),
        ("bills", "Sales billed in the database are those of the responses to sell."),
    ]
    assert (found.effects, found.reconciled["sell"].effect) == (("sale",), "sale")


def test_a_rule_of_one_database_that_is_broken_names_the_database(
    connections: dict[str, Connection], shop: Specification
) -> None:
    connections["stock"].execute("INSERT INTO taken VALUES ('air', 0)")
    connections["bills"].execute("INSERT INTO bills VALUES ('air', 0)")

    found = audit(connections, shop, sold(2))

    assert [one.database for one in found.findings if one.outcome is Outcome.FAILED] == ["stock"]
    console = Console(width=300)
    with console.capture() as printed:
        console.print(audit_table(found))
    assert "FAILED stock Every price is positive." in " ".join(printed.get().split())


def test_rows_of_one_side_only_break_a_rule_across_and_are_shown_with_the_side(
    connections: dict[str, Connection], shop: Specification
) -> None:
    connections["stock"].execute("INSERT INTO taken VALUES ('tea', 2.50), ('cup', 7)")
    connections["bills"].execute("INSERT INTO bills VALUES ('pot', NULL)")

    (rule,) = read_rules_across(shop)
    found = judge_across(connections, rule)

    assert (found.outcome, found.count) == (Outcome.FAILED, 3)
    assert found.rows == (
        {"only": "left (stock)", "item": "cup", "price": "7.00"},
        {"only": "left (stock)", "item": "tea", "price": "2.50"},
        {"only": "right (bills)", "item": "pot", "price": "NULL"},
    )


def test_a_null_is_not_the_text_null(connections: dict[str, Connection], shop: Specification) -> None:
    connections["stock"].execute("INSERT INTO taken VALUES (NULL, 1)")
    connections["bills"].execute("INSERT INTO bills VALUES ('NULL', 1)")

    (rule,) = read_rules_across(shop)

    assert judge_across(connections, rule).count == 2


def test_one_database_given_for_both_is_refused(shop: Specification) -> None:
    urls = {"stock": "postgresql://me@localhost/x", "bills": "postgresql://you@127.0.0.1:5432/x"}
    with pytest.raises(InputError, match=r"the databases 'stock' and 'bills' have one address, 127\.0\.0\.1:5432/x"):
        audit_at(urls, shop)


def test_a_side_that_holds_the_other_one_may_have_more(connections: dict[str, Connection], tmp_path: Path) -> None:
    contained = written(tmp_path / "shop", {"audit/across/billed.toml": ACROSS.replace('"equal"', '"left in right"')})
    connections["bills"].execute("INSERT INTO bills VALUES ('pot', 9)")

    (rule,) = read_rules_across(contained)

    assert judge_across(connections, rule).outcome is Outcome.PASSED
    connections["stock"].execute("INSERT INTO taken VALUES ('tea', 2.50)")
    assert judge_across(connections, rule).count == 1


def test_a_rule_across_is_asked_again_for_its_time(connections: dict[str, Connection], tmp_path: Path) -> None:
    waiting = written(tmp_path / "shop", {"audit/across/billed.toml": f'within = "20s"\n{ACROSS}'})
    connections["stock"].execute("INSERT INTO taken VALUES ('cup', 7)")
    (rule,) = read_rules_across(waiting)
    billing = threading.Timer(0.3, connections["bills"].execute, ["INSERT INTO bills VALUES ('cup', 7)"])
    billing.start()
    try:
        assert judge_across(connections, rule).outcome is Outcome.PASSED
    finally:
        billing.join()


def test_work_that_is_left_in_one_database_is_waited_for(
    connections: dict[str, Connection], shop: Specification
) -> None:
    assert wait_until_drained(connections, shop).done

    connections["bills"].execute("UPDATE bills SET paid = false")
    paying = threading.Timer(0.3, connections["bills"].execute, ["UPDATE bills SET paid = true"])
    paying.start()
    try:
        left = wait_until_drained(connections, shop)
    finally:
        paying.join()

    assert (left.done, left.limit_s) == (True, 5.0)


def test_a_specification_without_databases_has_nothing_to_audit(tmp_path: Path) -> None:
    text = SPEC.partition("databases =")[0]
    none = written(tmp_path / "pages", {"spec.toml": text})

    found = audit({}, none, None)

    assert (found.passed, found.findings) == (True, [])
    assert audit_sentence(found.findings) == "No database: nothing to audit."
    assert wait_until_drained({}, none).done


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("audit/across/billed.toml", ACROSS.replace('"bills"', '"bill"'), "'bill' is not a database of shop. Did you"),
        ("audit/across/billed.toml", ACROSS.replace("equal", "same"), "relation: expected 'equal' or 'left in"),
        ("audit/confirmed.toml", CONFIRMED.replace('"bills"', '"cash"'), "shop has no database 'cash'"),
        ("audit/confirmed.toml", CONFIRMED.replace('database = "bills"', ""), "shop has 2 databases. Name one of"),
        (
            "audit/confirmed.toml",
            CONFIRMED.replace(".sell]", ".buy]"),
            "counts the transaction 'sell', which is not in",
        ),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, file: str, text: str, message: str) -> None:
    wrong = written(tmp_path / "shop", {file: text})

    with pytest.raises(InputError) as caught:
        read_rules_across(wrong), read_confirmed(wrong)

    assert message in str(caught.value)


def test_sides_with_other_columns_and_queries_that_fail_are_refused(
    connections: dict[str, Connection], tmp_path: Path
) -> None:
    for text, error, message in (
        (ACROSS.replace("item, price FROM taken", "item FROM taken"), InputError, "compares 1 columns of stock with 2"),
        (ACROSS.replace("FROM taken", "FROM nowhere"), TargetError, "the rule billed cannot be asked"),
    ):
        (tmp_path / error.__name__).mkdir()
        (rule,) = read_rules_across(written(tmp_path / error.__name__ / "shop", {"audit/across/billed.toml": text}))
        with pytest.raises(error, match=message):
            judge_across(connections, rule)


def test_every_database_needs_a_url(shop: Specification) -> None:
    with pytest.raises(InputError, match=r"shop has the databases stock, bills; bills without a URL\. Add --database"):
        audit_at({"stock": "postgresql://me@127.0.0.1:1/x"}, shop)


def test_rules_know_their_database(shop: Specification) -> None:
    assert [(rule.database, rule.name, rule.within_s) for rule in read_rules(shop)] == [
        ("stock", "taken", 0.0),
        ("bills", "paid", 5.0),
    ]
