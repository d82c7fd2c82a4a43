"""An application that somebody else has started is verified at its address, with and without its database."""

from __future__ import annotations

import json
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from called_application import brokerage
from small_specification import built_go, small_subject, specification_with, stores_at

from middlemark.conformance.cases.suite import ABOUT_CASE
from middlemark.conformance.execution.request import VerifyRequest
from middlemark.conformance.reporting.text import result_lines, verdict
from middlemark.conformance.result import ConformanceResult, ExecutionOutcome
from middlemark.conformance.verify import verify
from middlemark.databases.database import COPIES, Database
from middlemark.errors import InputError, TargetError
from middlemark.load.fingerprint import fingerprint
from middlemark.specification.specification import Specification

NAME = "middlemark_called"
CASES = """
cases:
  - name: A bought share costs its price and the fee
    steps:
      - call: buy
        with: {userId: "uid:1", symbol: "s:3", quantity: 10}
        response: {fee: "24.95"}
      - settle: orders
  - name: Rows are looked at
    steps: [{sql: SELECT count(*) FROM orders, rows: [["250"]]}]
  - name: A value that the database knows
    steps: [{call: getAccount, with: {userId: "uid:1"}, response: {accountId: {sql: SELECT 2}}}]
  - name: A table that fails
    fails: [{table: orders, on: insert}]
    steps: [{get: /}]
"""
ABOUT: dict[str, object] = {
    "platform": "x", "server": "x", "specification": "brokerage", "specification_version": "1", "commit": "x",
    "roles": ["web", "services"], "settings": {}, "versions": {}, "not_default": [],
}  # fmt: skip
SETTINGS = "settings: {MM_SESSION_SECONDS: '1'}\ncases: [{name: A case with settings of its own, steps: [{get: /}]}]"


@pytest.fixture(scope="module")
def address(database_cluster: Database, tiny_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a running brokerage."""
    with brokerage(database_cluster, tiny_template, tmp_path_factory.mktemp("running")) as target:
        yield target.addresses[0]


def request_for(folder: Path, spec: Specification, address: str, database: str | None) -> VerifyRequest:
    """Return the request to verify an address, with its database if that is known."""
    databases = {} if database is None else {"brokerage": database}
    return VerifyRequest(folder, spec, (), folder / "logs", addresses=(address,), databases=databases)


def verified(folder: Path, address: str, database: str | None) -> ConformanceResult:
    """Verify the address with the cases above."""
    spec = specification_with(folder, cases=CASES, settings=SETTINGS)
    return verify(request_for(folder, spec, address, database))


def compared(cluster: Database, template: str, address: str, folder: Path) -> ConformanceResult:
    """Verify Go and the address, whose database is not known, with a case that buys."""
    request = VerifyRequest(
        home=folder,
        specification=specification_with(folder, cases=CASES),
        subjects=(small_subject(),),
        logs=folder / "logs",
        artifact=built_go(folder / "runtime"),
        loaded=stores_at(cluster, template),
        addresses=(address,),
        only=("A bought share costs its price and the fee",),
    )
    return verify(request)


def test_with_its_database_everything_runs_and_is_put_back(
    database_cluster: Database, address: str, tmp_path: Path
) -> None:
    with database_cluster.connected(NAME) as connection:
        before = fingerprint(connection)
    databases = set(database_cluster.created)
    result = verified(tmp_path, address, database_cluster.url(NAME))
    executions = result.subjects[0].executions
    assert {one.outcome for one in executions} == {ExecutionOutcome.PASSED}, [one.failures for one in executions]
    assert {one.interface for one in executions if "price" in one.case} == {"json", "soap", "grpc"}
    assert not any("settings of its own" in one.case for one in executions)
    with database_cluster.connected(NAME) as connection:
        assert fingerprint(connection) == before
        schemas = connection.execute("SELECT count(*) FROM pg_namespace WHERE nspname = %s", [COPIES]).fetchone()
        assert schemas == (0,)
    assert set(database_cluster.created) == databases


def test_without_its_database_what_needs_it_is_not_checked_and_reported(
    database_cluster: Database, address: str, tmp_path: Path
) -> None:
    result = verified(tmp_path, address, None)
    outcomes = {one.case: (one.outcome, one.reason) for one in result.subjects[0].executions}
    assert outcomes == {
        ABOUT_CASE: (ExecutionOutcome.PASSED, ""),
        "A bought share costs its price and the fee": (ExecutionOutcome.PASSED, ""),
        "Rows are looked at": (ExecutionOutcome.NOT_CHECKED, "the step sql needs --database URL"),
        "A value that the database knows": (ExecutionOutcome.NOT_CHECKED, "the matcher sql needs --database URL"),
        "A table that fails": (ExecutionOutcome.NOT_CHECKED, "fails needs --database URL"),
    }
    notes = " ".join(result.subjects[0].notes)
    assert "the data set is not put back between cases" in notes
    assert "the cases expect MM_MARKET_SUMMARY_SECONDS=0, this application has 60" in notes
    with pytest.raises(InputError, match="does not hold the data set brokerage at scale tiny as loaded"):
        verified(tmp_path / "again", address, database_cluster.url(NAME))


def test_a_subject_and_an_address_without_its_database_are_compared_as_far_as_ids_do_not_matter(
    database_cluster: Database, tiny_template: str, address: str, tmp_path: Path
) -> None:
    result = compared(database_cluster, tiny_template, address, tmp_path)
    assert result.differences == ()
    assert result.compared == (("go", address, 1),)
    assert "Compared with each other: 0 differences in 1 execution that two of them have" in [*result_lines(result)]
    assert verdict(result).endswith(f"go and {address} passed 4 of 4 executions of 1 case, and they are equal.")
    subject, called = (next(run for run in one.executions if run.interface == "json") for one in result.subjects)
    assert (subject.case, subject.configuration) == (called.case, called.configuration)
    assert "" not in {subject.responses, subject.end_state}
    assert {called.responses, called.end_state} == {""}


def test_an_address_of_which_nothing_can_be_checked_is_not_verified(address: str, tmp_path: Path) -> None:
    spec = specification_with(tmp_path, cases=CASES)
    only = ("Rows are looked at", "A table that fails")
    request = replace(request_for(tmp_path, spec, address, None), only=only)
    text = f"nothing of the chosen cases could be checked of {address}: fails needs --database URL; the step sql needs"
    with pytest.raises(InputError, match=re.escape(text)) as refused:
        verify(request)
    assert refused.value.exit_status == 2
    assert "or give --database URL" in str(refused.value)


def test_subjects_without_a_common_execution_are_not_called_equal(
    database_cluster: Database, tiny_template: str, address: str, tmp_path: Path
) -> None:
    result = compared(database_cluster, tiny_template, address, tmp_path)
    one, other = result.subjects
    elsewhere = tuple(run.model_copy(update={"configuration": {"binding": "another"}}) for run in other.executions)
    apart = result.model_copy(update={"subjects": (one, other.model_copy(update={"executions": elsewhere}))})
    assert "equal is not known" in verdict(apart)
    assert "they are equal" not in verdict(apart).replace("whether they are equal is not known", "")


@contextmanager
def answering_about(about: dict[str, object]) -> Iterator[str]:
    """Give the address of a server that answers /about and nothing else."""

    class About(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self.path.startswith("/about"):
                self.close_connection = True  # without an answer
                return
            body = json.dumps(about).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), About) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def test_an_address_that_responses_nothing_but_about_is_reported(tmp_path: Path) -> None:
    with answering_about(ABOUT) as at, pytest.raises(TargetError, match=r"\?wsdl: does not answer"):
        verified(tmp_path, at, None)


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [("specification_version", "2", "brokerage 2"), ("specification", "petstore", "petstore 1")],
)
def test_an_application_of_another_specification_or_version_is_refused(
    tmp_path: Path, key: str, value: str, found: str
) -> None:
    text = f"/about: this application obeys the specification {found}, the cases are of brokerage 1. Start one"
    with answering_about({**ABOUT, key: value}) as at, pytest.raises(InputError, match=re.escape(text)):
        verified(tmp_path, at, None)


def fresh_databases(cluster: Database) -> list[str]:
    """Return the databases that show how the data set is loaded."""
    with cluster.admin() as admin:
        rows = admin.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", ["middlemark\\_fresh\\_%"])
        return [str(name) for (name,) in rows]


def sleeping_databases(cluster: Database) -> list[str]:
    """Return the databases of fresh_databases in which a statement sleeps just now."""
    with cluster.admin() as admin:
        rows = admin.execute("SELECT datname FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep'")
        asleep = {str(name) for (name,) in rows}
    return [name for name in fresh_databases(cluster) if name in asleep]


def test_the_database_made_for_comparison_is_gone_when_it_cannot_be_loaded(
    database_cluster: Database, address: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="PostgreSQL refuses this SQL"):
        verified_with_keys(tmp_path, database_cluster, address, "SELECT no_such_column")
    assert fresh_databases(database_cluster) == []


def test_the_database_made_for_comparison_is_gone_after_an_interruption(
    database_cluster: Database, address: str, tmp_path: Path
) -> None:
    seen: list[str] = []

    def interrupt() -> None:
        while not seen:
            seen.extend(sleeping_databases(database_cluster))
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    watcher = threading.Thread(target=interrupt)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    watcher.start()
    with pytest.raises(KeyboardInterrupt):
        verified_with_keys(tmp_path, database_cluster, address, "SELECT pg_sleep(60)")
    watcher.join()
    assert len(seen) == 1
    assert fresh_databases(database_cluster) == []


def verified_with_keys(folder: Path, cluster: Database, address: str, keys: str) -> ConformanceResult:
    """Verify the address with its database; the data set's keys are made with this SQL."""
    spec = specification_with(folder, cases=CASES)
    (spec.folder / "keys.sql").unlink()
    (spec.folder / "keys.sql").write_text(keys, encoding="utf-8")
    return verify(request_for(folder, spec, address, cluster.url(NAME)))
