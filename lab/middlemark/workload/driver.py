"""Runs the driver: a program that executes a plan, ends when the lab does, and whose lines are read as they come."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import middlemark
from middlemark.checkout import checkout
from middlemark.errors import InputError, MissingToolError, TargetError
from middlemark.processes.exit_status import ends_within, status_if_ended
from middlemark.records.driver_lines import End, EndReason, Hello, Line, parse_line

PROGRAM = "middlemark-driver"
# The driver writes into the file itself: through a pipe its last lines would be lost when the lab is killed. Measured
# at 2,000 transactions/s: both ways cost the lab 0.1 % of a CPU, and the driver the same.
POLL_SECONDS = 0.25
HELLO_SECONDS = 10.0
# The driver ends within 5 s of a signal (docs/reference/driver.md).
END_SECONDS = 10.0
WRONG_INPUT = 2
INTERRUPTED = 130


def driver_path() -> Path:
    """Return the driver: beside the interpreter, on PATH, or built in the checkout; else raise MissingToolError."""
    for candidate in _candidates():
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    raise MissingToolError(f"the driver ({PROGRAM}) is not installed", todo="Run `make setup` in the checkout")


def driver_version() -> str:
    """Return the version that the driver reports."""
    done = subprocess.run([str(driver_path()), "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


def write_hlog(lines: Path, path: Path) -> None:
    """Let the driver write the window's histograms of its `lines` as an HdrHistogram log; raise TargetError."""
    with path.open("wb") as log:
        done = subprocess.run([str(driver_path()), "hlog", str(lines)], stdout=log, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise TargetError(
            f"the driver wrote no histogram log: {done.stderr.decode(errors='replace').strip()}",
            where=str(path),
        )


class Drive:
    """A running driver. Only the thread that calls `wait`, `wait_for_hello` or `stop` reads its lines."""

    def __init__(self, process: subprocess.Popen[bytes], out: Path, log: Path) -> None:
        self.hello: Hello | None = None
        self.end: End | None = None
        self._process = process
        self._out = out
        self._log = log
        self._read_to = 0
        self._stopping = False
        self._on_line: Callable[[Line], None] = _ignore

    @property
    def pid(self) -> int:
        """Return the driver's process id; it leads its own session and process group, whose ids are the same."""
        return self._process.pid

    @property
    def pgid(self) -> int:
        """Return the driver's process group."""
        return self._process.pid

    def wait_for_hello(self) -> Hello:
        """Return the first line; raise TargetError when it does not come."""
        deadline = time.monotonic() + HELLO_SECONDS
        while self.hello is None:
            ended = ends_within(self._process, 0.01)
            self._read_new_lines()
            if self.hello is None and (ended or time.monotonic() > deadline):
                raise self._failure("did not start")
        return self.hello

    def wait(
        self, on_line: Callable[[Line], None] | None = None, each_second: Callable[[], None] = lambda: None
    ) -> End:
        """Wait until the driver has ended by itself; return its last line.

        `on_line` gets each line as it comes; `each_second` is called about once a second meanwhile.

        Raises InputError when it refuses the plan, TargetError when it failed or was ended by anybody but `stop`.
        """
        self._on_line = on_line or self._on_line
        due = time.monotonic()
        while status_if_ended(self._process) is None:
            self._read_new_lines()
            if time.monotonic() >= due:
                due += 1.0
                each_second()
            time.sleep(POLL_SECONDS)
        return self._ended()

    def stop(self) -> End:
        """End the driver now, if it has not ended; return its last line. What it has measured stands in the file."""
        self._stopping = True
        if not ends_within(self._process, 0):
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
        if not ends_within(self._process, END_SECONDS):
            self._kill()
            raise self._failure(f"did not end within {END_SECONDS:g} s of SIGTERM and was killed")
        return self._ended()

    def close(self) -> None:
        """Leave nothing behind, whatever has happened."""
        with suppress(OSError):
            _pipe(self._process).close()
        if not ends_within(self._process, 0) and not self._terminated():
            self._kill()

    def _terminated(self) -> bool:
        """Return whether the driver ends when it is told to."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        return ends_within(self._process, END_SECONDS)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pgid, signal.SIGKILL)
        self._process.wait()

    def _read_new_lines(self) -> None:
        """Read the lines that have become complete since the last call, one after the other."""
        with self._out.open("rb") as lines:
            lines.seek(self._read_to)
            for text in lines:
                if not text.endswith(b"\n"):
                    break
                self._read_to += len(text)
                self._read(text)

    def _read(self, text: bytes) -> None:
        try:
            line = parse_line(text)
        except ValueError as error:
            raise self._failure(f"wrote a line that cannot be read ({error})") from error
        if isinstance(line, Hello):
            self.hello = line
        elif isinstance(line, End):
            self.end = line
        if line is not None:
            self._on_line(line)

    def _ended(self) -> End:
        self._read_new_lines()
        status = self._process.returncode
        if status == WRONG_INPUT:
            raise InputError("the driver refuses the plan" + self._messages(), where=str(self._out.parent))
        if status not in {0, INTERRUPTED}:
            raise self._failure(f"ended with status {status}")
        if self.end is None:
            raise self._failure("ended without its last line")
        if self.end.reason is not EndReason.FINISHED and not self._stopping:
            raise self._failure(f"was ended early from outside ({self.end.reason})")
        return self.end

    def _failure(self, what: str) -> TargetError:
        return TargetError(f"the driver {what}{self._messages()}", where=str(self._out.parent))

    def _messages(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
        return ": " + "\n".join(lines) if lines else ""


@contextmanager
def driving(plan: Path, out: Path, *, log: Path, environment: Mapping[str, str] | None = None) -> Iterator[Drive]:
    """Let the driver execute `plan`, its lines going into `out` and its messages into `log`, until the context ends.

    `environment` is added to the lab's. The driver leads its own session and ends by itself when the lab is gone.
    """
    with out.open("wb") as lines, log.open("wb") as messages:
        process = subprocess.Popen(
            [str(driver_path()), "run", str(plan), "--lease", "stdin"],
            stdin=subprocess.PIPE,
            stdout=lines,
            stderr=messages,
            start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
    drive = Drive(process, out, log)
    try:
        yield drive
    finally:
        drive.close()


def _candidates() -> Iterator[Path]:
    yield Path(sys.executable).parent / PROGRAM
    on_path = shutil.which(PROGRAM)
    if on_path:
        yield Path(on_path)
    yield Path(middlemark.__file__).parents[2] / "driver" / "target" / "release" / PROGRAM
    with suppress(InputError):
        yield checkout() / "driver" / "target" / "release" / PROGRAM


def _pipe(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdin is not None  # noqa: S101 (for the type checker: `driving` requests the pipe)
    return process.stdin


def _ignore(_: Line) -> None:
    """Do nothing with a line."""
