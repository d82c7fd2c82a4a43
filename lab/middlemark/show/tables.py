"""Tables as data: rows, and for each column its title and how to get its value; and what a page consists of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, TypeVar

from markupsafe import Markup

from middlemark.records.point import Outcome

R = TypeVar("R")


class Style(StrEnum):
    """How a cell looks; also its CSS class. A verdict is always there as a word too."""

    PLAIN = ""
    PASSED = "passed"
    FAILED = "failed"
    MUTED = "muted"


OUTCOMES = {Outcome.PASSED: Style.PASSED, Outcome.FAILED: Style.FAILED, Outcome.NOT_CHECKED: Style.MUTED}


@dataclass(frozen=True)
class Cell:
    """A value of a table. `exact` is the unrounded number; `bar` (0 … 1) draws its size behind it."""

    text: str
    exact: float | None = None
    bar: float | None = None
    style: Style = Style.PLAIN


Value = Cell | str | float | None
Column = tuple[str, Callable[[R], Value]]
"""A title, which begins with `#` over numbers, and how to get the value of a row."""


@dataclass(frozen=True)
class Table:
    """A table; `columns` whose name begins with `#` hold numbers, aligned right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    wide: bool = False
    kind: ClassVar[str] = "table"


@dataclass(frozen=True)
class Text:
    """A paragraph; `style` is its CSS class."""

    text: str
    style: str = "lead"
    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class Heading:
    """A heading inside a section, with a mark beside it."""

    text: str
    mark: str = ""
    id: str = ""
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True)
class Bullets:
    """A list of texts, each with a label."""

    items: tuple[tuple[str, str], ...]
    kind: ClassVar[str] = "bullets"


@dataclass(frozen=True)
class Colours:
    """A legend of colours (CSS classes), each with its meaning."""

    entries: tuple[tuple[str, str], ...]
    kind: ClassVar[str] = "colours"


@dataclass(frozen=True)
class Series:
    """An entry of a legend: the number of a series' colour and marker, and its name."""

    number: int
    name: str


@dataclass(frozen=True)
class Figure:
    """A chart in two widths, for screens and for phones, with the numbers it shows."""

    title: str
    note: str
    wide: Markup
    narrow: Markup
    table: Table | None = None
    legend: tuple[Series, ...] = ()
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Row:
    """Small charts side by side under one legend; `style` is `small` or `pair`."""

    figures: tuple[Figure, ...]
    style: str = "small"
    legend: tuple[Series, ...] = ()
    kind: ClassVar[str] = "row"


@dataclass(frozen=True)
class Fold:
    """Blocks that are folded away below a title."""

    title: str
    blocks: tuple[object, ...]
    is_open: bool = False
    kind: ClassVar[str] = "fold"


@dataclass(frozen=True)
class Section:
    """A part of the page with an anchor; `folded`: all of it below its title."""

    id: str
    title: str
    blocks: tuple[object, ...] = field(default=())
    folded: bool = False


@dataclass(frozen=True)
class Mean:
    """A mean that no interval is known of."""

    mean: float
    low: float | None = None
    high: float | None = None
    is_interval: bool = False


def table(rows: Iterable[R], *columns: Column[R], wide: bool = False) -> Table | None:
    """A table of rows; None without any. A column in which nothing is known of any row is left out."""
    found = [[cell(of(row)) for _, of in columns] for row in rows]
    if not found:
        return None
    known = [number for number in range(len(columns)) if any(row[number] != UNKNOWN for row in found)]
    titles = tuple(columns[number][0] for number in known)
    return Table(titles, tuple(tuple(row[number] for number in known) for row in found), wide)


def cell(value: Value) -> Cell:
    """A value as a cell: numbers rounded, whole ones grouped, outcomes with their style."""
    if isinstance(value, Cell):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return UNKNOWN
    if isinstance(value, Outcome):
        return Cell(value.value, style=OUTCOMES[value])
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, int):
        return Cell(f"{value:,}", exact=value)
    return Cell(rounded(value), exact=value) if isinstance(value, float) else Cell(str(value))


UNKNOWN = Cell("n/a", style=Style.MUTED)


def muted(text: str) -> Cell:
    """A text that is no value, as the reason why there is none."""
    return Cell(text, style=Style.MUTED)


def barred(value: float | None, most: float) -> Value:
    """A number with its share of the largest one drawn behind it."""
    if value is None or math.isnan(value):
        return None
    return Cell(rounded(value), exact=value, bar=min(1.0, value / most) if most > 0 else None)


def pairs(facts: dict[str, str]) -> Table | None:
    """A table of names and values."""
    return table(facts.items(), ("what", lambda one: one[0]), ("value", lambda one: one[1]))


def rounded(value: float) -> str:
    """A number with about three digits, thousands grouped."""
    size = abs(value)
    decimals = 0 if size >= 100 or size == 0 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:,.{decimals}f}"


def span(low: float, high: float) -> str:
    """From where to where, rounded."""
    return f"{rounded(low)} … {rounded(high)}"


def blocks(*found: object | None) -> tuple[object, ...]:
    """Those that are there."""
    return tuple(one for one in found if one is not None)


def fold(title: str, *found: object | None, is_open: bool = False) -> Fold | None:
    """A fold of what is there; None without anything."""
    inside = blocks(*found)
    return Fold(title, inside, is_open) if inside else None


def titled(title: str, lead: str, *found: object | None) -> Sequence[object]:
    """A heading, its lead and what is there; nothing without that."""
    inside = blocks(*found)
    return (Heading(title), *([Text(lead)] if lead else []), *inside) if inside else ()
