"""The papers' ratios and their counterparts in the run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.published import PublishedRatio, PublishedSource, read_published
from middlemark.report.figure import Cell, Style, Table
from middlemark.verdict.comparison import Comparison
from middlemark.verdict.counterparts import Counterpart, counterparts
from middlemark.verdict.judgement import MIN_BLOCKS
from middlemark.verdict.naming import short_names
from middlemark.wording import TIMES, counted

COLUMNS = ("ratio of costs", "published", "from", "#here", "blocks here", "of this run", "why it is not the same thing")


@dataclass(frozen=True)
class PublishedTable:
    """The ratios of one paper with their counterparts in the run."""

    source: str
    measured: str
    table: Table


def published_tables(result: Result) -> list[PublishedTable]:
    """Return a table for each paper whose ratios have counterparts in this run."""
    published = read_published(result.folder)
    return [
        PublishedTable(source.source, source.measured, Table(COLUMNS, tuple(_rows(result, source))))
        for source in (published.sources if published else ())
    ]


def _rows(result: Result, source: PublishedSource) -> Iterator[tuple[Cell, ...]]:
    names = short_names(result.run.combinations)
    for ratio in source.ratios:
        pairs = counterparts(result, ratio)
        for pair in pairs:
            sides = f"{names[pair.upper.path]} ÷ {names[pair.lower.path]}, CPU time of {' + '.join(ratio.tiers)}"
            yield (*_theirs(ratio), *_ours(pair), Cell(sides), Cell(ratio.note))
        if not pairs:
            none = Cell("none", style=Style.MUTED)
            yield (*_theirs(ratio), none, Cell(""), Cell("not in this run", style=Style.MUTED), Cell(ratio.note))


def _theirs(ratio: PublishedRatio) -> tuple[Cell, ...]:
    none = Cell("none", style=Style.MUTED)
    printed = none if ratio.ratio is None else Cell(f"{ratio.ratio:.2f} {TIMES}")
    return Cell(f"{ratio.test}: {ratio.text}"), printed, Cell(ratio.figures)


def _ours(pair: Counterpart) -> tuple[Cell, ...]:
    comparison = pair.comparison
    if comparison.ratio is None:
        return Cell("none", style=Style.MUTED), Cell("no block in which both count")
    return Cell(f"{comparison.ratio:.2f} {TIMES}", exact=comparison.ratio), Cell(_spread(comparison))


def _spread(comparison: Comparison) -> str:
    blocks = counted(len(comparison.blocks), "block")
    spread = f"{comparison.min_ratio:.2f} … {comparison.max_ratio:.2f} ({blocks})"
    if comparison.interval is None or len(comparison.blocks) < MIN_BLOCKS:
        return spread
    return f"{spread}, 95 % interval {comparison.interval.low:.2f} … {comparison.interval.high:.2f}"
