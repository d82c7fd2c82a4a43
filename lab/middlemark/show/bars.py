"""Charts of rows: a name, bars or dots on a common scale, an interval, and the number at the right."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from middlemark.records.figures import Figure
from middlemark.records.findings import Findings
from middlemark.records.window import Window
from middlemark.show.chart import CAP, PHONE, WIDE, Axes, Scale, Size, colour, element, marker, ratio_ticks
from middlemark.show.tables import Picture, Table
from middlemark.wording import rounded

SMALL_WIDE = 268.0
NAME, BAR, GAP, AXIS = 17.0, 9.0, 9.0, 36.0
# How wide a character is, and room for the marker before a name and for the numbers at the right.
CHARACTER, SMALL_CHARACTER, MARKER, NUMBERS, SMALL_NUMBERS = 6.2, 5.6, 16.0, 110.0, 84.0


@dataclass(frozen=True)
class Dot:
    """A measured value with what it is; hollow when it does not count."""

    value: float
    title: str
    hollow: bool = False


def window_dot(findings: Findings, window: Window, value: float, figure: Figure) -> Dot:
    """The dot of a figure of a window, with its unit."""
    status = "" if window.valid else ", INVALID"
    unit = figure.united(findings.run.specification)
    return Dot(value, f"{findings.window_name(window)}: {rounded(value)} {unit}{status}", hollow=not window.valid)


@dataclass(frozen=True)
class Bar:
    """A bar from zero to a value, with the dots that it is the mean of; `style` has a colour other than the row's."""

    value: float
    dots: tuple[Dot, ...] = ()
    style: str = ""
    title: str = ""


@dataclass(frozen=True)
class BarRow:
    """A row with one bar below the other; without `bars` the `dots` alone. `text` is the number, or why there is none.

    `low` and `high` are the ends of an interval; `more` stands right of the name. `stacked`: bars follow one another.
    """

    series: int
    name: str
    text: str
    bars: tuple[Bar, ...] = ()
    dots: tuple[Dot, ...] = ()
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    more: str = ""
    stacked: bool = False

    @property
    def height(self) -> float:
        """Height in pixels."""
        return NAME + max(1, 1 if self.stacked else len(self.bars)) * (BAR + 3) + GAP

    @property
    def values(self) -> list[float]:
        """Every value that is drawn."""
        total = [sum(bar.value for bar in self.bars)] if self.stacked else [bar.value for bar in self.bars]
        dots = [dot.value for bar in self.bars for dot in bar.dots] + [dot.value for dot in self.dots]
        return [*total, *dots, *(end for end in (self.low, self.high, self.mean) if end is not None)]


@dataclass(frozen=True)
class BarChart:
    """Rows on a common scale from zero; `ratio`: on a logarithmic scale around 1."""

    title: str
    rows: tuple[BarRow, ...]
    note: str = ""
    axis: str = ""
    ratio: bool = False
    small: bool = False
    table: Table | None = None

    def figure(self) -> Picture | None:
        """The chart; None where no row has a value."""
        if not any(row.values for row in self.rows):
            return None
        height = sum(row.height for row in self.rows) + (AXIS if self.ratio else 4)
        bottom, right = AXIS if self.ratio else 0, SMALL_NUMBERS if self.small else NUMBERS
        sizes = (Size(width, height, 0, right, 0, bottom) for width in (SMALL_WIDE if self.small else WIDE, PHONE))
        wide, narrow = map(self._draw, sizes)
        return Picture(self.title, self.note, wide, narrow, self.table)

    def _draw(self, size: Size) -> Markup:
        scale = self._scale(size)
        axes = Axes(size, scale, Scale(0, 1, 0, 1))
        if self.ratio:
            axes.x_axis(ratio_ticks(scale.low, scale.high), self.axis)
        top = 0.0
        for row in self.rows:
            if self.ratio:  # beside the bars of each row alone, so that it crosses no name
                at = scale.at(1.0)
                axes.add("line", class_="limit", x1=at, x2=at, y1=top + NAME, y2=top + row.height)
            axes.parts.extend(_row(row, top, scale, size))
            top += row.height
        return axes.markup(f"{self.title}: {'; '.join(f'{row.name} {row.text}' for row in self.rows)}")

    def _scale(self, size: Size) -> Scale:
        values = [value for row in self.rows for value in row.values]
        end = size.width - size.right
        if self.ratio:
            return Scale(min([1.0, *values]) * 0.97, max([1.0, *values]) * 1.03, 8, end, log=True)
        return Scale(0.0, max(values) or 1.0, 0, end)


def _row(row: BarRow, top: float, scale: Scale, size: Size) -> Iterator[Markup]:
    """Yield marker and name, below them the bars with their dots and the interval, and the number."""
    yield marker(row.series, (7, top + 8))
    room = size.width - MARKER - len(row.more) * SMALL_CHARACTER
    yield element("text", _cut(row.name, room), class_="label ink", x=MARKER, y=top + 12)
    if row.more:
        yield element("text", row.more, class_="tick end", x=size.width - 2, y=top + 12)
    begin = top + NAME
    if not row.values:
        reason = element("title", row.text), _cut(f"none: {row.text}", size.width)
        yield element("text", *reason, class_="label", x=0, y=begin + 9)
        return
    right = yield from _bars(row, begin, scale)
    middle = begin + (row.height - NAME - GAP) / 2
    for dot in row.dots:
        yield _dot(dot, scale, middle, row.series)
    if row.low is not None and row.high is not None and row.low < row.high:
        ends = scale.at(row.low), scale.at(row.high)
        caps = "".join(f"M{at:.1f} {middle - CAP:.1f}v{2 * CAP}" for at in ends)
        yield element("path", class_="interval", d=f"M{ends[0]:.1f} {middle:.1f}H{ends[1]:.1f}{caps}")
        right = max(right, ends[1])
    if row.mean is not None:
        yield element("circle", class_=f"ring {colour(row.series)}", cx=scale.at(row.mean), cy=middle, r=6)
    dots = [dot.value for bar in row.bars for dot in bar.dots]
    right = max([right, *map(scale.at, dots)]) if row.bars else scale.end
    yield element("text", row.text, class_="value", x=right + 8, y=middle + 4)


def _bars(row: BarRow, begin: float, scale: Scale) -> Generator[Markup, None, float]:
    """Yield the bars; return the right end of the longest."""
    right = left = scale.at(scale.low)
    for number, bar in enumerate(row.bars):
        style = bar.style or colour(row.series)
        top = begin if row.stacked else begin + number * (BAR + 3)
        from_x = right if row.stacked else left
        width = scale.at(bar.value) - left
        title = element("title", bar.title or f"{row.name}: {row.text}")
        yield element("rect", title, class_=f"column {style}", x=from_x, y=top, width=width, height=BAR)
        right = from_x + width if row.stacked else max(right, from_x + width)
        for dot in bar.dots:
            yield _dot(dot, scale, top + BAR / 2, row.series)
    return right


def _dot(dot: Dot, scale: Scale, y: float, series: int) -> Markup:
    style = f"{'hollow' if dot.hollow else 'dot'} {colour(series)}"
    return element("circle", element("title", dot.title), class_=style, cx=scale.at(dot.value), cy=y, r=3.4)


def _cut(text: str, width: float) -> str:
    most = int(width / CHARACTER)
    return text if len(text) <= most else f"{text[: most - 1]}…"
