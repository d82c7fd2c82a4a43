"""The ratios of each combination to the first or its reference: a row for each figure, a dot for each round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from middlemark.records.folder import Result
from middlemark.report.axes import Axes, Size, colour
from middlemark.report.figure import Cell, Figure, Series, Table, both, number
from middlemark.report.scales import Scale, log_ticks
from middlemark.report.svg import element
from middlemark.verdict.comparability import comparability_groups
from middlemark.verdict.estimate import Comparison
from middlemark.verdict.headline import MAX_NAMED
from middlemark.verdict.metrics import METRICS, leading
from middlemark.verdict.naming import short_names
from middlemark.verdict.pairwise import PairwiseComparison, all_pairwise_comparisons
from middlemark.wording import TIMES

# Room for the words left of the plot (by character, as wide as print makes them) and for the numbers right of it;
# on a phone the words stand above the row.
CHARACTER, WIDE_RIGHT, WIDE_ROW = 8.8, 210.0, 24.0
PHONE_LEFT, PHONE_RIGHT, PHONE_ROW, PHONE_LINE = 10.0, 138.0, 26.0, 14.0
AXIS = 36.0
WIDE, PHONE = 1140.0, 344.0


@dataclass(frozen=True)
class _Row:
    pair: str
    figure: str
    series: int
    comparison: Comparison
    verdict: str


def ratio_plot(result: Result) -> Figure | None:
    """Return the forest plot at the highest load; None when nothing can be compared."""
    names = short_names(result.run.combinations)
    number_of = {c.path: series for series, c in enumerate(result.run.combinations)}
    titles = {metric.name: metric.title(result.run.specification) for metric in METRICS}
    rows = [
        _Row(
            f"{names[c.b.path]} ÷ {names[c.a.path]}",
            titles[name],
            number_of[c.b.path],
            c.comparison,
            c.text,
        )
        for name, found in _leading_first(result)
        for c in found
        if c.comparison.ratio is not None
    ]
    if not rows:
        return None
    pairs = {row.pair for row in rows}
    many = len(pairs) > MAX_NAMED
    words = [_words(row, pairs, short=many and not result.run.references) for row in rows]
    left = max(len(" ".join(lines)) for lines in words) * CHARACTER
    row_height = PHONE_ROW + PHONE_LINE * max(map(len, words))
    wide = Size(WIDE, WIDE_ROW * len(rows) + AXIS + 6, left, WIDE_RIGHT, 6, AXIS)
    phone = Size(PHONE, row_height * len(rows) + AXIS + 6, PHONE_LEFT, PHONE_RIGHT, 6, AXIS)
    legend = tuple(Series(s, names[c.path]) for s, c in enumerate(result.run.combinations) if s)
    title = f"Ratios, {rows[0].pair}" if len(pairs) == 1 else "Ratios"
    drawn = both(lambda size: _draw(rows, words, size, result.run.top_name), wide, phone)
    return Figure(title, _note(result, rows, many=many), *drawn, _table(rows), legend if len(legend) > 1 else ())


def _leading_first(result: Result) -> list[tuple[str, list[PairwiseComparison]]]:
    """Return the comparisons by each metric's name, that with which the report leads first."""
    first = leading(result.run.specification).name
    return sorted(all_pairwise_comparisons(result).items(), key=lambda item: item[0] != first)


def _note(result: Result, rows: Sequence[_Row], *, many: bool) -> str:
    note = f"At {result.run.top_name}. A small dot is a round, the large one their geometric mean; right of 1 is more."
    if many and not result.run.references:
        names = short_names(result.run.combinations)
        firsts = [names[group[0].path] for group in comparability_groups(result)]
        note += f" Each against the first of its comparability group: {'; '.join(firsts)}."
        note += " Those against the first of them, not ranked." * (len(firsts) > 1)
    if not any(row.comparison.interval for row in rows):
        note += " So few rounds have no interval, and nothing is decided."
    return note


def _words(row: _Row, pairs: set[str], *, short: bool) -> tuple[str, ...]:
    """Return the label of a row; what is the same for all rows stands in the title or in the note."""
    if len(pairs) == 1:
        return (row.figure,)
    return (f"{row.pair.partition(' ÷ ')[0] if short else row.pair}:", row.figure)


def _draw(rows: Sequence[_Row], words: Sequence[tuple[str, ...]], size: Size, at: str) -> Markup:
    ends = [1.0]
    for row in rows:
        ends += [row.comparison.min_ratio, row.comparison.max_ratio]
        if row.comparison.interval:
            ends += [row.comparison.interval.low, row.comparison.interval.high]
    low, high = min(ends) * 0.97, max(ends) * 1.03
    axes = Axes(size, Scale(low, high, size.left, size.width - size.right, log=True), Scale(0, 1, 0, 1))
    between = [t for t in _ticks(low, high) if low <= t <= high]
    axes.x_axis(between, f"ratio at {at} (logarithmic)")
    height = (axes.bottom - size.top) / len(rows)
    one = axes.x.at(1.0)
    axes.parts.append(element("line", class_="limit", x1=one, x2=one, y1=size.top, y2=axes.bottom))
    for index, (row, lines) in enumerate(zip(rows, words, strict=True)):
        top = size.top + height * index
        phone = size.width == PHONE
        middle = top + height - 13 if phone else top + height / 2
        for line, text in enumerate(lines if phone else (" ".join(lines),)):
            axes.text(2, top + 12 + PHONE_LINE * line if phone else middle + 4, text, "label ink")
        _draw_row(axes, row, middle)
    return axes.markup("Ratios, round by round")


def _draw_row(axes: Axes, row: _Row, middle: float) -> None:
    comparison, style = row.comparison, colour(row.series)
    if comparison.interval:
        ends = axes.x.at(comparison.interval.low), axes.x.at(comparison.interval.high)
        axes.parts.append(element("line", class_=f"line {style}", x1=ends[0], x2=ends[1], y1=middle, y2=middle))
    for each in comparison.rounds:
        title = element("title", f"{row.pair}, {row.figure}, round {each.repeat + 1}: {each.ratio:.3f}")
        at = axes.x.at(each.ratio)
        axes.parts.append(element("circle", title, class_=f"dot small {style}", cx=at, cy=middle, r=2.6))
    if comparison.ratio is not None:
        at = axes.x.at(comparison.ratio)
        axes.parts.append(element("circle", class_=f"ring {style}", cx=at, cy=middle, r=6))
        numbers = f"{comparison.ratio:.2f} {TIMES}"
        spread = f"{comparison.min_ratio:.2f} … {comparison.max_ratio:.2f}" if len(comparison.rounds) > 1 else "1 round"
        axes.text(axes.right + 12, middle + 4, numbers, "value")
        axes.text(axes.size.width - 2, middle + 4, spread, "tick end")


def _ticks(low: float, high: float) -> list[float]:
    """Return ticks of a ratio's axis: finer than 1, 2, 5 when the ratios lie close together."""
    if high / low > 6:
        return log_ticks(low, high)
    step = 0.05 if high - low < 0.3 else 0.1 if high - low < 0.8 else 0.25 if high - low < 1.5 else 0.5
    return [round(i * step, 2) for i in range(1, int(high / step) + 1)]


def _interval(comparison: Comparison) -> str:
    """Return the interval as the plot draws it: none below the rounds that can decide anything."""
    if comparison.interval is None:
        return "too few rounds"
    return f"{comparison.interval.low:.3f} … {comparison.interval.high:.3f}"


def _table(rows: Sequence[_Row]) -> Table:
    most = max(len(row.comparison.rounds) for row in rows)
    cells = []
    for row in rows:
        c = row.comparison
        rounds = [number(b.ratio) for b in c.rounds] + [Cell("")] * (most - len(c.rounds))
        interval = _interval(c)
        cells.append(
            (Cell(f"{row.pair}: {row.figure}"), *rounds, number(c.ratio or 0.0), Cell(interval), Cell(row.verdict))
        )
    columns = (
        "ratio",
        *(f"#round {i + 1}" for i in range(most)),
        "#geometric mean",
        "95 % interval",
        "verdict",
    )
    return Table(columns, tuple(cells))
