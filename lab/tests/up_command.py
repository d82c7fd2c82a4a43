"""Runs `middlemark up` for tests, as a person would in a terminal."""

from __future__ import annotations

import os
import re
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

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines = _Lines(process.stdout, process.stderr)

    def wait_for(self, text: str) -> str:
        """Return the first line with this text, on stdout or stderr."""
        return self._lines.wait_for(text)

    def address(self) -> str:
        """Return where the pages are, once they are."""
        found = re.search(r"http://\S+[^/\s]", self.wait_for("Open http"))
        assert found
        return found[0]

    def everything(self) -> list[psutil.Process]:
        """Return all it has started, the guard included."""
        return psutil.Process(self.process.pid).children(recursive=True)


class _Lines:
    """The lines of both outputs as they come."""

    def __init__(self, *outputs: IO[str] | None) -> None:
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
            self._news.wait_for(lambda: self._found(text) or not self._open, SECONDS)
            found = self._found(text)
        assert found, "".join(self._lines)
        return found

    def _found(self, text: str) -> str:
        return next((line for line in self._lines if text in line), "")


@contextmanager
def up(folder: Path, *words: str) -> Iterator[Up]:
    """Run `middlemark up go brokerage` at scale tiny."""
    command = [sys.executable, "-m", "middlemark", "up", "go", "brokerage", "--scale", "tiny", *words]
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
            yield Up(process)
        finally:
            process.kill()
