"""`middlemark doctor`: is everything here, and has anything been left behind?"""

from __future__ import annotations

from typing import Annotated

import typer

from middlemark.doctor.doctor import State, examine, stop_what_was_left


def doctor(
    stop: Annotated[bool, typer.Option("--stop", help="First stop what lost labs have left running.")] = False,  # noqa: FBT002 (an option)
) -> int:
    """Look whether this machine has what a run needs. Each line says what mends the thing; exit 2 when any does."""
    for line in stop_what_was_left() if stop else []:
        print(f"stopped  {line}")
    to_mend = 0
    for finding in examine():
        to_mend += finding.state is not State.OK
        print(f"{finding.state:<8} {finding.what}: {finding.found}{'. ' + finding.mend if finding.mend else ''}")
    print(f"{to_mend} to mend." if to_mend else "Everything is here.")
    return 2 if to_mend else 0
