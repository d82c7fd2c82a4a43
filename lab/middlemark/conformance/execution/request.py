"""What is to be verified, and the cases that are chosen for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from middlemark.audit.auditing import check_audit
from middlemark.conformance.cases.suite import CASES, Placed, Suite, about_case, read_cases, study_cases
from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.execution.configuration import Modes
from middlemark.conformance.execution.sample import sample_of
from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.load.stores import Stores
from middlemark.specification.specification import Specification, find_specification
from middlemark.subject.subject import Subject


@dataclass(frozen=True)
class VerifyRequest:
    """What to verify.

    `only` keeps cases whose name or topic holds one of the words; `names` runs exactly these cases, in this order;
    `sample` keeps a part of what is left. `configurations` are values of modes with which subjects are run together,
    besides the usual ones.
    `artifact` is used instead of building. `loaded` are databases whose templates hold the data sets of cases, used
    instead of starting and loading some; `databases` (URLs by name) are servers of the user's own, used instead of
    starting them. `jobs` environments work side by side; `fail_fast` ends everything with the first failure. `logs` is
    where applications log. `addresses` (http://host:port) are verified after the subjects, as they stand there;
    `databases` are then those behind the one address.
    """

    home: Path
    specification: Specification
    subjects: tuple[Subject, ...]
    logs: Path
    only: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    sample: bool = False
    configurations: tuple[Modes, ...] = ()
    artifact: Path | None = None
    loaded: Stores | None = None
    databases: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1
    fail_fast: bool = False
    addresses: tuple[str, ...] = ()

    @property
    def runs_all(self) -> bool:
        """Say whether every case runs on what the platform's folder holds."""
        return not (self.only or self.names or self.sample or self.artifact)


def every_case(specification: Specification) -> tuple[Placed, ...]:
    """Return the cases of a specification in the order in which they are run; InputError for a wrong file."""
    check_audit(specification)
    return (about_case(specification), *page_cases(specification), *read_cases(specification))


def study_specification(name: str, home: Path) -> Suite:
    """Return the cases of a specification that can be read, and every mistake in what a verification reads of it."""
    try:
        specification = find_specification(name, home)
        suite = study_cases(specification)
    except InputError as error:
        return Suite((), (error,))
    mistakes = []
    for check in (page_cases, check_audit):
        try:
            check(specification)
        except InputError as error:
            mistakes.append(error)
    return replace(suite, mistakes=(*suite.mistakes, *mistakes))


def chosen_cases(request: VerifyRequest, cases: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return the cases of a request; InputError for an unknown name, or when none is left."""
    where = str(request.specification.folder / CASES)
    if request.names:
        by_name = {placed.case.name: placed for placed in cases}
        unknown = [name for name in request.names if name not in by_name]
        if unknown:
            raise InputError(f"'{unknown[0]}' is not a case. {suggestion(unknown[0], list(by_name))}", where=where)
        return tuple(by_name[name] for name in request.names)
    words = [word.lower() for word in request.only]
    chosen = tuple(
        placed
        for placed in cases
        if not words or any(word in f"{placed.topic} {placed.case.name}".lower() for word in words)
    )
    if not chosen:
        raise InputError(f"no case holds {' or '.join(request.only) or 'anything'}", where=where)
    return sample_of(chosen) if request.sample else chosen
