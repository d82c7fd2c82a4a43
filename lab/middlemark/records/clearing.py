"""What a result shows of `stopped.json`: that the lab ended suddenly, and which orphaned processes were stopped."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import ConfigDict

from middlemark.records.record import Record

STOPPED = "stopped.json"


class ClearedProcess(Record):
    """A process that was still there: what it was for, and how it ended."""

    # `processes` has the whole model of the file; the rest of it does not matter here.
    model_config = ConfigDict(extra="ignore", frozen=True)
    part: str
    how: str


class Clearing(Record):
    """When and why orphaned processes were stopped."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    when: str
    reason: str
    processes: list[ClearedProcess]

    @property
    def cause(self) -> str:
        """Why and when, as in `the lab was killed at 2026-11-20 08:05:00Z`."""
        return f"{self.reason} at {self.when.replace('T', ' ')}"

    @property
    def outcome(self) -> str:
        """What became of the processes; one that withstood every signal is not called stopped."""
        resisted = _parts(p for p in self.processes if p.how.startswith("survived"))
        stopped = _parts(p for p in self.processes if not p.how.startswith("survived"))
        text = f"orphaned processes were stopped: {stopped}" if stopped else "no process was stopped"
        return f"{text}; still running: {resisted}" if resisted else text


def _parts(processes: Iterable[ClearedProcess]) -> str:
    return ", ".join(dict.fromkeys(process.part for process in processes))
