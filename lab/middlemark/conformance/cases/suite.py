"""All cases of a specification: its files read, held against each other and against the operations there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from middlemark.conformance.cases.captures import uncaptured
from middlemark.conformance.cases.case import INTEROP, REPLAY, Case, CaseFile
from middlemark.conformance.cases.contract import Contract
from middlemark.conformance.cases.rule_names import rules_of
from middlemark.conformance.cases.step import AtOnce, Call, Get, Hold, Post, Repeat, Step
from middlemark.documents import Location, Reading, study_yaml, suggestion
from middlemark.errors import InputError

CASES = "cases"


@dataclass(frozen=True)
class Placed:
    """A case with the place it comes from: its file, where it stands in it, and the lines of its steps."""

    case: Case
    settings: Mapping[str, str]
    file: Path
    location: Location
    lines: Mapping[Location, int]

    @property
    def topic(self) -> str:
        """Return the name of its file without ending."""
        return self.file.stem

    @property
    def where(self) -> str:
        """Return file:line of the case."""
        return self.where_of(())

    def where_of(self, step: Location) -> str:
        """Return file:line of the step at this location below the case (like ("steps", 0))."""
        location = (*self.location, *step)
        while location and location not in self.lines:
            location = location[:-1]
        return f"{self.file}:{self.lines.get(location, 1)}"

    @property
    def is_interop(self) -> bool:
        """Say whether it is also played in the remaining cells."""
        return INTEROP in self.case.tags

    @property
    def calls(self) -> bool:
        """Say whether it calls operations, and so is played over every binding."""
        return any(isinstance(step, Call) for step in all_steps(self.case.steps))

    @property
    def visits(self) -> bool:
        """Say whether it asks for pages."""
        return any(isinstance(step, Get | Post) for step in all_steps(self.case.steps))


def all_steps(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yield the steps and the steps inside them."""
    for step in steps:
        yield step
        if isinstance(step, AtOnce):
            for client in step.at_once:
                yield from all_steps(client)
        elif isinstance(step, Repeat):
            yield from all_steps(step.steps)
        elif isinstance(step, Hold):
            yield from all_steps(step.during)


def read_cases(spec_folder: Path) -> tuple[Placed, ...]:
    """Return the cases of a specification in the order of files and lines.

    Raises InputError with file:line for the first of the mistakes that `study_cases` finds.
    """
    suite = study_cases(spec_folder)
    if suite.mistakes:
        raise suite.mistakes[0]
    return suite.cases


@dataclass(frozen=True)
class Suite:
    """The cases of a specification that can be read, and everything that is wrong in its files."""

    cases: tuple[Placed, ...]
    mistakes: tuple[InputError, ...]


def study_cases(spec_folder: Path) -> Suite:
    """Return the cases in the order of files and lines, and every mistake with file:line.

    A mistake is also a name given twice, an operation or a rule that is not there, a `${name}` that nothing captures.
    """
    operations, rules = _operations(spec_folder), rules_of(spec_folder)
    known: dict[str, Placed] = {}
    mistakes: list[InputError] = []
    for file in sorted((spec_folder / CASES).glob("*.yaml")):
        reading = study_yaml(file, CaseFile)
        mistakes += reading.mistakes
        for placed, parsed in _placed(file, reading):
            name = placed.case.name
            if name in known:
                mistakes.append(InputError(f"the case at {known[name].where} has the same name", where=placed.where))
            known.setdefault(name, placed)
            mistakes += _unknown_operations(placed, operations)
            mistakes += _unknown_rule(placed, rules)
            mistakes += _cannot_be_replayed(placed)
            for step, fault in uncaptured(parsed["steps"], ("steps",), set()):
                mistakes.append(InputError(fault, where=placed.where_of(step)))
    return Suite(tuple(known.values()), tuple(mistakes))


def _placed(file: Path, reading: Reading[CaseFile]) -> Iterator[tuple[Placed, Mapping[str, Any]]]:
    """Yield each case with what the file holds of it; of a file with mistakes the cases without."""
    parsed = reading.parsed.get("cases") if isinstance(reading.parsed, dict) else None
    settings = reading.content.settings if reading.content else {}
    for index, one in enumerate(parsed if isinstance(parsed, list) else ()):
        with suppress(ValidationError):
            case = reading.content.cases[index] if reading.content else Case.model_validate(one)
            yield Placed(case, settings, file, ("cases", index), reading.lines), one


def _cannot_be_replayed(placed: Placed) -> Iterator[InputError]:
    """Yield a mistake for a replayed case that needs more than the pages and data of what has just been measured."""
    if REPLAY not in placed.case.tags:
        return
    needs = [what for what, there in (("call", placed.calls), ("fails", placed.case.fails)) if there]
    needs += ["settings"] if placed.settings else []
    if needs:
        where = placed.where_of(("tags",))
        yield InputError(
            f"a case with `{needs[0]}` cannot be tagged replay", where=where, todo="Use pages and SQL alone"
        )


def _operations(spec_folder: Path) -> tuple[str, ...]:
    file = spec_folder / "openapi.yaml"
    if not file.is_file():
        return ()
    return Contract(file).operations


def _unknown_operations(placed: Placed, operations: tuple[str, ...]) -> Iterator[InputError]:
    for step in all_steps(placed.case.steps):
        if isinstance(step, Call) and step.call not in operations:
            yield InputError(
                f"there is no operation '{step.call}'. {suggestion(step.call, operations)}", where=placed.where
            )


def _unknown_rule(placed: Placed, rules: tuple[str, ...]) -> Iterator[InputError]:
    rule = placed.case.rule
    if rule is not None and rule.lower() not in rules:
        yield InputError(
            f"the specification has no rule '{rule}'. {suggestion(rule.lower(), rules)}",
            where=placed.where_of(("rule",)),
        )
