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
# The responses at the two loads are to differ from the limit by this share of it: more than windows scatter, and so
# little that a line between them follows the curve.
APART = 0.1
# Half the distance of the two loads, as a share of the load at the limit. Closer loads do not differ by enough; between
# loads further apart the response is not a line.
MIN_HALF, MAX_HALF = 0.03, 0.1


def edge(seen: Sequence[Seen]) -> tuple[Seen | None, Seen | None]:
    """Return the largest load that keeps the limits and the smallest that does not, None where there is none."""
    points = rising(seen)
    outside = next((point for point in points if point.failing or point.strain >= 1), None)
    inside = [point for point in points if point.inside and (outside is None or point.load < outside.load)]
    return (inside[-1] if inside else None), outside


def around(seen: Sequence[Seen], loads: Range) -> tuple[float, ...]:
    """Two loads on both sides of the limit, for the rounds; the largest load inside where no response crosses it.

    Empty when no load is inside. Where responses fail beyond the limit, their mean does not show where it is crossed.
    """
    inside, outside = edge(seen)
    if inside is None:
        return ()
    if outside is None or outside.failing:
        return (inside.load,)
    crossed, half = _crossed(inside, outside), _half(seen, outside)
    low, high = loads.nearest((1 - half) * crossed), loads.nearest((1 + half) * crossed)
    if low == high:
        return (low, low + 1) if low < loads.high else (low - 1, low)
    return low, high


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


def _crossed(inside: Seen, outside: Seen) -> float:
    rise = outside.strain - inside.strain
    if rise <= 0:
        return middle(inside.load, outside.load)
    return inside.load + (1 - inside.strain) / rise * (outside.load - inside.load)


def _half(seen: Sequence[Seen], outside: Seen) -> float:
    """How far the loads of the rounds lie from the limit, as a share of it.

    The slope is that from a load at least a step below: between closer points it is mostly noise.
    """
    below = [point for point in rising(seen) if point.load <= outside.load / CLOSE and not point.failing]
    if not below or outside.strain <= below[-1].strain:
        return MAX_HALF
    steep = (outside.strain - below[-1].strain) / (outside.load - below[-1].load)
    return min(max(APART / (steep * outside.load), MIN_HALF), MAX_HALF)


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
