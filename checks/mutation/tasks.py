"""What the runner gives a worker to do, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from checks.mutation.mutant import Mutant
from checks.mutation.reach import Reach
from checks.mutation.results_log import Judgement


@dataclass(frozen=True)
class WorkerSpec:
    """What a worker is made of: a copy of the checkout of its own, and texts in the names of its cases (none: all)."""

    home: Path
    subject: str
    specification: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Judge:
    """Build the mutant and run `first`, then `others`, until one fails; with no executions it is only compiled."""

    mutant: Mutant
    first: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def executions(self) -> tuple[str, ...]:
        """Return all executions."""
        return (*self.first, *self.others)


@dataclass(frozen=True)
class Unchanged:
    """Run these on the unchanged application, each one to its end."""

    executions: tuple[str, ...]


@dataclass(frozen=True)
class Count:
    """Run these on the unchanged application, and find out what of its sources each reaches."""

    executions: tuple[str, ...]


@dataclass(frozen=True)
class Ready:
    """The worker can begin; these are the executions there are."""

    executions: tuple[str, ...]


@dataclass(frozen=True)
class Baseline:
    """How long each execution took on the unchanged application, and why those failed that did."""

    seconds: Mapping[str, float]
    failed: Mapping[str, str]


@dataclass(frozen=True)
class Broken:
    """The worker cannot continue: the message of an expected error, or a traceback."""

    text: str


Task = Judge | Unchanged | Count
Reply = Judgement | Baseline | Reach | Ready | Broken
