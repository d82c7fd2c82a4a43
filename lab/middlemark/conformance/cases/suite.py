"""All cases of a specification: its files read, held against each other and against what the specification has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import ValidationError

from middlemark.conformance.cases.captures import names_used, token_name, uncaptured
from middlemark.conformance.cases.case import INTEROP, Case, CaseFile
from middlemark.conformance.cases.placed import Placed
from middlemark.conformance.cases.step import About
from middlemark.conformance.cases.validation import mistakes_in_case, mistakes_in_settings
from middlemark.documents import Reading, study_yaml
from middlemark.errors import InputError
from middlemark.specification.specification import FILE, Specification

__all__ = ["CASES", "Placed", "Suite", "read_cases", "read_tagged_cases", "study_cases", "topics"]

CASES = "cases"
ABOUT_CASE = "Each process shows every setting, as it was started."
"""The name of the case that every specification has."""


def read_cases(specification: Specification) -> tuple[Placed, ...]:
    """Return the cases of a specification in the order of files and lines.

    Raises InputError with file:line for the first of the mistakes that `study_cases` finds.
    """
    return _right(study_cases(specification))


def about_case(specification: Specification) -> Placed:
    """Return the case that every specification has: a run can only count when `/about` shows what is in effect."""
    case = Case(
        name=ABOUT_CASE,
        rule="settings",
        tags=(INTEROP,),
        steps=(About(about="settings"),),
    )
    return Placed(case, {}, specification.folder / FILE, (), {})


def read_tagged_cases(specification: Specification, tag: str) -> tuple[Placed, ...]:
    """Return the cases with a tag; files in which the word does not stand are not read, which is most of the work.

    Of a specification without cases of its own that is the one that every specification has. Raises InputError as
    `read_cases` does, for mistakes in the files that are read.
    """
    if not _files(specification):
        return (about_case(specification),)
    suite = _studied(specification, [file for file in _files(specification) if _holds(file, tag)])
    return tuple(placed for placed in _right(suite) if tag in placed.case.tags)


def topics(cases: Sequence[Placed]) -> dict[str, int]:
    """Return how many cases each topic has; topics that need least of an application, in fewest steps, come first."""
    of: dict[str, list[Case]] = {}
    for placed in cases:
        of.setdefault(placed.topic, []).append(placed.case)
    return {topic: len(of[topic]) for topic in sorted(of, key=lambda one: _effort(of[one]))}


def _effort(cases: Sequence[Case]) -> tuple[float, float]:
    """How much cases need besides an application as it is by default, and how many steps they have, as means."""
    needs = [(one.needs.features, one.needs.roles, one.needs.modes, one.needs.interfaces, one.modes) for one in cases]
    return fmean(sum(map(len, one)) for one in needs), fmean(len(one.steps) for one in cases)


@dataclass(frozen=True)
class Suite:
    """The cases of a specification that can be read, and everything that is wrong in its files."""

    cases: tuple[Placed, ...]
    mistakes: tuple[InputError, ...]


def study_cases(specification: Specification) -> Suite:
    """Return the cases in the order of files and lines, and every mistake with file:line.

    A mistake is also a name given twice, a name that the specification does not have, and a `${name}` that nothing
    captures.
    """
    return _studied(specification, _files(specification))


def _files(specification: Specification) -> list[Path]:
    return sorted((specification.folder / CASES).glob("*.yaml"))


def _holds(file: Path, word: str) -> bool:
    """Say whether a word stands in a file; also of one that cannot be read, which is a mistake for who reads it."""
    try:
        return word.encode() in file.read_bytes()
    except OSError:
        return True


def _right(suite: Suite) -> tuple[Placed, ...]:
    if suite.mistakes:
        raise suite.mistakes[0]
    return suite.cases


def _studied(specification: Specification, files: Sequence[Path]) -> Suite:
    known: dict[str, Placed] = {}
    mistakes = list(_not_read(specification.folder / CASES))
    for file in files:
        reading = study_yaml(file, CaseFile)
        mistakes += reading.mistakes
        if reading.content:
            mistakes += mistakes_in_settings(reading.content.settings, file, reading.lines, specification)
        for placed, parsed in _placed(reading, file):
            name = placed.case.name
            if name in known:
                mistakes.append(InputError(f"the case at {known[name].where} has the same name", where=placed.where))
            known.setdefault(name, placed)
            mistakes += mistakes_in_case(placed, specification)
            description = specification.description
            known_before = {*description.carried_modes, *map(token_name, description.tokens)}
            for step, fault in uncaptured(parsed["steps"], ("steps",), known_before):
                mistakes.append(InputError(fault, where=placed.where_of(step)))
    return Suite(tuple(known.values()), tuple(mistakes))


def _not_read(folder: Path) -> Iterator[InputError]:
    """Yield a mistake for each file that somebody may take for one of cases, and that is none by its place or name."""
    for file in sorted(one for one in folder.rglob("*") if one.suffix.lower() in {".yaml", ".yml"}):
        if file.parent != folder or file.suffix != ".yaml":
            yield InputError("this file would not be read", where=str(file), todo=f"Call it {folder / file.stem}.yaml")


def _placed(reading: Reading[CaseFile], file: Path) -> Iterator[tuple[Placed, Mapping[str, Any]]]:
    """Yield each case with what the file holds of it; of a file with mistakes the cases without."""
    parsed = reading.parsed.get("cases") if isinstance(reading.parsed, dict) else None
    settings = reading.content.settings if reading.content else {}
    for index, one in enumerate(parsed if isinstance(parsed, list) else ()):
        with suppress(ValidationError):
            case = reading.content.cases[index] if reading.content else Case.model_validate(one)
            names = frozenset(names_used(one["steps"]))
            yield Placed(case, settings, file, ("cases", index), reading.lines, names), one
