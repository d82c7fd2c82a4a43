"""Runs a load with a tool and measures what it costs: CPU time of the tool, requests by nginx's own count."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import IO

from checks.bench_driver.processor import on_cpu, resident_bytes, used_seconds
from checks.bench_driver.server import Nginx
from middlemark.errors import TargetError

STARTING_SECONDS = 90.0
ENDING_SECONDS = 20.0
LAST_WORDS = 300


@dataclass(frozen=True)
class Cost:
    """What a load has cost a tool. Memory is known where a window was measured."""

    cpu_us_per_request: float
    requests_per_second: float
    resident_bytes: int | None


def whole(command: list[str], cpu: int, server: Nginx) -> Cost:
    """Run to the end: the CPU time of the whole process by its parent's account.

    Raises TargetError when the tool fails or sends no request.
    """
    before, start = server.requests(), time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = _started(command, cpu, output)
        try:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            _ended(process)
        seconds = time.monotonic() - start
        requests = server.requests() - before - 1
        if process.returncode or requests <= 0:
            raise TargetError(
                f"ended with {process.returncode} after {requests} requests{_last(output)}", where=command[0]
            )
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return Cost(cpu_seconds * 1e6 / requests, requests / seconds, None)


def window(command: list[str], cpu: int, server: Nginx, lengths: tuple[float, float]) -> Cost:
    """Run until it is warm, measure a window, end it. `lengths`: seconds to warm up, seconds of the window.

    Raises TargetError when the tool ends before the window does.
    """
    with tempfile.TemporaryFile() as output:
        process = _started(command, cpu, output)
        try:
            return _measured(process, server, lengths)
        except TargetError as error:
            raise TargetError(f"{error.what}{_last(output)}", where=command[0]) from error
        finally:
            _ended(process)


def _measured(process: subprocess.Popen[bytes], server: Nginx, lengths: tuple[float, float]) -> Cost:
    warm, measured = lengths
    _wait_for_requests(process, server)
    time.sleep(warm)
    start, used, before = time.monotonic(), used_seconds(process.pid), server.requests()
    time.sleep(measured)
    after, used = server.requests(), used_seconds(process.pid) - used
    seconds = time.monotonic() - start
    if process.poll() is not None:
        raise TargetError(f"ended with {process.returncode} before the window was over")
    requests = after - before - 1
    if requests <= 0:
        raise TargetError("sent no request in the window")
    return Cost(used * 1e6 / requests, requests / seconds, resident_bytes(process.pid))


def _started(command: list[str], cpu: int, output: IO[bytes]) -> subprocess.Popen[bytes]:
    with on_cpu(cpu):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)


def _last(output: IO[bytes]) -> str:
    output.seek(0)
    words = " ".join(output.read().decode(errors="replace").split())
    return f": …{words[-LAST_WORDS:]}" if words else ""


def _wait_for_requests(process: subprocess.Popen[bytes], server: Nginx) -> None:
    before, end = server.requests(), time.monotonic() + STARTING_SECONDS
    probes = 0
    while server.requests() - before - probes <= 1:
        probes += 1
        if process.poll() is not None or time.monotonic() > end:
            raise TargetError(f"did not begin within {STARTING_SECONDS:g} s")
        time.sleep(0.1)


def _ended(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
