"""The figures of a drive are those that a server has counted and timed by itself, and are printed whole."""

from __future__ import annotations

import io
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from driven import hello_of
from rich.console import Console

from middlemark.drive.drive import DriveOptions, DriveResult, drive, prepare
from middlemark.drive.options import DriveLoad, FurtherFigures
from middlemark.drive.table import print_result
from middlemark.drive.thresholds import Thresholds
from middlemark.duration import Duration
from middlemark.records.driver_lines import DriverLines, Interval, PhaseName
from middlemark.records.window import TransactionFigures
from middlemark.wording import rounded

SESSION = """\
name: timed
think: {constant: 40ms}
per_iteration: {connections: keep}
steps:
  - {id: page, get: /, expect: {marker: "</html>"}}
"""
SECONDS = 0.02
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 3007\r\n\r\n" + b"x" * 3000 + b"</html>"
REFUSAL = b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy"


@dataclass(frozen=True)
class Served:
    """One response on the monotonic clock: the request's last byte, the response's; and the bytes of both."""

    request_ns: int
    response_ns: int
    received: int
    sent: int


@dataclass
class Stopwatch:
    """What the server has served. It stalls once for `stall_s` at response `stall_at`; each `refuse`th is a 503.

    When it `hangs_up` it ends each connection after one response, and does not announce it.
    """

    stall_at: int = 0
    stall_s: float = 0.0
    refuse: int = 0
    hangs_up: bool = False
    served: list[Served] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    requests: int = 0

    def number(self) -> int:
        """Return the number of a request, from 1."""
        with self.lock:
            self.requests += 1
            return self.requests


class TimedResponses(socketserver.StreamRequestHandler):
    """Answers each request in two halves, the second after a known time."""

    server: TimedServer

    def handle(self) -> None:
        """Answer until the client hangs up."""
        watch = self.server.watch
        while lines := self._request():
            request_ns = time.monotonic_ns()
            number = watch.number()
            response = REFUSAL if watch.refuse and number % watch.refuse == 0 else RESPONSE
            self.wfile.write(response[:20])
            time.sleep(watch.stall_s if number == watch.stall_at else SECONDS)
            self.wfile.write(response[20:])
            watch.served.append(Served(request_ns, time.monotonic_ns(), lines, len(response)))
            if watch.hangs_up:
                return

    def _request(self) -> int:
        """Return the bytes of the next request, which has no body; 0 when there is none."""
        size = 0
        while line := self.rfile.readline():
            size += len(line)
            if line == b"\r\n":
                return size
        return 0


class TimedServer(socketserver.ThreadingTCPServer):
    """Serves on a free port and keeps the times of its stopwatch."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, watch: Stopwatch) -> None:
        super().__init__(("127.0.0.1", 0), TimedResponses)
        self.watch = watch


@contextmanager
def timed(watch: Stopwatch) -> Iterator[str]:
    """Serve in a thread; yield the address."""
    with TimedServer(watch) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def driven(watch: Stopwatch, folder: Path) -> tuple[DriveResult, list[Interval], list[Served]]:
    """Drive such a server, times split; return the result, the window's intervals and what was served in it."""
    session = folder / "timed.yaml"
    session.write_text(SESSION, encoding="utf-8")
    with timed(watch) as address:
        limits = Thresholds(0.0001, None)
        options = DriveOptions(
            session,
            (address,),
            limits,
            DriveLoad(6),
            duration=Duration(3000),
            ramp=Duration(200),
            further=FurtherFigures(split_times=True),
        )
        result = drive(prepare(options), folder, lambda _: None)
    lines = list(DriverLines(Path(result.out or "") / "intervals.ndjson"))
    window = [line for line in lines if isinstance(line, Interval) and line.phase is PhaseName.MEASURE]
    origin = hello_of(lines).monotonic_ns
    start, end = origin + window[0].start_ns, origin + window[-1].end_ns
    return result, window, [one for one in watch.served if start <= one.response_ns < end]


def test_counts_bytes_and_times_are_those_the_server_saw(tmp_path: Path) -> None:
    watch = Stopwatch()
    result, window, served = driven(watch, tmp_path)
    # A response under way at an edge of the window may lie on either side of it: one for each user.
    assert result.total.count == pytest.approx(len(served), abs=6)
    assert result.throughput_tps == pytest.approx(result.total.count / result.window_s)
    assert result.window_s == pytest.approx(3, abs=0.001)
    assert result.requests == result.total.count
    # The second half of each response comes after a known time.
    assert result.first_byte is not None
    assert result.first_byte.count == result.total.count
    assert result.total.mean_ms - result.first_byte.mean_ms >= 0.99 * 1000 * SECONDS
    assert result.page is None, "without sub-resources the page is all there is"
    assert result.driver_cpu_us_per_request == pytest.approx(1e6 * result.driver_cpu_s / result.requests)
    assert sum(interval.bytes_sent for interval in window) == result.total.count * served[0].received
    assert sum(interval.bytes_received for interval in window) == result.total.count * len(RESPONSE)
    times = [(one.response_ns - one.request_ns) / 1e6 for one in served]
    # The way to the server and back costs time; the server's own stamp may come late.
    assert sum(times) / len(times) - 2 < result.total.mean_ms < sum(times) / len(times) + 15
    assert result.total.p50_ms > 1000 * SECONDS


def test_a_server_that_stalls_for_a_second_shows_in_the_largest_times(tmp_path: Path) -> None:
    result, _, served = driven(Stopwatch(stall_at=60, stall_s=1.0), tmp_path)
    longest = max(one.response_ns - one.request_ns for one in served) / 1e6
    assert longest >= 1000
    assert 1000 <= result.total.max_ms <= longest + 200
    assert result.total.p999_ms == result.total.max_ms


def test_a_server_that_refuses_casts_no_doubt_on_the_driver(tmp_path: Path) -> None:
    result, _, served = driven(Stopwatch(refuse=4), tmp_path)
    refused = sum(one.sent == len(REFUSAL) for one in served)
    assert result.total.errors == pytest.approx(refused, abs=6)
    assert result.errors_by_kind == {"status": result.total.errors}
    assert result.errors_by_transaction == {"page": {"status": result.total.errors}}
    assert "percentage points above the limit (at most 0.01 %)" in result.verdict
    # Throughput counts valid responses only, so that Little's law does not judge the driver.
    (little,) = [check for check in result.checks if check.name == "Little's law"]
    assert (little.outcome, little.message) == ("not checked", "more than 0.01 % of the transactions failed")
    assert little.reason == little.message
    assert result.little_tps is None
    assert "Little's law" not in result.verdict


def test_long_times_are_printed_whole_in_a_narrow_place(tmp_path: Path) -> None:
    result, _, _ = driven(Stopwatch(), tmp_path)
    slow = {"count": 1_234_567, "mean_ms": 12_345.67, "p99_ms": 98_765.43, "max_ms": 119_999.99}
    figures: TransactionFigures = result.total.model_copy(update=slow)
    out = io.StringIO()
    print_result(result.model_copy(update={"transactions": {"page": figures}}), Console(file=out, width=60))
    lines = out.getvalue().splitlines()
    head = next(line for line in lines if line.startswith(" transaction"))
    assert head.split() == ["transaction", "count", "errors", "per", "s", "mean", "p50", "p90", "p95", "p99", "max"]
    row = next(line for line in lines if line.startswith(" page"))
    assert row.split()[1] == "1,234,567"
    assert all(figure in row for figure in ("12,346", rounded(result.total.p95_ms), "98,765", "120,000"))


def test_the_table_of_a_usual_session_fits_into_80_columns(tmp_path: Path) -> None:
    result, _, _ = driven(Stopwatch(), tmp_path)
    usual = {"count": 9_999, "tps": 99.99, "mean_ms": 12.34, "p95_ms": 45.67, "p99_ms": 98.76, "max_ms": 987.65}
    figures: TransactionFigures = result.total.model_copy(update=usual)
    changes = {"transactions": {"portfolio": figures}, "total": figures, "service": None, "receive_lag": None}
    out = io.StringIO()
    print_result(result.model_copy(update=changes), Console(file=out, width=80))
    table = out.getvalue().splitlines()[:6]
    assert max(map(len, table)) <= 80
    assert "…" not in "".join(table)


def test_connections_that_the_server_has_closed_are_made_anew_counted_and_shown(tmp_path: Path) -> None:
    result, _, served = driven(Stopwatch(hangs_up=True), tmp_path)
    assert (result.total.errors, result.passed) == (0, True), result.verdict
    # In the window each request has a connection of its own, made because the one before was closed.
    assert result.reconnected == pytest.approx(len(served), abs=6)
    assert result.connections == pytest.approx(len(served), abs=6)
    out = io.StringIO()
    print_result(result, Console(file=out))
    assert f"{result.reconnected:,} connections that the server had closed were made anew" in out.getvalue()
