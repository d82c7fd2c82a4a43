"""The whole search: first the peak, then the largest load inside the limits, with the points that are left."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.search.limit import edge, next_for_limit
from middlemark.search.peak import next_for_peak
from middlemark.search.seen import Range, Seen, rising

# Points this near the best one are on the same plateau; their mean has less luck in it than the best.
PLATEAU = 0.98


@dataclass(frozen=True)
class Found:
    """What a search has found so far.

    `peak` is the point with the highest throughput of those that count, `throughput` the mean over its plateau.
    `inside` is the largest load inside the limits, `outside` the smallest beyond them. With
    `peak_known` and `limit_known` the search needs no further point; otherwise none was left.
    """

    peak: Seen | None
    throughput: float
    inside: Seen | None
    outside: Seen | None
    peak_known: bool
    limit_known: bool


def next_load(seen: Sequence[Seen], loads: Range) -> float | None:
    """Return the load to measure next, None at the end. The same points always give the same answer."""
    if len(seen) >= loads.points:
        return None
    wanted = next_for_peak(seen, loads)
    return next_for_limit(seen, loads) if wanted is None else wanted


def found(seen: Sequence[Seen], loads: Range) -> Found:
    """Return what the points show."""
    counted = [point for point in rising(seen) if point.counts and not point.failing]
    peak = max(counted, key=lambda point: point.throughput, default=None)
    plateau = [point.throughput for point in counted if peak and point.throughput >= PLATEAU * peak.throughput]
    inside, outside = edge(seen)
    return Found(
        peak=peak,
        throughput=statistics.fmean(plateau) if plateau else 0.0,
        inside=inside,
        outside=outside,
        peak_known=next_for_peak(seen, loads) is None,
        limit_known=next_for_limit(seen, loads) is None,
    )
