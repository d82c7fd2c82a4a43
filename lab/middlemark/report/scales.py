"""Maps values to positions of a chart, and chooses the values worth a tick."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

MAX_DECIMALS = 7


@dataclass(frozen=True)
class Scale:
    """Values `low` … `high` on positions `start` … `end` (pixels); logarithmic when `log`, which needs low > 0."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return the position of a value."""
        low, high, here = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return at most `most` round values (1, 2 or 5 times a power of ten apart) that enclose `low` … `high`."""
    if not high > low:
        high = low + 1
    step = 10 ** math.floor(math.log10((high - low) / most))
    for factor in (1, 2, 5, 10, 20, 50):
        first, last = math.floor(low / (step * factor) + 1e-9), math.ceil(high / (step * factor) - 1e-9)
        if last - first + 1 <= most:
            return [tick * step * factor for tick in range(first, last + 1)]
    raise AssertionError("fifty times the step always fits")


def log_ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Return values 1, 2, 5 times powers of ten that enclose `low` … `high`, both > 0; only powers when too many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = [factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5)]
    start = max((i for i, tick in enumerate(every) if tick <= low * (1 + 1e-9)), default=0)
    end = min((i for i, tick in enumerate(every) if tick >= high * (1 - 1e-9)), default=len(every) - 1)
    ticks = every[start : end + 1]
    return ticks if len(ticks) <= most else [10.0**power for power in range(first, last + 1)]


def written(value: float, ticks: Sequence[float], *, log: bool = False) -> str:
    """Return a tick's label with as many decimals as its neighbours (on a log axis: as it) need to differ."""
    if log:
        return f"{value:,.0f}" if value >= 1 else f"{value:g}"
    for decimals in range(MAX_DECIMALS):
        if all(math.isclose(round(tick, decimals), tick, rel_tol=1e-9, abs_tol=1e-12) for tick in ticks):
            return f"{value:,.{decimals}f}"
    return f"{value:g}"
