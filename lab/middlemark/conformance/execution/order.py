"""What is to be verified, and the cases that are chosen for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from middlemark.conformance.cases.suite import Placed
from middlemark.databases.database import Database
from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.subject.subject import Subject

SCALE = "tiny"
"""The scale of the data set that every case begins with."""


@dataclass(frozen=True)
class LoadedServer:
    """A running PostgreSQL that somebody else stops, and the name of a database in it with the data set at SCALE."""

    server: Database
    template: str


@dataclass(frozen=True)
class VerifyOrder:
    """What to verify.

    `only` keeps cases whose name or topic holds one of the words; `names` plays exactly these cases, in this order.
    `artifact` is used instead of building. `loaded` is used instead of starting and loading a database, `database` (a
    URL) instead of starting one. `jobs` benches work side by side; `fail_fast` ends everything with the first failure.
    `logs` is where applications log. `addresses` (http://host:port) are verified after the subjects, as they stand
    there; `database` is then the URL of the one address's database.
    """

    home: Path
    spec_folder: Path
    subjects: tuple[Subject, ...]
    logs: Path
    only: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    artifact: Path | None = None
    loaded: LoadedServer | None = None
    database: str | None = None
    jobs: int = 1
    fail_fast: bool = False
    addresses: tuple[str, ...] = ()

    @property
    def plays_all(self) -> bool:
        """Say whether every case is played on what the platform's folder holds."""
        return not (self.only or self.names or self.artifact)


def chosen_cases(order: VerifyOrder, cases: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return the cases of an order; InputError for an unknown name, or when none is left."""
    if order.names:
        by_name = {placed.case.name: placed for placed in cases}
        unknown = [name for name in order.names if name not in by_name]
        if unknown:
            raise InputError(
                f"there is no case '{unknown[0]}'. {suggestion(unknown[0], list(by_name))}",
                where=str(order.spec_folder / "cases"),
            )
        return tuple(by_name[name] for name in order.names)
    words = [word.lower() for word in order.only]
    chosen = tuple(
        placed
        for placed in cases
        if not words or any(word in f"{placed.topic} {placed.case.name}".lower() for word in words)
    )
    if not chosen:
        raise InputError(
            f"no case holds {' or '.join(order.only) or 'anything'}", where=str(order.spec_folder / "cases")
        )
    return chosen
