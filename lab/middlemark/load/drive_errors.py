"""What failed in a drive: the errors of each transaction, and what each kind of the driver's means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

# In the order of docs/reference/driver.md.
MEANINGS = {
    "connect": "no connection could be made",
    "connect_timeout": "no connection was made in time",
    "tls": "TLS was not agreed on, or broke",
    "first_byte_timeout": "no answer began in time",
    "answer_timeout": "the answer was not complete in time",
    "closed": "the connection ended before the answer was complete",
    "protocol": "the answer is not HTTP, or holds bytes nobody asked for",
    "too_large": "the answer is longer than the driver takes",
    "redirect": "a redirect to another host or port, or more than five in a row",
    "status": "another HTTP status than the session expects",
    "path": "the redirects ended at another path than the session expects",
    "marker": "the answer does not hold the text the session expects",
    "capture": "the answer does not hold what the session captures",
    "object": "an image, style sheet, icon or script of the page could not be fetched",
    "cut_off": "the run was over before the answer was complete",
}


def error_lines(errors: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield a line with the errors of each transaction that has any, then one that explains each kind among them."""
    for transaction, kinds in errors.items():
        if kinds:
            yield f"errors of {transaction}: {', '.join(f'{kind} {count:,}' for kind, count in kinds.items())}"
    for kind in dict.fromkeys(kind for kinds in errors.values() for kind in kinds):
        # A newer driver may know kinds that this lab does not.
        if kind in MEANINGS:
            yield f"   {kind}: {MEANINGS[kind]}"
