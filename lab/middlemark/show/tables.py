"""Tables as data: rows, and for each column its title and how to get its value; and what a page consists of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from typing import TypeVar

from markupsafe import Markup

from middlemark.records.point import Outcome
from middlemark.wording import rounded

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


Column = tuple[str, Callable[[R], object]]
"""A title, which begins with `#` over numbers, and how to get the value of a row."""


@dataclass(frozen=True)
class Table:
    """A table; `columns` whose name begins with `#` hold numbers, aligned right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    wide: bool = False


@dataclass(frozen=True)
class Part:
    """A line of a field: a figure with what belongs to it; `shade` (0 … 100) colours it, `share` (0 … 1) is a bar."""

    figure: Cell
    before: str = ""
    after: str = ""
    shade: float | None = None
    share: float | None = None


@dataclass(frozen=True)
class Field:
    """A field: its parts and notes, each note with a style, or the `reason` why it is empty."""

    parts: tuple[Part, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Pivot:
    """A table of fields; `rows` have a header and a note below it."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[Field, ...]], ...]


@dataclass(frozen=True)
class Text:
    """A paragraph; `style` is its CSS class."""

    text: str
    style: str = "lead"


@dataclass(frozen=True)
class Heading:
    """A heading inside a section, with a mark beside it."""

    text: str
    mark: str = ""
    id: str = ""


@dataclass(frozen=True)
class Bullets:
    """A list of texts, each with a label."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Colours:
    """A legend of colours (CSS classes), each with its meaning."""

    entries: tuple[tuple[str, str], ...]


Legend = tuple[tuple[int, str], ...]
"""Entries of a legend: the number of a series' colour and marker, and its name."""


@dataclass(frozen=True)
class Picture:
    """A chart in two widths, for screens and for phones, with the numbers it shows."""

    title: str
    note: str
    wide: Markup
    narrow: Markup
    table: Table | None = None
    legend: Legend = ()


@dataclass(frozen=True)
class Row:
    """Small charts side by side under one legend; `style` is `small` or `pair`."""

    figures: tuple[Picture, ...]
    style: str = "small"
    legend: Legend = ()


@dataclass(frozen=True)
class Fold:
    """Blocks that are folded away below a title."""

    title: str
    blocks: tuple[object, ...]
    is_open: bool = False


@dataclass(frozen=True)
class Section:
    """A part of the page with an anchor; `folded`: all of it below its title."""

    id: str
    title: str
    blocks: tuple[object, ...]
    folded: bool = False


def table(rows: Iterable[R], *columns: Column[R] | str, wide: bool = False) -> Table | None:
    """A table of rows; None without any. A column in which nothing is known of any row is left out.

    A text `title: path | title: path …` stands for several columns, as `follow` finds them.
    """
    every = [one for each in columns for one in (columns_of(each, follow) if isinstance(each, str) else [each])]
    found = [[cell(of(row)) for _, of in every] for row in rows]
    if not found:
        return None
    known = [number for number in range(len(every)) if any(row[number] != UNKNOWN for row in found)]
    titles = tuple(every[number][0] for number in known)
    return Table(titles, tuple(tuple(row[number] for number in known) for row in found), wide)


def columns_of(text: str, of: Callable[[R, str], object]) -> list[Column[R]]:
    """The columns of `title: path | title: path …`; `of` gives the value of a row by the path."""

    def column(title: str, path: str) -> Column[R]:
        return title, lambda row: of(row, path)

    return [column(title, path) for title, _, path in (one.rpartition(": ") for one in text.split(" | "))]


def follow(value: object, path: str) -> object:
    """The field of a field `a.b` of a value, numbers are places; a share in percent with `%` before; None of None."""
    if path.startswith("%"):
        share = follow(value, path[1:])
        return 100 * share if isinstance(share, int | float) else None
    return reduce(_step, path.split("."), value)


def _step(value: object, name: str) -> object:
    if isinstance(value, Mapping):
        return value.get(name)
    return value[int(name)] if isinstance(value, Sequence) else getattr(value, name, None)


def cell(value: object) -> Cell:
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


def failures(count: int, otherwise: Style = Style.PLAIN) -> Cell:
    """How many failed, which none should."""
    return Cell(f"{count:,}", exact=count, style=Style.FAILED if count else otherwise)


def barred(value: float | None, most: float) -> Cell | None:
    """A number with its share of the largest one drawn behind it."""
    if value is None or math.isnan(value):
        return None
    return Cell(rounded(value), exact=value, bar=min(1.0, value / most) if most > 0 else None)


def pairs(facts: dict[str, str]) -> Table | None:
    """A table of names and values."""
    return table(facts.items(), "what: 0 | value: 1")


def span(low: float, high: float) -> str:
    """From where to where, rounded."""
    return f"{rounded(low)} … {rounded(high)}"


def pivots(
    fields: Mapping[tuple[str, str, str], Field], empty: str, known: Sequence[str] = (), notes: Mapping[str, str] = {}
) -> list[Pivot]:
    """A table for each title of `fields`, whose keys are title, row and column.

    A field that is not there has the reason `empty`. Rows and columns come as they are met, those in `known` before in
    that order; `notes` are what rows imply.
    """
    rows, columns = (_ordered(known, (place[axis] for place in fields)) for axis in (1, 2))
    nothing = Field(reason=empty)
    return [
        Pivot(
            title,
            columns,
            tuple(
                (row, notes.get(row, ""), tuple(fields.get((title, row, one), nothing) for one in columns))
                for row in rows
            ),
        )
        for title in dict.fromkeys(title for title, _, _ in fields)
    ]


def _ordered(known: Sequence[str], found: Iterable[str]) -> tuple[str, ...]:
    every = dict.fromkeys(found)
    return (*(one for one in known if one in every), *(one for one in every if one not in known))


def ends_of(values: Sequence[float | None], decimals: int = 2) -> str:
    """From the lowest ratio to the highest; nothing where an end is not known."""
    known = [value for value in values if value is not None]
    return f"{min(known):.{decimals}f} … {max(known):.{decimals}f}" if len(known) == len(values) else ""


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
