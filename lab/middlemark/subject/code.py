"""Which files of a platform are code, of which tier, and how many lines of it they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from pathlib import Path

from pydantic import Field
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, String
from pygments.util import ClassNotFound

from middlemark.documents import Document
from middlemark.errors import InputError

WHERE = "platform.toml, code"
# Directives of a preprocessor or of a template, which Pygments calls comments.
_DIRECTIVES = (Comment.Preproc, Comment.PreprocFile)


class CodeTier(StrEnum):
    """The parts of an application whose lines are told apart."""

    USER_INTERFACE = "user interface"
    MIDDLE = "middle"
    DATA = "data"
    CONFIGURATION = "configuration"


class CodePart(Document):
    """Files of one tier. With `modes` they are used with these values alone."""

    tier: CodeTier
    files: tuple[str, ...] = Field(min_length=1, description="globs below the platform's folder, `**/*` for all below")
    modes: dict[str, str] = Field({}, description="mode: the value with which alone these files are used")


class Code(Document):
    """Which files of a platform are which tier. A file is in one part, or uncounted, whatever part names it too."""

    parts: tuple[CodePart, ...] = Field(min_length=1)
    uncounted: dict[str, tuple[str, ...]] = Field({}, description="why (tests, generated, …): globs")
    languages: dict[str, str] = Field(
        {}, description="end of a file's name: name of its language for Pygments, where the end does not say it"
    )


@dataclass(frozen=True)
class CountedPart:
    """A part with the number of the lines of code in its files."""

    part: CodePart
    lines: int


def files_of_parts(folder: Path, code: Code) -> list[list[Path]]:
    """Return the files of each part, in the order of the parts, sorted.

    Raises InputError for a glob that no file fits, and for a file in two parts.
    """
    uncounted = uncounted_files(folder, code)
    found = [sorted(_fitting(folder, part.files) - uncounted) for part in code.parts]
    seen: set[Path] = set()
    for files in found:
        for file in files:
            if file in seen:
                raise InputError(f"{file.relative_to(folder)} is in two parts", where=WHERE)
            seen.add(file)
    return found


def uncounted_files(folder: Path, code: Code) -> set[Path]:
    """Return the files that belong to no tier: tests, generated code and what else `uncounted` names."""
    return {file for globs in code.uncounted.values() for file in _fitting(folder, globs)}


def counted_parts(folder: Path, code: Code) -> list[CountedPart]:
    """Return every part with its lines of code.

    Raises InputError for globs that are wrong, a file that cannot be read, or one whose language nobody knows.
    """
    return [
        CountedPart(part, sum(code_lines(_text(file), _lexer(file, code.languages)) for file in files))
        for part, files in zip(code.parts, files_of_parts(folder, code), strict=True)
    ]


def lines_by_tier(parts: Sequence[CountedPart], modes: Mapping[str, str]) -> dict[CodeTier, int]:
    """Return the lines of every tier that are used when each mode has this value."""
    used = [counted for counted in parts if counted.part.modes.items() <= modes.items()]
    return {tier: sum(counted.lines for counted in used if counted.part.tier is tier) for tier in CodeTier}


def telling_modes(parts: Sequence[CountedPart]) -> dict[str, list[str]]:
    """Return the modes on which the numbers depend, with the values that parts name."""
    found: dict[str, list[str]] = {}
    for counted in parts:
        for mode, value in counted.part.modes.items():
            values = found.setdefault(mode, [])
            values += [value] if value not in values else []
    return found


def variants(parts: Sequence[CountedPart]) -> list[dict[str, str]]:
    """Return every choice of modes on which the numbers depend; one that is empty when they depend on none."""
    telling = telling_modes(parts)
    return [dict(zip(telling, values, strict=True)) for values in product(*telling.values())]


def code_lines(text: str, lexer: Lexer) -> int:
    """Return the number of lines in which more than white space and comment stands."""
    with_code = set()
    line = 0
    for kind, piece in lexer.get_tokens(text):
        is_comment = (kind in Comment and kind not in _DIRECTIVES) or kind in String.Doc
        for offset, words in enumerate(piece.split("\n")):
            if words.strip() and not is_comment:
                with_code.add(line + offset)
        line += piece.count("\n")
    return len(with_code)


def _lexer(file: Path, languages: Mapping[str, str]) -> Lexer:
    named = next((language for ending, language in languages.items() if file.name.endswith(ending)), None)
    try:
        if named is not None:
            return get_lexer_by_name(named, stripnl=False)
        return get_lexer_for_filename(file.name, stripnl=False)
    except ClassNotFound as error:
        raise InputError(
            f"Pygments does not know the language {named or f'of {file.name}'}",
            where=WHERE,
            todo='Name it under `languages`, for example ".tag" = "jsp"; `pygmentize -L lexers` lists the names',
        ) from error


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot count the lines ({error})", where=str(file)) from error


def _fitting(folder: Path, globs: Sequence[str]) -> set[Path]:
    return {file for glob in globs for file in _fitting_one(folder, glob)}


def _fitting_one(folder: Path, glob: str) -> Iterator[Path]:
    found = [file for file in folder.glob(glob) if file.is_file()]
    if not found:
        raise InputError(f"no file fits '{glob}'", where=WHERE, todo=f"Globs begin in {folder}; `**/*` is all below")
    yield from found
