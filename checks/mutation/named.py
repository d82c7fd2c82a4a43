"""Reads named-PLATFORM-SPEC.toml: mutants that people wrote down, each of which breaks a rule of the specification."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from checks.mutation.mutant import Mutant, line_and_column
from middlemark.documents import Document, read_toml
from middlemark.errors import InputError

Words = Annotated[str, Field(min_length=1)]


class NamedMutation(Document):
    """One entry: `text` stands exactly once in `file`, which is relative to the platform's folder of the specification.

    `cases` are the names of those it is tried with, in the `configuration` of this name; with neither all executions
    that reach it.
    """

    name: Words
    rule: Words
    file: Words
    text: Words
    replacement: str
    cases: tuple[Words, ...] = ()
    configuration: str = ""

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if bool(self.cases) != bool(self.configuration):
            raise ValueError("`cases` and `configuration` belong together")
        return self


class NamedMutations(Document):
    """The file."""

    version: int = Field(ge=1, le=1)
    mutation: list[NamedMutation]


def list_of(platform: str, spec: str) -> Path:
    """Return the file with the mutations of a platform's application; InputError when it has none."""
    path = Path(__file__).with_name(f"named-{platform}-{spec}.toml")
    if not path.is_file():
        todo = f"Write {path.name}, or name a platform and a specification that have such a file"
        raise InputError(f"nobody has written down mutations of {platform}'s {spec}", where=str(path.parent), todo=todo)
    return path


def named(source: Path, module: Path, package: str) -> list[Mutant]:
    """Return the mutants of a list, for a copy of the platform's folder, in the order of the list.

    Raises InputError when two have one name, or a text is not found exactly once.
    """
    entries = read_toml(source, NamedMutations).mutation
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two mutations are named '{name}'", where=str(source))
    return [_mutant(source, module / package, package, entry) for entry in entries]


def _mutant(source: Path, folder: Path, package: str, entry: NamedMutation) -> Mutant:
    path = folder / entry.file
    if not path.is_file():
        raise InputError(f"'{entry.name}' is about a file that is not there: {entry.file}", where=str(source))
    text = path.read_bytes()
    count = text.count(entry.text.encode())
    if count != 1:
        todo = f"Write the text of '{entry.name}' so that it is found once"
        raise InputError(f"{entry.file} has its text {count} times", where=str(source), todo=todo)
    if entry.text == entry.replacement:
        raise InputError(f"'{entry.name}' changes nothing", where=str(source))
    offset = text.find(entry.text.encode())
    line, column = line_and_column(text, offset)
    place = (posixpath.normpath(f"{package}/{entry.file}"), offset, entry.text, entry.replacement, line, column)
    return Mutant(entry.name, entry.rule, *place, entry.cases, entry.configuration)
