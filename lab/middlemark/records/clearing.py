"""What a report shows of `stopped.json`: that the lab ended suddenly, and which orphaned processes were stopped."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError


class _Reported(BaseModel):
    """A part of the file. `processes` has the whole model; the rest of the file does not matter here."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ClearedProcess(_Reported):
    """A process that was still there: what it was for, and how it ended."""

    part: str
    how: str


class Clearing(_Reported):
    """When and why orphaned processes were stopped."""

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


def read_clearing(result: Path) -> Clearing | None:
    """Return what was cleared up, or None when the lab ended by itself or the file is broken."""
    try:
        return Clearing.model_validate_json((result / "stopped.json").read_bytes())
    except (OSError, ValidationError):
        return None


def _parts(processes: Iterable[ClearedProcess]) -> str:
    return ", ".join(dict.fromkeys(process.part for process in processes))
