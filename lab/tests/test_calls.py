"""Calls that an application makes itself: its response reports them, and each of them is a transaction."""

from __future__ import annotations

import json
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from urllib.parse import parse_qs, urlsplit

import pytest
from driven import drive

from middlemark.audit.driver_report import driver_report
from middlemark.audit.reconciling import Found, Requests, reconciled
from middlemark.documents import read_yaml
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.run_context import RunningSubject
from middlemark.experiment.work import work_of
from middlemark.records.driver_lines import Confirmed, DriverLines, ResponseCounts, Unanswered
from middlemark.workload.calls import MAX_OUTCOMES
from middlemark.workload.expected import expected_iteration
from middlemark.workload.planning import LoadSettings, PhaseLengths, make_plan
from middlemark.workload.session import Session, read_session

SESSION = """\
name: client
think: {constant: 10ms}
steps:
  - id: run
    transaction: call
    get: /run?ms=300
    expect: {status: 200}
    capture: {loop: {header: X-Loop}}
    calls: {lasts: 300ms, outcomes: [different, unavailable], identify: row}
  - {id: after, get: "/after/${loop}"}
"""
# What is replaced in SESSION, by what, the line of the message, and what it says.
WRONG = [
    ("get: /run?ms=300", "post: /run", 9, "calls: only the response to a get reports calls"),
    ("{status: 200}", "{marker: fine}", 7, "expect.marker: the body holds calls and no text"),
    ("{status: 200}", "{length: 24}", 7, "expect.length: the application decides how many calls it makes"),
    ("{header: X-Loop}", '{regex: "(x)"}', 8, "capture.loop: the body holds calls and no text"),
    ("    expect", "    identify: [loop]\n    expect", 7, "identify: all calls of a response have the same values"),
    ("identify: row", "identify: row 1", 9, "calls.identify: 'row 1' is not a name: letters, digits, - and _"),
    ("lasts: 300ms, ", "", 9, "calls.lasts"),
    ("different", "closed", 9, "'closed' is a kind of error of the driver; choose another name"),
    ("different", "unavailable", 9, "'unavailable' is there twice"),
    ("different", "Different", 9, "'Different' is not a name of small letters, digits and _"),
    ("steps:", "sub_resources: {cache: none}\nsteps:", 3, "sub_resources: step 'run' reports calls"),
    (
        "different",
        ", ".join(f"n{number}" for number in range(MAX_OUTCOMES)),
        1,
        f"the calls of all steps have {MAX_OUTCOMES + 1} outcomes with names; at most {MAX_OUTCOMES} can",
    ),
]


@dataclass
class Application:
    """An application that makes calls, each about 2 ms long, and counts their outcomes."""

    address: str = ""
    outcomes: Counter[int] = field(default_factory=Counter)
    breaks_off: bool = False


@contextmanager
def calling_application() -> Iterator[Application]:
    """Give a running application; of ten calls one is different, and one has an outcome without a name."""
    application = Application()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(200)
            if self.path.startswith("/after/"):
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_header("X-Loop", "l1")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            length_s = int(parse_qs(urlsplit(self.path).query)["ms"][0]) / 1000
            self.make_calls(length_s)
            self.close_connection = application.breaks_off
            if not application.breaks_off:
                self.wfile.write(b"0\r\n\r\n")

        def make_calls(self, length_s: float) -> None:
            origin, number = time.monotonic_ns(), 0
            while time.monotonic_ns() - origin < length_s * 1e9:
                records = b""
                for _ in range(10):
                    begun = time.monotonic_ns()
                    time.sleep(0.002)  # the call takes so long
                    took = time.monotonic_ns() - begun
                    number += 1
                    outcome = {3: 1, 7: 9}.get(number % 10, 0)
                    application.outcomes[outcome] += 1
                    records += struct.pack(">QQQ", begun - origin, took << 8 | outcome, 0)  # nothing is stored
                self.wfile.write(b"%x\r\n%s\r\n" % (len(records), records))

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    application.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield application
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "client.yaml"
    path.write_text(SESSION, encoding="utf-8")
    return path


def test_a_drive_counts_the_calls_that_the_application_has_made(written: Path, tmp_path: Path) -> None:
    with calling_application() as application:
        done = drive(
            written,
            application.address,
            "--json",
            "--users",
            "2",
            "--max-error-rate",
            "1",
            "--per-client",
            "--out",
            str(tmp_path),
        )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    found = result["transactions"]["call"]
    assert found["count"] > 100
    assert 2 <= found["p50_ms"] < result["transactions"]["call"]["max_ms"]
    assert set(result["errors_by_transaction"]["call"]) == {"different", "unknown_outcome"}
    assert result["errors_by_transaction"]["after"] == {}
    assert result["driver_cpu_us_per_request"] is None
    assert result["little_tps"] is None
    unchecked = {check["name"] for check in result["checks"] if check["outcome"] == "not checked"}
    assert {"Little's law", "mix", "driver lateness"} <= unchecked
    assert sum(client["transactions"] for client in result["clients"]) == result["total"]["count"]
    report = driver_report(DriverLines(Path(result["out"]) / "intervals.ndjson"))
    assert report is not None
    made = application.outcomes
    assert report.responses["call"] == ResponseCounts(valid=made[0], invalid=made[1] + made[9])


def test_a_drive_says_what_failed_in_words(written: Path) -> None:
    with calling_application() as application:
        application.breaks_off = True
        done = drive(written, application.address, "--users", "1")
    assert done.returncode == 1
    assert "errors of call: closed " in done.stdout
    assert "different " in done.stdout
    assert "unknown_outcome: a reported call ended with an outcome that the session does not name" in done.stdout


@pytest.mark.parametrize("option", ["--receive-stamps", "--split-times"])
def test_parts_of_the_times_of_calls_are_refused(written: Path, option: str) -> None:
    done = drive(written, "http://127.0.0.1:9", option)
    assert done.returncode == 2
    assert "step 'run' reports calls, whose times the driver cannot split" in done.stderr


@pytest.mark.parametrize(("old", "new", "line", "message"), WRONG, ids=[f"{case[1]!r}"[:40] for case in WRONG])
def test_a_mistake_is_one_message_with_its_line(written: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in SESSION
    written.write_text(SESSION.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_session(written, {})
    assert f"{written}:{line}" in (caught.value.where or "")
    assert message in str(caught.value)


def test_ramps_windows_and_drain_know_how_long_the_calls_last(written: Path) -> None:
    session = read_yaml(written, Session)
    assert expected_iteration(session, mean_response_s=0.05) == pytest.approx(0.3 + 0.01 + 0.05 + 0.01)
    phases = PhaseLengths(*map(Duration, (1_000, 0, 5_000, 2_000)))
    settings = LoadSettings(targets=("http://127.0.0.1:1",), users=1, phases=phases, run="r")
    plan = make_plan(session, settings)
    assert plan.phases.drain_ms == 2_300
    (run, after) = json.loads(plan.model_dump_json(by_alias=True))["steps"]
    assert run["calls"] == {"outcomes": ["different", "unavailable"], "identify": "row"}
    assert "calls" not in after


def test_the_work_of_calls_is_not_counted_and_the_reason_is_kept(written: Path) -> None:
    combination = SimpleNamespace(path="go-local")
    subject = SimpleNamespace(session=read_session(written, {}), combination=combination)
    work = work_of(cast("RunningSubject", subject))
    assert work.steps == []
    assert "the calls that step 'run' reports follow each other too closely" in work.unavailable


def test_what_an_application_did_after_its_report_broke_off_is_explained() -> None:
    unanswered = {"v": 1, "t_ns": 1, "type": "unanswered", "user": 0, "iteration": 0, "step": "run"}
    unanswered |= {"transaction": "call", "kind": "closed", "variables": {}}
    confirmed = Confirmed(v=1, t_ns=2, type="confirmed", transactions={"call": ResponseCounts(valid=40, invalid=2)})
    for calls, doubled in ((True, 0), (False, 7)):
        report = driver_report([Unanswered.model_validate({**unanswered, "calls": calls}), confirmed])
        assert report is not None
        requests = Requests(valid=40, invalid=2, open_ended=any(one.calls for one in report.named))
        for one in report.named:
            requests.add(one.outcome, None)
        # One of the others was the request without a response, two had an outcome that is an error.
        found = reconciled(requests, Found(total=50, each={}), effect="row", every=True)
        assert (found.unanswered_done + found.invalid_done + found.doubled, found.doubled) == (10, doubled)
        lost = reconciled(requests, Found(total=39, each={}), effect="row", every=True)
        assert lost.lost == 1
