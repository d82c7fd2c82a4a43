"""How often the verdict on two equal builds is false, and how often a build that burns more is called slower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import geometric_mean

from checks.verdicts.builds import BURNING, EQUAL
from middlemark.errors import InputError, TargetError
from middlemark.records.folder import Result
from middlemark.records.run import Combination, Load
from middlemark.verdict.estimate import MIN_ROUNDS, Round
from middlemark.verdict.metrics import CPU_TIME
from middlemark.verdict.pair_verdicts import PairVerdict, PairVerdicts, judge_pairs
from middlemark.verdict.sample_file import COLUMNS, SamplePair
from middlemark.verdict.words import DECIDED, Word

MAX_FALSE = 0.1
MIN_FOUND = 0.8


@dataclass(frozen=True)
class Count:
    """How many of the comparisons had a verdict of the kind that is counted."""

    of_that_kind: int
    all: int


def pairs_of(result: Result) -> list[SamplePair]:
    """Return every two builds at every load, by CPU time per transaction, over the rounds in which both count.

    Raises InputError for a run without one of the builds.
    """
    by_name = {one.subject: one for one in result.run.combinations}
    missing = [name for name in (*EQUAL, BURNING) if name not in by_name]
    if missing:
        raise InputError(
            f"this run has no {', '.join(missing)}",
            where=str(result.folder),
            todo="Choose a result of `make bench-verdicts`",
        )
    named = [*combinations(EQUAL, 2), *((one, BURNING) for one in EQUAL)]
    return [
        SamplePair(f"{a} and {b} at {load:g}", a, b, tuple(_rounds(result, (by_name[a], by_name[b]), load)))
        for a, b in named
        for load in result.run.loads
    ]


def require_rounds(pairs: Sequence[SamplePair]) -> None:
    """Raise TargetError when a pair has too few rounds for any verdict.

    Equal builds would count as right, and the burning one as missed.
    """
    few = [f"{pair.name} ({len(pair.rounds)})" for pair in pairs if len(pair.rounds) < MIN_ROUNDS]
    if few:
        raise TargetError(
            f"too few rounds in which both builds count, {MIN_ROUNDS} are needed: {', '.join(few)}",
            todo="Look in the report why their points are INVALID, and measure again",
        )


def verdicts_of(pairs: Sequence[SamplePair]) -> PairVerdicts:
    """Return the verdict on each pair by itself."""
    return judge_pairs(pairs, CPU_TIME.better, holm=False)


def false_verdicts(verdicts: PairVerdicts) -> Count:
    """Return how many pairs of equal builds are said to differ."""
    equal = [one for one in verdicts.pairs if BURNING not in {one.a, one.b}]
    return Count(sum(_decided(one) for one in equal), len(equal))


def found_slower(verdicts: PairVerdicts) -> Count:
    """Return how many pairs say that the build that burns more is slower."""
    unequal = [one for one in verdicts.pairs if one.b == BURNING]
    return Count(sum(one.verdict == Word.SLOWER for one in unequal), len(unequal))


def burning_ratio(pairs: Sequence[SamplePair]) -> float:
    """Return CPU time per transaction of the burning build ÷ that of an equal one: geometric mean over all rounds."""
    return geometric_mean(each.b / each.a for pair in pairs if pair.b == BURNING for each in pair.rounds)


def is_met(false: Count, slower: Count) -> bool:
    """Tell whether no more verdicts are false, and no fewer found, than the kit promises."""
    return false.of_that_kind <= MAX_FALSE * false.all and slower.of_that_kind >= MIN_FOUND * slower.all


def sample_lines(pairs: Sequence[SamplePair]) -> Iterator[str]:
    """Yield the lines of a file that `middlemark verdict` reads."""
    yield ",".join(COLUMNS)
    for pair in pairs:
        for each in pair.rounds:
            for subject, value in ((pair.a, each.a), (pair.b, each.b)):
                yield f"{pair.name},{each.repeat},{subject},{value!r}"


def _decided(one: PairVerdict) -> bool:
    return one.verdict in {word.value for word in DECIDED}


def _rounds(result: Result, pair: tuple[Combination, Combination], load: Load) -> Iterator[Round]:
    sides = [{p.repeat: CPU_TIME.of(p.verdict) for p in result.of(one, load) if p.verdict and p.valid} for one in pair]
    for repeat in sorted(sides[0].keys() & sides[1].keys()):
        yield Round(repeat, sides[0][repeat], sides[1][repeat], repeat)
