"""`specs/<name>/cases/known-failures.toml`: failures that are known, each with its reason; the cases still run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from middlemark.conformance.cases.suite import CASES, Placed
from middlemark.conformance.result import Failure, Play, PlayOutcome
from middlemark.documents import Document, read_toml, suggestion
from middlemark.errors import InputError

FILE = "known-failures.toml"


class KnownFailure(Document):
    """One failure of one subject in one case.

    It covers exactly the failures of that case whose text holds `text`; another failure of the same case still counts.
    Without `cell` and `binding` every play of the case has to show it.
    """

    case: str = Field(description="the case's sentence")
    subject: str = Field(description="the subject that fails")
    text: str = Field(min_length=8, description="part of the failure's text")
    reason: str = Field(min_length=8, description="why it is so, and where that is going to be mended")
    cell: str | None = Field(None, description="only in the cell of this name")
    binding: Literal["json", "soap", "grpc"] | None = Field(None, description="only over this binding")

    def covers(self, subject: str, play: Play) -> bool:
        """Say whether a play must show this failure."""
        return (
            (self.subject, self.case) == (subject, play.case)
            and self.cell in {None, play.cell}
            and self.binding in {None, play.binding}
            and play.outcome is not PlayOutcome.NOT_CHECKED
        )


class KnownFailures(Document):
    """The whole file."""

    version: Literal[1]
    known: tuple[KnownFailure, ...] = ()


def read_known(spec_folder: Path, cases: Iterable[Placed]) -> tuple[KnownFailure, ...]:
    """Return the known failures of a specification; InputError when one names a case that is not there."""
    path = spec_folder / CASES / FILE
    if not path.is_file():
        return ()
    known = read_toml(path, KnownFailures).known
    names = {placed.case.name for placed in cases}
    for one in known:
        if one.case not in names:
            raise InputError(f"there is no case '{one.case}'. {suggestion(one.case, names)}", where=str(path))
    return known


def tell_apart(subject: str, play: Play, known: Sequence[KnownFailure]) -> Play:
    """Return the play with its known failures marked; it counts as one when all its failures are known."""
    if play.outcome is not PlayOutcome.FAILED:
        return play
    mine = [one for one in known if one.covers(subject, play)]
    failures = tuple(_marked(failure, mine) for failure in play.failures)
    outcome = PlayOutcome.KNOWN if all(failure.known for failure in failures) else PlayOutcome.FAILED
    return play.model_copy(update={"failures": failures, "outcome": outcome})


def missed(subject: str, plays: Sequence[Play], known: Sequence[KnownFailure]) -> list[str]:
    """Return one text for each known failure that a play does not show any more."""
    return [
        f"{play.label}: does not fail any more as {FILE} says ({one.text})"
        for one in known
        for play in plays
        if one.covers(subject, play) and not any(one.text in failure.text for failure in play.failures)
    ]


def _marked(failure: Failure, known: Sequence[KnownFailure]) -> Failure:
    reason = next((one.reason for one in known if one.text in failure.text), "")
    return failure.model_copy(update={"known": reason})
