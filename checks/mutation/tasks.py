"""What the runner asks of a worker, and what it is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from checks.mutation.ledger import Judgement
from checks.mutation.mutant import Mutant
from checks.mutation.reach import Reach


@dataclass(frozen=True)
class WorkerOrder:
    """What a worker is made of: a copy of the checkout of its own, and texts of the cases to play (none: all)."""

    home: Path
    subject: str
    spec: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Judge:
    """Build the mutant and play until one play fails, `first` before `others`; with no plays it is only compiled."""

    mutant: Mutant
    first: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def plays(self) -> tuple[str, ...]:
        """Return all plays."""
        return (*self.first, *self.others)


@dataclass(frozen=True)
class Unchanged:
    """Play these on the unchanged application, each one to its end."""

    plays: tuple[str, ...]


@dataclass(frozen=True)
class Count:
    """Play these on the unchanged application, and find out what of its sources each executes."""

    plays: tuple[str, ...]


@dataclass(frozen=True)
class Ready:
    """The worker can begin; these plays there are."""

    plays: tuple[str, ...]


@dataclass(frozen=True)
class Steady:
    """How long each play took on the unchanged application, and what those said that failed."""

    seconds: Mapping[str, float]
    failed: Mapping[str, str]


@dataclass(frozen=True)
class Broken:
    """The worker cannot go on: the message of an expected error, or a traceback."""

    text: str


Task = Judge | Unchanged | Count
Answer = Judgement | Steady | Reach | Ready | Broken
