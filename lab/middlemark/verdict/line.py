"""A straight line through what intervals of time have shown: how much that changes, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.verdict.student import t_quantile

# Below this the slope has no usable uncertainty.
MIN_DOTS = 4


@dataclass(frozen=True, slots=True)
class Dot:
    """An interval: its middle in seconds, its weight, and the amount whose share of the weight is the value."""

    moment_s: float
    weight: float
    amount: float


class Line:
    """A straight line through the values of dots, by weighted least squares. `problem` is why there is none."""

    def __init__(self, dots: Sequence[Dot]) -> None:
        self._dots = dots
        self._weight = sum(dot.weight for dot in dots)
        self._mean = sum(dot.amount for dot in dots) / self._weight if self._weight else 0.0
        self.problem = _problem(len(dots), self._mean)
        if self.problem:
            return
        self._middle = sum(dot.weight * dot.moment_s for dot in dots) / self._weight
        self._spread = sum(dot.weight * (dot.moment_s - self._middle) ** 2 for dot in dots)
        self._slope = sum((dot.moment_s - self._middle) * self._beyond(dot) for dot in dots) / self._spread

    def change(self, span_s: float) -> float:
        """Return the change over `span_s` seconds, relative to the mean."""
        return self._slope * span_s / self._mean

    def uncertainty(self, span_s: float, confidence: float) -> float:
        """Return how far the change may be off, with this confidence, by the scatter of the dots around the line."""
        residuals = sum(
            (self._beyond(dot) - dot.weight * self._slope * (dot.moment_s - self._middle)) ** 2 / dot.weight
            for dot in self._dots
        )
        degrees = len(self._dots) - 2
        error = math.sqrt(residuals / degrees / self._spread)
        return t_quantile(confidence, degrees) * error * span_s / self._mean

    def _beyond(self, dot: Dot) -> float:
        return dot.amount - dot.weight * self._mean


def _problem(number: int, mean: float) -> str:
    if number < MIN_DOTS:
        return "1 interval is too few" if number == 1 else f"{number} intervals are too few"
    return "" if mean > 0 else f"nothing was counted in {number} intervals"
