"""A specification may have several databases: a case names the one it means, and all of them are put back."""

from __future__ import annotations

import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from own_checkout import CHECKOUT, checkout_at

from middlemark.conformance.cases.suite import read_cases
from middlemark.conformance.execution.loaded_stores import loaded_stores
from middlemark.conformance.execution.pairing import pairings
from middlemark.conformance.execution.request import VerifyRequest
from middlemark.conformance.execution.state.case_databases import DatabasesInUse, case_databases
from middlemark.conformance.execution.state.loaded import LeftBehindError
from middlemark.conformance.result import ConformanceResult, ExecutionOutcome
from middlemark.conformance.verify import verify
from middlemark.errors import HostError, InputError
from middlemark.load.stores import Stores, reset_all, urls_of
from middlemark.processes.watchdog import watchdog
from middlemark.specification.specification import Specification, find_specification
from middlemark.subject.build import build
from middlemark.subject.subject import find_subject, specification_meant
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program

SALE = '{post: /sell, form: {buyer: Anna, item: "3", amount: "2"}, capture: {sale: {at: "#sale"}}}'
UNTOUCHED = """
      - {sql: SELECT count(*) FROM sales, database: sales, rows: [["10"]]}
      - {sql: "SELECT count(*), sum(pieces) FROM items", database: stock, rows: [["10", "9999990"]]}
"""
CASES = """
version: 1
cases:
  - name: both databases are as they were loaded
    steps: &untouchedUNTOUCHED
  - name: a sale changes both
    steps:
      - SALE
      - {settle: sales}
      - {sql: SELECT pieces FROM items WHERE item = 3, database: stock, rows: [["999997"]]}
  - name: both are put back
    steps: *untouched
  - name: one of them is set up and asked
    audited: false
    set_up:
      - {database: stock, sql: UPDATE items SET pieces = 4 WHERE item = 5}
      - {database: sales, sql: DELETE FROM sales}
    steps:
      - {sql: SELECT count(*) FROM sales, database: sales, rows: [["0"]]}
      - sql: SELECT 4
        database: sales
        rows: [[{sql: {database: stock, sql: SELECT pieces FROM items WHERE item = 5}}]]
  - name: a statement fails in one of them, and the sale waits
    audited: false
    # Twice: the application tries again each second, and the first time may come before the next step.
    fails: [{database: stock, table: shipments, "on": insert, times: 2}]
    steps:
      - SALE
      - {sql: "SELECT state FROM sales WHERE sale_id = ${sale}", database: sales, rows: [[pending]]}
      - {settle: sales}
  - name: what one of them holds keeps no page from being shown
    steps: [{hold: LOCK TABLE items, database: stock, during: [{get: /}]}]
  - name: connections to one of them are cut
    steps: [{cut: stock}, SALE, {settle: sales}]
  - name: a rule across both is broken
    set_up:
      - {database: stock, sql: DELETE FROM shipments}
      - {database: stock, sql: UPDATE items SET pieces = 1000000}
    steps: [{get: /}]
""".replace("UNTOUCHED", UNTOUCHED).replace("SALE", SALE)


@pytest.fixture(scope="module")
def supply(tmp_path_factory: pytest.TempPathFactory) -> Specification:
    """Give a specification with two databases and these cases."""
    home = tmp_path_factory.mktemp("several") / "checkout"
    checkout_at(home)
    (home / "specs" / "supply" / "cases" / "sales.yaml").write_text(CASES, encoding="utf-8")
    return find_specification("supply", home)


@pytest.fixture(scope="module")
def loaded(supply: Specification, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Give two servers with the data sets of cases, one for each database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(supply.folder)
        # The platform starts what is called python3; this one needs psycopg.
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
        folder = tmp_path_factory.mktemp("servers")
        with watchdog(folder / "runtime") as watch, loaded_stores(supply, {}, watch, folder / "logs") as found:
            assert len({store.server.port for store in found.values()}) == 2
            yield found


def outcomes(result: ConformanceResult) -> dict[str, tuple[ExecutionOutcome, str]]:
    """Return how each case ended, and the first failure."""
    return {
        one.case: (one.outcome, one.failures[0].text if one.failures else one.reason)
        for one in result.subjects[0].executions
    }


def assert_only_the_broken_rule_fails(result: ConformanceResult) -> None:
    """Check that every case passed but for the one that breaks the rule across both databases."""
    found = outcomes(result)
    outcome, text = found.pop("a rule across both is broken")
    assert outcome is ExecutionOutcome.FAILED
    assert text.startswith("audit: Every sale was shipped once, and nothing else was. Found 10 rows")
    assert {name: one for name, one in found.items() if one[0] is not ExecutionOutcome.PASSED} == {}


def test_every_step_works_on_the_database_it_names(supply: Specification, loaded: Stores, tmp_path: Path) -> None:
    home = supply.folder.parents[1]
    request = VerifyRequest(home, supply, (find_subject(home, "plain", "supply"),), tmp_path, loaded=loaded)
    assert_only_the_broken_rule_fails(verify(request))


def test_an_address_is_verified_with_all_its_databases_or_none(
    supply: Specification, loaded: Stores, tmp_path: Path
) -> None:
    stores = {name: replace(store, database=f"middlemark_called_{name}") for name, store in loaded.items()}
    reset_all(stores)
    home = supply.folder.parents[1]
    subject = find_subject(home, "plain", "supply")
    with watchdog(tmp_path / "runtime") as watch:
        program = Program(subject, build(subject, home, watch))
        with deployed(DeploymentRequest(program, {}, urls_of(stores), tmp_path / "logs"), watch) as target:
            request = VerifyRequest(home, supply, (), tmp_path, addresses=target.addresses)
            assert_only_the_broken_rule_fails(verify(replace(request, databases=urls_of(stores))))
            with pytest.raises(InputError, match=r"supply also has the database 'stock'\. Add --database stock=URL"):
                verify(replace(request, databases={"sales": stores["sales"].url}))
            with pytest.raises(InputError, match="the step cut needs --database URL; the step hold needs"):
                verify(request)


def test_the_database_is_named_that_cannot_be_put_back_or_has_ended_the_connection(
    supply: Specification, loaded: Stores
) -> None:
    stores = {name: replace(store, database=f"middlemark_left_{name}") for name, store in loaded.items()}
    reset_all(stores)
    in_use = {name: (store.server, store.database) for name, store in stores.items()}
    with case_databases(supply, in_use) as databases:
        databases.called("stock").connection.execute("ALTER TABLE items ADD COLUMN more text")
        with pytest.raises(LeftBehindError, match="not those that were loaded in the database stock"):
            databases.put_back()
    for name, store in stores.items():
        with pytest.raises(HostError, match=rf"{store.server.address}: .*ended the connection to .*_left_{name} "):
            _put_back_without_a_connection(supply, in_use, name)


def test_a_uuid_that_one_database_has_drawn_counts_by_what_it_refers_to_in_the_other(
    supply: Specification, loaded: Stores
) -> None:
    stores = {name: replace(store, database=f"middlemark_drawn_{name}") for name, store in loaded.items()}
    reset_all(stores)
    for name, table in (
        ("sales", "receipts (receipt uuid PRIMARY KEY, buyer text)"),
        ("stock", "parcels (of uuid PRIMARY KEY)"),
    ):
        with stores[name].server.connected(stores[name].database) as connection:
            connection.execute(f"CREATE TABLE {table}".encode())
    states = []
    with case_databases(supply, {name: (store.server, store.database) for name, store in stores.items()}) as databases:
        for sent in ("Anna", "Anna", "Otto"):
            drawn = {"Anna": uuid.uuid4(), "Otto": uuid.uuid4()}
            for buyer, receipt in drawn.items():
                databases.called("sales").connection.execute("INSERT INTO receipts VALUES (%s, %s)", [receipt, buyer])
            databases.called("stock").connection.execute("INSERT INTO parcels VALUES (%s)", [drawn[sent]])
            states.append(databases.end_state())
            databases.put_back()
    assert len(states[0]) == 3
    assert states[0] == states[1]
    assert states[0] != states[2]


def test_an_application_s_own_bookkeeping_is_no_part_of_an_end_state(supply: Specification, loaded: Stores) -> None:
    stores = {name: replace(store, database=f"middlemark_books_{name}") for name, store in loaded.items()}
    reset_all(stores)
    in_use = {name: (store.server, store.database) for name, store in stores.items()}
    stock = supply.description.databases["stock"].model_copy(update={"bookkeeping": ("shipments",)})
    described = supply.description.model_copy(update={"databases": {**supply.description.databases, "stock": stock}})
    for specification, shown in (
        (supply, ["- stock.items", "- stock.shipments"]),
        (replace(supply, description=described), ["- stock.items"]),
    ):
        with case_databases(specification, in_use) as databases:
            databases.called("stock").connection.execute("DELETE FROM shipments; DELETE FROM items WHERE item = 3")
            assert sorted({line.partition(" {")[0] for line in databases.end_state()}) == shown
            databases.put_back()
            assert databases.end_state() == ()


def _put_back_without_a_connection(specification: Specification, in_use: DatabasesInUse, name: str) -> None:
    server, _ = in_use[name]
    with case_databases(specification, in_use) as databases:
        with server.admin() as admin:
            admin.execute("SELECT pg_terminate_backend(%s)", [databases.called(name).connection.info.backend_pid])
        databases.put_back()


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ("{sql: SELECT 1}", "sales.yaml:5: supply has 2 databases. Name one of sales, stock"),
        ("{sql: SELECT 1, database: shop}", "sales.yaml:5: supply has no database 'shop'"),
        ("{cut: shop}", "sales.yaml:5: supply has no database 'shop'"),
        ("{hold: LOCK TABLE items, during: [{get: /}]}", "supply has 2 databases"),
        ("{repeat: 2, steps: [{get: /, expect: {look: [{at: p, text: {sql: SELECT 1}}]}}]}", "supply has 2 databases"),
        ("{settle: shipments}", "'shipments' is not unfinished work. Known here: sales"),
        ("{get: /, user: anna}", "no user can log in, since the specification has no [login]"),
        ("{call: sell}", "'sell' is not an operation"),
        ("{send_grpc: {method: Sell}, status: OK}", "the step does not name its interface"),
    ],
)
def test_a_step_that_names_what_the_specification_does_not_have_is_refused(
    tmp_path: Path, step: str, text: str
) -> None:
    shutil.copytree(CHECKOUT / "specs", tmp_path / "specs")
    cases = f"version: 1\ncases:\n  - name: a case of its own\n    steps:\n      - {step}\n"
    (tmp_path / "specs" / "supply" / "cases" / "sales.yaml").write_text(cases, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_cases(find_specification("supply", tmp_path))
    assert text in str(refused.value)


def command(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `middlemark verify` where there are two specifications."""
    whole = [sys.executable, "-m", "middlemark", "verify", *words, "--out", str(tmp_path / "results")]
    return subprocess.run(whole, cwd=CHECKOUT, capture_output=True, text=True, check=False)


def test_where_there_are_several_specifications_the_first_that_all_implement_is_meant(tmp_path: Path) -> None:
    assert specification_meant(CHECKOUT, "plain") == "sums"
    other = tmp_path / "platforms" / "other"
    shutil.copytree(CHECKOUT / "platforms", tmp_path / "platforms")
    shutil.copytree(tmp_path / "platforms" / "plain", other)
    description = (other / "platform.toml").read_text(encoding="utf-8")
    (other / "platform.toml").write_text(description.replace("[specs.sums]", "[specs.totals]"), encoding="utf-8")
    assert specification_meant(tmp_path, "plain", "other") == "supply"
    (other / "platform.toml").write_text(
        description.replace("[specs.sums]", "[specs.totals]").replace("[specs.supply]", "[specs.stocks]"),
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="no specification is implemented by all of plain, other"):
        specification_meant(tmp_path, "plain", "other")


def test_the_cases_of_all_specifications_are_checked_unless_one_is_named(tmp_path: Path) -> None:
    numbers = [len(read_cases(find_specification(name, CHECKOUT))) for name in ("sums", "supply")]
    assert command(tmp_path, "--check-cases").stdout == f"{sum(numbers)} cases can be read.\n"
    assert command(tmp_path, "--check-cases", "--spec", "supply").stdout == f"{numbers[1]} cases can be read.\n"


def test_front_ends_are_paired_also_where_a_call_has_one_protocol() -> None:
    subject = find_subject(CHECKOUT, "plain", "supply")
    subjects = [subject, replace(subject, name="other")]
    found = [(one.name, len(one.configurations)) for one in pairings(subjects, read_cases(subject.specification))]
    assert found == [("plain", 1), ("other", 1), ("plain on other", 1), ("other on plain", 1)]
