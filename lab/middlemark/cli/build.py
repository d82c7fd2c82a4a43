"""`middlemark build`: build a subject and nothing else."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from middlemark.checkout import checkout
from middlemark.processes.watchdog import watchdog
from middlemark.subject.build import build as built
from middlemark.subject.subject import find_subject, specification_meant


def build(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="PLATFORM or PLATFORM@SERVER, for example go.")],
    spec: Annotated[
        str | None, typer.Argument(metavar="[SPEC]", help="Specification; the platform's first if left out.")
    ] = None,
) -> int:
    """Build a subject unless that was done before. The last line says where it lies."""
    home = checkout()
    found = find_subject(home, subject, spec or specification_meant(home, subject))
    with watchdog() as watch:
        print(built(found, home, watch, partial(print, file=sys.stderr)))
    return 0
