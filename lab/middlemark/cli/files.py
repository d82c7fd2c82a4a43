"""`middlemark files`: make a specification's sets of files and say where they are."""

from __future__ import annotations

from typing import Annotated

import typer

from middlemark.specification.files_on_disk import files_on_disk
from middlemark.specification.specification import find_specification


def files(spec: Annotated[str, typer.Argument(metavar="SPEC", help="Specification.")]) -> int:
    """Make the sets of files that an application reads."""
    specification = find_specification(spec)
    sets = specification.description.files
    if not sets:
        print(f"{spec} has no files.")
    for name, one in sets.items():
        found = files_on_disk(specification, name)
        if found.requests:
            print(f"list of requests: {found.requests}")
        print(f"{one.variable}={found.folder}")
    return 0
