"""Reads named.toml: mutants that people wrote down, each of which breaks a rule of the specification."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from checks.mutation.mutant import Mutant, line_and_column
from middlemark.documents import Document, read_toml
from middlemark.errors import InputError

NAMED = Path(__file__).with_name("named.toml")

Words = Annotated[str, Field(min_length=1)]


class NamedMutation(Document):
    """One entry: `text` stands exactly once in `file`, which is relative to `platforms/go/brokerage`."""

    name: Words
    rule: Words
    file: Words
    text: Words
    replacement: str


class NamedMutations(Document):
    """The file."""

    version: int = Field(ge=1, le=1)
    mutation: list[NamedMutation]


def named(module: Path, package: str) -> list[Mutant]:
    """Return the named mutants of a module's copy, in the order of the file.

    Raises InputError when two have one name, or a text is not found exactly once.
    """
    entries = read_toml(NAMED, NamedMutations).mutation
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two mutations are named '{name}'", where=str(NAMED))
    return [_mutant(module, package, entry) for entry in entries]


def _mutant(module: Path, package: str, entry: NamedMutation) -> Mutant:
    path = module / package / entry.file
    if not path.is_file():
        raise InputError(f"'{entry.name}' is about a file that is not there: {entry.file}", where=str(NAMED))
    text = path.read_bytes()
    count = text.count(entry.text.encode())
    if count != 1:
        todo = f"Write the text of '{entry.name}' so that it is found once"
        raise InputError(f"{entry.file} has its text {count} times", where=str(NAMED), todo=todo)
    if entry.text == entry.replacement:
        raise InputError(f"'{entry.name}' changes nothing", where=str(NAMED))
    offset = text.find(entry.text.encode())
    line, column = line_and_column(text, offset)
    file = f"{package}/{entry.file}"
    return Mutant(entry.name, entry.rule, file, offset, entry.text, entry.replacement, line, column)
