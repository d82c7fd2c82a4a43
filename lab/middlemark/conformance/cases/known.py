"""`specs/<name>/cases/known-failures.toml`: failures that are known, each with its reason; the cases still run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import Field

from middlemark.conformance.cases.suite import CASES, Placed
from middlemark.documents import Document, read_toml, suggestion
from middlemark.errors import InputError
from middlemark.specification.specification import Specification
from middlemark.specification.tiers import Name

FILE = "known-failures.toml"


class KnownFailure(Document):
    """One failure of one subject in one case.

    It covers exactly the failures of that case whose text holds `text`; another failure of the same case still counts.
    Without `modes` and `interface` every execution of the case has to show it.
    """

    case: str = Field(description="the case's sentence")
    subject: str = Field(description="the subject that fails")
    text: str = Field(min_length=8, description="part of the failure's text")
    reason: str = Field(min_length=8, description="why it is so, and where that is going to be fixed")
    modes: dict[Name, str] = Field({}, description="only in configurations with these values of modes")
    interface: Name | None = Field(None, description="only over this interface")


class KnownFailures(Document):
    """The whole file."""

    version: Literal[1]
    known: tuple[KnownFailure, ...] = ()


def read_known(specification: Specification, cases: Iterable[Placed]) -> tuple[KnownFailure, ...]:
    """Return the known failures of a specification; InputError when one names what is not there."""
    path = specification.folder / CASES / FILE
    if not path.is_file():
        return ()
    known = read_toml(path, KnownFailures).known
    names = {placed.case.name for placed in cases}
    for one in known:
        for fault in _faults(one, specification, names):
            raise InputError(fault, where=str(path))
    return known


def _faults(one: KnownFailure, specification: Specification, names: set[str]) -> Iterator[str]:
    description = specification.description
    if one.case not in names:
        yield f"'{one.case}' is not a case. {suggestion(one.case, names)}"
    for mode in one.modes.keys() - description.modes.keys():
        yield f"'{mode}' is not a mode. {suggestion(mode, list(description.modes))}"
    if one.interface is not None and one.interface not in description.interfaces:
        yield f"'{one.interface}' is not an interface. {suggestion(one.interface, list(description.interfaces))}"
