"""`published.json`: ratios of a classic paper that lie beside those of a run, without the files they came from."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from middlemark.records.run import Record

PUBLISHED = "published.json"


class PublishedRatio(Record):
    """One ratio of costs, upper ÷ lower: what a paper says, and which combinations of the run it lies beside.

    `figures` spells the published figures out; `ratio` is None when none of them survives. `upper_here` and
    `lower_here` are choices (mode or layout: value) that pick the combinations; None when the ratio has no counterpart.
    `tiers` are those whose CPU time is added.
    """

    test: str
    says: str
    ratio: float | None
    figures: str
    upper_here: dict[str, str] | None
    lower_here: dict[str, str] | None
    tiers: tuple[str, ...]
    note: str


class PublishedSource(Record):
    """One paper with its ratios; `measured` says what its figures are."""

    source: str
    measured: str
    ratios: tuple[PublishedRatio, ...]


class Published(Record):
    """The whole file."""

    v: Literal[1] = 1
    sources: tuple[PublishedSource, ...]


def read_published(result: Path) -> Published | None:
    """Return what lies beside a result, None when nothing does."""
    try:
        return Published.model_validate_json((result / PUBLISHED).read_bytes())
    except (OSError, ValidationError):
        return None
