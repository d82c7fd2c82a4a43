"""The feeds of the driver's plan."""

from __future__ import annotations

from pydantic import Field

from middlemark.records.record import Record
from middlemark.workload.brief import Brief
from middlemark.workload.feed import Draw, Per


class FromTo(Brief):
    """A whole number n with `first` ≤ n < `to`, put into the {} of `format`; `own`: no two users ever have the same."""

    MAY_BE_ABSENT = frozenset({"own"})

    first: int = Field(alias="from")
    to: int
    format: str
    own: bool = False


class Pick(Record):
    """`count` draws of the feed `source`, joined."""

    source: str = Field(alias="from")
    count: int
    distinct: bool
    join: str


class RangeFeed(Record):
    """A feed of numbers."""

    name: str
    per: Per
    range: FromTo


class PickFeed(Record):
    """A feed of several draws of another feed."""

    name: str
    per: Per
    pick: Pick


class UniqueFeed(Record):
    """A feed that never gives the same text twice."""

    name: str
    per: Per
    unique: str


class FileLines(Brief):
    """The lines of a file, whose columns after the first have names of their own.

    `begin`, in sequence: where everybody begins later, as a share of the list, 0 ≤ begin < 1.
    """

    MAY_BE_ABSENT = frozenset({"columns", "as_path", "begin"})

    file: str
    draw: Draw
    columns: list[str] = Field([])
    as_path: bool = False
    begin: float = Field(0.0, ge=0, lt=1)


class ListFeed(Record):
    """A feed of the lines of a file."""

    name: str
    per: Per
    lines: FileLines = Field(alias="list")


PlanFeed = RangeFeed | PickFeed | UniqueFeed | ListFeed
