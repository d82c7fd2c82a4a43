"""The largest load inside the limits: between a load that keeps them and one that does not, closer and closer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from middlemark.search.seen import Range, Seen, middle, rising

# A load this little above one that keeps the limits shows nothing new.
CLOSE = 1.1
GROWTH, MAX_GROWTH = 2.0, 4.0
# A candidate lies at least this part of the way, in logarithms, from both ends: then either answer narrows the gap.
EDGE = 0.15


def edge(seen: Sequence[Seen]) -> tuple[Seen | None, Seen | None]:
    """Return the largest load that keeps the limits and the smallest that does not, None where there is none."""
    points = rising(seen)
    outside = next((point for point in points if point.failing or point.strain >= 1), None)
    inside = [point for point in points if point.inside and (outside is None or point.load < outside.load)]
    return (inside[-1] if inside else None), outside


def next_for_limit(seen: Sequence[Seen], loads: Range) -> float | None:
    """Return the load to measure next, None when the largest load inside the limits is known."""
    if not seen:
        return loads.nearest(loads.low)
    known = {point.load for point in seen}
    inside, outside = edge(seen)
    if outside is None:
        points = rising(seen)
        return loads.untried(_above(points), (points[-1].load, math.inf), known)
    if inside is None:
        return loads.untried(middle(loads.low, outside.load), (loads.low, outside.load), known)
    if outside.load / inside.load <= CLOSE:
        return None
    return loads.untried(_between(inside, outside), (inside.load, outside.load), known)


def _above(points: list[Seen]) -> float:
    """Return a load that may be outside: behind the knee the response rises along a line.

    Source: the response time law of closed systems, users ÷ throughput - think time, with throughput at its bound.
    """
    last = points[-1]
    if len(points) == 1 or last.strain <= points[-2].strain:
        return GROWTH * last.load
    before = points[-2]
    steep = (last.strain - before.strain) / (last.load - before.load)
    wanted = last.load + (1 - last.strain) / steep
    return min(max(wanted, GROWTH * last.load), MAX_GROWTH * last.load)


def _between(inside: Seen, outside: Seen) -> float:
    if outside.failing or outside.strain <= inside.strain:
        return middle(inside.load, outside.load)
    part = (1 - inside.strain) / (outside.strain - inside.strain)
    wanted = inside.load + part * (outside.load - inside.load)
    width = math.log(outside.load / inside.load)
    low = math.exp(math.log(inside.load) + EDGE * width)
    high = math.exp(math.log(outside.load) - EDGE * width)
    return min(max(wanted, low), high)
