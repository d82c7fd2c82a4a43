"""The word for a comparison: what its estimate and the comparisons beside it allow to conclude."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from middlemark.records.figures import Better
from middlemark.verdict.estimate import LEVEL, MIN_ROUNDS, Interval, LogRatio, Prior, Ratio
from middlemark.wording import TIMES, counted

# By the number of starts that a run is to have, as the profiles quick, laptop and publishable. The last level is that
# of the first start which `--resume` adds; each further one has half of the one before, so that all together stay at
# 5 % whatever ends the run: 0.04 + 0.005 + 0.0025 + … .
QUICK = (0.04, 0.005)
LAPTOP = (0.02, 0.02, 0.005)
PUBLISHABLE = (0.005, 0.005, 0.01, 0.025, 0.0025)
# The pairs by the metric that leads have this share of a look's level, all other metrics together the rest.
LEADING_SHARE = 0.8


def levels_for(starts: int) -> tuple[float, ...]:
    """Levels of a run that is to have so many starts; those beyond four share what the fourth has."""
    few = {1: QUICK, 2: LAPTOP, 3: (*PUBLISHABLE[:2], 0.035, 0.0025)}
    if starts in few:
        return few[starts]
    *first, last, added = PUBLISHABLE
    return (*first, *[last / (starts - 3)] * (starts - 3), added)


def level_of_look(alphas: Sequence[float], starts: int) -> float:
    """The level of the look after so many starts.

    With one level there is one look, after the last start. Source: Jennison and Turnbull, Group sequential methods
    (1999), repeated confidence intervals: whatever the rule by which a run ends, no more than the sum is false.
    """
    if len(alphas) == 1 or starts <= len(alphas):
        return alphas[0] if len(alphas) == 1 else alphas[max(starts, 1) - 1]
    return float(alphas[-1] / 2 ** (starts - len(alphas)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Each probability as it counts among the others, in the order given, at most 1.

    The probability that any of the comparisons of equal sides falls below a level is at most that level. Source:
    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
    """
    rising = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(rising):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted


def step_levels(p_values: Sequence[float], level: float) -> list[float]:
    """At which level each comparison is decided, in the order given.

    Those that Holm decides have the level of their step, all others that of the step at which he stops: an interval at
    that level excludes "equal" exactly where the adjusted probability is below `level`.
    """
    rising = sorted(range(len(p_values)), key=p_values.__getitem__)
    levels = [level] * len(p_values)
    stopped: float | None = None
    for rank, place in enumerate(rising):
        step = level / (len(p_values) - rank)
        if stopped is None and p_values[place] >= step:
            stopped = step
        levels[place] = stopped or step
    return levels


# Closer than this two sides are equal for every purpose that the figures serve.
EQUAL_WITHIN = 0.05
# An interval wider than this says nothing, and its ends look like figures.
MAX_APART = 100


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

    `interval` is the one that the word follows from, at the level that the comparison has among the others. `p_value`
    is corrected by Holm. Both are None where no word needed them. `more_starts` would decide such a difference.
    `assumed` is the spread between starts that was taken, as a single start cannot show it.
    """

    word: Word
    size: str = ""
    reason: str = ""
    interval: Interval | None = None
    p_value: float | None = None
    more_starts: int | None = None
    assumed: str = ""

    @property
    def verdict(self) -> str:
        """The word with the percentages that it asserts, or that are open."""
        if self.interval is None or self.word in {Word.EQUAL, Word.STILL_FASTER}:
            return self.word.value
        if self.word not in DECIDED and self.interval.high >= MAX_APART * self.interval.low:
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
        return "; ".join(part for part in (whole, self.reason, self.assumed) if part)


def judge(together: Sequence[Ratio], level: float = LEVEL, minutes_of_start: float | None = None) -> list[Judgement]:
    """A judgement for each comparison, in the order given; `minutes_of_start` is how long a further start takes.

    Of all that can decide, corrected by Holm, any word of a direction is false with probability `level` at most.
    """
    found = {place: one.estimate.p_value() for place, one in enumerate(together) if one.estimate and one.is_enough}
    able = {place: p_value for place, p_value in found.items() if p_value is not None}
    p_values = list(able.values())
    adjusted = dict(zip(able, holm(p_values), strict=True))
    levels = dict(zip(able, step_levels(p_values, level), strict=True))
    return [
        _judged(one, _Holm(level, levels[place], adjusted[place], minutes_of_start)) if place in able else _too_few(one)
        for place, one in enumerate(together)
    ]


def percentages(interval: Interval) -> str:
    """Ends of an interval of a ratio as signed percentages: `-3.1 … +12.0 %`; of one that says nothing, in words."""
    if interval.high >= MAX_APART * interval.low:
        return "no useful interval"
    low, high = (100 * (end - 1) for end in (interval.low, interval.high))
    digits = _digits(max(abs(low), abs(high)))
    return f"{low:+,.{digits}f} … {high:+,.{digits}f} %"


def size_text(comparison: Ratio) -> str:
    """Over how many starts and rounds: `1 start × 3 rounds`, `4 rounds` of as many starts, `2 starts, 5 rounds`."""
    by_start = Counter(one.start for one in comparison.rounds)
    numbers = set(by_start.values())
    if numbers == {1}:
        return counted(len(by_start), "round")
    if len(numbers) == 1:
        return f"{counted(len(by_start), 'start')} {TIMES} {counted(numbers.pop(), 'round')}"
    return f"{counted(len(by_start), 'start')}, {counted(len(comparison.rounds), 'round')}"


def _too_few(comparison: Ratio) -> Judgement:
    if not comparison.rounds:
        return Judgement(Word.NO_ROUNDS)
    needed = comparison.terms.needed
    what = f"{needed} rounds of a start" if needed > 1 else f"{MIN_ROUNDS} rounds"
    return Judgement(Word.UNDECIDED, size_text(comparison), f"a word needs {what} that both sides have")


@dataclass(frozen=True)
class _Holm:
    """Where a comparison is among the others: the level of all, its own by Holm, its probability corrected by him."""

    level: float
    own_level: float
    p_value: float
    minutes_of_start: float | None


def _judged(comparison: Ratio, place: _Holm) -> Judgement:
    estimate = comparison.estimate
    interval = estimate.interval(place.own_level) if estimate else None
    if estimate is None or interval is None:
        return _too_few(comparison)
    better = comparison.terms.better
    word = _word_of(estimate, interval, better, (place.p_value < place.level, place.own_level))
    more = estimate.more_starts(place.own_level) if word is Word.UNDECIDED else None
    reasons = [*_why_undecided(estimate, place)] if word is Word.UNDECIDED else []
    if more is not None:
        reasons.append(_more_text(comparison, more, place.minutes_of_start))
    if word is Word.STILL_FASTER:
        reasons.append(f"its figure may still change by {100 * max(estimate.up, estimate.down):.1f} %")
    assumed = _assumed(comparison.terms.a, comparison.terms.b) if estimate.starts == 1 else ""
    return Judgement(word, size_text(comparison), "; ".join(reasons), interval, place.p_value, more, assumed)


def _word_of(estimate: LogRatio, interval: Interval, better: Better, judged: tuple[bool, float]) -> Word:
    """The word for an estimate, by whether its difference is certain and the level that it has among the others."""
    is_certain, level = judged
    if is_certain:
        return Word.FASTER if (estimate.log > 0) == (better is Better.HIGHER) else Word.SLOWER
    if interval.low > 1 / (1 + EQUAL_WITHIN) and interval.high < 1 + EQUAL_WITHIN:
        return Word.EQUAL
    warm = estimate.p_value(rests=False)
    return Word.STILL_FASTER if warm is not None and warm < level else Word.UNDECIDED


def _why_undecided(estimate: LogRatio, place: _Holm) -> Iterator[str]:
    alone = estimate.p_value()
    if alone is not None and alone < place.level:
        yield f"as one of {round(place.level / place.own_level)} comparisons (Holm)"
    processes = estimate.of_processes(place.own_level)
    # Of starts with one round each, the processes are not known apart from the platforms.
    if processes is not None:
        yield f"these processes: {percentages(processes)}"


def _more_text(comparison: Ratio, more: int, minutes_of_start: float | None) -> str:
    if comparison.terms.needed == 1:
        return f"about {counted(more, 'more round')} would decide a difference of this size"
    minutes = more * (minutes_of_start or 0.0)
    time = f" ({minutes:,.0f} min)" if minutes >= 1 else ""
    return f"about {counted(more, 'more start')}{time} would decide a difference of this size"


def _assumed(a: Prior, b: Prior) -> str:
    """What was taken for the spread between starts that a single start cannot show; empty where nothing was."""
    known = dict.fromkeys((one.spread.sigma, one.spread.starts) for one in (a, b) if one.spread.degrees)
    whence = {n: f"assumed, and seen in {counted(n, 'earlier start')}" if n else "assumed" for _, n in known}
    texts = [f"{100 * sigma:.1f} % ({whence[starts]})" for sigma, starts in known]
    return f"spread between starts {' and '.join(texts)}" if texts else ""


def _digits(percent: float) -> int:
    return 0 if percent >= 10 or not math.isfinite(percent) else 1
