"""What failed in a drive: the errors of each transaction, and what each kind of error means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from middlemark.records.driver_lines import FailedCheck
from middlemark.verdict.conditions import text_of
from middlemark.workload.error_kinds import MEANINGS
from middlemark.workload.session import Numbers, Session

# A response came, but not the one that a user gets whom the site knows.
_UNEXPECTED = {"status", "path", "marker", "length"}


def error_lines(errors: Mapping[str, Mapping[str, int]], failed_checks: Sequence[FailedCheck] = ()) -> Iterator[str]:
    """Yield a line with the errors of each transaction that has any, then the meaning and the first of each kind."""
    for transaction, kinds in errors.items():
        if kinds:
            yield f"errors of {transaction}: {', '.join(f'{kind} {count:,}' for kind, count in kinds.items())}"
    for kind in dict.fromkeys(kind for kinds in errors.values() for kind in kinds):
        # A newer driver may know kinds that this lab does not.
        if kind in MEANINGS:
            yield f"   {kind}: {MEANINGS[kind]}"
        first = next((one for one in failed_checks if one.kind == kind), None)
        if first:
            yield f"   the first: {text_of(first)}"


def drawn_lines(errors: Mapping[str, Mapping[str, int]], session: Session, numbers: Numbers) -> Iterator[str]:
    """Yield what the session has drawn from by name, when responses were not as expected: a site may have fewer."""
    bounds = {bound for feed in session.feeds.values() for bound in feed.range or () if isinstance(bound, str)}
    if bounds and any(_UNEXPECTED & kinds.keys() for kinds in errors.values()):
        drawn = ", ".join(f"{numbers[bound]:,} {bound}" for bound in sorted(bounds))
        yield f"   This session has drawn from {drawn}. If there are others, name them: --scale S or --number NAME=N"
