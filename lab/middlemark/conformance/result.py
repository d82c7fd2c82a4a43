"""What came of a verification: every play of every case, and where subjects differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Literal, NamedTuple

from middlemark.records.run import Record

DATA_ACCESS = "data-access"


class PlayOutcome(StrEnum):
    """How a play ended. A known failure failed exactly as `known-failures.toml` says."""

    PASSED = "passed"
    FAILED = "failed"
    KNOWN = "known failure"
    NOT_CHECKED = "not checked"


class Failure(Record):
    """One thing that is not as specified: file:line, the step (empty: after the last), what was expected and came.

    `known` is the reason when `known-failures.toml` lists it.
    """

    where: str
    step: str
    text: str
    known: str = ""


class Play(Record):
    """One case, played once in one cell over one binding (empty: it calls no operation).

    `replaced` counts the volatile values in its pages, `sizes` the bytes of each page without them. `answers` and
    `end_state` are digests that equal applications have in common, empty where chance decides (`at_once`) or nothing
    was looked at. `reason` says why it was not checked.
    """

    case: str
    topic: str
    rule: str
    where: str
    cell: str
    binding: str
    outcome: PlayOutcome
    failures: tuple[Failure, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    replaced: int = 0
    sizes: dict[str, int] = {}  # noqa: RUF012 (pydantic copies it)
    answers: str = ""
    end_state: str = ""

    @property
    def data_access(self) -> str:
        """Return the data access that its cell names, empty where the subject has no choice."""
        return dict(_modes(self.cell)).get(DATA_ACCESS, "")

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what it has in common with a play of another variant: case, cell without data access, binding.

        A data access is a platform's own: what can be seen from outside must not depend on it.
        """
        cell = ", ".join(f"{mode}={value}" for mode, value in _modes(self.cell) if mode != DATA_ACCESS)
        return self.case, cell, self.binding

    @property
    def label(self) -> str:
        """Return the name of the play in lists."""
        return f"{self.case} [{self.cell}{f', over {self.binding}' if self.binding else ''}]"


@dataclass(frozen=True)
class Played:
    """A play with what only a comparison with another subject needs: the notes and the rows behind its digests."""

    play: Play
    notes: tuple[str, ...] = ()
    end_state: tuple[str, ...] = ()


def _modes(cell: str) -> list[tuple[str, str]]:
    parts = (part.partition("=") for part in cell.split(", "))
    return [(mode, value) for mode, _, value in parts]


def variants(subject: str, plays: Iterable[Play]) -> dict[str, str]:
    """Return the name of each data access of a subject that was played; the subject's own where there is only one."""
    found = sorted({play.data_access for play in plays})
    return {access: subject if len(found) == 1 else f"{subject} ({access})" for access in found}


class CellResult(Record):
    """One way to run a subject: the web tier's binding, the order mode, the data access; its plays counted."""

    cell: str
    cases: int
    plays: int
    passed: int
    failed: int
    known: int
    not_checked: int
    replaced: int
    seconds: float


class SubjectResult(Record):
    """`conformance/<subject>.json`: one application held against the specification.

    `missed` lists known failures that were played and did not fail. `not_offered` says what the platform does not have.
    `environment` was added to that of a measurement (`cases_environment` of its server).
    """

    v: Literal[1] = 1
    subject: str
    spec: str
    spec_version: str
    commit: str
    started: str
    seconds: float
    cells: tuple[CellResult, ...]
    not_offered: tuple[str, ...]
    missed: tuple[str, ...]
    notes: tuple[str, ...]
    environment: dict[str, str] = {}  # noqa: RUF012 (pydantic copies it)
    plays: tuple[Play, ...]

    def checked(self, data_access: str) -> frozenset[tuple[str, str, str]]:
        """Return the keys of the plays with this data access that were checked."""
        return frozenset(
            play.key
            for play in self.plays
            if play.data_access == data_access and play.outcome is not PlayOutcome.NOT_CHECKED
        )

    @property
    def failed(self) -> int:
        """Return the number of failed plays."""
        return sum(play.outcome is PlayOutcome.FAILED for play in self.plays)

    @property
    def passed(self) -> bool:
        """Say whether it obeys the specification as far as it was played."""
        return not self.failed and not self.missed


class Difference(Record):
    """Two variants (subjects, or data accesses of one) that differ in one play: outcome, answers, size, end state."""

    one: str
    other: str
    play: str
    what: str
    text: str


class Compared(NamedTuple):
    """Two variants and the number of plays that both have and that were checked."""

    one: str
    other: str
    plays: int


class ConformanceResult(Record):
    """The whole verification. `stopped` says why it ended before everything was played, else it is empty."""

    v: Literal[1] = 1
    subjects: tuple[SubjectResult, ...]
    differences: tuple[Difference, ...]
    stopped: str = ""

    @property
    def compared(self) -> tuple[Compared, ...]:
        """Return for each pair of variants in how many plays they were compared."""
        checked = [
            (variant, subject.checked(access))
            for subject in self.subjects
            for access, variant in variants(subject.subject, subject.plays).items()
        ]
        return tuple(
            Compared(one, other, len(ours & theirs)) for (one, ours), (other, theirs) in combinations(checked, 2)
        )

    @property
    def passed(self) -> bool:
        """Say whether every subject obeys the specification and no play that two variants have differs."""
        return not self.stopped and not self.differences and all(subject.passed for subject in self.subjects)
