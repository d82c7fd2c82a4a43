"""Student's t distribution for whole degrees of freedom."""

from __future__ import annotations

import functools
import math


@functools.cache
def t_quantile(confidence: float, degrees: int) -> float:
    """Return t so that |T| ≤ t with probability `confidence` (0 … 1, exclusive); at least one degree of freedom.

    Bisection of the exact probability; the error is below 1e-9 of the quantile.
    """
    low, high = 0.0, 1.0
    while two_sided_probability(high, degrees) < confidence:
        high *= 2
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        if two_sided_probability(middle, degrees) < confidence:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def two_sided_probability(t: float, degrees: int) -> float:
    """Return P(|T| ≤ t). Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(degrees))
    cosine = math.cos(angle)
    odd = degrees % 2 == 1
    term = cosine if odd else 1.0
    total = 0.0
    for step in range(degrees // 2):
        total += term
        above, below = (2 * step + 2, 2 * step + 3) if odd else (2 * step + 1, 2 * step + 2)
        term *= cosine * cosine * above / below
    series = math.sin(angle) * total
    return 2 / math.pi * (angle + series) if odd else series
