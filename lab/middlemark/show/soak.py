"""A soak in the report: its verdict, a chart of each quantity over the whole time, and a table of all changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from middlemark.records.findings import Findings
from middlemark.records.soak import Quantity, Soak, SoakSeries
from middlemark.show.chart import PHONE, WIDE, Size
from middlemark.show.tables import Cell, Heading, Picture, Style, Text, blocks, fold, table
from middlemark.show.xy import Chart, Line
from middlemark.wording import moment, rounded, sentence

TALL, TALL_ON_PHONE = Size(WIDE, 190), Size(PHONE, 190)
# The longest unit of which there are two or more, with its seconds.
UNITS = (("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
EXPLAINED = (
    "Sustained: throughput ends within 10 % of its best level and never stalled, and mean response and errors are "
    "within their limits. Memory, connections and disk do not decide. Memory is that of all processes of a tier "
    "together, and of each where a tier has several. Connections and prepared transactions are means of a slice. Disk "
    "is the size of a database's files."
)


def soaks(findings: Findings) -> Iterator[object]:
    """Yield verdict, charts and numbers of each soak."""
    several = len(findings.combinations) > 1
    for combination in findings.run.combinations:
        for soak in findings.soaks(combination):
            if several:
                yield Heading(findings.name(combination.path), mark=soak.verdict)
            yield from _soak(soak)


def _soak(soak: Soak) -> Iterator[object]:
    slices = len(soak.series[0].values) if soak.series else 0
    yield Text(f"{sentence(soak.text)}. The window has {slices:,} slices of {soak.plan.slice_s:g} s.")
    yield Text(EXPLAINED)
    for _, group in groupby(soak.series, key=lambda one: one.quantity):
        yield from blocks(_chart(soak, list(group)))
    yield fold("Numbers: drift and changes", _numbers(soak.series), is_open=True)


def _chart(soak: Soak, series: Sequence[SoakSeries]) -> Picture | None:
    first = series[0]
    unit, seconds = next((one for one in UNITS if soak.seen_s >= 2 * one[1]), UNITS[-1])
    lines = tuple(
        Line(number, one.of or one.quantity.value, lines=_runs(one.values, soak.plan.slice_s / seconds), thin=True)
        for number, one in enumerate(series)
    )
    changes = [f"{sentence(one.text)}." for one in series if one in soak.changes]
    level = "Level." if all(one.is_level for one in series) else ""
    return Chart(
        sentence(first.quantity.value),
        lines,
        first.unit,
        f"{unit} since the window began",
        " ".join(changes) or level,
        longest=soak.seen_s / seconds,
        moments=tuple((at_s / seconds, name) for at_s, name in _moments(soak, first.quantity)),
    ).figure((TALL, TALL_ON_PHONE), legend=bool(first.of))


def _moments(soak: Soak, quantity: Quantity) -> Iterator[tuple[float, str]]:
    """Yield the moments when the peak and all throughput were lost; one where both are the same."""
    if quantity is not Quantity.THROUGHPUT:
        return
    if soak.peak_lost_s is not None and soak.peak_lost_s != soak.all_lost_s:
        yield soak.peak_lost_s, "peak lost"
    if soak.all_lost_s is not None:
        yield soak.all_lost_s, "all lost"


def _runs(values: Sequence[float | None], width: float) -> tuple[tuple[tuple[float, float], ...], ...]:
    """A line through the middles of slices, with gaps where a value is unknown."""
    places = [((place + 0.5) * width, value) for place, value in enumerate(values)]
    known = groupby(places, key=lambda one: one[1] is not None)
    return tuple(tuple((x, y) for x, y in run if y is not None) for is_known, run in known if is_known)


def _numbers(series: Sequence[SoakSeries]) -> object | None:
    return table(
        series,
        ("figure", lambda one: f"{one.quantity.value} of {one.of}" if one.of else one.quantity.value),
        "unit: unit",
        ("#at the begin", lambda one: rounded(one.before)),
        ("#at the end", lambda one: rounded(one.after)),
        ("#drift an hour, by a straight line", _slope),
        ("shape", lambda one: Cell(one.shape.value, style=Style.MUTED if one.is_level else Style.PLAIN)),
        ("at", lambda one: Cell("" if one.at_s is None else moment(one.at_s))),
    )


def _slope(one: SoakSeries) -> Cell | None:
    if one.per_hour is None or one.uncertainty is None:
        return None
    sign = "+" if one.per_hour > 0 else ""
    return Cell(f"{sign}{rounded(one.per_hour)} ± {rounded(one.uncertainty)}", exact=one.per_hour)
