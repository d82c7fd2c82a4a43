"""Runs `middlemark up` for tests, as a person would in a terminal."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psutil

ROOT = Path(__file__).parents[2]
SECONDS = 120


class Up:
    """A running `middlemark up`, in a session of its own like a terminal's foreground group."""

    def __init__(self, process: subprocess.Popen[str], seconds: float) -> None:
        self.process = process
        self._lines = _Lines(seconds, process.stdout, process.stderr)

    def wait_for(self, text: str) -> str:
        """Return the first line with this text, on stdout or stderr."""
        return self._lines.wait_for(text)

    def address(self) -> str:
        """Return where the pages are, once they are."""
        found = re.search(r"http://\S+[^/\s]", self.wait_for("Open http"))
        assert found
        return found[0]

    def so_far(self) -> str:
        """Return everything it has printed until now, on stdout and stderr."""
        return "".join(self._lines.so_far())

    def printed(self) -> list[str]:
        """Return every line about what is up, once it is: not those that say what is being done."""
        self.wait_for("Ctrl-C or SIGTERM stops it.")
        return [line for line in self._lines.so_far() if not line.endswith("…\n")]

    def everything(self) -> list[psutil.Process]:
        """Return all it has started, the watchdog included."""
        return psutil.Process(self.process.pid).children(recursive=True)


class _Lines:
    """The lines of both outputs as they come."""

    def __init__(self, seconds: float, *outputs: IO[str] | None) -> None:
        self._seconds = seconds
        self._lines: list[str] = []
        self._open = len(outputs)
        self._news = threading.Condition()
        for output in outputs:
            assert output
            threading.Thread(target=self._read, args=(output,), daemon=True).start()

    def _read(self, output: IO[str]) -> None:
        for line in output:
            with self._news:
                self._lines.append(line)
                self._news.notify_all()
        with self._news:
            self._open -= 1
            self._news.notify_all()

    def wait_for(self, text: str) -> str:
        with self._news:
            self._news.wait_for(lambda: self._found(text) or not self._open, self._seconds)
            found = self._found(text)
        assert found, "".join(self._lines)
        return found

    def so_far(self) -> list[str]:
        with self._news:
            return [*self._lines]

    def _found(self, text: str) -> str:
        return next((line for line in self._lines if text in line), "")


def assert_nothing_is_left(processes: list[psutil.Process], folder: Path) -> None:
    """Fail unless the processes end within seconds and folders of the lab's are gone."""
    assert psutil.wait_procs(processes, timeout=SECONDS)[1] == []
    assert list((folder / "middlemark").iterdir()) == []
    assert list((folder / "tmp").iterdir()) == []


def run_printed(words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as it was printed."""
    program, *rest = shlex.split(words)
    assert program == "middlemark"
    command = [sys.executable, "-m", "middlemark", *rest]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@contextmanager
def up(folder: Path, *words: str, subject: str = "go", seconds: float = SECONDS) -> Iterator[Up]:
    """Run `middlemark up SUBJECT` at scale tiny; each of its lines comes within so many seconds."""
    command = [sys.executable, "-m", "middlemark", "up", subject, "--scale", "tiny", *words]
    (folder / "tmp").mkdir(exist_ok=True)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "TMPDIR": str(folder / "tmp")}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield Up(process, seconds)
        finally:
            process.kill()
