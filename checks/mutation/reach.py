"""Which executions reach which place of the sources, from a program that is built with Go's counters.

A mutant that no execution reaches survives without being built; of another only the executions that reach it are run.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from checks.mutation.mutant import Mutant
from checks.mutation.workshop import Workshop
from middlemark.errors import TargetError

FLAGS = "-cover -covermode=atomic -coverpkg=./..."
_SOURCE = Path(__file__).with_name("counters.go")
_MARK = "COUNTERS"
_WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.002
_BLOCK = re.compile(r"^(?P<file>\S+):(?P<begin>\d+\.\d+),(?P<end>\d+\.\d+) \d+ (?P<count>\d+)$", re.MULTILINE)

Place = tuple[int, int]


@dataclass(frozen=True)
class Block:
    """Statements that are executed together: from `begin` to just before `end`, both line and column from 1."""

    file: str
    begin: Place
    end: Place

    def meets(self, mutant: Mutant) -> bool:
        """Return whether the mutant changes something inside."""
        begin, end = mutant.span
        return self.file == mutant.file and self.begin < end and begin < self.end


@dataclass
class Reach:
    """The blocks that each execution reaches; `at_start` are those of every start, which all executions reach."""

    blocks: set[Block] = field(default_factory=set)
    by_execution: dict[str, set[Block]] = field(default_factory=dict)
    at_start: set[Block] = field(default_factory=set)

    def executions_for(self, mutant: Mutant) -> set[str] | None:
        """Return the executions that reach the mutant; None when that is not known and all have to be run.

        It is not known of declarations, which are no statements, and of what happens at the start.
        """
        changed = {block for block in self.blocks if block.meets(mutant)}
        if not changed or changed & self.at_start:
            return None
        return {execution for execution, blocks in self.by_execution.items() if blocks & changed}


class Counters:
    """The folder into which the processes of an instrumented program write, and how to read it."""

    def __init__(self, workshop: Workshop, command: str) -> None:
        self._folder = workshop.artifacts / "counters"
        self._folder.mkdir()
        self._reader = _tool(workshop.module)
        self._workshop = workshop
        self._command = command

    def build(self) -> Path:
        """Return the program with counters."""
        added = self._workshop.module / self._command / _SOURCE.name
        added.write_text(_SOURCE.read_text(encoding="utf-8").replace(_MARK, str(self._folder)), encoding="utf-8")
        try:
            return self._workshop.build(flags=FLAGS)
        finally:
            added.unlink()

    def read(self, pids: Iterable[int]) -> tuple[set[Block], set[Block]]:
        """Return all blocks there are, and those that the processes have executed since the call before."""
        known: set[Block] = set()
        reached: set[Block] = set()
        for pid in pids:
            for block, count in self._of(pid):
                known.add(block)
                if count:
                    reached.add(block)
        return known, reached

    def _of(self, pid: int) -> list[tuple[Block, int]]:
        folder, done_file = self._folder / str(pid), self._folder / f"{pid}.done"
        shutil.rmtree(folder, ignore_errors=True)
        done_file.unlink(missing_ok=True)
        try:
            psutil.Process(pid).send_signal(signal.SIGUSR1)
        except psutil.NoSuchProcess:
            return []
        deadline = time.monotonic() + _WAIT_SECONDS
        while not done_file.exists():
            if time.monotonic() > deadline:
                raise TargetError(f"process {pid} does not write its counters", where=str(folder))
            time.sleep(_POLL_SECONDS)
        output = folder / "blocks.txt"
        done = subprocess.run(
            [self._reader, "textfmt", f"-i={folder}", f"-o={output}"], capture_output=True, text=True, check=False
        )
        if done.returncode != 0 or not output.is_file():
            raise TargetError(f"its counters cannot be read: {done.stderr.strip()}", where=str(folder))
        return [(_block(match), int(match["count"])) for match in _BLOCK.finditer(output.read_text(encoding="utf-8"))]


def _block(match: re.Match[str]) -> Block:
    # The file's name begins with the module's, which is no folder of the copy.
    return Block(match["file"].partition("/")[2], _place(match["begin"]), _place(match["end"]))


def _place(text: str) -> Place:
    line, _, column = text.partition(".")
    return int(line), int(column)


def _tool(module: Path) -> str:
    """Return the program that reads counters, built by Go if need be."""
    words = ["go", "tool", "-n", "covdata"]
    done = subprocess.run(words, cwd=module, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise TargetError(f"`go tool covdata` is not there: {done.stderr.strip()}", where=str(module))
    return done.stdout.strip()
