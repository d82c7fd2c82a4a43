"""What goes wrong while a case runs is reported at its case, and asking to stop is not a failure of an application."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from called_application import wrong_server
from small_specification import specification_with

from middlemark.conformance.cases.suite import Placed, read_cases
from middlemark.conformance.execution.run_case import run_case
from middlemark.conformance.execution.state.case_databases import case_databases
from middlemark.conformance.execution.state.loaded import LeftBehindError
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.context import Addresses, Context
from middlemark.conformance.failure import Stopped
from middlemark.conformance.result import Execution, ExecutionOutcome
from middlemark.databases.database import CopyStrategy, Database, create_database, drop_database
from middlemark.errors import InputError

NAME = "middlemark_trouble"
CASES = """
cases:
  - name: rows that never come
    steps: [{sql: SELECT 1, rows: [["2"]], within: 60s}]
  - name: orders that are never settled
    set_up: [UPDATE orders SET status = 'open' WHERE order_id = 1]
    steps: [{settle: orders}]
  - name: an operation is called
    steps: [{call: getQuote, with: {symbol: "s:1"}}]
  - name: calls at once
    steps: [{at_once: [[&call {call: getQuote, with: {symbol: "s:1"}}], [*call]]}]
  - name: wrong SQL is held
    steps: [{hold: SELECT nonsense, during: [{wait: 1ms}]}]
  - name: a table that is not there fails
    fails: [{table: nonsense, on: insert}]
    steps: [{wait: 1ms}]
  - name: a table that fails is gone at the end
    fails: [{table: order_messages, on: insert}]
    steps: [{sql: ALTER TABLE order_messages RENAME TO elsewhere}]
  - name: a failed step and a table that is gone at the end
    fails: [{table: order_messages, on: insert}]
    steps: [{sql: ALTER TABLE order_messages RENAME TO elsewhere}, {sql: SELECT 1, rows: [["2"]]}]
  - name: a table that fails is locked at the end
    fails: [{table: accounts, on: insert}]
    steps: [{wait: 2s}]
  - name: a table is locked at the end
    steps: [{wait: 2s}]
  - name: nothing is wrong
    steps: [{wait: 1ms}]
"""


@pytest.fixture
def context(database_cluster: Database, tiny_template: str, tmp_path: Path) -> Iterator[Context]:
    """Give a run context with a database of its own and an application that does not answer."""
    spec = specification_with(tmp_path, trouble=CASES)
    drop_database(database_cluster, NAME)
    create_database(database_cluster, NAME, tiny_template, CopyStrategy.LOG)
    nobody = "http://127.0.0.1:9"
    with (
        case_databases(spec, {"brokerage": (database_cluster, NAME)}) as databases,
        open_client(nobody) as client,
    ):
        databases.called(None).connection.execute("SET lock_timeout = '100ms'")
        yield Context(spec, everywhere(nobody), {"orders": "sync"}, databases, threading.Event(), client, list)
    drop_database(database_cluster, NAME)


def everywhere(address: str) -> Addresses:
    """Return one address for everything."""
    return Addresses(address, {"services": address}, dict.fromkeys(("json", "soap", "grpc"), address))


def placed(context: Context, name: str) -> Placed:
    """Return the case of that name."""
    (one,) = [one for one in read_cases(context.specification) if one.case.name == name]
    return one


def executed(context: Context, name: str, interface: str = "json") -> Execution:
    """Run the case of that name."""
    return run_case(placed(context, name), {}, interface, context).execution


@pytest.mark.parametrize("name", ["rows that never come", "orders that are never settled"])
def test_asking_to_stop_ends_a_wait_and_is_not_a_failure(context: Context, name: str) -> None:
    timer = threading.Timer(0.3, context.stop.set)
    timer.start()
    with pytest.raises(Stopped):
        executed(context, name)
    timer.join()


@pytest.mark.parametrize("name", ["an operation is called", "calls at once"])
def test_an_application_that_is_gone_fails_the_step(context: Context, name: str) -> None:
    execution = executed(context, name, "soap")
    assert execution.outcome is ExecutionOutcome.FAILED
    assert execution.failures[0].step.startswith("step 1")
    assert "outside the contract: http://127.0.0.1:9/services/soap?wsdl was not answered" in execution.failures[0].text


def test_another_wsdl_fails_calls_at_once(context: Context) -> None:
    with wrong_server() as server:
        server.content_type = "text/xml"
        server.described = b"<definitions/>"
        context.addresses = everywhere(server.address)
        execution = executed(context, "calls at once", "soap")
    assert execution.outcome is ExecutionOutcome.FAILED
    assert "?wsdl answered a WSDL without the operation ping at" in execution.failures[0].text


@pytest.mark.parametrize(
    ("name", "line", "text"),
    [
        ("wrong SQL is held", 14, 'column "nonsense" does not exist'),
        ("a table that is not there fails", 16, 'relation "public.nonsense" does not exist'),
    ],
)
def test_sql_that_cannot_be_run_is_reported_with_its_place(context: Context, name: str, line: int, text: str) -> None:
    with pytest.raises(InputError, match=re.escape(text)) as refused:
        executed(context, name)
    assert refused.value.where.endswith(f"trouble.yaml:{line}")
    context.require_databases().put_back()
    assert executed(context, "nothing is wrong").outcome is ExecutionOutcome.PASSED


def test_a_failing_table_that_is_gone_at_the_end_fails_the_case_and_the_database_is_made_anew(context: Context) -> None:
    execution = executed(context, "a table that fails is gone at the end")
    assert execution.outcome is ExecutionOutcome.FAILED
    assert [failure.step for failure in execution.failures] == [""]
    assert "cannot be taken back (relation" in execution.failures[0].text
    with pytest.raises(LeftBehindError, match="not those that were loaded"):
        context.require_databases().put_back()


def test_the_failed_step_is_reported_before_what_is_left(context: Context) -> None:
    execution = executed(context, "a failed step and a table that is gone at the end")
    assert [failure.step for failure in execution.failures] == ["step 2", ""]


@pytest.mark.parametrize("name", ["a table that fails is locked at the end", "a table is locked at the end"])
def test_a_lock_that_nobody_lets_go_fails_the_case(context: Context, database_cluster: Database, name: str) -> None:
    with database_cluster.connected(NAME) as holder, holder.transaction():
        lock = threading.Timer(1.0, holder.execute, ["LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE"])
        lock.start()
        execution = executed(context, name)
        lock.join()
    assert execution.outcome is ExecutionOutcome.FAILED
    texts = [failure.text.split(" (")[0] for failure in execution.failures]
    assert texts[-1] == "audit: it cannot be asked, because somebody holds a lock"
    assert texts[:-1] == (["what made statements fail cannot be taken back"] if "fails" in name else [])
