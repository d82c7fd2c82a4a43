"""Student's t distribution, also for degrees of freedom that are not whole."""

from __future__ import annotations

import functools
import math

# Lentz's continued fraction ends long before; the relative error of a probability is below 1e-12.
MAX_STEPS, PRECISION, TINY = 500, 1e-14, 1e-300


@functools.cache
def t_quantile(confidence: float, degrees: float) -> float:
    """T so that |T| ≤ t with probability `confidence` (0 … 1, exclusive); more than 0 degrees of freedom.

    Newton's method from 0: the probability outside falls and is convex, so that it comes from below. The error is
    below 1e-9 of the quantile.
    """
    outside, t = 1 - confidence, 0.0
    for _ in range(MAX_STEPS):
        step = (tail_probability(t, degrees) - outside) / (2 * _density(t, degrees))
        t += step
        if step <= 1e-10 * t:
            break
    return t


def _density(t: float, degrees: float) -> float:
    logarithm = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - 0.5 * math.log(degrees * math.pi)
    return math.exp(logarithm - (degrees + 1) / 2 * math.log1p(t * t / degrees))


def tail_probability(t: float, degrees: float) -> float:
    """P(|T| > t), t at least 0: the regularised incomplete beta function I(d/2, 1/2) at d / (d + t²), d the degrees.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.1; the fraction is NIST DLMF 8.17.22.
    """
    if math.isinf(t):
        return 0.0
    half = degrees / 2
    # Far out d + t² loses d: both shares are computed on their own.
    inside, share = t * t / (degrees + t * t), degrees / (degrees + t * t)
    if inside == 0:
        return 1.0
    if share == 0:
        return 0.0
    logarithm = math.lgamma(half + 0.5) - math.lgamma(half) - math.lgamma(0.5)
    factor = math.exp(logarithm + half * math.log(share) + 0.5 * math.log(inside))
    if share < (half + 1) / (half + 2.5):
        return factor * _fraction(half, 0.5, share) / half
    return 1 - factor * _fraction(0.5, half, inside) / 0.5


def _fraction(a: float, b: float, x: float) -> float:
    """Continued fraction of the incomplete beta function by the modified method of Lentz."""
    c, d = 1.0, _inverse(1 - (a + b) * x / (a + 1))
    result = d
    for step in range(1, MAX_STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        d, c = _inverse(1 + even * d), 1 + even / c
        result *= d * c
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        d, c = _inverse(1 + odd * d), 1 + odd / c
        result *= d * c
        if abs(d * c - 1) < PRECISION:
            break
    return result


def _inverse(number: float) -> float:
    return 1 / (number if abs(number) > TINY else TINY)
