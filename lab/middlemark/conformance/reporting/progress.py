"""Tells people how far a verification is."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from rich.console import Console

from middlemark.conformance.result import Play, PlayOutcome


class Listener:
    """Hears what happens; this one says nothing."""

    def begins(self, plays: int, cases: int) -> None:
        """Hear how much is to be played."""

    def step(self, what: str) -> None:
        """Hear what is done before the first case."""

    def played(self, subject: str, play: Play) -> None:
        """Hear of a play that has ended."""


class Progress(Listener):
    """Writes to stderr: a line for each step and each failure, and on a terminal a line that lives.

    `plays` is a file that gets a line of JSON for every play at once.
    """

    def __init__(self, plays: Path) -> None:
        self._file = plays
        self._console = Console(file=sys.stderr, highlight=False)
        self._began = time.monotonic()
        self._plays = 0
        self._done = 0
        self._failed = 0

    def begins(self, plays: int, cases: int) -> None:
        """Say how much is to be played."""
        self._plays = plays
        self._say(f"{cases} cases, {plays} plays")

    def step(self, what: str) -> None:
        """Say what is being done."""
        self._say(what)

    def played(self, subject: str, play: Play) -> None:
        """Count a play; say so when it failed."""
        self._done += 1
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f'{{"subject": {json.dumps(subject)}, "play": {play.model_dump_json()}}}\n')
        if play.outcome is PlayOutcome.FAILED:
            self._failed += 1
            self._say(f"failed: {subject}: {play.label}")
        if self._console.is_terminal:
            share = f"{self._done}/{self._plays} plays, {self._failed} failed"
            self._console.print(f"{share}: {subject}, {play.cell}"[: self._console.width - 1], end="\r", markup=False)

    def _say(self, text: str) -> None:
        spent = int(time.monotonic() - self._began)
        self._console.print(f"[{spent // 60}:{spent % 60:02d}] {text}", soft_wrap=True, markup=False)
