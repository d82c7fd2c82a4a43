"""`middlemark verify`: prove that applications obey their specification and are equal."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from middlemark.checkout import checkout
from middlemark.errors import InputError
from middlemark.specification.dataset import specification
from middlemark.subject.subject import find_subject

if TYPE_CHECKING:
    from middlemark.conformance.result import ConformanceResult

_MOST_JOBS = 3
_SCHEMES = ("http://", "https://")


def verify(  # noqa: PLR0913 (one parameter for each option of the command)
    subjects: Annotated[list[str] | None, typer.Argument(metavar="SUBJECT|URL…", help="What is verified.")] = None,
    spec: Annotated[str, typer.Option(help="Specification.")] = "brokerage",
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="Your own PostgreSQL; with an address, the database behind it.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="WORDS", help="Cases whose topic or name holds these words.")
    ] = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="End with the first failure.")] = False,  # noqa: FBT002 (an option)
    jobs: Annotated[int | None, typer.Option(min=1, max=16, help="Applications that run side by side.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Parent of the result folder.")] = Path("results"),
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write everything as JSON.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write everything as JUnit XML.")] = None,
    check_cases: Annotated[bool, typer.Option("--check-cases", help="Only read the cases.")] = False,  # noqa: FBT002 (an option)
) -> int:
    """Play every case of a specification. Exit 1 when one fails, or when the subjects differ."""
    # Imported here: other commands need not wait for the libraries of every binding.
    from middlemark.conformance.reporting import keeping, text  # noqa: PLC0415

    folder = specification(spec)
    if check_cases:
        return _checked_cases(folder)
    wishes = _Wishes(tuple(subjects or ()), database, tuple(only or ()), jobs or _jobs(), fail_fast)
    with keeping.new_folder(out) as place:
        result = _verified(folder, wishes, place)
        keeping.keep(result, place)
    if json is not None:
        keeping.write_json(result, json)
    if junit is not None:
        keeping.write_junit(result, junit)
    print(*text.result_lines(result), sep="\n")
    print(place)
    print(text.verdict(result))
    return 0 if result.passed else 1


@dataclass(frozen=True)
class _Wishes:
    """What the command line says of how to verify."""

    names: tuple[str, ...]
    database: str | None
    only: tuple[str, ...]
    jobs: int
    fail_fast: bool


def _checked_cases(spec_folder: Path) -> int:
    from middlemark.conformance.cases.suite import study_cases  # noqa: PLC0415 (as above)
    from middlemark.wording import counted  # noqa: PLC0415 (as above)

    suite = study_cases(spec_folder)
    for mistake in suite.mistakes:
        print(f"middlemark: {mistake}", file=sys.stderr)
    if suite.mistakes:
        print(f"{counted(len(suite.mistakes), 'mistake')} in the cases of {spec_folder.name}.")
        return 2
    print(f"{counted(len(suite.cases), 'case')} can be read.")
    return 0


def _jobs() -> int:
    """Return three for two CPUs: part of every play is waiting."""
    return min(_MOST_JOBS, (os.cpu_count() or 1) * 3 // 2)


def _verified(spec_folder: Path, wishes: _Wishes, place: Path) -> ConformanceResult:
    from middlemark.conformance.execution.order import VerifyOrder  # noqa: PLC0415
    from middlemark.conformance.reporting import keeping  # noqa: PLC0415 (as above)
    from middlemark.conformance.reporting.progress import Progress  # noqa: PLC0415
    from middlemark.conformance.verify import verify as verified  # noqa: PLC0415

    addresses = tuple(name.rstrip("/") for name in wishes.names if name.startswith(_SCHEMES))
    subjects = [name for name in wishes.names if not name.startswith(_SCHEMES)]
    if not addresses and not subjects:
        raise InputError("nothing to verify", todo="Name a SUBJECT, for example go, or a URL")
    if wishes.database is not None and len(addresses) + bool(subjects) > 1:
        raise InputError("one database belongs to one address", where="--database", todo="Verify them one by one")
    home = checkout()
    order = VerifyOrder(
        home=home,
        spec_folder=spec_folder,
        subjects=tuple(find_subject(home, name, spec_folder.name) for name in subjects),
        addresses=addresses,
        logs=place / "logs",
        only=wishes.only,
        database=wishes.database,
        jobs=wishes.jobs,
        fail_fast=wishes.fail_fast,
    )
    return verified(order, Progress(place / keeping.FOLDER / keeping.PLAYS))
