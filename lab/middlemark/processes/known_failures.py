"""What a server says when a setting is wrong, so that nobody has to find it in a log."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import Field, field_validator

from middlemark.documents import Document

PORT = "port"


class KnownFailure(Document):
    """A server does not become ready because of a setting: how it says so, what that means and which setting it is."""

    pattern: str = Field(description="regular expression for a line of its log, or for its answer; <port> may name one")
    what: str = Field(description="what is wrong, in the lab's words")
    setting: str = Field(description="the setting of the server, and where its value comes from")

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"'{pattern}' is not a regular expression ({error})") from error
        return pattern


@dataclass(frozen=True)
class Recognized:
    """A failure that was found in `line`; `port` is the port that the line names."""

    failure: KnownFailure
    line: str
    port: int | None


def recognized(failures: Iterable[KnownFailure], text: str) -> Recognized | None:
    """Return the first of the failures whose pattern a line of the text matches, None when no line does."""
    for failure in failures:
        found = re.search(failure.pattern, text)
        if found:
            port = found.groupdict().get(PORT)
            line = text[text.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
            return Recognized(failure, line.strip(), int(port) if port else None)
    return None
