"""`middlemark verify`: prove that applications obey their specification and are equal."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from middlemark.checkout import checkout
from middlemark.cli.option_values import modes_together
from middlemark.cli.printing import print_lines
from middlemark.errors import InputError
from middlemark.load.stores import parse_urls
from middlemark.specification.specification import (
    Specification,
    find_specification,
    only_specification,
    specification_folders,
)
from middlemark.subject.subject import find_subject, specification_meant
from middlemark.topology.about import read_about
from middlemark.wording import counted

if TYPE_CHECKING:
    from middlemark.conformance.result import ConformanceResult

_MAX_JOBS = 3
_SCHEMES = ("http://", "https://")


def verify(  # noqa: PLR0913 (one parameter for each option of the command)
    subjects: Annotated[list[str] | None, typer.Argument(metavar="SUBJECT|URL…", help="What is verified.")] = None,
    spec: Annotated[
        str | None, typer.Option(help="Specification; the only one if left out, or the one of what is verified.")
    ] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]URL",
            help="Your own PostgreSQL; with an address, the database behind it. Of several databases one for each.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="WORDS", help="Cases whose topic or name holds these words.")
    ] = None,
    sample: Annotated[bool, typer.Option("--sample", help="A part of it, that notices a broken platform.")] = False,  # noqa: FBT002 (an option)
    configuration: Annotated[
        list[str] | None,
        typer.Option(metavar="MODE=VALUE,…", help="Also with these values together; usually one mode is changed."),
    ] = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="End with the first failure.")] = False,  # noqa: FBT002 (an option)
    jobs: Annotated[int | None, typer.Option(min=1, max=16, help="Applications that run side by side.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Parent of the result folder.")] = Path("results"),
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write everything as JSON.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write everything as JUnit XML.")] = None,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the numbers alone as JSON.")] = None,
    check_cases: Annotated[bool, typer.Option("--check-cases", help="Only read the cases.")] = False,  # noqa: FBT002 (an option)
) -> int:
    """Run every case of a specification. Exit 1 when one fails, or when the subjects differ."""
    if check_cases:
        return _checked_cases(spec)
    # Imported here: other commands need not wait for the libraries of every interface.
    from middlemark.conformance.reporting import keeping, text  # noqa: PLC0415

    several = tuple(database or ()), tuple(only or ()), tuple(configuration or ())
    options = _Options(tuple(subjects or ()), spec, *several, jobs or _jobs(), fail_fast, sample)
    with keeping.new_folder(out) as place:
        result = _verified(options, place)
        keeping.keep(result, place)
    print_lines([*text.result_lines(result), str(place), text.verdict(result)])
    for file, write in ((json, keeping.write_json), (junit, keeping.write_junit), (report, keeping.write_report)):
        if file is not None:
            write(result, file)
    return 0 if result.passed else 1


@dataclass(frozen=True)
class _Options:
    """What the command line says of what to verify and how."""

    names: tuple[str, ...]
    spec: str | None
    databases: tuple[str, ...]
    only: tuple[str, ...]
    configurations: tuple[str, ...]
    jobs: int
    fail_fast: bool
    sample: bool

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return the names that are addresses."""
        return tuple(name.rstrip("/") for name in self.names if name.startswith(_SCHEMES))

    @property
    def subjects(self) -> tuple[str, ...]:
        """Return the names that are not addresses."""
        return tuple(name for name in self.names if not name.startswith(_SCHEMES))


def _checked_cases(spec: str | None) -> int:
    """Read the cases of a specification, of all if none is named, and print every mistake."""
    from middlemark.conformance.execution.request import study_specification  # noqa: PLC0415 (as above)

    home = checkout()
    names = [folder.name for folder in specification_folders(home)] if spec is None else [spec]
    suites = {name: study_specification(name, home) for name in names}
    wrong = {name: suite.mistakes for name, suite in suites.items() if suite.mistakes}
    for mistake in (one for mistakes in wrong.values() for one in mistakes):
        print(f"middlemark: {mistake}", file=sys.stderr)
    if wrong:
        print(f"{counted(sum(map(len, wrong.values())), 'mistake')} in {', '.join(wrong)}.")
        return 2
    print(f"{counted(sum(len(suite.cases) for suite in suites.values()), 'case')} can be read.")
    return 0


def _jobs() -> int:
    """Return three for two CPUs: part of every execution is waiting."""
    return min(_MAX_JOBS, (os.cpu_count() or 1) * 3 // 2)


def _specification(options: _Options, home: Path) -> Specification:
    """Return the specification that is named, else the only one, else that of what is verified."""
    if options.spec is not None:
        return find_specification(options.spec, home)
    try:
        if options.subjects:
            return find_specification(specification_meant(home, *options.subjects), home)
        if len(specification_folders(home)) > 1:
            named = {read_about(address).specification for address in options.addresses}
            if len(named) == 1:
                return find_specification(named.pop(), home)
        return find_specification(only_specification(home), home)
    except InputError as error:
        raise InputError(error.what, where=error.where or "--spec", todo=error.todo) from error


def _verified(options: _Options, place: Path) -> ConformanceResult:
    from middlemark.conformance.execution.request import VerifyRequest  # noqa: PLC0415
    from middlemark.conformance.reporting import keeping  # noqa: PLC0415 (as above)
    from middlemark.conformance.reporting.progress import Progress  # noqa: PLC0415
    from middlemark.conformance.verify import verify as verified  # noqa: PLC0415

    if not options.names:
        raise InputError("nothing to verify", todo="Name a SUBJECT (`middlemark list` shows them), or a URL")
    if options.configurations and options.addresses:
        raise InputError("an address has the modes it has", where="--configuration", todo="Name subjects alone")
    if options.databases and len(options.addresses) + bool(options.subjects) > 1:
        raise InputError("one database belongs to one address", where="--database", todo="Verify them one by one")
    home = checkout()
    specification = _specification(options, home)
    request = VerifyRequest(
        home=home,
        specification=specification,
        subjects=tuple(find_subject(home, name, specification.name) for name in options.subjects),
        addresses=options.addresses,
        logs=place / "logs",
        only=options.only,
        databases=parse_urls(specification, options.databases),
        jobs=options.jobs,
        fail_fast=options.fail_fast,
        sample=options.sample,
        configurations=tuple(modes_together("--configuration", text) for text in options.configurations),
    )
    progress = Progress(place / keeping.FOLDER / keeping.EXECUTIONS)
    with progress.never_silent():
        return verified(request, progress)
