"""What is verified as one: a subject, or the services of one with the web tier of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from middlemark.conformance.cases.suite import Placed
from middlemark.conformance.execution.cell import Cell, cells, not_offered, shared_cells
from middlemark.subject.subject import Subject


@dataclass(frozen=True)
class Party:
    """A subject; with `web`, its services are called by the web tier of that other subject."""

    subject: Subject
    web: Subject | None = None

    @property
    def name(self) -> str:
        """Return how it is called: `go`, or `go on jakarta@liberty` for Go's web tier on the other's services."""
        return self.subject.name if self.web is None else f"{self.web.name} on {self.subject.name}"

    @property
    def cells(self) -> list[Cell]:
        """Return the ways to run it."""
        return cells(self.subject) if self.web is None else shared_cells(self.subject, self.web)

    @property
    def not_offered(self) -> tuple[str, ...]:
        """Return what is not verified because a subject has no such thing; its own result says that of each alone."""
        return tuple(not_offered(self.subject)) if self.web is None else ()

    @property
    def environment(self) -> dict[str, str]:
        """Return what its servers have in their environment while cases are played, and never in a measurement."""
        servers = [one.server for one in (self.subject, self.web) if one is not None and one.server is not None]
        return {name: value for one in servers for name, value in one.description.cases_environment.items()}


def parties(subjects: Sequence[Subject], cases: Sequence[Placed]) -> list[Party]:
    """Return the subjects, then the web tier of each on the services of each other, if that plays any of the cases."""
    different = {subject.name: subject for subject in subjects}.values()
    mixed = (Party(services, web) for web, services in permutations(different, 2))
    return [
        *map(Party, subjects),
        *(party for party in mixed if any(cell.plays(cases) for cell in party.cells)),
    ]
