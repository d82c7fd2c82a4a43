"""The driver under `middlemark drive`: stamps, wake-ups, event loops, arrivals, sockets; with real servers."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import pytest
from driven import DRIVEN_SECONDS, SESSION, drive, hello_of
from hdrh.histogram import HdrHistogram
from other_server import Manners, misbehaving, on_a_socket

from middlemark.records.driver_lines import AuditLine, DriverLines, Interval, PhaseName
from middlemark.records.window import TransactionFigures
from middlemark.workload.latencies import DIGITS, HIGHEST_US, LOWEST_US, Latencies
from middlemark.workload.plan import WakeUps, read_plan
from middlemark.workload.receive_lag import Stamps, receive_lag

pytestmark = pytest.mark.long

RATE = 40


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "page.yaml"
    path.write_text(SESSION, encoding="utf-8")
    return path


def driven(session: Path, target: str, *more: str) -> tuple[dict[str, object], Path]:
    """Drive and keep everything; return the result and its folder."""
    done = drive(session, target, "--json", "--out", str(session.parent / "out"), *more)
    assert done.returncode == 0, done.stderr + done.stdout
    result: dict[str, object] = json.loads(done.stdout)
    return result, Path(str(result["out"]))


def test_stamps_show_which_part_of_the_times_was_the_drivers(session: Path) -> None:
    with misbehaving(Manners(seconds=0.02)) as address:
        result, folder = driven(session, address, "--receive-stamps", "--users", "4")
        shown = drive(session, address, "--receive-stamps").stdout
        plain, _ = driven(session, address)
    assert plain["receive_lag"] is None
    lag, total = result["receive_lag"], result["total"]
    assert isinstance(lag, dict)
    assert isinstance(total, dict)
    assert 0 < lag["p50_ms"] <= lag["p99_ms"] <= lag["max_ms"]
    lines = [line for line in DriverLines(folder / "intervals.ndjson") if isinstance(line, Interval | AuditLine)]
    audits = [line for line in lines if isinstance(line, AuditLine)]
    assert all(audit.receive_lag is not None for audit in audits)
    window = [
        audit
        for interval, audit in itertools.pairwise(lines)
        if isinstance(interval, Interval) and interval.phase is PhaseName.MEASURE and isinstance(audit, AuditLine)
    ]
    unstamped = sum(audit.unstamped or 0 for audit in window)
    assert lag["responses"] + unstamped == total["count"]
    # The kernel may begin to stamp a few responses after the request for it.
    if unstamped <= 0.01 * total["count"]:
        part_ms = lag["mean_ms"] * lag["responses"] / total["count"]
        assert lag["server_mean_ms"] == pytest.approx(total["mean_ms"] - part_ms)
        assert lag["server_mean_ms"] > 20 * 0.999
    else:
        assert lag["server_mean_ms"] is None
    assert isinstance(result["checks"], list)
    assert "receive lag" in [check["name"] for check in result["checks"]]
    assert "\n receive lag" in shown


@pytest.mark.parametrize(
    ("responses", "count", "errors", "sub_resources", "server_mean_ms"),
    [
        ((4, 0), 4, 0, 0, 8.0),
        # Each was redirected once.
        ((8, 0), 4, 0, 0, 6.0),
        ((4, 0), 4, 1, 0, None),
        ((8, 0), 4, 0, 4, None),
        ((99, 1), 100, 0, 0, 8.02),
        ((97, 3), 100, 0, 0, None),
        # Each was redirected once: more stamps than transactions, and yet a quarter of the responses has none.
        ((150, 50), 100, 0, 0, None),
        ((198, 2), 100, 0, 0, 6.04),
        ((197, 3), 100, 0, 0, None),
        # An older driver, which does not count those without.
        ((4, None), 4, 0, 0, None),
        ((1, 0), 0, 0, 0, None),
    ],
)
def test_a_mean_is_split_where_every_response_is_stamped_and_a_part_of_a_valid_transaction(
    responses: tuple[int, int | None], count: int, errors: int, sub_resources: int, server_mean_ms: float | None
) -> None:
    stamped, unstamped = responses
    times = HdrHistogram(LOWEST_US, HIGHEST_US, DIGITS)
    times.record_value(2_000, stamped)
    encoded = times.encode().decode()
    audit = AuditLine(
        v=1, t_ns=0, type="audit", cpu_user_ns=0, cpu_system_ns=0, threads=[], rss_bytes=0, lateness=encoded,
        lag=encoded, receive_lag=encoded, unstamped=unstamped,
    )  # fmt: skip
    each_ms = dict.fromkeys(("sd_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms"), 0.0)
    stamps = Stamps()
    stamps.add(audit)
    found = receive_lag(
        stamps, TransactionFigures(count=count, errors=errors, tps=1, mean_ms=10, **each_ms), sub_resources
    )
    assert found is not None
    assert found.responses == stamped
    assert found.server_mean_ms == pytest.approx(server_mean_ms, abs=0.01)


@pytest.mark.parametrize("wake", WakeUps)
def test_the_driver_wakes_as_the_option_is(session: Path, wake: WakeUps) -> None:
    with misbehaving(Manners()) as address:
        _, folder = driven(session, address, "--wake", wake)
    assert read_plan(folder / "plan.json").wake is wake
    audits = [line for line in DriverLines(folder / "intervals.ndjson") if isinstance(line, AuditLine)]
    assert sum(Latencies.decode(audit.lateness).count for audit in audits) > 0


def test_the_driver_counts_in_intervals_of_the_length_that_is_asked_for(session: Path) -> None:
    with misbehaving(Manners()) as address:
        result, folder = driven(session, address, "--interval", "1500ms", "--duration", "2s")
        refused = drive(session, address, "--interval", "90s")
    lines = list(DriverLines(folder / "intervals.ndjson"))
    assert hello_of(lines).interval_ms == 1_500
    window = [line for line in lines if isinstance(line, Interval) and line.phase is PhaseName.MEASURE]
    assert [round(line.seconds, 3) for line in window] == [1.5, 0.5]
    assert result["window_s"] == pytest.approx(2)
    assert refused.returncode == 2
    assert "--interval: 90s is not a length of an interval, which goes from 1s to 60s" in refused.stderr


def test_threads_share_the_users(session: Path) -> None:
    with misbehaving(Manners()) as address:
        result, folder = driven(session, address, "--threads", "2", "--users", "4", "--per-client")
        refused = drive(session, address, "--threads", "3", "--users", "2")
    lines = list(DriverLines(folder / "intervals.ndjson"))
    assert hello_of(lines).threads == 2
    audits = [line for line in lines if isinstance(line, AuditLine)]
    assert all(len(audit.threads) == 2 for audit in audits)
    assert all(thread.cpu_ns > 0 for thread in audits[-1].threads)
    assert isinstance(result["clients"], list)
    # Users of both event loops, the even ones' and the odd ones', get responses.
    assert all(client["transactions"] > 0 for client in result["clients"])
    assert refused.returncode == 2
    assert "3 event loops for 2 users" in refused.stderr


def arrivals(session: Path, seed: int, spacing: str) -> int:
    """Return how many arrivals the timetable had: those the server saw and those that never began."""
    manners = Manners()
    with misbehaving(manners) as address:
        words = ["--rate", f"{RATE}", "--unit", "requests", "--users", "40", "--arrivals", spacing]
        done = drive(session, address, "--json", "--seed", f"{seed}", *words)
    return len(manners.requests) + int(json.loads(done.stdout)["missed"])


def test_poisson_arrivals_are_as_many_as_chance_and_the_seed_make(session: Path) -> None:
    constant = arrivals(session, 1, "constant")
    # The rate rises over the ramp of 100 ms.
    assert constant == pytest.approx(RATE * (DRIVEN_SECONDS + 0.05), abs=1)
    drawn = [arrivals(session, seed, "poisson") for seed in (1, 2)]
    assert len({constant, *drawn}) > 2
    # Five standard deviations of a Poisson distribution.
    assert all(abs(number - constant) < 5 * math.sqrt(constant) for number in drawn)
    assert arrivals(session, 1, "poisson") == drawn[0]


def test_a_unix_socket_is_driven(session: Path, tmp_path: Path) -> None:
    manners = Manners()
    with on_a_socket(manners, tmp_path / "shop.sock") as address:
        result, _ = driven(session, address)
        prefixed, _ = driven(session, f"{address}:/shop")
    assert result["targets"] == [address]
    for one in (result, prefixed):
        assert isinstance(one["total"], dict)
        assert one["total"]["count"] > 0
        assert one["errors_by_kind"] == {}
    assert {path for _, path, _, _ in manners.requests} == {"/", "/shop/"}
    assert {headers["host"] for headers in manners.headers} == {"localhost"}


def test_a_unix_socket_without_a_server_is_refused(session: Path, tmp_path: Path) -> None:
    done = drive(session, f"unix:{tmp_path}/nobody.sock")
    assert done.returncode == 2
    assert "nobody.sock (No such file or directory). Start it or check the address" in done.stderr
