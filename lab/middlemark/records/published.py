"""`published.json`: ratios of classic papers with counterparts in a run, without the files they came from."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from middlemark.records.record import Record

PUBLISHED = "published.json"


class PublishedRatio(Record):
    """One published ratio of costs, upper ÷ lower, and the combinations of the run that are its counterparts.

    `text` names the two sides, `figures` spells the published figures out; `ratio` is None when none of them
    survives. `upper_here` and `lower_here` are choices (name: value) that pick the combinations; None when it has no
    counterpart.
    `tiers` are those whose CPU time is added.
    """

    test: str
    text: str
    ratio: float | None
    figures: str
    upper_here: dict[str, str] | None
    lower_here: dict[str, str] | None
    tiers: tuple[str, ...]
    note: str


class PublishedSource(Record):
    """One paper with its ratios; `measured` is what its figures are."""

    source: str
    measured: str
    ratios: tuple[PublishedRatio, ...]


class Published(Record):
    """The whole file."""

    v: Literal[1] = 1
    sources: tuple[PublishedSource, ...]


def read_published(result: Path) -> Published | None:
    """Return the published ratios of a result, None when it has none."""
    try:
        return Published.model_validate_json((result / PUBLISHED).read_bytes())
    except (OSError, ValidationError):
        return None
