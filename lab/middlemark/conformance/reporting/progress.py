"""Shows people how far a verification is."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from middlemark.conformance.result import Execution, ExecutionOutcome, configuration_label
from middlemark.saving import append_whole
from middlemark.wording import counted

_MAX_SILENCE_SECONDS = 15.0


class Listener:
    """Hears what happens; this one says nothing."""

    def plans(self, subject: str, configuration: str, executions: int) -> None:
        """Hear how many executions there will be of a subject in a configuration."""

    def step(self, what: str) -> None:
        """Hear what is done besides running cases."""

    def executed(self, subject: str, execution: Execution) -> None:
        """Hear of an execution that has ended."""


@dataclass
class _Count:
    """The executions of a subject in one configuration. `seconds` is the time they took."""

    planned: int = 0
    done: int = 0
    failed: int = 0
    seconds: float = 0.0


class Progress(Listener):
    """Writes to stderr: a line for each step, failure and finished configuration, and one at least every 15 s.

    On a terminal one more line changes with every execution. `executions` is a file that gets a line of JSON for every
    execution at once.
    """

    def __init__(self, executions: Path, silence: float = _MAX_SILENCE_SECONDS) -> None:
        self._file = executions
        self._silence = silence
        self._console = Console(file=sys.stderr, highlight=False)
        self._lock = threading.RLock()
        self._began = self._spoke = time.monotonic()
        self._counts: dict[tuple[str, str], _Count] = {}
        self._now = "starting"

    def plans(self, subject: str, configuration: str, executions: int) -> None:
        """Add to what is planned."""
        with self._lock:
            self._counts.setdefault((subject, configuration), _Count()).planned += executions

    def step(self, what: str) -> None:
        """Say what is being done."""
        with self._lock:
            self._now = what
            self._print(what)

    def executed(self, subject: str, execution: Execution) -> None:
        """Count an execution; say so when it failed, and when it was the last of its configuration."""
        configuration = configuration_label(execution.configuration)
        with self._lock:
            line = f'{{"subject": {json.dumps(subject)}, "execution": {execution.model_dump_json()}}}\n'
            append_whole(self._file, line)
            count = self._counts.setdefault((subject, configuration), _Count())
            count.done += 1
            count.seconds += execution.seconds
            self._now = f"{subject}, {configuration}"
            if execution.outcome is ExecutionOutcome.FAILED:
                count.failed += 1
                self._print(f"failed: {subject}: {execution.label}")
            if count.done == count.planned:
                self._print(
                    f"{subject}, {configuration}: {counted(count.done, 'execution')}, {count.failed:,} failed, "
                    f"{count.seconds:.0f} s"
                )
            if self._console.is_terminal:
                self._console.print(self._summary()[: self._console.width - 1], end="\r", markup=False)

    @contextmanager
    def never_silent(self) -> Iterator[None]:
        """Say how far it is whenever nothing else has been said for a while, until the context ends."""
        end = threading.Event()
        thread = threading.Thread(target=self._break_silence, args=(end,), name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()

    def _break_silence(self, end: threading.Event) -> None:
        while not end.wait(max(0.0, self._spoke + self._silence - time.monotonic())):
            with self._lock:
                if time.monotonic() >= self._spoke + self._silence:
                    self._print(self._summary())

    def _summary(self) -> str:
        """Return how far it is in words."""
        counts = self._counts.values()
        if not counts:
            return self._now
        done, planned = sum(one.done for one in counts), counted(sum(one.planned for one in counts), "execution")
        return f"{done:,} of {planned}, {sum(one.failed for one in counts):,} failed: {self._now}"

    def _print(self, text: str) -> None:
        self._spoke = time.monotonic()
        spent = int(self._spoke - self._began)
        self._console.print(f"[{spent // 60}:{spent % 60:02d}] {text}", soft_wrap=True, markup=False)
