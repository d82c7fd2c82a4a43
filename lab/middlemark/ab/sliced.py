"""A driver whose users work in slices: the lab lets them go and holds them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from middlemark.errors import InputError, TargetError
from middlemark.processes.affinity import on_cpus
from middlemark.processes.exit_status import ends_within
from middlemark.records.driver_lines import Interval, Line, PhaseLine, SliceLine, parse_line
from middlemark.workload.driver import END_SECONDS, WRONG_INPUT, driver_path
from middlemark.workload.latencies import Latencies


@dataclass
class SliceCounts:
    """Counts of one slice. `seconds` from the first request to the last response; `requests` are valid steps."""

    seconds: float = 0.0
    requests: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    responses: int = 0
    body_bytes: int = 0
    times: Latencies = field(default_factory=Latencies)

    def add(self, interval: Interval) -> None:
        """Add what an interval of the slice counted."""
        self.responses += interval.responses
        self.body_bytes += interval.body_bytes
        for counts in interval.transactions.values():
            self.requests += counts.count
            self.errors.update(counts.errors)
            self.times.add(counts.histogram)


class SlicedDriver:
    """A running driver, held at first. One thread uses it."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def pid(self) -> int:
        """Process id of the driver."""
        return self._process.pid

    def wait_until_ready(self) -> None:
        """Wait until the driver can begin; InputError when it refuses its plan."""
        while not isinstance(self._line(), PhaseLine):
            pass

    def go(self) -> None:
        """Let the users work."""
        self._send(b"go\n")

    def hold(self) -> SliceCounts:
        """Hold the users, wait until no response is missing, and return what the slice counted."""
        self._send(b"hold\n")
        counts = SliceCounts()
        while True:
            line = self._line()
            if isinstance(line, Interval):
                counts.add(line)
            elif isinstance(line, SliceLine):
                counts.seconds = (line.t_ns - line.go_ns) / 1e9
                return counts

    def close(self) -> None:
        """End the driver: it ends with its stdin, and is killed when it does not."""
        with suppress(OSError):
            _pipe(self._process.stdin).close()
        # Nobody reads its last lines, and it must not wait for a reader.
        _pipe(self._process.stdout).close()
        if not ends_within(self._process, END_SECONDS):
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()

    def _send(self, command: bytes) -> None:
        try:
            stdin = _pipe(self._process.stdin)
            stdin.write(command)
            stdin.flush()
        except BrokenPipeError:
            raise self._failure() from None

    def _line(self) -> Line | None:
        text = _pipe(self._process.stdout).readline()
        if not text:
            raise self._failure()
        try:
            return parse_line(text)
        except ValueError as error:
            raise TargetError(f"the driver wrote a line that cannot be read ({error})") from error

    def _failure(self) -> InputError | TargetError:
        status = self._process.wait(END_SECONDS)
        messages = self._log.read_text(encoding="utf-8", errors="replace").strip()
        if status == WRONG_INPUT:
            return InputError(f"the driver refuses the plan: {messages}")
        return TargetError(f"the driver ended with status {status}: {messages}")


@contextmanager
def sliced_driver(plan: Path, cpus: Collection[int]) -> Iterator[SlicedDriver]:
    """Run the driver on these CPUs with the plan, its users held, until the context ends; it ends with the lab."""
    log = plan.with_suffix(".log")
    with log.open("wb") as messages, on_cpus(cpus):
        process = subprocess.Popen(
            [str(driver_path()), "run", str(plan), "--slices", "stdin"],
            bufsize=-1,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            start_new_session=True,
        )
    driver = SlicedDriver(process, log)
    try:
        driver.wait_until_ready()
        yield driver
    finally:
        driver.close()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 (for the type checker: both pipes are requested)
    return pipe
