"""The mean size of a combination's responses, and whether two sides respond with as much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.point import Verdict
from middlemark.records.run import Combination

LIMIT = 0.01
"""How far two mean answers may be apart, besides what chance adds (requirement)."""
MAX_CHANCE = 0.04
"""No more than that is ever put down to chance."""


@dataclass(frozen=True)
class ResponseSize:
    """Mean bytes of a body over all points that count; a session decides it, and no load does.

    `error` is its standard error: the points of a session that draws its requests differ by chance.
    """

    mean: float
    error: float


def response_size(result: Result, combination: Combination) -> ResponseSize | None:
    """Return the mean answer of a combination; None where no point that counts has its bytes."""
    points = (p for p in result.points if p.combination == combination and p.valid)
    return size_of([p.verdict for p in points if p.verdict])


def size_of(verdicts: Sequence[Verdict]) -> ResponseSize | None:
    """Return the mean answer of some points, each by the number of its answers."""
    found = [(v.mean_body_bytes, v.total.count) for v in verdicts if v.mean_body_bytes is not None and v.total.count]
    responses = sum(count for _, count in found)
    if not responses:
        return None
    mean = sum(size * count for size, count in found) / responses
    squares = sum(count * (size - mean) ** 2 for size, count in found)
    variance = squares / (len(found) - 1) if len(found) > 1 else 0.0
    return ResponseSize(mean, math.sqrt(variance / responses))


def reason_against(one: ResponseSize | None, other: ResponseSize | None) -> str:
    """Return why two sides with these answers are not compared; empty when they agree.

    Chance is allowed two standard errors of the ratio.
    """
    if one is None or other is None:
        return "the bytes of the answers were not counted"
    if not (one.mean and other.mean):
        return "" if one.mean == other.mean else _apart(one, other)
    chance = 2 * math.hypot(one.error / one.mean, other.error / other.mean)
    apart = max(one.mean, other.mean) / min(one.mean, other.mean) - 1
    return "" if apart <= LIMIT + min(chance, MAX_CHANCE) else _apart(one, other)


def _apart(one: ResponseSize, other: ResponseSize) -> str:
    return f"mean answers of {one.mean:,.0f} and {other.mean:,.0f} B differ"
