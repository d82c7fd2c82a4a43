"""What a figure and a table of the report consist of; the templates only lay them out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from markupsafe import Markup

from middlemark.report.axes import Size


class Style(StrEnum):
    """How a cell looks; also its CSS class. A verdict is always there as a word too."""

    PLAIN = ""
    PASSED = "passed"
    FAILED = "failed"
    MUTED = "muted"


@dataclass(frozen=True)
class Cell:
    """One value of a table. `exact` is the unrounded number; `bar` (0 … 1) draws its size behind it."""

    text: str
    exact: float | None = None
    bar: float | None = None
    style: Style = Style.PLAIN


@dataclass(frozen=True)
class Table:
    """A table; `columns` whose name begins with `#` hold numbers, aligned right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Series:
    """An entry of a legend: the number of a series' colour and marker, and its name."""

    number: int
    name: str


@dataclass(frozen=True)
class Figure:
    """A chart in two widths, for screens and for phones, with the numbers it shows; `kind` is its CSS class."""

    title: str
    note: str
    wide: Markup
    narrow: Markup
    table: Table | None = None
    legend: tuple[Series, ...] = ()
    kind: str = ""


# Widths from which charts are shown without being scaled down much: a column of the page, a phone.
HALF = Size(560, 300)
FULL = Size(1140, 300)
PHONE = Size(344, 250)
STRIP = Size(1140, 92, left=46, right=84, top=16, bottom=20)
PHONE_STRIP = Size(344, 92, left=40, right=62, top=16, bottom=20)
PANEL = Size(268, 190, left=50, right=10, top=18, bottom=34)
SMALL = Size(268, 140, left=40, right=10, top=18, bottom=34)


def both(draw: Callable[[Size], Markup], wide: Size, narrow: Size) -> tuple[Markup, Markup]:
    """Return the chart drawn in both sizes."""
    return draw(wide), draw(narrow)


def rounded(value: float) -> str:
    """Return a number with about three digits, thousands grouped."""
    if math.isnan(value):
        return "n/a"
    size = abs(value)
    decimals = 0 if size >= 100 or size == 0 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:,.{decimals}f}"


def number(value: float, *, bar_of: float = 0.0) -> Cell:
    """Return a number's cell; its bar is its share of `bar_of`."""
    if math.isnan(value):
        return Cell(rounded(value), style=Style.MUTED)
    return Cell(rounded(value), exact=value, bar=min(1.0, value / bar_of) if bar_of > 0 else None)


def count(value: int) -> Cell:
    """Return a whole number's cell."""
    return Cell(f"{value:,}", exact=value)


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table of texts."""
    return Table(tuple(columns), tuple(tuple(Cell(text) for text in row) for row in rows))
