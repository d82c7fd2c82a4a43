"""Runs the programs that are measured: started, waited for until ready, watched by the watchdog, stopped."""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import httpx

from middlemark.errors import MissingToolError, TargetError
from middlemark.processes.affinity import on_cpus
from middlemark.processes.ending import APPLICATION, Ended, Ending, Part, Watched, end, members
from middlemark.processes.exit_status import status_if_ended
from middlemark.processes.known_failures import KnownFailure, Recognized, recognized
from middlemark.processes.ports import PortTakenError, is_free, require_free
from middlemark.processes.process_table import send
from middlemark.processes.watchdog import Watchdog

LAST_LINES = 15
MIN_PAUSE_S, MAX_PAUSE_S = 0.005, 0.25
_MAX_READ = 4 << 20
# A hundred of them may follow the one line that says something.
_JAVA_FRAME = re.compile(r"\s+(at [\w.$/@<>]+\(|\.\.\. \d+ more)")
FROM_THE_USER = ("PATH", "HOME", "LANG")

# The shell waits for a line before it becomes the program: the watchdog knows the process before it does anything. When
# the lab is killed in between, the line never comes and the shell ends.
WAITING_START = 'read -r go || exit 1; unset go PWD OLDPWD SHLVL; exec "$@" </dev/null'


@dataclass(frozen=True)
class ProcessSpec:
    """What to start.

    `settings` is the whole environment besides PATH, HOME and LANG. `log` takes stdout and stderr, appended.
    `ready_url` is asked until it answers 200; without it a process is ready as soon as it runs. `ports` must be free.
    `failures` end the waiting at its first start: what is wrong then stays wrong. `cpus` are those it may use; none:
    those of the lab.
    """

    name: str
    part: Part
    command: tuple[str, ...]
    folder: Path
    log: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    ready_url: str | None = None
    ready_seconds: float = 60.0
    ports: tuple[int, ...] = ()
    ending: Ending = APPLICATION
    failures: tuple[KnownFailure, ...] = ()
    cpus: frozenset[int] = frozenset()


@dataclass(frozen=True)
class ProcessDied:
    """A process that ended without being asked: `status` is its exit status, negative for a signal's number."""

    name: str
    status: int
    last_lines: list[str]
    log: Path

    def __str__(self) -> str:
        """Say it in one line."""
        if self.status < 0:
            return f"{self.name} was killed by {signal.Signals(-self.status).name}"
        return f"{self.name} ended with exit status {self.status}"


class Process:
    """A program under the watchdog's eyes. It leads its own session, so the terminal's Ctrl-C does not reach it."""

    def __init__(self, spec: ProcessSpec, watchdog: Watchdog) -> None:
        self.spec = spec
        self._watchdog = watchdog
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: Watched | None = None
        self._log_begins = 0
        self._launched = math.nan
        self.ready_after_s = math.nan
        """Seconds from the begin of its program to the answer that it is ready, at its last start; NaN before it."""

    @property
    def pid(self) -> int:
        """Return the process id; it is also the id of its group and session."""
        return self._popen().pid

    def start(self, others: Sequence[Process] = ()) -> None:
        """Start the program and return when it is ready; also again after it has ended.

        `others` run already, and must for as long as it starts.

        Raises PortTakenError, MissingToolError when there is no such program, TargetError when it is not ready in time,
        or as soon as one of its known failures, its end or that of another shows that it never will be.
        """
        self._start(self.spec.failures, others)

    def restart(self) -> None:
        """Start the program again with the same words, folder, settings and ports; what is left of it ends first.

        Raises what start and stop raise.
        """
        self.stop()
        # What it calls may be starting again too: a failure that would last at a first start passes by here.
        self._start(())

    def alive(self) -> bool:
        """Tell whether the process runs."""
        return self._process is not None and status_if_ended(self._process) is None

    def died(self) -> ProcessDied | None:
        """Return how the process ended without being stopped by the lab, or None while it runs."""
        status = status_if_ended(self._popen())
        if status is None:
            return None
        return ProcessDied(self.spec.name, status, last_lines(self.spec.log), self.spec.log)

    def wait(self) -> int:
        """Wait until the process ends by itself and return its exit status (negative: a signal's number)."""
        return self._popen().wait()

    def signal(self, what: signal.Signals) -> None:
        """Send a signal to the process and all that belongs to it; SIGKILL and SIGSTOP make faults."""
        for entry in members(self._watch()):
            send(entry.pid, entry.started, what)

    def stop(self) -> Ended:
        """End the process and all that belongs to it, kindly first; nothing of it runs afterwards.

        Raises TargetError when something survives SIGKILL (it hangs in the kernel).
        """
        ended = end(self._watch())
        if members(self._watch()):
            raise TargetError(f"{self.spec.name} does not end", where=f"pid {self.pid}")
        self._popen().wait()
        self._watchdog.forget(self.pid)
        return ended

    def _start(self, hopeless: tuple[KnownFailure, ...], others: Sequence[Process] = ()) -> None:
        for port in self.spec.ports:
            require_free(port)
        self._launch()
        try:
            self.wait_until_ready(hopeless, others)
            self.ready_after_s = time.monotonic() - self._launched
        except BaseException:
            self.stop()
            raise

    def _launch(self) -> None:
        spec = self.spec
        if shutil.which(spec.command[0]) is None:
            raise MissingToolError(f"the program `{spec.command[0]}` is not here", where=spec.name)
        spec.log.parent.mkdir(parents=True, exist_ok=True)
        # The program inherits its CPUs: a runtime counts them when it begins.
        with spec.log.open("ab") as log, on_cpus(spec.cpus):
            self._log_begins = os.fstat(log.fileno()).st_size
            process = self._process = subprocess.Popen(
                ["/bin/sh", "-c", WAITING_START, spec.name, *spec.command],
                cwd=spec.folder,
                env=environment(spec.settings) | self._watchdog.mark(spec.part, spec.name),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._watched = self._watchdog.watch(process.pid, spec.part, spec.name, spec.ending)
        # A shell that is gone already is noticed by whoever waits for the process.
        with suppress(BrokenPipeError), _stdin_of(process) as start:
            start.write(b"go\n")
        self._launched = time.monotonic()

    def wait_until_ready(self, hopeless: tuple[KnownFailure, ...] = (), others: Sequence[Process] = ()) -> None:
        """Return when the process answers its ready address with 200.

        Raises TargetError when it does not in time, at once when it or one of the `others` has ended, or for one of the
        `hopeless` failures.
        """
        spec = self.spec
        if spec.ready_url is None:
            return
        began = time.monotonic()
        deadline = began + spec.ready_seconds
        last = "no response"
        # Reading the system's certificates takes longer than most programs need to start.
        verify = spec.ready_url.startswith("https://")
        with httpx.Client(trust_env=False, timeout=3.0, verify=verify) as client:
            in_time = True
            while self.alive() and in_time and all(one.alive() for one in others):
                # Asked once more after the deadline: a lab that stood still itself has not waited.
                in_time = time.monotonic() < deadline
                try:
                    response = client.get(spec.ready_url)
                    last = f"{response.status_code} {response.text.strip()[:200]}"
                    if response.status_code == 200 and self.alive():
                        return
                except httpx.HTTPError as error:
                    last = str(error)
                if recognized(hopeless, self._output(last)):
                    break
                # So a start is measured to a twentieth, and the asking costs next to nothing.
                time.sleep(min(max(MIN_PAUSE_S, (time.monotonic() - began) / 20), MAX_PAUSE_S))
        raise self._not_ready(last, others)

    def _output(self, last: str) -> str:
        """Return its last response and all it has written since it was started."""
        with suppress(OSError), self.spec.log.open("rb") as log:
            log.seek(self._log_begins)
            return f"{last}\n{log.read(_MAX_READ).decode(errors='replace')}"
        return last

    def _not_ready(self, last: str, others: Sequence[Process]) -> Exception:
        spec = self.spec
        known = recognized(spec.failures, self._output(last)) if spec.failures else None
        if known:
            return self._known(known)
        died = self.died()
        if died:
            taken = next((port for port in spec.ports if not is_free(port)), None)
            if taken:
                return PortTakenError(taken)
        gone = next((one for one in others if not one.alive()), None)
        if gone and not died:
            return _failed(gone.spec, f"{gone.died()} before {spec.name} was ready")
        what = str(died) if died else f"{spec.name} is not ready after {spec.ready_seconds:.0f} s ({last})"
        return _failed(spec, what + " before it was ready" * bool(died))

    def _known(self, known: Recognized) -> Exception:
        spec, failure = self.spec, known.failure
        shown = _shown([*last_lines(spec.log), known.line])
        if known.port and not is_free(known.port):
            return PortTakenError(known.port, f"{failure.setting}, of {spec.name}{shown}")
        return TargetError(
            f"{failure.what}{shown}",
            where=f"{spec.name}, {failure.setting}",
            todo=f"Its log is {spec.log}",
        )

    def _popen(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError(f"{self.spec.name} has not been started")
        return self._process

    def _watch(self) -> Watched:
        if self._watched is None:
            raise RuntimeError(f"{self.spec.name} has not been started")
        return self._watched


@contextmanager
def running(spec: ProcessSpec, watchdog: Watchdog) -> Iterator[Process]:
    """Start the program, wait until it is ready, and stop it with all its children when the context ends.

    Raises what Process.start and Process.stop raise.
    """
    process = Process(spec, watchdog)
    process.start()
    try:
        yield process
    finally:
        process.stop()


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return exactly `settings` and what a program needs of the user's environment: PATH, HOME, LANG."""
    return {name: os.environ[name] for name in FROM_THE_USER if name in os.environ} | dict(settings)


def last_lines(log: Path, count: int = LAST_LINES) -> list[str]:
    """Return the last lines of a log file, none when there is no such file. Frames of a Java stack are no lines."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 64 * 1024))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if not _JAVA_FRAME.match(line)][-count:]


def _failed(spec: ProcessSpec, what: str) -> TargetError:
    """Return the error with the last lines of a process."""
    where, todo = " ".join(spec.command), f"Its log is {spec.log}"
    return TargetError(what + _shown(last_lines(spec.log)), where=where, todo=todo)


def _shown(lines: list[str]) -> str:
    return "".join(f"\n    {line}" for line in lines) + "\n" if lines else ""


def _stdin_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdin is None:
        raise RuntimeError("the process was started without a pipe")
    return process.stdin
