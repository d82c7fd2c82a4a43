"""Writes a result folder in the real format with made-up, seeded measurements."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from hdrh.histogram import HdrHistogram

from middlemark.experiment.schedule import specification_record
from middlemark.judge.result import judge_folder, write_findings
from middlemark.records.driver_lines import RuleName
from middlemark.records.folder import point_folder, write_json, write_manifest
from middlemark.records.placement import Placement
from middlemark.records.point import Audit, AuditFinding, Evidence, Outcome, Point, WorkLeft
from middlemark.records.run import Combination, Host, LeftOut, Phases, Run, RunStatus
from middlemark.records.side_files import LEDGER, Ledger, SeenSpread
from middlemark.specification.specification import find_specification

MIX = {"login": 1, "quotes": 3, "portfolio": 3, "account": 2, "home": 3, "logout": 2, "register": 1, "buy": 4}
# Means of the response time in ms when nobody waits, by transaction.
SERVICE_MS = dict(zip(MIX, (6.0, 2.1, 2.6, 3.0, 4.4, 1.2, 7.5, 5.2), strict=True))
THINK_MS = 200.0
SETTLE_S, RAMP_S, MEASURE_S = 1, 4, 8
COMBINATIONS = tuple(
    Combination(subject="go", modes={"binding": b}, label=f"go {b}", path=f"go/binding={b}") for b in ("local", "json")
)
SPECIFICATION = specification_record(find_specification("brokerage"))
HOST = Host(
    system="Debian GNU/Linux 12 (bookworm)", kernel="6.1.0", cpu="Some CPU at 2.8 GHz", cpus=2, memory_mib=7960,
    open_files=1024, fsync_ms=1.9,
)  # fmt: skip
ANYWHERE = Placement(note="this system cannot")
APART = Placement(cpus={"driver": (0,), "database": (1,), "sut": (2, 3)}, shared=False, driver_shares=False)
COST = {"local": 1.0, "json": 1.42, "soap": 2.6}


@dataclass(frozen=True)
class Shape:
    """What the folder is to show; `stop_after` points the run ends as `status` says."""

    combinations: tuple[Combination, ...] = COMBINATIONS
    loads: tuple[int, ...] = (10, 30, 60)
    repeats: int = 2
    seed: int = 7
    status: RunStatus = RunStatus.FINISHED
    message: str = ""
    stop_after: int | None = None
    error_points: frozenset[int] = frozenset()
    placement: Placement = ANYWHERE
    rounds: int = 1
    seen: tuple[SeenSpread, ...] = ()
    receive_lag_us: int | None = None


def write_synthetic(root: Path, shape: Shape | None = None) -> Path:
    """Write the folder and return it."""
    shape = shape or Shape()
    places: list[str] = []
    for repeat in range(shape.repeats):
        order = shape.combinations if repeat % 2 == 0 else shape.combinations[::-1]
        for combination in order:
            for load in shape.loads:
                if shape.stop_after is None or len(places) < shape.stop_after:
                    folder = point_folder(root, combination, load, repeat)
                    _Maker(shape, combination, load, repeat, len(places)).write(folder)
                    places.append(folder.relative_to(root / "points").as_posix())
    write_json(root / "run.json", _run(shape, places))
    write_json(root / LEDGER, Ledger(spreads=shape.seen))
    write_findings(root, judge_folder(root))
    if shape.status is RunStatus.FINISHED:
        write_manifest(root)
    return root


@dataclass
class _Maker:
    """Makes one point."""

    shape: Shape
    combination: Combination
    load: int
    repeat: int
    index: int

    def write(self, folder: Path) -> None:
        self.random = random.Random(f"{self.shape.seed} {self.index}")  # noqa: S311 (made-up figures, no secret)
        self.cost = COST[self.combination.modes["binding"]] * self.random.uniform(0.97, 1.03)
        self.busy = 1 + (self.load / 110) ** 2 * self.cost
        folder.mkdir(parents=True)
        write_json(folder / "point.json", self._point())
        lines = [self._hello()]
        counts: list[int] = []
        for second in range(RAMP_S + SETTLE_S + MEASURE_S):
            phase = "ramp" if second < RAMP_S else "settle" if second < RAMP_S + SETTLE_S else "measure"
            users = min(self.load, round(self.load * (second + 1) / RAMP_S))
            times = self._times(users)
            counts.append(sum(map(len, times.values())))
            lines += self._interval(phase, second, users, times)
        lines.append(self_audit(self.load))
        (folder / "intervals.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        (folder / "monitor.ndjson").write_text("".join(self._monitor(counts)), encoding="utf-8")
        write_json(folder / "audit.json", Audit(passed=True, findings=_findings()))
        work_left = WorkLeft(done=True, seconds=0.0, limit_s=30.0)
        write_json(folder / "evidence.json", Evidence(about_changes=(), work_left=work_left))

    def _times(self, users: int) -> dict[str, list[int]]:
        """Return response times in µs of one second of `users` users."""
        mean = sum(SERVICE_MS[name] * share for name, share in MIX.items()) / sum(MIX.values()) * self.busy
        rate = users / (THINK_MS + mean) * 1000
        whole = sum(MIX.values())
        times: dict[str, list[int]] = {}
        for name, share in MIX.items():
            exact = rate * share / whole
            number = int(exact) + (self.random.random() < exact % 1)
            times[name] = [
                int(SERVICE_MS[name] * self.busy * 1000 * self.random.lognormvariate(-0.125, 0.5))
                for _ in range(number)
            ]
        return times

    def _hello(self) -> dict[str, object]:
        return {
            "v": 1, "t_ns": 0, "type": "hello", "driver": "0.1.0", "wall_clock": "2026-11-20T08:00:00Z",
            "monotonic_ns": 0, "seed": self.index, "plan_sha256": "0" * 64, "name": "brokerage", "run": "synthetic",
            "users": self.load, "threads": 1, "pid": 4711,
        }  # fmt: skip

    def _interval(self, phase: str, second: int, users: int, times: dict[str, list[int]]) -> list[dict[str, object]]:
        end = (second + 1) * 10**9
        wrong = {"status": 5, "closed": 1} if self.index in self.shape.error_points else {}
        transactions = {
            name: {"count": len(some), "errors": wrong if name == "buy" else {}, "histogram": encoded(some)}
            for name, some in times.items()
        }
        total = sum(map(len, times.values()))
        begins: list[dict[str, object]] = (
            [{"v": 1, "t_ns": second * 10**9, "type": "phase", "phase": phase}]
            if second in (0, RAMP_S, RAMP_S + SETTLE_S)
            else []
        )
        interval: dict[str, object] = {
            "v": 1, "t_ns": end, "type": "interval", "phase": phase, "start_ns": second * 10**9, "end_ns": end,
            "users": users, "iterations": total // 19, "failed": 0, "connections": total // 19,
            "bytes_sent": total * 300, "bytes_received": total * 5200, "responses": total, "body_bytes": total * 5000,
            "transactions": transactions,
        }  # fmt: skip
        audit: dict[str, object] = {
            "v": 1, "t_ns": end, "type": "audit", "cpu_user_ns": second * 10**7, "cpu_system_ns": second * 10**7,
            "threads": [{"cpu_ns": second * 2 * 10**7}], "rss_bytes": 10**7,
            "lateness": encoded([60] * 90 + [900] * 10), "lag": encoded([30] * 100),
        }  # fmt: skip
        if self.shape.receive_lag_us is not None:
            audit |= {"receive_lag": encoded([self.shape.receive_lag_us] * total), "unstamped": 0}
        return [*begins, interval, audit]

    def _monitor(self, counts: list[int]) -> list[str]:
        """Return a sample at the begin and after each second, with the CPU time of its transactions."""
        ms = {"web+services": 1.7 * self.cost, "database": 1.3 * self.random.uniform(0.98, 1.02)}
        memory = {"web+services": 46.0, "database": 180.0}
        done, samples = 0, []
        for second, count in enumerate([0, *counts]):
            done += count
            tiers = {tier: {"cpu_s": ms[tier] * done / 1000, "rss_mib": memory[tier]} for tier in ms}
            samples.append(json.dumps({"v": 1, "t_ns": second * 10**9, "tiers": tiers}) + "\n")
        return samples

    def _point(self) -> Point:
        about = {
            "platform": "go", "server": "net/http", "specification": "brokerage", "specification_version": "1",
            "commit": "0a1b2c3", "roles": ["web", "services"], "versions": {"go": "1.26.8", "pgx": "5.7.5"},
            "settings": {**self.combination.own_modes, "database_pool": "20", "orders": "sync"},
            "not_default": [{"what": "GOMAXPROCS", "value": "2", "why": "set by the operator"}],
        }  # fmt: skip
        return Point(
            index=self.index, combination=self.combination.path, load=self.load, repeat=self.repeat,
            started=f"2026-11-20T08:{self.index:02}:00Z", seed=self.index, plan_sha256="0" * 64,
            expected_iteration_s=3.9, window_s=float(MEASURE_S), users=self.load, about={"web+services": about},
        )  # fmt: skip


def self_audit(users: int) -> dict[str, object]:
    """Return the line of a driver that was not the limit."""
    times = {"count": 1000, "mean": 5.0, "p50": 4.0, "p99": 20.0, "max": 50.0}
    passed = {"outcome": "passed", "found": 0.01, "limit": 0.05, "message": "1 % (limit: 5 %)"}
    return {
        "v": 1, "t_ns": 0, "type": "self_audit", "users": users, "think_mean_ms": THINK_MS, "response_ms": times,
        "rules": [{"rule": rule.value, **passed} for rule in RuleName],
    }  # fmt: skip


def encoded(times: list[int]) -> str:
    """Return these times in µs as the driver writes a histogram."""
    histogram = HdrHistogram(1, 120_000_000, 3)
    for time, number in Counter(times).items():
        histogram.record_value(time, number)
    encoded: bytes = histogram.encode()
    return encoded.decode("ascii")


def _findings() -> list[AuditFinding]:
    return [
        AuditFinding(rule="orders", outcome=Outcome.PASSED, message="412 accepted, 412 in the database"),
        AuditFinding(rule="balances", outcome=Outcome.PASSED, message="equal to the cent for 103 accounts"),
        AuditFinding(rule="messages", outcome=Outcome.NOT_CHECKED, message="orders are synchronous, without a queue"),
    ]


def _run(shape: Shape, places: list[str]) -> Run:
    return Run(
        name="bindings <local & json>", description="Go in process <and> over JSON",
        status=shape.status, message=shape.message, started="2026-11-20T08:00:00Z",
        finished="2026-11-20T08:14:00Z" if shape.status is RunStatus.FINISHED else None,
        command=["run", "demo", "--out", "my results"], versions={"middlemark": "0.1.0"},
        commit="0123456789ab", changed=["platforms/go/new.go"],
        host=HOST,
        spec="brokerage", spec_version="1", specification=SPECIFICATION,
        scales={"demo": {"accounts": 5000, "quotes": 1000}}, fingerprints={"demo": "9f" * 32},
        databases={"database": {"version": "16.6", "synchronous_commit": "on", "shared_buffers": "128MB"}},
        sessions=["brokerage"], think="200 ms", loads=list(shape.loads), repeats=shape.repeats, rounds=shape.rounds,
        phases=Phases(warm=5, ramp=RAMP_S, settle=SETTLE_S, measure=MEASURE_S, drain=10),
        shared_cpus=shape.placement.shared, placement={one.path: shape.placement for one in shape.combinations},
        combinations=list(shape.combinations),
        left_out=[LeftOut(label="go soap", reason="go does not offer binding=soap (it offers local, json)")],
        not_default=[{"what": "think", "value": "200 ms", "why": "a short window holds two whole iterations"}],
        inputs={"experiments/demo.yaml": "ab" * 32, "specs/brokerage/sessions/brokerage.yaml": "cd" * 32},
        seed=1, budget_s=300, points=places,
    )  # fmt: skip
