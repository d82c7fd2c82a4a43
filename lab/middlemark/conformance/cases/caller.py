"""Calling operations: what a caller gives back is the same for every interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Performed:
    """The operation was performed.

    `value` has the keys of the contract whatever the interface: money as text "1234.50", times as RFC 3339 text
    with six decimals and Z, ids and quantities as int, lists as list, what is not there as None. `raw_size` is the size
    of the response's body in bytes, without headers.
    """

    value: Mapping[str, object]
    raw_size: int


@dataclass(frozen=True)
class Refused:
    """The operation was refused: an error code of the specification and the message for the user.

    `shown` is everything that somebody who reads the response can see.
    """

    code: str
    message: str
    shown: str = field(default="", compare=False)

    @property
    def blames_client(self) -> bool:
        """Say whether the request is at fault, and not what is behind the interface."""
        return self.code not in FAILURES


@dataclass(frozen=True)
class Unread:
    """The request was refused as the client's error, in another form than that of the contracts.

    So is malformed input, and nothing else. `broken` says what is not as in the contracts; `shown`: see Refused.
    """

    broken: str
    shown: str


Result = Performed | Refused | Unread

FAILURES = ("unavailable", "internal")
"""The codes of every specification that blame nobody outside (specs/README.md, "Errors")."""


NO_HEADERS: Mapping[str, str] = {}


class ContractBroken(Exception):  # noqa: N818 (a finding about the application, not an error of ours)
    """The response is not one that the contracts allow, or there was none. `str()` says what."""


class NoResponse(ContractBroken):
    """There was no response: nobody listens, or the connection was lost."""


class Caller(Protocol):
    """Calls operations over one interface at one address. One thread uses it at a time; it keeps its connection."""

    def call(self, operation: str, request: Mapping[str, object], headers: Mapping[str, str] = NO_HEADERS) -> Result:
        """Return what the application answered to a request with these `headers`, which are metadata over gRPC.

        Raises ContractBroken for a response outside the contract, NoResponse for none, InputError for a request that
        the interface cannot express.
        """
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
