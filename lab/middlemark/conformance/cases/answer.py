"""What a caller gives back, the same for every binding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Binding(Enum):
    """How operations are called from outside; the value is the word of specs/README.md."""

    JSON = "json"
    SOAP = "soap"
    GRPC = "grpc"


@dataclass(frozen=True)
class Answered:
    """The operation was performed.

    `value` has the keys of openapi.yaml in every binding: money as text "1234.50", times as RFC 3339 text with six
    decimals and Z, ids and quantities as int, lists as list, what is not there as None. `raw_size` is the size of the
    answer's body in bytes, without headers.
    """

    value: Mapping[str, object]
    raw_size: int


@dataclass(frozen=True)
class Refused:
    """The operation was refused: a code of specs/README.md and the message for the user."""

    code: str
    message: str


class ContractBroken(Exception):  # noqa: N818 (a finding about the application, no error of ours)
    """The answer is none that openapi.yaml, the WSDL or the proto allows, or there was none. `str()` says what."""


class Caller(Protocol):
    """Calls operations over one binding at one address. One thread uses it at a time; it keeps its connection."""

    def call(self, operation: str, request: Mapping[str, object]) -> Answered | Refused:
        """Return what the application answered.

        Raises ContractBroken for an answer outside the contract, InputError for a request the binding cannot express.
        """
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
