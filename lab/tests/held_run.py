"""A result folder whose only window is a soak of a day: lines and samples as they are written, a leak and a stall."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from synthetic_result import COMBINATIONS, Shape, encoded, self_audit, write_synthetic

from middlemark.records.folder import point_folder, read_record, write_json
from middlemark.records.point import Point
from middlemark.records.soak import SoakPlan

SECOND, RAMP_S, SLICE_S, DAY_S = 10**9, 60, 60, 86_400
SAMPLE_S = 7.5
USERS = 60
TRANSACTIONS = ("sign-in", "add", "summary", "billing", "confirm", "place", "sign-out")
COUNTED = "place"
# Of each transaction in a slice.
VALUES = 900
BEFORE_MIB = 200.0
TIERS = ("web+services", "database.catalog", "database.orders", "driver")


@dataclass(frozen=True)
class Held:
    """What a soak is like: MiB that a process leaks each minute, when all stands still, when the driver was stopped."""

    leak_mib: float = 0.0
    stall_s: float = math.inf
    end_s: float = math.inf
    decline: float = 0.0
    length_s: int = DAY_S


def write_held(root: Path, held: Held) -> Path:
    """Write the folder, and return that of its window; where its lines end early nobody has judged it."""
    combination = COMBINATIONS[0]
    write_synthetic(root, Shape(combinations=(combination,), loads=(USERS,), repeats=1))
    folder = point_folder(root, combination, USERS, 0)
    point = read_record(folder / "point.json", Point)
    assert point is not None
    plan = SoakPlan(length_s=held.length_s, slice_s=SLICE_S, mean_ms=3000, errors=0.0001, rate="orders per second")
    write_json(folder / "point.json", point.model_copy(update={"soak": plan, "counted": (COUNTED,)}))
    is_whole = held.end_s >= held.length_s
    with (folder / "intervals.ndjson").open("w", encoding="utf-8") as file:
        for line in _lines(held):
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        if is_whole:
            file.write(json.dumps(self_audit(USERS)) + "\n")
    with (folder / "monitor.ndjson").open("w", encoding="utf-8") as file:
        for sample in _samples(held):
            file.write(json.dumps(sample, separators=(",", ":")) + "\n")
    if not is_whole:
        for name in ("evidence.json", "audit.json"):
            (folder / name).unlink()
        (root / "findings.json").unlink()
    return folder


def _lines(held: Held) -> Iterator[dict[str, object]]:
    values = [2_000 + (7919 * n) % 20_000 for n in range(VALUES)]
    times = cache(lambda count: encoded(values[:count]))
    late = encoded([60] * 90 + [900] * 10)
    yield {
        "v": 1, "t_ns": 0, "type": "hello", "driver": "0.1.0", "wall_clock": "2026-11-20T08:00:00Z", "monotonic_ns": 0,
        "seed": 0, "plan_sha256": "0" * 64, "name": "orders", "run": "held", "users": USERS, "threads": 1, "pid": 4711,
        "start_ns": 0, "interval_ms": SLICE_S * 1000,
    }  # fmt: skip
    for number in range(-1, int(min(held.length_s, held.end_s) // SLICE_S)):
        stands = number * SLICE_S >= held.stall_s
        is_cut = (number + 1) * SLICE_S >= held.end_s
        # Encoding is slow here: slices have one of a few counts.
        declined = VALUES * (1 - held.decline * number * SLICE_S / held.length_s)
        count = 0 if stands else round(declined) - number % 5
        start = (RAMP_S + number * SLICE_S) * SECOND
        some = {
            "count": count, "errors": {"timed_out": USERS // 10} if stands else {"cut_off": USERS} if is_cut else {},
            "histogram": times(count),
        }  # fmt: skip
        yield {
            "v": 1, "t_ns": start + SLICE_S * SECOND, "type": "interval", "phase": "measure" if number >= 0 else "ramp",
            "start_ns": start, "end_ns": start + SLICE_S * SECOND, "users": USERS, "iterations": count // 100,
            "failed": 0, "connections": 0, "reconnected": 0, "requests": 7 * count, "bytes_sent": 2_000 * count,
            "bytes_received": 30_000 * count, "transactions": dict.fromkeys(TRANSACTIONS, some),
        }  # fmt: skip
        yield {
            "v": 1, "t_ns": start + SLICE_S * SECOND, "type": "audit", "cpu_user_ns": number * 10**9,
            "cpu_system_ns": number * 10**9, "threads": [{"cpu_ns": number * 2 * 10**9}], "rss_bytes": 10**7,
            "lateness": late, "lag": late,
        }  # fmt: skip


def _samples(held: Held) -> Iterator[dict[str, object]]:
    """Yield the samples; the first tier leaks."""
    last_s = RAMP_S + min(held.length_s, held.end_s)
    for number in range(int(last_s / SAMPLE_S) + 2):
        now_s = number * SAMPLE_S
        tier = {
            "cpu_s": round(0.37 * now_s, 9), "rss_mib": BEFORE_MIB + number % 3, "cpus": [0, 1],
            "switches": 900 * number, "run_delay_s": 0.001 * number, "unread": 0, "read_bytes": 4096 * number,
            "written_bytes": 8192 * number,
            "net_received_bytes": 1024 * number, "net_sent_bytes": 4096 * number, "connections_ended": 0,
        }  # fmt: skip
        pools = {name: {"size": 20, "in_use": number % 7, "waiting": 0.125} for name in ("catalog", "orders")}
        leaking = tier | {"rss_mib": BEFORE_MIB + number % 3 + held.leak_mib * now_s / 60, "pools": pools}
        database = {
            "commits": 300 * number, "rollbacks": 0, "deadlocks": 0, "blocks_hit": 9_000 * number, "blocks_read": 9,
            "temporary_bytes": 0, "waiting_locks": 0, "active_sessions": 3, "connections": 20, "prepared": number % 4,
            "size_bytes": 10**8 + 2_000 * number, "log_bytes": 10**6 * number, "full_pages": number, "checkpoints": 0,
            "checkpoint_pages": 0, "sessions": {
                "looks": 75, "waits": {"CPU": 0.512, "IO:WalSync": 0.253, "Lock:tuple": 0.013, "transaction": 0.421},
                "pools": {"web+services": {"size": 20, "in_work": 1.253, "full": 0.0}},
            },
        }  # fmt: skip
        yield {
            "v": 1, "t_ns": round(now_s * SECOND), "tiers": {**dict.fromkeys(TIERS, tier), TIERS[0]: leaking},
            "databases": {"catalog": database, "orders": database},
            "host": {
                "loopback_bytes": 10**6 * number, "network_bytes": 0, "steal_s": 0.0, "cpu_stalled_s": 0.0,
                "io_stalled_s": 0.0, "memory_stalled_s": 0.0, "lab_cpu_s": 0.01 * number, "lab_rss_mib": 108.0,
                "lab_cpus": [0], "disks": {"vda": {"busy_s": 0.1, "read_bytes": 0, "written_bytes": 4096 * number}},
                "cpus": {str(cpu): {"busy_s": 0.01 * number, "steal_s": 0.0} for cpu in (0, 1)},
            },
        }  # fmt: skip
