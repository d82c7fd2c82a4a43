"""The word for a comparison: what its estimate and the comparisons beside it allow to conclude."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from middlemark.records.figures import Better
from middlemark.verdict.estimate import (
    LEVEL,
    MIN_ROUNDS,
    Comparison,
    Interval,
    LogRatio,
    Side,
)
from middlemark.verdict.holm import holm, step_levels
from middlemark.wording import TIMES, counted

# Closer than this two sides are equal for every purpose that the figures serve.
EQUAL_WITHIN = 0.05


class Word(StrEnum):
    """What may be concluded of B against A."""

    NO_ROUNDS = "nothing to compare"
    UNDECIDED = "cannot tell"
    STILL_FASTER = "still getting faster: not judged against it"
    EQUAL = "equal within 5 %"
    FASTER = "faster"
    SLOWER = "slower"


DECIDED = frozenset({Word.FASTER, Word.SLOWER})


@dataclass(frozen=True)
class Judgement:
    """The word, what it was found over, and why it is no other one.

    `interval` is the one that the word follows from, at the level that the comparison has among the others; `better`
    the direction of the figure. `p_value` is corrected by Holm. Both are None where no word needed them.
    `more_starts` would decide a difference of this size.
    """

    word: Word
    size: str = ""
    reason: str = ""
    interval: Interval | None = None
    better: Better = Better.HIGHER
    p_value: float | None = None
    more_starts: int | None = None

    @property
    def verdict(self) -> str:
        """The word with the percentages that it asserts, or that are open."""
        if self.interval is None or self.word in {Word.EQUAL, Word.STILL_FASTER}:
            return self.word.value
        if self.word not in DECIDED:
            return f"{self.word} ({percentages(self.interval)})"
        ends = sorted(abs(100 * (end - 1)) for end in (self.interval.low, self.interval.high))
        digits = _digits(ends[1])
        return f"{self.word} by {ends[0]:,.{digits}f} … {ends[1]:,.{digits}f} %"

    @property
    def text(self) -> str:
        """The verdict, what it was found over, and the reason."""
        whole = f"{self.verdict}, {self.size}" if self.size else self.verdict
        return f"{whole}; {self.reason}" if self.reason else whole


def judge(
    together: Sequence[Comparison], level: float = LEVEL, minutes_of_start: float | None = None
) -> list[Judgement]:
    """A judgement for each comparison, in the order given; `minutes_of_start` is how long a further start takes.

    Of all that can decide, corrected by Holm, any word of a direction is false with probability `level` at most.
    """
    found = {place: one.estimate.p_value() for place, one in enumerate(together) if one.estimate and one.is_enough}
    able = {place: p_value for place, p_value in found.items() if p_value is not None}
    p_values = list(able.values())
    adjusted = dict(zip(able, holm(p_values), strict=True))
    levels = dict(zip(able, step_levels(p_values, level), strict=True))
    return [
        _judged(one, _Place(level, levels[place], adjusted[place], minutes_of_start))
        if place in able
        else _too_few(one)
        for place, one in enumerate(together)
    ]


def percentages(interval: Interval) -> str:
    """Ends of an interval of a ratio as signed percentages: `-3.1 … +12.0 %`."""
    low, high = (100 * (end - 1) for end in (interval.low, interval.high))
    digits = _digits(max(abs(low), abs(high)))
    return f"{low:+,.{digits}f} … {high:+,.{digits}f} %"


def size_text(comparison: Comparison) -> str:
    """Over how many starts and rounds: `1 start × 3 rounds`, `4 rounds` of as many starts, `2 starts, 5 rounds`."""
    by_start: dict[int, int] = {}
    for one in comparison.rounds:
        by_start[one.start] = by_start.get(one.start, 0) + 1
    numbers = set(by_start.values())
    if numbers == {1}:
        return counted(len(by_start), "round")
    if len(numbers) == 1:
        return f"{counted(len(by_start), 'start')} {TIMES} {counted(numbers.pop(), 'round')}"
    return f"{counted(len(by_start), 'start')}, {counted(len(comparison.rounds), 'round')}"


def _too_few(comparison: Comparison) -> Judgement:
    if not comparison.rounds:
        return Judgement(Word.NO_ROUNDS)
    needed = comparison.terms.needed
    what = f"{needed} rounds of a start" if needed > 1 else f"{MIN_ROUNDS} rounds"
    return Judgement(Word.UNDECIDED, size_text(comparison), f"a word needs {what} that both sides have")


@dataclass(frozen=True)
class _Place:
    """Where a comparison is among the others: the level of all, its own by Holm, its probability corrected by him."""

    level: float
    own_level: float
    p_value: float
    minutes_of_start: float | None


def _judged(comparison: Comparison, place: _Place) -> Judgement:
    estimate = comparison.estimate
    interval = estimate.interval(place.own_level) if estimate else None
    if estimate is None or interval is None:
        return _too_few(comparison)
    better = comparison.terms.better
    word = word_of(estimate, interval, better, (place.p_value < place.level, place.own_level))
    more = estimate.more_starts(place.own_level) if word is Word.UNDECIDED else None
    reasons = [*_why_undecided(estimate, place)] if word is Word.UNDECIDED else []
    if more is not None:
        reasons.append(_more_text(comparison, more, place.minutes_of_start))
    if word is Word.STILL_FASTER:
        reasons.append(f"its figure may still change by {100 * max(estimate.up, estimate.down):.1f} %")
    if estimate.starts == 1:
        reasons.append(_assumed(comparison.terms.a, comparison.terms.b))
    reason = "; ".join(one for one in reasons if one)
    return Judgement(word, size_text(comparison), reason, interval, better, place.p_value, more)


def word_of(estimate: LogRatio, interval: Interval, better: Better, judged: tuple[bool, float]) -> Word:
    """The word for an estimate, by whether its difference is certain and the level that it has among the others."""
    is_certain, level = judged
    if is_certain:
        return Word.FASTER if (estimate.log > 0) == (better is Better.HIGHER) else Word.SLOWER
    if interval.low > 1 / (1 + EQUAL_WITHIN) and interval.high < 1 + EQUAL_WITHIN:
        return Word.EQUAL
    warm = estimate.p_value(rests=False)
    return Word.STILL_FASTER if warm is not None and warm < level else Word.UNDECIDED


def _why_undecided(estimate: LogRatio, place: _Place) -> Iterator[str]:
    alone = estimate.p_value()
    if alone is not None and alone < place.level:
        yield f"as one of {round(place.level / place.own_level)} comparisons (Holm)"
    processes = estimate.of_processes(place.own_level)
    # Of starts with one round each, the processes are not known apart from the platforms.
    if processes is not None:
        yield f"these processes: {percentages(processes)}"


def _more_text(comparison: Comparison, more: int, minutes_of_start: float | None) -> str:
    if comparison.terms.needed == 1:
        return f"about {counted(more, 'more round')} would decide a difference of this size"
    minutes = more * (minutes_of_start or 0.0)
    time = f" ({minutes:,.0f} min)" if minutes >= 1 else ""
    return f"about {counted(more, 'more start')}{time} would decide a difference of this size"


def _assumed(a: Side, b: Side) -> str:
    """What was taken for the spread between starts that a single start cannot show; empty where nothing was."""
    known = dict.fromkeys((one.spread.sigma, one.spread.starts) for one in (a, b) if one.spread.degrees)
    texts = [f"{100 * sigma:.1f} % ({_whence(starts)})" for sigma, starts in known]
    return f"spread between starts {' and '.join(texts)}" if texts else ""


def _whence(starts: int) -> str:
    return f"known from {counted(starts, 'start')}" if starts else "assumed"


def _digits(percent: float) -> int:
    return 0 if percent >= 10 or not math.isfinite(percent) else 1
