"""All cases of a specification: its files read, held against each other and against the operations there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from middlemark.conformance.calling.contract import Contract
from middlemark.conformance.case import INTEROP, Case, CaseFile
from middlemark.conformance.step import AtOnce, Call, Hold, Repeat, Step
from middlemark.documents import Location, read_yaml_with_lines, suggestion
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

    Raises InputError with file:line for anything wrong in them: a name given twice, an operation that is not there.
    """
    operations = _operations(spec_folder)
    known: dict[str, Placed] = {}
    for file in sorted((spec_folder / CASES).glob("*.yaml")):
        for placed in _read(file):
            name = placed.case.name
            if name in known:
                raise InputError(f"the case at {known[name].where} has the same name", where=placed.where)
            _check_operations(placed, operations)
            known[name] = placed
    return tuple(known.values())


def _read(file: Path) -> Iterator[Placed]:
    content, lines = read_yaml_with_lines(file, CaseFile)
    for index, case in enumerate(content.cases):
        yield Placed(case, content.settings, file, ("cases", index), lines)


def _operations(spec_folder: Path) -> tuple[str, ...]:
    file = spec_folder / "openapi.yaml"
    if not file.is_file():
        return ()
    return Contract(file).operations


def _check_operations(placed: Placed, operations: tuple[str, ...]) -> None:
    for step in all_steps(placed.case.steps):
        if isinstance(step, Call) and step.call not in operations:
            raise InputError(
                f"there is no operation '{step.call}'. {suggestion(step.call, operations)}", where=placed.where
            )
