"""The lab's side of the watchdog: says what has been started, so that it is stopped even if the lab is killed."""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import middlemark
from middlemark.errors import HostError
from middlemark.processes.ending import APPLICATION, Ending, Part, Watched, members
from middlemark.processes.exit_status import ends_within
from middlemark.processes.process_table import MARK, entry_of, send
from middlemark.processes.runtime import made_private, runtime_folder
from middlemark.records.record import Record
from middlemark.saving import ANOTHER_TMPDIR, saving_under, temporary_folder

SECONDS_TO_CLEAR_UP = 60.0
NOBODY_YET = 0

# -I -S: neither the user's environment nor installed packages delay the watchdog or break it.
WATCHDOG_PROGRAM = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
from middlemark.processes.watchdog_process import main
main(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
"""


class StoppedProcess(Record):
    """One process the watchdog stopped: how it ended and the last signal it needed; `processes` counts its children."""

    part: Part
    name: str
    pid: int
    how: str
    signal: str
    processes: int
    seconds: float


class Stopped(Record):
    """`stopped.json`: the lab that wrote this result ended suddenly, and this is what was stopped and removed then."""

    v: int = 1
    when: str
    reason: str
    lab_pid: int
    processes: list[StoppedProcess]
    removed: list[str]


def name_part(token: str) -> str:
    """Return what the databases of the lab with this token have in their names."""
    return token.replace("-", "_")


def read_stopped(result: Path) -> Stopped | None:
    """Return what the watchdog wrote into a result folder, or None when the lab ended by itself."""
    path = result / "stopped.json"
    return Stopped.model_validate_json(path.read_bytes()) if path.is_file() else None


class Watchdog:
    """A running watchdog. Tell it about a process as soon as it exists and forget it only when it has ended."""

    def __init__(self, folder: Path) -> None:
        self.token = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._registry = folder / f"{self.token}.json"
        self._watched: dict[int, Watched] = {}
        self._folders: list[Path] = []
        self._servers: list[str] = []
        self._result: Path | None = None
        self._process = self._started()

    @property
    def pid(self) -> int:
        """Return the process id of the watchdog."""
        return self._process.pid

    def mark(self, part: Part, name: str) -> dict[str, str]:
        """Return the variable a process has to have in its environment, so that its strayed children are found."""
        return {MARK: Watched(0, "", part, name, self.token).mark}

    def watch(self, pid: int, part: Part, name: str, ending: Ending = APPLICATION) -> Watched:
        """Have the process, which leads its own session, stopped with its children if the lab is killed."""
        entry = entry_of(pid)
        watched = Watched(pid, entry.started if entry else "", part, name, self.token, ending)
        self._watched[pid] = watched
        self._send({"do": "watch", "process": dataclasses.asdict(watched)})
        return watched

    @contextmanager
    def expecting(self, part: Part, name: str) -> Iterator[None]:
        """Have what somebody else starts meanwhile, with the lab's environment, stopped if the lab is killed.

        For programs that are watched by their process id only once they are ready.
        """
        watched = Watched(NOBODY_YET, "", part, name, self.token)
        self._watched[NOBODY_YET] = watched
        self._send({"do": "watch", "process": dataclasses.asdict(watched)})
        before = os.environ.get(MARK)
        os.environ[MARK] = watched.mark
        try:
            yield
        finally:
            del os.environ[MARK]
            if before is not None:
                os.environ[MARK] = before
            self.forget(NOBODY_YET)

    def watched(self, part: Part) -> tuple[Watched, ...]:
        """Return the processes of a part that are watched now."""
        return tuple(one for one in self._watched.values() if one.part is part and one.pid != NOBODY_YET)

    def kill(self) -> None:
        """Kill all that is watched now, from any thread: who waits for it is told of its death, and stops it."""
        for watched in tuple(self._watched.values()):
            for entry in members(watched):
                send(entry.pid, entry.started, signal.SIGKILL)

    def forget(self, pid: int) -> None:
        """Say that the process and all that belonged to it have ended."""
        self._watched.pop(pid, None)
        self._send({"do": "forget", "pid": pid})

    @contextmanager
    def removing(self, folder: Path) -> Iterator[Path]:
        """Remove a private folder of the lab when the context ends; the watchdog does it if the lab is killed."""
        self._folders.append(folder)
        self._send({"do": "remove", "folder": str(folder.absolute())})
        try:
            yield folder
        finally:
            if folder in self._folders:
                shutil.rmtree(folder, ignore_errors=True)
                self.leave(folder)

    def leave(self, folder: Path) -> None:
        """Leave a folder where it is, which `removing` would remove."""
        self._folders.remove(folder)
        self._send({"do": "keep", "folder": str(folder.absolute())})

    @contextmanager
    def private_folder(self, prefix: str) -> Iterator[Path]:
        """Give a new private folder among the temporary ones, removed like `removing` does."""
        folder = temporary_folder() / f"{prefix}{secrets.token_hex(8)}"
        # The watchdog hears of it before it is there: a lab killed in between leaves nothing.
        with self.removing(folder):
            with saving_under(folder.parent, ANOTHER_TMPDIR):
                folder.mkdir(mode=0o700)
            yield folder

    @property
    def name_part(self) -> str:
        """Return what every database made for this lab has in its name, and no other."""
        return name_part(self.token)

    def databases_at(self, url: str) -> None:
        """Say that databases with `name_part` in their names may lie in this server of the user's from now on."""
        self._servers.append(url)
        self._send({"do": "drop", "url": url})

    def no_databases_at(self, url: str) -> None:
        """Say that none lies there any more."""
        self._servers.remove(url)
        self._send({"do": "dropped", "url": url})

    def result(self, folder: Path) -> None:
        """Have `stopped.json` written into this result folder if the lab is killed."""
        self._result = folder
        self._send({"do": "result", "folder": str(folder.absolute())})

    def close(self) -> None:
        """Say goodbye; when something is still watched, let the watchdog stop it and wait for that."""
        self._send({"do": "take over" if self._watched or self._folders or self._servers else "goodbye"})
        with suppress(BrokenPipeError):
            _stdin_of(self._process).close()
        if not ends_within(self._process, SECONDS_TO_CLEAR_UP):
            names = ", ".join(one.name for one in self._watched.values())
            raise HostError(f"still running: {names}", todo="Run `middlemark doctor --stop`")

    def _send(self, message: dict[str, object]) -> None:
        try:
            _write_line(self._process, message)
        except BrokenPipeError:
            # Somebody killed the watchdog. A new one learns everything, this message included, from what the lab knows.
            self._process.wait()
            self._process = self._started()
            self._repeat_everything()

    def _repeat_everything(self) -> None:
        for watched in self._watched.values():
            _write_line(self._process, {"do": "watch", "process": dataclasses.asdict(watched)})
        for folder in self._folders:
            _write_line(self._process, {"do": "remove", "folder": str(folder.absolute())})
        for url in self._servers:
            _write_line(self._process, {"do": "drop", "url": url})
        if self._result:
            _write_line(self._process, {"do": "result", "folder": str(self._result.absolute())})

    def _started(self) -> subprocess.Popen[bytes]:
        lab_package = str(Path(middlemark.__file__).parent.parent)
        words = [lab_package, self.token, str(os.getpid()), str(self._registry)]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", WATCHDOG_PROGRAM, *words],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            cwd="/",
        )
        if process.stdout is None or process.stdout.readline() != b"ready\n":
            raise HostError("the watchdog process does not start", todo="Its message stands above")
        process.stdout.close()
        return process


@contextmanager
def watchdog(folder: Path | None = None) -> Iterator[Watchdog]:
    """Start a watchdog that is listed in `folder` (the user's runtime folder by default) and end it with the context.

    Whatever is still watched when the context ends, for instance after a second Ctrl-C, is stopped by the watchdog.
    Raises HostError when no watchdog can be started or something does not stop.
    """
    folder = folder or runtime_folder()
    if not made_private(folder):
        raise HostError("this folder cannot hold the list of running labs", where=str(folder))
    running = Watchdog(folder)
    try:
        yield running
    finally:
        running.close()


def _write_line(process: subprocess.Popen[bytes], message: dict[str, object]) -> None:
    # One write, shorter than PIPE_BUF: it reaches the watchdog as a whole even if the lab is killed right after it.
    _stdin_of(process).write(json.dumps(message).encode() + b"\n")


def _stdin_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdin is None:
        raise HostError("the watchdog process has no pipe to the lab")
    return process.stdin
