"""One verdict for each pair of samples: what `middlemark verdict` prints."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from middlemark.errors import InputError
from middlemark.records.figures import Better
from middlemark.records.findings import Round
from middlemark.records.record import Record
from middlemark.verdict.estimate import LEVEL, Ratio, Terms, compare
from middlemark.verdict.words import Judgement, Word, judge
from middlemark.wording import TIMES, counted

COLUMNS = ("pair", "round", "subject", "value")
EXAMPLE = f"Its first line is {','.join(COLUMNS)}"
_Rounds = dict[str, dict[str, tuple[float, int]]]
"""By round and subject the value and its line."""


@dataclass(frozen=True)
class SamplePair:
    """Two subjects measured in the same rounds; `a` is the one that the file names first, also in other pairs."""

    name: str
    a: str
    b: str
    rounds: tuple[Round, ...]


def read_pairs(path: Path) -> list[SamplePair]:
    """The pairs of a file in the order in which it names them.

    Other columns are passed over, and so are empty lines. Raises InputError with the line of what is wrong: a missing
    column or value, a value that is not a number above zero, a round that is there twice or has one subject only, a
    pair without two subjects.
    """
    pairs: dict[str, _Rounds] = {}
    subjects: dict[str, None] = {}
    for line, row in _rows(path):
        subjects.setdefault(row["subject"])
        values = pairs.setdefault(row["pair"], {}).setdefault(row["round"], {})
        if row["subject"] in values:
            raise InputError(
                f"pair {row['pair']}, round {row['round']}: {row['subject']} is there twice, first in line "
                f"{values[row['subject']][1]}",
                where=f"{path}:{line}",
                todo="A round holds one value of each subject",
            )
        values[row["subject"]] = (_value(row["value"], f"{path}:{line}"), line)
    if not pairs:
        raise InputError("the file has no samples", where=str(path), todo=f"{EXAMPLE}, each further one a sample")
    return [_pair(name, rounds, list(subjects), path) for name, rounds in pairs.items()]


def _pair(name: str, by_round: _Rounds, names: list[str], path: Path) -> SamplePair:
    found = sorted({subject for values in by_round.values() for subject in values}, key=names.index)
    if len(found) != 2:
        many = f"{len(found)} subjects ({', '.join(found)})" if len(found) > 1 else f"one subject only ({found[0]})"
        ((_, first), *_) = next(iter(by_round.values())).values()
        raise InputError(f"pair {name} has {many}", where=f"{path}:{first}", todo="A pair compares two subjects")
    a, b = found
    for number, values in by_round.items():
        if len(values) < 2:
            ((only, (_, line)),) = values.items()
            raise InputError(
                f"pair {name}, round {number} has one subject only ({only})",
                where=f"{path}:{line}",
                todo=f"Add the value of {b if only == a else a}, or leave the round out",
            )
    rounds = [Round(place, values[a][0], values[b][0], place) for place, values in enumerate(by_round.values())]
    return SamplePair(name, a, b, tuple(rounds))


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield each row with its line; every column of COLUMNS has a text in it."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines, strict=True)
            _check_columns(reader.fieldnames, path)
            for row in reader:
                yield reader.line_num, _complete(row, f"{path}:{reader.line_num}")
    except OSError as error:
        raise InputError(f"cannot read these samples ({error.strerror})", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("this file is not UTF-8 text", where=str(path), todo=EXAMPLE) from error
    except csv.Error as error:
        raise InputError(
            f"this is not a line of a CSV file ({error})", where=f"{path}:{reader.reader.line_num}"
        ) from error


def _check_columns(found: Sequence[str] | None, path: Path) -> None:
    names = found or ()
    for column in COLUMNS:
        if names.count(column) != 1:
            there = f"it has {', '.join(map(repr, names))}" if names else "the file is empty"
            twice = column in names
            what = f"the column '{column}' is there twice" if twice else f"the column '{column}' is missing ({there})"
            raise InputError(what, where=f"{path}:1", todo=EXAMPLE)


def _complete(row: Mapping[str | None, object], where: str) -> dict[str, str]:
    if None in row:
        raise InputError(
            "expected one value for each column, found more", where=where, todo="Quote a value with a comma"
        )
    texts = {column: str(row[column] or "").strip() for column in COLUMNS}
    for column, text in texts.items():
        if not text:
            raise InputError(f"the {column} is missing", where=where, todo="Every sample has all four")
    return texts


def _value(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise InputError(f"'{text}' is not a number", where=where, todo="Write a value like 1234.5") from error
    if not (math.isfinite(value) and value > 0):
        raise InputError(
            f"expected a value above zero, found {text}", where=where, todo="Ratios need values above zero"
        )
    return value


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
    """A verdict for each pair: each judged by itself, or with `holm` all together.

    Nothing is known of the samples but themselves: each round is a start of its own.
    """
    compared = [compare(pair.rounds, Terms(better)) for pair in pairs]
    judgements = judge(compared) if holm else [judge([comparison])[0] for comparison in compared]
    verdicts = tuple(map(_verdict, pairs, compared, judgements))
    return PairVerdicts(confidence=1 - LEVEL, better=better, holm=holm, pairs=verdicts)


def _verdict(pair: SamplePair, comparison: Ratio, judgement: Judgement) -> PairVerdict:
    interval = comparison.interval
    return PairVerdict(
        pair=pair.name,
        a=pair.a,
        b=pair.b,
        rounds=len(comparison.rounds),
        ratio=comparison.ratio or 0.0,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        min_ratio=min(one.ratio for one in pair.rounds),
        max_ratio=max(one.ratio for one in pair.rounds),
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
    together = "judged together (Holm)" if verdicts.holm else "each judged by itself"
    yield f"{counted(len(verdicts.pairs), 'pair')}: {by_word}; {verdicts.better} is faster, {together}"
