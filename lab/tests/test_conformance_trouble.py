"""What goes wrong while a case is played is told at its case, and asking to stop is no failure of an application."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from called_application import wrong_server
from small_specification import specification_with

from middlemark.audit.rules import read_rules
from middlemark.conformance.cases.suite import Placed, read_cases
from middlemark.conformance.execution.play import play_case
from middlemark.conformance.execution.state.loaded import LeftBehindError, Loaded
from middlemark.conformance.execution.state.rules import Rules
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.stage import Addresses, CaseDatabase, Stage
from middlemark.conformance.failure import Stopped
from middlemark.conformance.result import Played, PlayOutcome
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
def stage(database_cluster: Database, tiny_template: str, tmp_path: Path) -> Iterator[Stage]:
    """Give a stage with a database of its own and an application that does not answer."""
    spec = specification_with(tmp_path, trouble=CASES)
    drop_database(database_cluster, NAME)
    create_database(database_cluster, NAME, tiny_template, CopyStrategy.LOG)
    nobody = "http://127.0.0.1:9"
    with database_cluster.connected(NAME) as connection, open_client(nobody) as client:
        loaded = Loaded(connection)
        connection.execute("SET lock_timeout = '100ms'")
        database = CaseDatabase(database_cluster, NAME, connection, loaded, Rules(connection, read_rules(spec)))
        yield Stage(Addresses(nobody, nobody, nobody), spec, "sync", database, threading.Event(), client)
    drop_database(database_cluster, NAME)


def placed(stage: Stage, name: str) -> Placed:
    """Return the case of that name."""
    (one,) = [one for one in read_cases(stage.spec_folder) if one.case.name == name]
    return one


def played(stage: Stage, name: str, binding: str = "json") -> Played:
    """Play the case of that name."""
    return play_case(placed(stage, name), "cell", binding, stage)


@pytest.mark.parametrize("name", ["rows that never come", "orders that are never settled"])
def test_asking_to_stop_ends_a_wait_and_is_no_failure(stage: Stage, name: str) -> None:
    timer = threading.Timer(0.3, stage.stop.set)
    timer.start()
    with pytest.raises(Stopped):
        played(stage, name)
    timer.join()


@pytest.mark.parametrize("name", ["an operation is called", "calls at once"])
def test_an_application_that_is_gone_fails_the_step(stage: Stage, name: str) -> None:
    play = played(stage, name, "soap").play
    assert play.outcome is PlayOutcome.FAILED
    assert play.failures[0].step.startswith("step 1")
    assert "outside the contract: http://127.0.0.1:9/services/soap?wsdl was not answered" in play.failures[0].text


def test_another_wsdl_fails_calls_at_once(stage: Stage) -> None:
    with wrong_server() as server:
        server.content_type = "text/xml"
        server.described = b"<definitions/>"
        stage.addresses = Addresses(server.address, server.address, None)
        play = played(stage, "calls at once", "soap").play
    assert play.outcome is PlayOutcome.FAILED
    assert "another WSDL than the specification's" in play.failures[0].text


@pytest.mark.parametrize(
    ("name", "line", "told"),
    [
        ("wrong SQL is held", 14, 'column "nonsense" does not exist'),
        ("a table that is not there fails", 16, 'relation "public.nonsense" does not exist'),
    ],
)
def test_sql_that_cannot_be_run_is_told_with_its_place(stage: Stage, name: str, line: int, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)) as refused:
        played(stage, name)
    assert refused.value.where.endswith(f"trouble.yaml:{line}")
    assert stage.database
    stage.database.loaded.put_back()
    assert played(stage, "nothing is wrong").play.outcome is PlayOutcome.PASSED


def test_a_failing_table_that_is_gone_at_the_end_fails_the_case_and_the_database_is_made_anew(stage: Stage) -> None:
    play = played(stage, "a table that fails is gone at the end").play
    assert play.outcome is PlayOutcome.FAILED
    assert [failure.step for failure in play.failures] == [""]
    assert "cannot be taken back (relation" in play.failures[0].text
    assert stage.database
    with pytest.raises(LeftBehindError, match="not those that were loaded"):
        stage.database.loaded.put_back()


def test_the_failed_step_is_told_before_what_is_left(stage: Stage) -> None:
    play = played(stage, "a failed step and a table that is gone at the end").play
    assert [failure.step for failure in play.failures] == ["step 2", ""]


@pytest.mark.parametrize("name", ["a table that fails is locked at the end", "a table is locked at the end"])
def test_a_lock_that_nobody_lets_go_fails_the_case(stage: Stage, database_cluster: Database, name: str) -> None:
    with database_cluster.connected(NAME) as holder, holder.transaction():
        lock = threading.Timer(1.0, holder.execute, ["LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE"])
        lock.start()
        play = played(stage, name).play
        lock.join()
    assert play.outcome is PlayOutcome.FAILED
    told = [failure.text.split(" (")[0] for failure in play.failures]
    assert told[-1] == "audit: it cannot be asked, because somebody holds a lock"
    assert told[:-1] == (["what made statements fail cannot be taken back"] if "fails" in name else [])
