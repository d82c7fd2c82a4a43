"""Lines of a run that lasts as long as a test wants, as the driver writes them, and what reading them takes."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from hdrh.histogram import HdrHistogram

SECOND = 10**9
START_NS = 20_000_000
TIERS = ("web", "services", "database", "driver")
TRANSACTIONS = ("login", "quote", "buy")
# Encoding is slow here; intervals take turns in these.
VARIANTS = 50
PER_VARIANT = 20
PIPE_BYTES, PIECE_BYTES = 1 << 16, 1 << 14
LATENESS_US = [60] * 90 + [900] * 10
INTERVAL_CPU_NS = 10**7
COUNTS = {"iterations", "failed", "connections", "reconnected", "requests", "bytes_sent", "bytes_received"}


def write_run(path: Path, intervals: int, *, share: tuple[int, int] | None = None) -> None:
    """Write the lines of a run whose window has so many intervals of a second, as share `index` of `of`."""
    with path.open("w", encoding="utf-8") as file:
        for line in _lines(intervals, share):
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


def write_samples(path: Path, seconds: int) -> None:
    """Write the monitor's samples of such a run: one each second, of four tiers, a database and the machine."""
    with path.open("w", encoding="utf-8") as file:
        for second in range(seconds + 2):
            tier = {
                "cpu_s": round(0.37 * second, 4), "rss_mib": 120.5, "cpus": [0, 1], "switches": 900 * second,
                "run_delay_s": 0.001 * second, "read_bytes": 4096 * second, "written_bytes": 8192 * second,
            }  # fmt: skip
            database = {
                "commits": 60 * second, "rollbacks": 0, "deadlocks": 0, "blocks_hit": 900 * second, "blocks_read": 9,
                "temporary_bytes": 0, "waiting_locks": 0, "active_sessions": 3,
            }  # fmt: skip
            sample = {
                "v": 1, "t_ns": second * SECOND, "tiers": dict.fromkeys(TIERS, tier), "databases": {"shop": database},
                "host": {"loopback_bytes": 10**6 * second, "network_bytes": 0, "steal_s": 0.0},
            }  # fmt: skip
            file.write(json.dumps(sample) + "\n")


def window_counts(intervals: int) -> dict[str, int]:
    """Return how many valid transactions the window of such a run has, by transaction."""
    return dict.fromkeys(TRANSACTIONS, intervals * PER_VARIANT)


def peak_mib(words: list[str], out: Path) -> float:
    """Run a program to its end, its stdout going into a file; return its largest resident memory in MiB.

    It is looked at before each piece of what the program writes, and so last when it has only a pipe's 64 KiB left to
    write, however slow or fast it is. What the kernel reports after its end (getrusage(2)) holds the memory of the
    process that started it, too.
    """
    kib = 0
    with out.open("wb") as file, subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        piece = b"first"
        while piece:
            kib = max(kib, _peak_kib(process.pid))
            piece = os.read(process.stdout.fileno(), PIECE_BYTES)
            file.write(piece)
    assert process.returncode == 0
    assert out.stat().st_size > PIPE_BYTES, "a program that never waited to be read was not looked at near its end"
    return kib / 2**10


def _peak_kib(pid: int) -> int:
    """Return the largest resident memory of a process so far, 0 when it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def _lines(intervals: int, share: tuple[int, int] | None) -> Iterator[dict[str, object]]:
    variants = [_transactions(variant, PER_VARIANT) for variant in range(VARIANTS)]
    lateness = _encoded(LATENESS_US)
    yield _hello(share)
    for number in range(intervals):
        start, end = START_NS + number * SECOND, START_NS + (number + 1) * SECOND
        yield _interval("measure", start, end, variants[number % VARIANTS])
        yield _audit(end, number, lateness)
    end = START_NS + intervals * SECOND
    yield _interval("drain", end, end + SECOND // 10, _transactions(0, 0))
    yield _audit(end + SECOND // 10, intervals, lateness)
    yield from _last_lines(intervals, end)


def _hello(share: tuple[int, int] | None) -> dict[str, object]:
    part = {} if share is None else {"share": {"index": share[0], "of": share[1]}}
    return {
        "v": 1, "t_ns": 0, "type": "hello", "driver": "0.1.0", "wall_clock": "2026-11-20T08:00:00Z", "monotonic_ns": 0,
        "seed": 1, "plan_sha256": "0" * 64, "load_sha256": "1" * 64, "name": "long", "run": "r", "users": 100,
        "threads": 1, "pid": 4711, "host": "here", "start_ns": START_NS, "interval_ms": 1000.0, **part,
    }  # fmt: skip


def _interval(phase: str, start: int, end: int, transactions: dict[str, object]) -> dict[str, object]:
    return {
        "v": 1, "t_ns": end, "type": "interval", "phase": phase, "start_ns": start, "end_ns": end, "users": 100,
        "iterations": 20, "failed": 0, "connections": 20, "reconnected": 0, "requests": 60, "bytes_sent": 18_000,
        "bytes_received": 300_000, "transactions": transactions,
    }  # fmt: skip


def _audit(end: int, number: int, lateness: str) -> dict[str, object]:
    return {
        "v": 1, "t_ns": end, "type": "audit", "cpu_user_ns": number * INTERVAL_CPU_NS,
        "cpu_system_ns": number * INTERVAL_CPU_NS,
        "threads": [{"cpu_ns": 2 * number * INTERVAL_CPU_NS, "run_queue_ns": 0}], "rss_bytes": 10**7,
        "lateness": lateness, "lag": lateness,
    }  # fmt: skip


def _last_lines(intervals: int, end: int) -> Iterator[dict[str, object]]:
    whole: dict[str, object] = {}
    for name in TRANSACTIONS:
        histogram = HdrHistogram(1, 120_000_000, 3)
        for variant in range(VARIANTS):
            times = intervals // VARIANTS + (variant < intervals % VARIANTS)
            for each in _times(name, variant):
                histogram.record_value(each, times)
        whole[name] = {"count": intervals * PER_VARIANT, "errors": {}, "histogram": histogram.encode().decode()}
    counts = {name: {"valid": count, "invalid": 0} for name, count in window_counts(intervals).items()}
    yield {"v": 1, "t_ns": end, "type": "confirmed", "transactions": counts}
    yield _window(intervals, end, whole)
    none = {"count": 0, "mean": 0.0, "p50": 0.0, "p99": 0.0, "max": 0.0}
    yield {
        "v": 1, "t_ns": end, "type": "self_audit", "window_ns": intervals * SECOND, "users": 100.0,
        "think_mean_ms": 1000.0, "valid": 1, "failed": 0, "response_ms": none, "lateness_ms": none, "lag_ms": none,
        "threads": [], "rules": [],
    }  # fmt: skip
    yield {
        "v": 1, "t_ns": end, "type": "end", "reason": "finished", "transactions": 1,
        "errors": {}, "unanswered": 0, "cpu_user_ns": 1, "cpu_system_ns": 1, "max_rss_bytes": 1,
        "driver_limited": False, "limited_by": None,
    }  # fmt: skip


def _window(intervals: int, end: int, transactions: dict[str, object]) -> dict[str, object]:
    """Return the sums of the window, as the driver makes them."""
    counted = {
        name: count * intervals if name in COUNTS and isinstance(count, int) else count
        for name, count in _interval("measure", START_NS, end, transactions).items()
    }
    spent = (intervals - 1) * INTERVAL_CPU_NS
    late = _encoded(LATENESS_US, intervals)
    return counted | {"type": "window", "cpu_user_ns": spent, "cpu_system_ns": spent, "lateness": late, "lag": late}


def _transactions(variant: int, count: int) -> dict[str, object]:
    return {
        name: {"count": count, "errors": {}, "histogram": _encoded(_times(name, variant)[:count])}
        for name in TRANSACTIONS
    }


def _times(name: str, variant: int) -> list[int]:
    draw = random.Random(f"{name} {variant}")  # noqa: S311 (times of a test)
    return [int(draw.lognormvariate(9, 0.6)) + 1 for _ in range(PER_VARIANT)]


def _encoded(times: list[int], as_often: int = 1) -> str:
    histogram = HdrHistogram(1, 120_000_000, 3)
    for each in times:
        histogram.record_value(each, as_often)
    encoded: bytes = histogram.encode()
    return encoded.decode("ascii")
