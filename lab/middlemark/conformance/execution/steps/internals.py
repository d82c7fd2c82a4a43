"""Finds what a refusal must not show: how the application is made, and what its libraries and databases say."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote_plus

_SOURCES = "java|class|jsp|kt|scala|groovy|go|py|rs|cs|rb|php|jar|war|ear|so|dll"
_INTERNALS = (
    # Stack traces
    r"Traceback \(most recent call last\)",
    r"goroutine \d+ \[",
    r"\bat [\w$./<>]+\([^()\n]*\)",
    r"thread '[^']*' panicked",
    # Names of classes and types
    r"\b(?:[a-z_][\w$]*\.){2,}[A-Z][\w$]*",
    r"\b[A-Z][A-Za-z0-9_$]*[a-z](?:Exception|Error|Fault)\b",
    r"\bGo (?:struct field|value of type)\b",
    # Names of files
    rf"\b[\w$-]+\.(?:{_SOURCES}):\d+",
    rf"\b[\w$-]*[A-Za-z_$][\w$-]*\.(?:{_SOURCES})\b",
    r"(?<![\w/.:-])/(?:etc|home|lib|mnt|opt|proc|root|srv|tmp|usr|var|work)/[\w.-]*\w",
    # SQL, and what PostgreSQL and its drivers say
    r"\bSELECT\b[^<]{1,300}?\bFROM\b",
    r"\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE \w+ SET\b",
    r"\b(?i:select)\s+[\w.,*() ]{1,200}\s(?i:from)\s+\w+\s+(?i:where|order by|limit|for)\b",
    r"\b(?i:sqlstate)\b",
    r"\bviolates (?:\w|-)+(?: \w+)? constraint\b",
    r"\b(?:duplicate key value|deadlock detected|could not serialize access|current transaction is aborted)\b",
    r"\b(?:column|relation|table) \S+ (?:does not exist|of relation)",
    r"\bpermission denied for \w+",
    r"\bterminating connection due to\b",
    r"\b(?:canceling statement|canceled on identification|the database system is)\b",
    r"\b(?i:jdbc|pgx|pgjdbc|hikari\w*|psycopg\w*|npgsql|libpq|tokio|sqlx|hibernate|eclipselink)\b",
    r"\b(?i:dial tcp|connection refused|connection reset|broken pipe|econnrefused|econnreset)\b",
    r"\bmade to fail\b",  # the lab's own words in a statement that it lets fail
)
_FOUND = re.compile("|".join(f"(?:{one})" for one in _INTERNALS))
_SHOWN = 100


def internals_fault(text: str, sent: str) -> str | None:
    """Say what the text of a refusal shows of the inside, None when nothing is found.

    What stands in `sent`, the request, does not count: it may be shown again.
    """
    own = f"{sent}\n{unquote_plus(sent)}"
    for found in _FOUND.finditer(html.unescape(text)):
        if found[0] not in own:
            return f"expected no internals in what is refused, found: {' '.join(found[0].split())[:_SHOWN]}"
    return None
