"""`middlemark doctor`: is everything here, and has anything been left behind?"""

from __future__ import annotations

from typing import Annotated

import typer

from middlemark.cli.printing import print_lines
from middlemark.doctor.doctor import State, examine, stop_orphans
from middlemark.wording import counted


def doctor(
    stop: Annotated[bool, typer.Option("--stop", help="First stop what orphaned runs have left.")] = False,  # noqa: FBT002 (an option)
    database: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="Your own PostgreSQL: have ended runs left databases there?")
    ] = None,
) -> int:
    """Check whether this machine has what a run needs. Each problem is shown with its remedy; exit 2 with any."""
    urls = tuple(database or ())
    for line in stop_orphans(urls) if stop else []:
        print_lines([f"stopped  {line}"])
    problems = 0
    for finding in examine(urls):
        problems += finding.state is not State.OK
        remedy = f". {finding.remedy}" if finding.remedy else ""
        print_lines([f"{finding.state:<8} {finding.what}: {finding.found}{remedy}"])
    print(f"{counted(problems, 'problem')} found." if problems else "Everything is here.")
    return 2 if problems else 0
