"""`published.json`: ratios of classic papers with counterparts in a run, without the files they came from."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from middlemark.records.record import Record

PUBLISHED = "published.json"


class RatioOf(StrEnum):
    """What a ratio is of.

    Costs are compared at the load at which combinations are compared, throughputs and mean response times each side at
    its own peak, where papers have them.
    """

    COST = "cost"
    THROUGHPUT = "throughput"
    RESPONSE_TIME = "response_time"


class PublishedRatio(Record):
    """One published ratio, upper ÷ lower, and the combinations of the run that are its counterparts.

    `text` names the two sides, `system` what the paper measured it on where it has the ratio several times; `figures`
    spells the published figures out, or says why there is none; `ratio` is None then. `upper_here` and `lower_here` are
    choices (name: value) that pick the combinations; None when it has no counterpart.
    `tiers` are those whose CPU time is added, of costs only.
    """

    test: str
    text: str
    ratio: float | None
    figures: str
    upper_here: dict[str, str] | None
    lower_here: dict[str, str] | None
    tiers: tuple[str, ...] = ()
    note: str
    of: RatioOf = RatioOf.COST
    system: str = ""


class PublishedSource(Record):
    """One paper with its ratios; `measured` is what its figures are."""

    source: str
    measured: str
    ratios: tuple[PublishedRatio, ...]


class Published(Record):
    """The whole file."""

    v: Literal[1] = 1
    sources: tuple[PublishedSource, ...]
