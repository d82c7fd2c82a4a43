"""One verdict for each pair of samples: what `middlemark verdict` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from middlemark.records.figures import Better
from middlemark.records.record import Record
from middlemark.verdict.estimate import LEVEL, Comparison, Terms, compare
from middlemark.verdict.sample_file import SamplePair
from middlemark.verdict.words import Judgement, Word, judge
from middlemark.wording import TIMES, counted


class PairVerdict(Record):
    """What may be concluded of `b` against `a`.

    `ratio` is the geometric mean of b ÷ a over the rounds, `low` and `high` its 95 % interval, `p_value` the
    probability that equal sides lie at least that far apart (with Holm's correction when pairs are judged together);
    None where there are too few rounds for them. `min_ratio` and `max_ratio` are those of single rounds. `reason` is
    why it cannot be told, and how many more rounds would decide.
    """

    pair: str
    a: str
    b: str
    rounds: int
    ratio: float
    low: float | None
    high: float | None
    min_ratio: float
    max_ratio: float
    p_value: float | None
    verdict: Word
    reason: str


class PairVerdicts(Record):
    """The verdicts of a file of samples; `better` is which value is the faster side's.

    `holm`: all pairs were judged together.
    """

    v: Literal[1] = 1
    confidence: float
    better: Better
    holm: bool
    pairs: tuple[PairVerdict, ...]


def judge_pairs(pairs: Sequence[SamplePair], better: Better, *, holm: bool) -> PairVerdicts:
    """Return a verdict for each pair: each judged by itself, or with `holm` all together.

    Nothing is known of the samples but themselves: each round is a start of its own.
    """
    compared = [compare(pair.rounds, Terms(better)) for pair in pairs]
    judgements = judge(compared) if holm else [judge([comparison])[0] for comparison in compared]
    verdicts = tuple(map(_verdict, pairs, compared, judgements))
    return PairVerdicts(confidence=1 - LEVEL, better=better, holm=holm, pairs=verdicts)


def _verdict(pair: SamplePair, comparison: Comparison, judgement: Judgement) -> PairVerdict:
    interval = comparison.interval
    return PairVerdict(
        pair=pair.name,
        a=pair.a,
        b=pair.b,
        rounds=len(comparison.rounds),
        ratio=comparison.ratio or 0.0,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        min_ratio=comparison.min_ratio,
        max_ratio=comparison.max_ratio,
        p_value=judgement.p_value,
        verdict=judgement.word,
        reason=judgement.reason,
    )


def verdict_lines(verdicts: PairVerdicts) -> Iterator[str]:
    """Yield a line for each pair and, last, how often each verdict was found and under which terms."""
    for one in verdicts.pairs:
        interval = "" if one.low is None or one.high is None else f", 95 % interval {one.low:.3f} … {one.high:.3f}"
        verdict = f"{one.verdict} ({counted(one.rounds, 'round')})"
        reason = f", {one.reason}" if one.reason else ""
        yield f"{one.pair}: {one.b} {one.ratio:.3f} {TIMES} {one.a}{interval}: {verdict}{reason}"
    words = Counter(one.verdict for one in verdicts.pairs)
    every = (Word.FASTER, Word.SLOWER, Word.EQUAL, Word.UNDECIDED)
    by_word = ", ".join(f"{words[word]:,} {word}" for word in every)
    yield f"{counted(len(verdicts.pairs), 'pair')}: {by_word}; {_terms(verdicts)}"


def _terms(verdicts: PairVerdicts) -> str:
    together = "judged together (Holm)" if verdicts.holm else "each judged by itself"
    return f"{verdicts.better} is faster, {together}"
