"""`middlemark check`: is a result as its run left it?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.records.manifest import inspect


def check(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT…", help="Result folders that `run` printed.")],
) -> int:
    """Hold every file of results against the manifest of their runs. Exit 1 when one was changed, removed or added."""
    status = 0
    for folder in results:
        found = inspect(folder)
        for deviant in found.deviants:
            print(deviant)
        if found.manifest_sha256:
            print(f"SHA-256 of the manifest: {found.manifest_sha256}")
        print(folder)
        print(found.sentence)
        status = 1 if found.deviants else status
    return status
