"""What pairs of slices allow to conclude, looked at again and again while they come.

A pair is a slice of A and a slice of B, one after the other, and its value the logarithm of B's figure ÷ A's. Its order
is drawn at random, so that a drift of the machine that both sides share scatters the values and does not shift them,
and makes no pair like the one before.

Looks come after 12, 18, 27, 40 … pairs. Look j (from 0) has the error level 0.05 · 0.2 · 0.8ʲ. They add up to 0.05
however many looks there are, so any reason to stop keeps it (Bonferroni; Jennison and Turnbull, Group Sequential
Methods, 2000, chapter 9: repeated confidence intervals). What one side alone does for several slices makes neighbours
alike; so a look takes the means of at least 12 batches of neighbours, which are almost independent once batches are
longer than that (batch means: Law, Simulation Modeling and Analysis, 2015, section 9.5.3), and Student's t of them,
wider by the likeness of neighbours that is left. `lab/tests/test_ab_sequential.py` simulates how often a word is false.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from middlemark.verdict.drift import Dot, Line
from middlemark.verdict.student import t_quantile

ALPHA = 0.05
FIRST_LOOK = 12
GROWTH = 1.5
MIN_BATCHES = 12
SPENT_AT_A_LOOK = 0.2
MAX_LIKENESS = 0.8


class Word(StrEnum):
    """What an interval allows to say of B beside A; more of the figure is slower."""

    SLOWER = "slower"
    FASTER = "faster"
    EQUAL = "equal"
    UNDECIDED = "cannot tell"


@dataclass(frozen=True)
class Interval:
    """Repeated confidence interval of B ÷ A, less 1: 0.06 is 6 % more."""

    change: float
    low: float
    high: float


UNKNOWN = Interval(0.0, -1.0, math.inf)


def next_look(pairs: int) -> int:
    """Number of pairs at the first look after `pairs`."""
    size = float(FIRST_LOOK)
    while math.floor(size) <= pairs:
        size *= GROWTH
    return math.floor(size)


def level_of(look: int) -> float:
    """Error level of look number `look`, from 0; all of them together have ALPHA."""
    return ALPHA * SPENT_AT_A_LOOK * (1 - SPENT_AT_A_LOOK) ** look


def interval_at(look: int, values: Sequence[float]) -> Interval:
    """Interval at this look from the values of all pairs so far; UNKNOWN for fewer than two pairs."""
    if len(values) < 2:
        return UNKNOWN
    means = _batch_means(values)
    mean = statistics.fmean(values)
    error = statistics.stdev(means) * math.sqrt(_inflation(means) / len(means))
    half = t_quantile(1 - level_of(look), len(means) - 1) * error
    return Interval(math.exp(mean) - 1, math.exp(mean - half) - 1, math.exp(mean + half) - 1)


def word_of(interval: Interval, equal_within: float) -> Word:
    """Word for an interval of a cost. An interval within `equal_within` of 1 is equal, also when it leaves 1 out."""
    if -equal_within <= interval.low and interval.high <= equal_within:
        return Word.EQUAL
    if interval.low > 0:
        return Word.SLOWER
    return Word.FASTER if interval.high < 0 else Word.UNDECIDED


def against(interval: Interval, equal_within: float, fail_if_slower: float | None) -> int | None:
    """Side that an answer is against: 0 for A, 1 for B, None for neither; a failed threshold is one, too."""
    word = word_of(interval, equal_within)
    if word is Word.FASTER:
        return 0
    failed = fail_if_slower is not None and interval.low > fail_if_slower
    return 1 if word is Word.SLOWER or failed else None


def is_decided(interval: Interval, equal_within: float, fail_if_slower: float | None) -> bool:
    """Whether more pairs would change neither the word nor the exit status."""
    if word_of(interval, equal_within) is Word.UNDECIDED:
        return False
    return fail_if_slower is None or interval.low > fail_if_slower or interval.high <= fail_if_slower


def falls(values: Sequence[float], limit: float) -> bool:
    """Whether the ratio surely fell by more than `limit` over all pairs; a drift that both sides share is in no ratio.

    A straight line through the ratios, with the 95 % uncertainty of its slope.
    """
    line = Line([Dot(place, 1.0, math.exp(value)) for place, value in enumerate(values)])
    span = len(values) - 1
    return not line.problem and line.change(span) + line.uncertainty(span, 1 - ALPHA) < -limit


def _batch_means(values: Sequence[float]) -> list[float]:
    """Means of neighbours: of at least MIN_BATCHES batches as equal in size as can be, if there are so many values."""
    length = max(1, len(values) // MIN_BATCHES)
    number = len(values) // length
    bounds = [round(index * len(values) / number) for index in range(number + 1)]
    return [statistics.fmean(values[begin:end]) for begin, end in pairwise(bounds)]


def _inflation(means: Sequence[float]) -> float:
    """Factor of the mean's variance when neighbours are alike: (1 + r) ÷ (1 - r) for r > 0, as of an AR(1) process.

    An estimate of the autocorrelation r of n values is by about 1 ÷ n too low (Kendall, Biometrika 41, 1954).
    """
    middle = statistics.fmean(means)
    beyond = [value - middle for value in means]
    spread = sum(value * value for value in beyond)
    if not spread:
        return 1.0
    likeness = sum(one * other for one, other in pairwise(beyond)) / spread + 1 / len(means)
    likeness = min(MAX_LIKENESS, max(0.0, likeness))
    return (1 + likeness) / (1 - likeness)
