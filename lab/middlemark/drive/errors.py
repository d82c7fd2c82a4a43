"""What failed in a drive: the errors of each transaction, and what each kind of error means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from middlemark.records.driver_lines import FailedCheck
from middlemark.verdict.conditions import text_of
from middlemark.workload.session import Numbers, Session

# In the order of docs/reference/driver.md.
MEANINGS = {
    "connect": "no connection could be made",
    "local_ports": "the driver had no local port left, which is its own limit and not the server's",
    "connect_timeout": "no connection was made in time",
    "tls": "TLS was not agreed on, or broke",
    "first_byte_timeout": "no response began in time",
    "response_timeout": "the response was not complete in time",
    "closed": "the connection ended before the response was complete",
    "protocol": "the response is not HTTP, and no browser reads it",
    "too_large": "the response is longer than the driver takes",
    "redirect": "a redirect to another host or port, or more than five in a row",
    "status": "another HTTP status than the session expects",
    "path": "the redirects ended at another path than the session expects",
    "marker": "the response does not hold the text the session expects",
    "length": "the response is longer or shorter than the session expects",
    "capture": "the response does not hold what the session captures",
    "sub_resource": "an image, style sheet, icon or script of the page could not be fetched",
    "cut_off": "the run was over before the response was complete",
}

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
