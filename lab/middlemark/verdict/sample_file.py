"""Samples of pairs in a CSV file, read into rounds: columns pair, round, subject, value."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.errors import InputError
from middlemark.verdict.estimate import Round

COLUMNS = ("pair", "round", "subject", "value")
EXAMPLE = f"Its first line is {','.join(COLUMNS)}"


@dataclass(frozen=True)
class SamplePair:
    """Two subjects measured in the same rounds; `a` is the one that the file names first, also in other pairs."""

    name: str
    a: str
    b: str
    rounds: tuple[Round, ...]


@dataclass
class _Rows:
    """The rows of one pair: the value and the line of each subject in each round."""

    line: int
    rounds: dict[str, dict[str, tuple[float, int]]] = field(default_factory=dict)


def read_pairs(path: Path) -> list[SamplePair]:
    """Return the pairs of a file in the order in which it names them.

    Other columns are passed over, and so are empty lines. Raises InputError with the line of what is wrong: a missing
    column or value, a value that is not a number above zero, a round that is there twice or has one subject only, a
    pair without two subjects.
    """
    pairs: dict[str, _Rows] = {}
    subjects: dict[str, None] = {}
    for line, row in _rows(path):
        subjects.setdefault(row["subject"])
        rows = pairs.setdefault(row["pair"], _Rows(line))
        values = rows.rounds.setdefault(row["round"], {})
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
    names = list(subjects)
    return [_pair(name, rows, names, path) for name, rows in pairs.items()]


def _pair(name: str, rows: _Rows, names: list[str], path: Path) -> SamplePair:
    found = sorted({subject for values in rows.rounds.values() for subject in values}, key=names.index)
    if len(found) != 2:
        many = f"{len(found)} subjects ({', '.join(found)})" if len(found) > 1 else f"one subject only ({found[0]})"
        raise InputError(f"pair {name} has {many}", where=f"{path}:{rows.line}", todo="A pair compares two subjects")
    a, b = found
    for number, values in rows.rounds.items():
        if len(values) < 2:
            ((only, (_, line)),) = values.items()
            raise InputError(
                f"pair {name}, round {number} has one subject only ({only})",
                where=f"{path}:{line}",
                todo=f"Add the value of {b if only == a else a}, or leave the round out",
            )
    rounds = [Round(place, values[a][0], values[b][0], place) for place, values in enumerate(rows.rounds.values())]
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
    """Return the texts of COLUMNS without blanks around them."""
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
