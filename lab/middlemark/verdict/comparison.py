"""How two sides compare over blocks: the ratio, its spread, and how well it agrees with "equal"."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.verdict.student import t_quantile, two_sided_probability

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Block:
    """The same figure of both sides of one block, both above zero."""

    repeat: int
    a: float
    b: float

    @property
    def ratio(self) -> float:
        """B ÷ A."""
        return self.b / self.a


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a ratio."""

    low: float
    high: float

    def excludes_one(self) -> bool:
        """Whether "equal" lies outside."""
        return self.low > 1 or self.high < 1


@dataclass(frozen=True)
class Comparison:
    """B ÷ A over blocks.

    `ratio` is the geometric mean. `interval` and `p_value` need two blocks; `p_value` is the probability that equal
    sides lie at least that far apart, and is below 0.05 exactly when the interval excludes 1.
    """

    blocks: tuple[Block, ...]
    ratio: float | None
    interval: Interval | None
    p_value: float | None

    @property
    def min_ratio(self) -> float:
        """Return the smallest ratio of a block."""
        return min(block.ratio for block in self.blocks)

    @property
    def max_ratio(self) -> float:
        """Return the largest ratio of a block."""
        return max(block.ratio for block in self.blocks)


def compare(blocks: Sequence[Block]) -> Comparison:
    """Return the ratio of B to A with the 95 % Student t interval of the mean log ratio, back-transformed.

    Source: the paired t test (Student, Biometrika 6, 1908) on log ratios, whose mean is the geometric mean's logarithm.

    Raises:
        ValueError: a figure is not above zero, so that it has no ratio.
    """
    if any(not (block.a > 0 and block.b > 0) for block in blocks):
        raise ValueError("a ratio needs figures above zero")
    if not blocks:
        return Comparison((), None, None, None)
    # Logarithms are subtracted, not those of ratios taken: equal figures give exactly 0 at any size.
    logs = [math.log(block.b) - math.log(block.a) for block in blocks]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return Comparison(tuple(blocks), math.exp(mean), None, None)
    degrees = len(logs) - 1
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    half = t_quantile(CONFIDENCE, degrees) * error
    interval = Interval(math.exp(mean - half), math.exp(mean + half))
    return Comparison(tuple(blocks), math.exp(mean), interval, _p_value(mean, error, degrees))


def _p_value(mean: float, error: float, degrees: int) -> float:
    if error == 0:
        return 0.0 if mean else 1.0
    return max(0.0, 1 - two_sided_probability(abs(mean) / error, degrees))
