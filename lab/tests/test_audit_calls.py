"""Orders that reported calls have stored are compared one by one: a lost one and a doubled one do not cancel."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from middlemark.audit.confirmed import judge_confirmed, read_confirmed
from middlemark.audit.driver_report import DriverReport, driver_report
from middlemark.databases.database import Connection, Database
from middlemark.duration import Duration
from middlemark.load.loading import load_dataset
from middlemark.records.driver_lines import DriverLines, ResponseCounts
from middlemark.records.point import AuditFinding, Outcome, Reconciled
from middlemark.specification.specification import read_specification
from middlemark.workload.driver import driving
from middlemark.workload.plan import write_plan
from middlemark.workload.planning import LoadSettings, PhaseLengths, make_plan
from middlemark.workload.session import read_session

REMOTING = read_specification(Path(__file__).parents[2] / "specs" / "remoting")
NAME = "middlemark_audit_calls"
MODES = {"protocol": "json", "operation": "storeOrder"}
UNAVAILABLE = 5
CALLS = 6
# Calls that have no answer, each of which has stored its order.
UNANSWERED = 2
STORE = """
INSERT INTO orders
SELECT nextval(pg_get_serial_sequence('orders', 'order_id')), customer_id, 5, now(), now(), now(), 1, 1,
    '', '', '', '', '', ''
FROM customers LIMIT 1 RETURNING order_id
"""


@contextmanager
def storing_application(database: Database) -> Iterator[str]:
    """Give the address of a client whose loops store CALLS orders, and UNANSWERED more in calls without an answer."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            report = b""
            with database.connected(NAME) as connection:
                for number in range(CALLS + UNANSWERED):
                    order_id = int(connection.execute(STORE).fetchall()[0][0])
                    outcome, shown = (0, order_id) if number < CALLS else (UNAVAILABLE, 0)
                    report += struct.pack(">QQQ", 1000 * number, 500 << 8 | outcome, shown)
            self.send_response(200)
            self.send_header("Content-Length", str(len(report)))
            self.end_headers()
            self.wfile.write(report)
            time.sleep(0.05)  # a loop is not over at once

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def report(database_cluster: Database, tmp_path_factory: pytest.TempPathFactory) -> DriverReport:
    """Give what the driver says of loops by two users, whose orders are in the database."""
    folder = tmp_path_factory.mktemp("calls")
    (dataset,) = REMOTING.datasets("tiny").values()
    load_dataset(database_cluster, dataset, NAME)
    session = read_session(REMOTING.folder / "sessions" / "calls.yaml", {}, MODES).carrying(MODES)
    with storing_application(database_cluster) as address:
        phases = PhaseLengths(*map(Duration, (0, 0, 500, 2_000)))
        settings = LoadSettings(targets=(address,), users=2, phases=phases, run="r", report_responses=True)
        write_plan(make_plan(session, settings), folder / "plan.json")
        with driving(folder / "plan.json", folder / "lines", log=folder / "log") as run:
            run.wait()
    found = driver_report(DriverLines(folder / "lines"))
    assert found is not None
    return found


@pytest.fixture
def connection(database_cluster: Database, report: DriverReport) -> Iterator[Connection]:
    """Give a connection to the orders; what a test changes is taken back."""
    assert report.responses["storeOrder"].valid >= 2 * CALLS
    with database_cluster.connected(NAME) as connection:
        connection.execute("BEGIN")
        yield connection
        connection.execute("ROLLBACK")


def _judged(connection: Connection, report: DriverReport) -> tuple[AuditFinding, Reconciled]:
    judged = judge_confirmed({"northwind": connection}, read_confirmed(REMOTING), report)
    return judged.findings["storeOrder"], judged.reconciled["storeOrder"]


def test_each_call_that_was_answered_has_stored_its_order_and_others_may_have(
    connection: Connection, report: DriverReport
) -> None:
    finding, numbers = _judged(connection, report)
    loops = numbers.confirmed // CALLS

    assert finding.outcome is Outcome.PASSED, finding.message
    assert numbers.by_name
    assert (numbers.invalid, numbers.invalid_done) == (UNANSWERED * loops, UNANSWERED * loops)


def test_an_order_lost_and_another_doubled_do_not_cancel(connection: Connection, report: DriverReport) -> None:
    last = report.named[-1].variables["order_id"]
    connection.execute("DELETE FROM orders WHERE order_id = %s", [last])
    connection.execute(STORE)

    finding, numbers = _judged(connection, report)

    assert (numbers.lost, numbers.doubled) == (1, 1)
    assert numbers.found == numbers.confirmed + numbers.invalid, "the totals alone would agree"
    assert finding.outcome is Outcome.FAILED
    assert finding.rows[0] == {"name": last, "valid": "1", "found": "0"}


def test_an_order_doubled_is_named_where_no_call_without_an_answer_explains_it(
    connection: Connection, report: DriverReport
) -> None:
    ids = [int(one.variables["order_id"]) for one in report.named]
    connection.execute("DELETE FROM orders WHERE order_id <> ALL(%s)", [ids])
    unconfirmed = [str(connection.execute(STORE).fetchall()[0][0]) for _ in range(3)]
    responses = {"storeOrder": ResponseCounts(valid=len(ids), invalid=2)}

    finding, numbers = _judged(connection, replace(report, responses=responses))

    assert (numbers.lost, numbers.invalid_done, numbers.doubled) == (0, 2, 1)
    assert finding.outcome is Outcome.FAILED
    assert [row["name"] for row in finding.rows] == sorted(unconfirmed)


def test_one_order_confirmed_by_two_calls_is_an_order_lost(connection: Connection, report: DriverReport) -> None:
    again, *others = report.named

    finding, numbers = _judged(connection, replace(report, named=(again, again, *others[1:])))

    assert (numbers.lost, finding.outcome) == (1, Outcome.FAILED)
    assert finding.rows[0] == {"name": again.variables["order_id"], "valid": "2", "found": "1"}
