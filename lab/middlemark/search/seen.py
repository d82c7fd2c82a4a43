"""What a search knows: the points measured so far, and the range it may choose from."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Seen:
    """One measured point.

    `load` is a number of users, or a rate; `throughput` counts transactions per second, `response_s` is the mean
    response in seconds. `strain` is the largest of measured value ÷ limit, 1 and more is outside the limits; with
    `failing` it was errors that put it outside. Without `counts` the point is INVALID: it shows the shape of the curve
    and is no peak. `under_way` are the transactions in progress on average, 0 where that is not known: also those that
    throughput does not count.
    """

    load: float
    throughput: float
    response_s: float
    strain: float
    failing: bool = False
    counts: bool = True
    under_way: float = 0.0

    @property
    def inside(self) -> bool:
        """Whether the point counts and keeps the limits."""
        return self.counts and not self.failing and self.strain < 1


@dataclass(frozen=True)
class Range:
    """Which loads there are: from `low` to `high`, at most `points` of them; `whole` numbers, as of users."""

    low: float
    high: float
    points: int
    whole: bool = True

    def nearest(self, load: float) -> float:
        """Return the load of the range that is nearest; a rate has three significant digits, but at its ends."""
        rounded = float(round(load)) if self.whole else float(f"{load:.3g}")
        return min(max(rounded, self.low), self.high)

    def untried(self, wanted: float, ends: tuple[float, float], known: Collection[float]) -> float | None:
        """Return the load nearest to the wanted one that is not `known`, None when there is none between the `ends`."""
        near = self.nearest(wanted)
        if near not in known:
            return near
        if not self.whole:
            return None
        # So many steps lead past all that are known.
        around = (near + step for step in range(-len(known), len(known) + 1))
        free = [load for load in around if ends[0] < load < ends[1] and load <= self.high and load not in known]
        return min(free, key=lambda load: abs(load - wanted), default=None)


def rising(seen: Sequence[Seen]) -> list[Seen]:
    """Return the points with rising load; of points at the same load the last one."""
    return [point for _, point in sorted({point.load: point for point in seen}.items())]


def middle(low: float, high: float) -> float:
    """Return the geometric mean."""
    return math.sqrt(low * high)
