"""The kinds of errors of the driver, and what each means."""

from __future__ import annotations

from collections.abc import Mapping

# In the order of docs/reference/driver.md.
MEANINGS: Mapping[str, str] = {
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
    "calls": "the body does not report calls: it ends inside one, or one begins before the one before it has ended",
    "unknown_outcome": "a reported call ended with an outcome that the session does not name",
    "cut_off": "the run was over before the response was complete",
}
