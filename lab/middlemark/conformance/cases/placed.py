"""A case with the place it comes from, and what it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from middlemark.conformance.cases.case import INTEROP, Case
from middlemark.conformance.cases.step import About, AtOnce, Call, Cut, Hold, Notified, Repeat, Sql, Step, Visit
from middlemark.documents import Location

_ENDS_A_CONNECTION = "pg_terminate_backend"  # PostgreSQL's function


@dataclass(frozen=True)
class Placed:
    """A case with the place it comes from: its file, where it stands in it, and the lines of its steps.

    `names` are the `${names}` in its steps.
    """

    case: Case
    settings: Mapping[str, str]
    file: Path
    location: Location
    lines: Mapping[Location, int]
    names: frozenset[str] = frozenset()

    @property
    def topic(self) -> str:
        """Return the name of its file without ending."""
        return self.file.stem

    @property
    def where(self) -> str:
        """Return file:line of the case."""
        return self.where_of(())

    @property
    def ends_connections(self) -> bool:
        """Say whether it ends connections of the application to its databases: by a step or PostgreSQL's function."""
        return any(
            isinstance(step, Cut) or (isinstance(step, Sql) and _ENDS_A_CONNECTION in step.sql)
            for step in all_steps(self.case.steps)
        )

    def where_of(self, step: Location) -> str:
        """Return file:line of the step at this location below the case (like ("steps", 0))."""
        location = (*self.location, *step)
        while location and location not in self.lines:
            location = location[:-1]
        return f"{self.file}:{self.lines.get(location, 1)}"

    @property
    def is_interop(self) -> bool:
        """Say whether it also runs in the other configurations."""
        return INTEROP in self.case.tags

    @property
    def is_page(self) -> bool:
        """Say whether it is that of a canonical page, not one of a file of cases."""
        return self.location[:1] == ("page",)

    @property
    def operations(self) -> frozenset[str]:
        """Return the operations it calls; with any it runs over every interface that has them."""
        return frozenset(step.call for step in all_steps(self.case.steps) if isinstance(step, Call))

    @property
    def visits(self) -> bool:
        """Say whether it asks for pages, or for what the processes show of themselves."""
        return any(isinstance(step, Visit | About) for step in all_steps(self.case.steps))


def all_steps(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yield the steps and the steps inside them."""
    return (step for _, step in placed_steps(steps))


def placed_steps(steps: tuple[Step, ...], below: Location = ("steps",)) -> Iterator[tuple[Location, Step]]:
    """Yield the steps and the steps inside them, each with its place below the case."""
    for index, step in enumerate(steps):
        location = (*below, index)
        yield location, step
        if isinstance(step, AtOnce):
            for client, own in enumerate(step.at_once):
                yield from placed_steps(own, (*location, "at_once", client))
        elif isinstance(step, Repeat):
            yield from placed_steps(step.steps, (*location, "steps"))
        elif isinstance(step, Hold | Notified):
            yield from placed_steps(step.during, (*location, "during"))
