"""The papers' ratios and their counterparts in the run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.published import PublishedRatio, PublishedSource, RatioOf, read_published
from middlemark.report.figure import Cell, Style, Table
from middlemark.verdict.counterparts import Counterpart, counterparts
from middlemark.verdict.estimate import Comparison
from middlemark.verdict.metrics import CPU_TIME
from middlemark.verdict.naming import label, short_names
from middlemark.wording import TIMES, counted

NOT_HERE = "not in this run"
NO_ROUND = "no round in which both count"
NO_PEAK = "a peak is not known"

Found = list[tuple[PublishedRatio, list[Counterpart]]]


@dataclass(frozen=True)
class PublishedTable:
    """The ratios of one paper with their counterparts in the run; `here` is what those are ratios of.

    Where the paper has ratios of several systems, `matrix` has a row for each ratio, and `notes` why it is not the same
    thing.
    """

    source: str
    measured: str
    here: str
    table: Table
    matrix: Table | None = None
    notes: tuple[tuple[str, str], ...] = ()


def published_tables(result: Result) -> list[PublishedTable]:
    """Return a table for each paper whose ratios have counterparts in this run."""
    published = read_published(result.folder)
    return [_tables(result, source) for source in (published.sources if published else ())]


def _tables(result: Result, source: PublishedSource) -> PublishedTable:
    found = [(ratio, counterparts(result, ratio)) for ratio in source.ratios]
    notes = dict.fromkeys((ratio.test, ratio.note) for ratio in source.ratios)
    several = any(ratio.system for ratio in source.ratios)
    return PublishedTable(
        source.source,
        source.measured,
        _here(result, source),
        _table(result, found, with_notes=not several),
        _matrix(found) if several else None,
        tuple(notes) if several else (),
    )


def _here(result: Result, source: PublishedSource) -> str:
    cost = f"{CPU_TIME.title(result.run.specification)} at {result.run.top_name}"
    texts = {RatioOf.COST: cost, RatioOf.THROUGHPUT: "throughput", RatioOf.RESPONSE_TIME: "mean response time"}
    every = dict.fromkeys(ratio.of for ratio in source.ratios)
    at_peaks = ", each side at its own peak" if every.keys() - {RatioOf.COST} else ""
    return " or ".join(texts[of] for of in every) + at_peaks


def _matrix(found: Found) -> Table:
    """Return a row for each ratio: a column for each system of the paper, then one for each side of this run."""
    systems = tuple(dict.fromkeys(ratio.system for ratio, _ in found))
    here = tuple(dict.fromkeys(_column(*one) for one in _every(found)))
    rows = []
    for test, text in dict.fromkeys((ratio.test, ratio.text) for ratio, _ in found):
        own = [(ratio, pairs) for ratio, pairs in found if (ratio.test, ratio.text) == (test, text)]
        theirs = {ratio.system: ratio for ratio, _ in own}
        ours = {_column(ratio, pair): pair for ratio, pair in _every(own)}
        printed = (_printed(theirs.get(system)) for system in systems)
        rows.append((Cell(text), *printed, *(_measured(ours.get(column)) for column in here)))
    columns = (*(f"published: {system}" for system in systems), *(f"#here: {one}" for one in here))
    return Table(("ratio", *columns), tuple(rows))


def _every(found: Found) -> Iterator[tuple[PublishedRatio, Counterpart]]:
    return ((ratio, pair) for ratio, pairs in found for pair in pairs)


def _column(ratio: PublishedRatio, pair: Counterpart) -> str:
    """Return the subject and what both sides have in common, be it chosen or by the ratio."""
    sides = (pair.upper.modes | (ratio.upper_here or {}), pair.lower.modes | (ratio.lower_here or {}))
    return label(pair.upper.subject, {key: value for key, value in sides[0].items() if sides[1].get(key) == value})


def _printed(ratio: PublishedRatio | None) -> Cell:
    if ratio is None:
        return Cell("", style=Style.MUTED)
    if ratio.ratio is None:
        return Cell(ratio.figures, style=Style.MUTED)
    return Cell(f"{ratio.ratio:.2f}", exact=ratio.ratio)


def _measured(pair: Counterpart | None) -> Cell:
    if pair is None:
        return Cell(NOT_HERE, style=Style.MUTED)
    comparison = pair.comparison
    if comparison.ratio is None:
        return Cell(_why_none(pair), style=Style.MUTED)
    interval = comparison.interval
    if interval is None:
        return Cell(f"{comparison.ratio:.2f} ({counted(len(comparison.rounds), 'round')})", exact=comparison.ratio)
    return Cell(f"{comparison.ratio:.2f} ({interval.low:.2f} … {interval.high:.2f})", exact=comparison.ratio)


def _table(result: Result, found: Found, *, with_notes: bool) -> Table:
    kind = "ratio of costs" if {ratio.of for ratio, _ in found} <= {RatioOf.COST} else "ratio"
    columns = (kind, "published", "from", "#here", "rounds here", "of this run")
    rows = ((*row, Cell(ratio.note)) if with_notes else row for ratio, row in _rows(result, found))
    return Table((*columns, "why it is not the same thing") if with_notes else columns, tuple(rows))


def _rows(result: Result, found: Found) -> Iterator[tuple[PublishedRatio, tuple[Cell, ...]]]:
    for ratio, pairs in found:
        for pair in pairs:
            yield ratio, (*_theirs(ratio), *_ours(pair), Cell(_sides(result, ratio, pair)))
        if not pairs:
            none = Cell("none", style=Style.MUTED)
            yield ratio, (*_theirs(ratio), none, Cell(""), Cell(NOT_HERE, style=Style.MUTED))


def _sides(result: Result, ratio: PublishedRatio, pair: Counterpart) -> str:
    names = short_names(result.run.combinations)
    sides = f"{names[pair.upper.path]} ÷ {names[pair.lower.path]}"
    if ratio.of is RatioOf.COST:
        return f"{sides}, CPU time of {' + '.join(ratio.tiers)}"
    if pair.loads is None:
        return sides
    upper, lower = map(result.run.load_name, pair.loads)
    return f"{sides}, at {upper} and {lower}"


def _theirs(ratio: PublishedRatio) -> tuple[Cell, ...]:
    none = Cell("none", style=Style.MUTED)
    printed = none if ratio.ratio is None else Cell(f"{ratio.ratio:.2f} {TIMES}")
    text = f"{ratio.test}: {ratio.text}" + (f"; {ratio.system}" if ratio.system else "")
    return Cell(text), printed, Cell(ratio.figures)


def _ours(pair: Counterpart) -> tuple[Cell, ...]:
    comparison = pair.comparison
    if comparison.ratio is None:
        return Cell("none", style=Style.MUTED), Cell(_why_none(pair))
    return Cell(f"{comparison.ratio:.2f} {TIMES}", exact=comparison.ratio), Cell(_spread(comparison))


def _why_none(pair: Counterpart) -> str:
    return NO_PEAK if pair.loads is None else pair.reason or NO_ROUND


def _spread(comparison: Comparison) -> str:
    rounds = counted(len(comparison.rounds), "round")
    spread = f"{comparison.min_ratio:.2f} … {comparison.max_ratio:.2f} ({rounds})"
    if comparison.interval is None:
        return spread
    return f"{spread}, 95 % interval {comparison.interval.low:.2f} … {comparison.interval.high:.2f}"
