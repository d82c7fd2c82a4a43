"""How two combinations compare over blocks: the ratio, its spread, and the word for it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from middlemark.verdict.student import t_quantile

# Fewer blocks never decide (requirement): the spread of three differences is itself not known.
LEAST_BLOCKS = 4
CONFIDENCE = 0.95


class Word(StrEnum):
    """What may be said. Words with a direction need the machine's A/A noise floor, which is not measured yet."""

    NO_BLOCKS = "nothing to compare"
    CANNOT_TELL_YET = "cannot tell yet"
    CANNOT_TELL = "cannot tell"
    DIFFERS = "differs, noise floor not measured"


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
    """B ÷ A over blocks. `ratio` is the geometric mean; `interval` needs two blocks."""

    blocks: tuple[Block, ...]
    ratio: float | None
    interval: Interval | None
    word: Word

    @property
    def least(self) -> float:
        """Return the smallest ratio of a block."""
        return min(block.ratio for block in self.blocks)

    @property
    def greatest(self) -> float:
        """Return the greatest ratio of a block."""
        return max(block.ratio for block in self.blocks)

    @property
    def verdict(self) -> str:
        """The word with the number of blocks."""
        count = len(self.blocks)
        return f"{self.word} ({count} {'block' if count == 1 else 'blocks'})" if count else self.word.value


def compare(blocks: Sequence[Block]) -> Comparison:
    """Return the ratio of B to A with the 95 % Student t interval of the mean log ratio, back-transformed.

    Raises:
        ValueError: a figure is not above zero, so that it has no ratio.
    """
    if any(not (block.a > 0 and block.b > 0) for block in blocks):
        raise ValueError("a ratio needs figures above zero")
    if not blocks:
        return Comparison((), None, None, Word.NO_BLOCKS)
    logs = [math.log(block.ratio) for block in blocks]
    mean = statistics.fmean(logs)
    interval = _interval(logs, mean)
    return Comparison(tuple(blocks), math.exp(mean), interval, _word(len(blocks), interval))


def _interval(logs: Sequence[float], mean: float) -> Interval | None:
    if len(logs) < 2:
        return None
    half = t_quantile(CONFIDENCE, len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return Interval(math.exp(mean - half), math.exp(mean + half))


def _word(count: int, interval: Interval | None) -> Word:
    if count < LEAST_BLOCKS or interval is None:
        return Word.CANNOT_TELL_YET
    return Word.DIFFERS if interval.excludes_one() else Word.CANNOT_TELL
