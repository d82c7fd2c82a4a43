"""The tables of how many times faster one subject is than another, load by load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.report.figure import Cell, Style, Table
from middlemark.verdict.estimate import Comparison
from middlemark.verdict.multiples import Multiple, MultipleGroup, MultiplePair, alike_but_subject, multiples
from middlemark.verdict.naming import choices_in_words
from middlemark.verdict.sharing import times_not_ranked
from middlemark.wording import TIMES, counted

# More groups than this are folded away, but for the first.
MAX_OPEN = 2
THROUGHPUT, RESPONSE_TIME = "throughput", "response time"


@dataclass(frozen=True)
class MultipleTable:
    """The multiples of one group: its name, empty when all combinations are in it, and what was not compared."""

    name: str
    table: Table
    not_compared: tuple[str, ...]
    is_open: bool


@dataclass(frozen=True)
class MultipleTables:
    """The tables of all groups and what to know of all of them."""

    tables: tuple[MultipleTable, ...]
    note: str


def multiple_tables(result: Result) -> MultipleTables | None:
    """Return a table for each group of subjects that differ in nothing else; None where there is none."""
    groups = multiples(result)
    if not groups:
        return None
    several = len(alike_but_subject(result.run)) > 1
    tables = (
        MultipleTable(
            choices_in_words(group.pairs[0].a) if several else "",
            _table(result, group),
            tuple(f"{_names(pair)}: {pair.not_compared}" for pair in group.pairs if pair.not_compared),
            number == 0 or len(groups) <= MAX_OPEN,
        )
        for number, group in enumerate(groups)
    )
    return MultipleTables(tuple(tables), _note(result, groups))


def _note(result: Result, groups: Sequence[MultipleGroup]) -> str:
    every = [one for group in groups for pair in group.pairs for one in pair.multiples]
    ratios = [ratio for one in every for ratio in (one.throughput, one.response_time)]
    intervals = sum(_has_interval(ratio) for ratio in ratios)
    note = "Where too few rounds count, their range stands in the place of an interval."
    if intervals:
        note = f"Of {counted(intervals, 'interval')}, each by itself, about {max(1, round(intervals * 0.05))} "
        note += "can be expected to miss by chance."
    note += " No word follows from one of them: words stand at the comparisons on top, corrected for their number."
    if reason := times_not_ranked(result):
        note += f" Response times are shown, not ranked: {reason}."
    return note


def _table(result: Result, group: MultipleGroup) -> Table:
    rows = [row for pair in group.pairs if not pair.not_compared for row in _rows(result, group, pair)]
    return Table(("pair", "of", *(f"#{result.run.load_name(load)}" for load in group.loads)), tuple(rows))


def _rows(result: Result, group: MultipleGroup, pair: MultiplePair) -> Iterator[tuple[Cell, ...]]:
    at = {one.load: one for one in pair.multiples}
    for name in (THROUGHPUT, RESPONSE_TIME):
        cells = [_cell(result, at.get(load), name) for load in group.loads]
        yield (Cell(_names(pair) if name == THROUGHPUT else ""), Cell(name), *cells)


def _names(pair: MultiplePair) -> str:
    return f"{pair.b.subject} ÷ {pair.a.subject}"


def _cell(result: Result, one: Multiple | None, name: str) -> Cell:
    if one is None:
        return Cell("not measured", style=Style.MUTED)
    comparison = one.throughput if name == THROUGHPUT else one.response_time
    if comparison.ratio is None:
        return Cell(one.reason or "no response time", style=Style.MUTED)
    text = f"{_digits(comparison.ratio)} {TIMES}{_spread(comparison)}"
    missing = result.run.repeats - len(comparison.rounds)
    return Cell(f"{text}, {counted(len(comparison.rounds), 'round')}" if missing else text, exact=comparison.ratio)


def _spread(comparison: Comparison) -> str:
    if comparison.interval and _has_interval(comparison):
        return f"\n({_digits(comparison.interval.low)} … {_digits(comparison.interval.high)})"
    if len(comparison.rounds) > 1:
        return f"\n[{_digits(comparison.min_ratio)} … {_digits(comparison.max_ratio)}]"
    return ""


def _has_interval(comparison: Comparison) -> bool:
    return comparison.interval is not None


def _digits(ratio: float) -> str:
    """Return a ratio with about three digits."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"
