"""The word for a comparison: what blocks, the machine's noise floor and the other comparisons allow to conclude."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from middlemark.verdict.comparison import CONFIDENCE, Comparison
from middlemark.verdict.holm import holm
from middlemark.wording import counted

# Fewer blocks never decide (requirement): the spread of three differences is itself not known.
MIN_BLOCKS = 4


class Word(StrEnum):
    """What may be concluded of B against A."""

    NO_BLOCKS = "nothing to compare"
    UNDECIDED = "cannot tell"
    DIFFERS = "differs, noise floor not measured"
    FASTER = "faster"
    SLOWER = "slower"


DECIDED = frozenset({Word.DIFFERS, Word.FASTER, Word.SLOWER})


class Better(StrEnum):
    """Which value is that of the faster side: the higher one of rates, the lower one of costs and times."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True)
class Terms:
    """How a comparison is judged.

    `floor` is the machine's A/A noise floor as a ratio from 1 up, 1 to apply none; None when it was not measured: then
    nothing with a direction may be concluded.
    """

    better: Better
    floor: float | None


@dataclass(frozen=True)
class Judgement:
    """The word, over how many blocks, and why it is no other one.

    `p_value` is the comparison's among those it was judged with (Holm), None where no word needed it.
    """

    word: Word
    blocks: int
    reason: str = ""
    p_value: float | None = None

    @property
    def verdict(self) -> str:
        """The word with the number of blocks."""
        return f"{self.word} ({counted(self.blocks, 'block')})" if self.blocks else self.word.value

    @property
    def text(self) -> str:
        """The verdict and its reason."""
        return f"{self.verdict}, {self.reason}" if self.reason else self.verdict


def judge(together: Sequence[tuple[Comparison, Terms]]) -> list[Judgement]:
    """Return a judgement for each comparison, in the order given; those that can decide are corrected by Holm."""
    able = {
        place: comparison.p_value
        for place, (comparison, _) in enumerate(together)
        if comparison.p_value is not None and len(comparison.blocks) >= MIN_BLOCKS
    }
    adjusted = dict(zip(able, holm(list(able.values())), strict=True))
    return [
        _decided(comparison, terms, adjusted[place], len(able)) if place in adjusted else _undecided(comparison)
        for place, (comparison, terms) in enumerate(together)
    ]


def _undecided(comparison: Comparison) -> Judgement:
    blocks = len(comparison.blocks)
    return (
        Judgement(Word.UNDECIDED, blocks, f"a verdict needs {MIN_BLOCKS}") if blocks else Judgement(Word.NO_BLOCKS, 0)
    )


def _decided(comparison: Comparison, terms: Terms, p_value: float, together: int) -> Judgement:
    word, reason = _word(comparison, terms, p_value, together)
    return Judgement(word, len(comparison.blocks), reason, p_value)


def _word(comparison: Comparison, terms: Terms, p_value: float, together: int) -> tuple[Word, str]:
    if comparison.ratio is None or comparison.interval is None or not comparison.interval.excludes_one():
        return Word.UNDECIDED, ""
    if p_value >= 1 - CONFIDENCE:
        return Word.UNDECIDED, f"as one of {together} comparisons (Holm)"
    if terms.floor is None:
        return Word.DIFFERS, ""
    if abs(math.log(comparison.ratio)) <= math.log(terms.floor):
        return Word.UNDECIDED, f"within the noise floor of {percent(terms.floor)}"
    is_higher = comparison.ratio > 1
    return (Word.FASTER if is_higher == (terms.better is Better.HIGHER) else Word.SLOWER), ""


def percent(floor: float) -> str:
    """Return a noise floor for people: `2.1 %` for 1.021."""
    return f"{100 * (floor - 1):.1f} %"
