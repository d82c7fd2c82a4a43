"""What only the driver reports of itself: its memory, and how late it is with a core of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import Any

from checks.bench_driver.figures import quantile
from checks.bench_driver.loads import THINK_FROM_MS, THINK_TO_MS, USERS, Stage, plan, written
from checks.bench_driver.processor import on_cpu, run_first, stolen_seconds
from middlemark.errors import TargetError

PER_SECOND = 1000
IDLE_MS = 60_000
# A share of the time in which the driver waited for its CPU, or the host had it. More, and its lateness is theirs.
QUIET = 0.002
SLEEPING_SECONDS = 3
LATEST_US = 100_000
TRIES = 4


@dataclass(frozen=True)
class Lateness:
    """How late the driver's deadlines fired; `waited` is the share of the time in which it waited for its CPU.

    `stolen` is the share in which the host of a virtual machine had that CPU. `machine_p99_us` is how late the machine
    wakes a program that does nothing else, None without cyclictest: a virtual machine that is not run for a while is
    late, and no run queue shows it.
    """

    p50_us: float
    p99_us: float
    waited: float
    stolen: float
    machine_p99_us: float | None

    @property
    def quiet(self) -> bool:
        """Return whether the figure is the driver's own."""
        return max(self.waited, self.stolen) <= QUIET


@dataclass(frozen=True)
class Memory:
    """Resident memory with one user, and what each idle user adds to it."""

    base_bytes: int
    bytes_per_user: float


def memory(command: list[str], stage: Stage, cpu: int) -> Memory:
    """Let users get the page once, then think: each has a connection, a cookie, a feed and a capture."""
    one, all_of_them = (_resident(command, stage, cpu, users) for users in (1, USERS))
    return Memory(one, (all_of_them - one) / (USERS - 1))


def lateness(command: list[str], stage: Stage, cpu: int, wake: str) -> Lateness:
    """Measure until the driver had its CPU for itself; else return the try that came nearest to that."""
    tries = []
    for _ in range(TRIES):
        tries.append(_lateness_once(command, stage, cpu, wake))
        if tries[-1].quiet:
            break
    return min(tries, key=lambda one: max(one.waited, one.stolen))


def _resident(command: list[str], stage: Stage, cpu: int, users: int) -> int:
    phases = {"ramp_ms": 3000, "settle_ms": 0, "measure_ms": 2000, "drain_ms": 1000}
    load = {"model": "closed", "users": users, "spread_ms": 2000}
    lines = _run(command, stage, cpu, plan(stage, load=load, phases=phases, think={"constant_ms": IDLE_MS}))
    end = lines[-1]
    if end["transactions"] != users:
        raise TargetError(
            f"{end['transactions']} of {users} users got the page; errors {end['errors']}", where=command[0]
        )
    return max(int(line["rss_bytes"]) for line in lines if line["type"] == "audit")


def _lateness_once(command: list[str], stage: Stage, cpu: int, wake: str) -> Lateness:
    loads = {
        "exact": {"model": "open", "arrivals": "poisson", "unit": "requests", "rate": PER_SECOND, "users": 64},
        "coalesced": {"model": "closed", "users": PER_SECOND, "spread_ms": 1000},
    }
    began, stolen = time.monotonic(), stolen_seconds(cpu)
    # Drawn: deadlines lie anywhere between two ticks from the first one on.
    think = {"uniform_ms": [THINK_FROM_MS, THINK_TO_MS]}
    words = [*command, "run", written(stage, "itself.json", plan(stage, load=loads[wake], wake=wake, think=think))]
    result, is_first = run_first(words, cpu)
    lines = _lines(result)
    stolen = (stolen_seconds(cpu) - stolen) / (time.monotonic() - began)
    audit = next(line for line in lines if line["type"] == "self_audit")
    late, [thread] = audit["lateness_ms"], audit["threads"]
    if thread["run_queue_ns"] is None:
        raise TargetError("the kernel does not report how long a thread waited for its CPU", where=command[0])
    waited = thread["run_queue_ns"] / thread["wall_ns"]
    machine = _of_the_machine(cpu, priority=1 if is_first else 0)
    return Lateness(late["p50"] * 1000, late["p99"] * 1000, waited, stolen, machine)


def _of_the_machine(cpu: int, priority: int) -> float | None:
    """Return p99 of the lateness of a program that only sleeps, in microseconds; its priority is the driver's."""
    program = shutil.which("cyclictest")
    if program is None:
        return None
    words = [program, "--quiet", f"--priority={priority}", "--default-system", f"--affinity={cpu}"]
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        extent = [
            "--interval=1000",
            f"--loops={PER_SECOND * SLEEPING_SECONDS}",
            f"--histogram={LATEST_US}",
            f"--json={file.name}",
        ]
        result = subprocess.run([*words, *extent], check=False, capture_output=True, text=True)
        if result.returncode:
            raise TargetError(f"ended with {result.returncode}: {result.stderr.strip()}", where=program)
        counts = json.load(file)["thread"]["0"]["histogram"]
    late = sorted((int(microseconds), int(count)) for microseconds, count in counts.items())
    return float(quantile(late, 0.99))


def _run(command: list[str], stage: Stage, cpu: int, what: dict[str, object]) -> list[dict[str, Any]]:
    words = [*command, "run", written(stage, "itself.json", what)]
    with on_cpu(cpu):
        result = subprocess.run(words, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return _lines(result)


def _lines(result: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    if result.returncode:
        raise TargetError(f"ended with {result.returncode}: {result.stderr.strip()}", where=" ".join(result.args))
    return [json.loads(line) for line in result.stdout.splitlines()]
