"""The load with the highest throughput.

Throughput cannot rise faster than the load, and rises ever more slowly until a resource is busy all the time; then it
stays, or falls (asymptotic bounds: P. J. Denning, J. P. Buzen, The Operational Analysis of Queueing Network Models, ACM
Computing Surveys 10, 1978). So lines through measured points bound the curve between them, and the next point lies
where a bound is still above the best point (like Piyavskii's and Shubert's search, with slopes that follow from the
above). All in logarithms, in which the scales of load and throughput do not matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from middlemark.search.seen import Range, Seen, middle, rising

GROWTH = 2.0
# Several requests can be answered at a time: the first step goes a little beyond one of them.
JUMP = 1.5
# Loads closer than this differ by less than a point's noise.
APART = math.log(1.03)
# A bound this little above the best point promises nothing.
GAIN = math.log(1.015)
# Between points this high and this near there is no higher peak.
FLAT, NEAR = math.log(1.02), math.log(1.15)
# Throughput that keeps up with the load like this has not met a limit.
BENT = math.log(1.06)
# A last point this far below the best one lies behind the peak, whatever the noise.
FALLEN = 0.97
# A plateau is seen when so many points after the best one did not exceed it.
AFTER_THE_BEST = 2

Spot = tuple[float, float]
"""The logarithms of a load and of its throughput."""


def next_for_peak(seen: Sequence[Seen], loads: Range) -> float | None:
    """Return the load to measure next, None when another point would not show a higher peak."""
    points = rising(seen)
    if not points:
        return loads.nearest(loads.low)
    ceiling = min((point.load for point in points if point.failing), default=math.inf)
    below = [point for point in points if point.load < ceiling and point.throughput > 0]
    candidates = _candidates(below, ceiling) if below else iter([_halfway(loads.low, ceiling)])
    known = {point.load for point in points}
    untried = (loads.untried(one.load, one.ends, known) for one in candidates)
    return next((load for load in untried if load is not None), None)


@dataclass(frozen=True)
class _Candidate:
    """A load worth a point, and the loads between which it lies."""

    load: float
    ends: tuple[float, float]


def _halfway(low: float, high: float) -> _Candidate:
    return _Candidate(middle(low, high), (low, high))


def _candidates(below: list[Seen], ceiling: float) -> Iterator[_Candidate]:
    """Yield loads worth a point, the best first."""
    best = max(range(len(below)), key=lambda place: below[place].throughput)
    last = below[-1]
    if last.throughput > FALLEN * below[best].throughput and len(below) - best <= AFTER_THE_BEST:
        above = _above(below)
        if above < ceiling:
            yield _Candidate(above, (last.load, ceiling))
        elif math.log(ceiling / last.load) > APART:
            yield _halfway(last.load, ceiling)
    spots = [(math.log(point.load), math.log(point.throughput)) for point in below]
    left = _left(spots, best), below[max(best - 1, 0) : best + 1]
    right = _right(spots, best), below[best : best + 2]
    risen = best == 0 or _deficit(spots[best - 1], spots[best]) < BENT
    for (height, place), around in (right, left) if risen else (left, right):
        if height > spots[best][1] + GAIN:
            yield _Candidate(math.exp(place), (around[0].load, around[-1].load))


def _above(below: list[Seen]) -> float:
    """Return a load above all others.

    The knee is not below the load at which one request is answered at any time: no part of an answer takes longer than
    the whole. Little's law gives that load from the first point.
    """
    last = below[-1]
    if len(below) == 1 and last.under_way > 0:
        return max(GROWTH * last.load, JUMP * last.load / last.under_way)
    return GROWTH * last.load


def _left(spots: list[Spot], best: int) -> Spot:
    """Return the highest spot the curve may reach just before the best point: where its bounds meet."""
    b = spots[best]
    if not best:
        return b
    a = spots[best - 1]
    if not _may_hide(a, b, b[1]):
        return b
    rise = _rise(spots, best - 1)
    fall = min(_slope(b, spots[best + 1]), 0.0) if best + 1 < len(spots) else 0.0
    meet = (b[1] - a[1] + rise * a[0] - fall * b[0]) / (rise - fall) if rise > fall else (a[0] + b[0]) / 2
    edge = min((b[0] - a[0]) / 5, 2 * APART)
    return min(a[1] + rise * (meet - a[0]), b[1] + fall * (meet - b[0])), min(max(meet, a[0] + edge), b[0] - edge)


def _right(spots: list[Spot], best: int) -> Spot:
    """Return the highest spot the curve may reach just after the best point: it may fall like a cliff."""
    b = spots[best]
    if best + 1 == len(spots) or not _may_hide(b, spots[best + 1], b[1]):
        return b
    width = spots[best + 1][0] - b[0]
    return b[1] + _rise(spots, best) * width, b[0] + width / 2


def _rise(spots: list[Spot], place: int) -> float:
    """Return the steepest the curve can rise after a spot: no steeper than before it, and no steeper than the load."""
    return min(1.0, max(0.0, _slope(spots[place - 1], spots[place]))) if place else 1.0


def _may_hide(a: Spot, b: Spot, best: float) -> bool:
    """Return whether there is room for a peak between two spots."""
    flat = min(a[1], b[1]) > best - FLAT
    return b[0] - a[0] > (NEAR if flat else APART)


def _slope(a: Spot, b: Spot) -> float:
    return (b[1] - a[1]) / (b[0] - a[0])


def _deficit(a: Spot, b: Spot) -> float:
    """Return by how much throughput lags behind a load that rises from `a` to `b`."""
    return (b[0] - a[0]) - (b[1] - a[1])
