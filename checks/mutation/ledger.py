"""The ledger: one line of JSON for each mutant as soon as it is judged, so that an interrupted run can go on.

The first line says what was judged: a digest of the application's sources and of the specification. A run with other
ones does not go on in the same file.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from checks.mutation.mutant import Mutant
from middlemark.errors import InputError


class Outcome(StrEnum):
    """What became of a mutant. A time-out is a kill that is told apart: the application hung."""

    KILLED = "killed"
    TIME_OUT = "time-out"
    SURVIVED = "survived"
    NOT_COMPILING = "not-compiling"


KILLS = (Outcome.KILLED, Outcome.TIME_OUT)


class Line(BaseModel):
    """A line of the ledger."""

    model_config = ConfigDict(frozen=True)


class Heading(Line):
    """The first line."""

    type: Literal["heading"] = "heading"
    v: Literal[1] = 1
    mutants: str
    digest: str
    seed: int


class Judgement(Line):
    """One mutant: the case that killed it and what it said; `plays` were played of `reaching` that reach the place.

    `doubted` is the last play that failed once and not again, which killed nothing.
    """

    type: Literal["mutant"] = "mutant"
    name: str
    rule: str
    file: str
    line: int
    column: int
    outcome: Outcome
    play: str = ""
    case: str = ""
    cell: str = ""
    text: str = ""
    doubted: str = ""
    plays: int = 0
    reaching: int = 0
    seconds: float = 0.0


class TakenBack(Line):
    """A judgement that does not count: the play that killed the mutant fails on the unchanged application too."""

    type: Literal["taken-back"] = "taken-back"
    name: str
    play: str


def judged(mutant: Mutant, outcome: Outcome, **more: str | float) -> Judgement:
    """Return the line of a mutant."""
    place = {"name": mutant.name, "rule": mutant.rule, "file": mutant.file}
    return Judgement.model_validate(
        {**place, "line": mutant.line, "column": mutant.column, "outcome": outcome, **more},
    )


class Entry(RootModel[Annotated[Judgement | TakenBack, Field(discriminator="type")]]):
    """Any line but the first."""


class Ledger:
    """The open file. `judgements` are those of earlier runs and of this one, by the mutant's name; the last counts."""

    def __init__(self, path: Path, heading: Heading) -> None:
        """Open the file, making it when it is not there. Raises InputError when it belongs to another state."""
        self.path = path
        self.judgements: dict[str, Judgement] = {}
        if path.exists() and path.stat().st_size:
            self._read(heading)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._append(heading)

    def add(self, judgement: Judgement) -> None:
        """Write a line at once."""
        self.judgements[judgement.name] = judgement
        self._append(judgement)

    def take_back(self, judgement: Judgement) -> None:
        """Say that a judgement does not count."""
        self.judgements.pop(judgement.name, None)
        self._append(TakenBack(name=judgement.name, play=judgement.play))

    def _append(self, line: Line) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line.model_dump_json() + "\n")

    def _read(self, heading: Heading) -> None:
        first, *lines = self.path.read_text(encoding="utf-8").splitlines()
        try:
            found = Heading.model_validate_json(first)
            for line in lines:
                if line.endswith("}"):  # a crash leaves half a line
                    self._remember(Entry.model_validate_json(line).root)
        except ValidationError as error:
            raise InputError("this is no ledger of mutants", where=str(self.path), todo="Name another file") from error
        if (found.mutants, found.digest) != (heading.mutants, heading.digest):
            raise InputError(
                "this ledger is about other sources or cases",
                where=str(self.path),
                todo="Name another file, or remove it",
            )

    def _remember(self, entry: Judgement | TakenBack) -> None:
        if isinstance(entry, Judgement):
            self.judgements[entry.name] = entry
        else:
            self.judgements.pop(entry.name, None)


def digest(*folders: Path) -> str:
    """Return 16 hexadecimal digits for the names and contents of all files below the folders."""
    found = hashlib.sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            content = path.read_bytes()
            found.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()[:16]
