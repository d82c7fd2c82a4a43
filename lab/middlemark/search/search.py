"""The whole search: for the peak, then for the largest load inside the limits; or for that load alone."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from middlemark.search.limit import around, edge, next_for_limit
from middlemark.search.peak import next_for_peak
from middlemark.search.seen import Range, Seen, rising

# Points this near the best one are on the same plateau; their mean has less luck in it than the best.
PLATEAU = 0.98


class Goal(StrEnum):
    """What a search looks for: the peak of throughput, then the limit; or the limit alone."""

    PEAK = "peak"
    LIMIT = "limit"


@dataclass(frozen=True)
class Found:
    """What a search has found so far.

    `peak` is the point with the highest throughput of those that count, `throughput` the mean over its plateau.
    `inside` is the largest load inside the limits, `outside` the smallest beyond them, `around` the loads for rounds
    that are to show where the limit is crossed. With
    `peak_known` and `limit_known` the search needs no further point; otherwise none was left. `at_edge`:
    throughput rises up to the end of the range where the peak is, and may go on beyond it. `doubtful` are INVALID
    points next to the peak or above its throughput, in which errors did not decide: the peak may lie there.
    """

    peak: Seen | None
    throughput: float
    inside: Seen | None
    outside: Seen | None
    peak_known: bool
    limit_known: bool
    around: tuple[float, ...]
    at_edge: bool = False
    doubtful: tuple[Seen, ...] = ()


def next_load(seen: Sequence[Seen], loads: Range, goal: Goal = Goal.PEAK) -> float | None:
    """Return the load to measure next, None at the end. The same points always give the same answer.

    A point that does not count is measured once more before the search goes on.
    """
    if len(seen) >= loads.points:
        return None
    last = seen[-1] if seen else None
    if last is not None and not last.counts and sum(point.load == last.load for point in seen) == 1:
        return last.load
    wanted = next_for_peak(seen, loads) if goal is Goal.PEAK else None
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
        around=around(seen, loads),
        at_edge=peak is not None and peak.load in _ends(loads) and len(plateau) == 1,
        doubtful=_doubtful(seen, peak),
    )


def _ends(loads: Range) -> tuple[float, ...]:
    """Return the ends of the range beyond which there are loads; below one user there is none."""
    return (loads.high,) if loads.whole and loads.low <= 1 else (loads.low, loads.high)


def _doubtful(seen: Sequence[Seen], peak: Seen | None) -> tuple[Seen, ...]:
    points = rising(seen)
    place = points.index(peak) if peak else -1
    return tuple(
        point
        for number, point in enumerate(points)
        if not point.counts
        and not point.failing
        and (peak is None or abs(number - place) == 1 or point.throughput > peak.throughput)
    )
