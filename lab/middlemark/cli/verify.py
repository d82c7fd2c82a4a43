"""`middlemark verify`: prove that applications obey their specification and are equal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.dataset.definition import specification


def verify(
    subjects: Annotated[list[str] | None, typer.Argument(metavar="SUBJECT…|URL", help="What is verified.")] = None,  # noqa: ARG001 (until cases can be played)
    spec: Annotated[str, typer.Option(help="Specification.")] = "brokerage",
    check_cases: Annotated[bool, typer.Option("--check-cases", help="Only read the cases.")] = False,  # noqa: ARG001, FBT002 (an option)
) -> int:
    """Play every case of a specification. Exit 1 when one fails."""
    # Imported here: other commands do not wait for the libraries of every binding.
    from middlemark.conformance.suite import read_cases  # noqa: PLC0415

    folder: Path = specification(spec)
    cases = read_cases(folder)
    for topic in sorted({placed.topic for placed in cases}):
        print(f"{topic}: {sum(placed.topic == topic for placed in cases)} cases")
    print(f"{len(cases)} cases can be read.")
    return 0
