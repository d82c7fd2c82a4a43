"""The results log: one line of JSON for each mutant as soon as it is judged, so that a run can be resumed.

The first line says what was judged and by what: a digest of sources, specification and cases, and which executions.
Another run is not resumed from it. A judgement counts when the unchanged application has passed after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from checks.mutation.mutant import Mutant
from middlemark.errors import InputError


class Outcome(StrEnum):
    """What became of a mutant. A time-out is a kill of its own kind: the application hung."""

    KILLED = "killed"
    TIME_OUT = "time-out"
    SURVIVED = "survived"
    NOT_COMPILING = "not-compiling"


KILLS = (Outcome.KILLED, Outcome.TIME_OUT)


class Line(BaseModel):
    """A line of the results log."""

    model_config = ConfigDict(frozen=True)


class Heading(Line):
    """The first line. `subject` is changed; `cases` and `once` restrict the executions; with neither there are all."""

    type: Literal["heading"] = "heading"
    v: Literal[1] = 1
    mutants: str
    subject: str = "go"
    digest: str
    seed: int
    cases: tuple[str, ...] = ()
    once: bool = False

    @property
    def what(self) -> tuple[object, ...]:
        """Return what two runs have in common that may share a results log: all but the seed."""
        return self.mutants, self.subject, self.digest, self.cases, self.once


class Judgement(Line):
    """One mutant: the case that killed it and its message; `executions` of the `reaching` ones were run.

    `doubted` is the last execution that failed once and not again, which killed nothing.
    """

    type: Literal["mutant"] = "mutant"
    name: str
    rule: str
    file: str
    line: int
    column: int
    outcome: Outcome
    execution: str = ""
    case: str = ""
    configuration: str = ""
    text: str = ""
    doubted: str = ""
    executions: int = 0
    reaching: int = 0
    seconds: float = 0.0


class TakenBack(Line):
    """A judgement that does not count: the execution that killed the mutant fails on the unchanged application too."""

    type: Literal["taken-back"] = "taken-back"
    name: str
    execution: str


class Checked(Line):
    """The unchanged application has passed after these mutants were judged, in the processes of the same worker."""

    type: Literal["checked"] = "checked"
    names: tuple[str, ...]


def judged(mutant: Mutant, outcome: Outcome, **more: str | float) -> Judgement:
    """Return the line of a mutant."""
    place = {"name": mutant.name, "rule": mutant.rule, "file": mutant.file}
    return Judgement.model_validate(
        {**place, "line": mutant.line, "column": mutant.column, "outcome": outcome, **more},
    )


class Entry(RootModel[Annotated[Judgement | TakenBack | Checked, Field(discriminator="type")]]):
    """Any line but the first."""


class ResultsLog:
    """The open file. `judgements` are those of earlier runs and of this one, by the mutant's name; the last counts.

    `checked` names those that count.
    """

    def __init__(self, path: Path, heading: Heading) -> None:
        """Open the file, making it when it is not there. Raises InputError when it belongs to another state."""
        self.path = path
        self.judgements: dict[str, Judgement] = {}
        self.checked: set[str] = set()
        if path.exists() and path.stat().st_size:
            self._read(heading)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._append(heading)

    def add(self, judgement: Judgement) -> None:
        """Write a line at once."""
        self._remember(judgement)
        self._append(judgement)

    def check(self, names: Iterable[str]) -> None:
        """Write that the unchanged application has passed after these were judged."""
        checked = Checked(names=tuple(names))
        self._remember(checked)
        self._append(checked)

    def take_back(self, judgement: Judgement) -> None:
        """Write that a judgement does not count."""
        taken = TakenBack(name=judgement.name, execution=judgement.execution)
        self._remember(taken)
        self._append(taken)

    def _append(self, line: Line) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line.model_dump_json() + "\n")

    def _read(self, heading: Heading) -> None:
        text = self.path.read_text(encoding="utf-8")
        complete = text[: text.rfind("\n") + 1]
        if complete != text:  # a crash has left half a line
            self.path.write_text(complete, encoding="utf-8")
        try:
            first, *lines = complete.splitlines()
            found = Heading.model_validate_json(first)
            for line in lines:
                self._remember(Entry.model_validate_json(line).root)
        except ValueError as error:
            raise InputError(
                "the file is not a results log of mutants", where=str(self.path), todo="Name another file"
            ) from error
        if found.what != heading.what:
            raise InputError(
                "the results log is about other sources, cases or executions",
                where=str(self.path),
                todo="Name another file, or remove it",
            )

    def _remember(self, entry: Judgement | TakenBack | Checked) -> None:
        match entry:
            case Judgement():
                self.judgements[entry.name] = entry
                self.checked.discard(entry.name)
            case TakenBack():
                self.judgements.pop(entry.name, None)
                self.checked.discard(entry.name)
            case Checked():
                self.checked.update(name for name in entry.names if name in self.judgements)


def digest(*folders: Path) -> str:
    """Return 16 hexadecimal digits for the names and contents of all files below the folders."""
    found = hashlib.sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"):
            content = path.read_bytes()
            found.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()[:16]
