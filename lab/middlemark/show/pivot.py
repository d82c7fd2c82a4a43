"""One pivot table: what is in a field, by what makes rows, columns and tables of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from middlemark.show.tables import Cell

T = TypeVar("T")


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
    kind: ClassVar[str] = "pivot"


@dataclass(frozen=True)
class Settings(Generic[T]):
    """What makes a pivot of items: their row, their column, and the title of the table that they belong to.

    `content` is what is in a field, from all items that fall into it; `missing` the reason why one has none, by title,
    row and column, else `empty`. `note` is what a row implies. `rows` and `columns` may name some in their order.
    """

    row: Callable[[T], str]
    column: Callable[[T], str]
    title: Callable[[T], str]
    content: Callable[[Sequence[T]], Field]
    missing: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    empty: str = "not part of this run"
    note: Callable[[str], str] = lambda _: ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


def pivots(items: Iterable[T], settings: Settings[T]) -> list[Pivot]:
    """A table for each title, in the order in which they are met."""
    places: dict[tuple[str, str, str], list[T]] = {}
    for item in items:
        places.setdefault((settings.title(item), settings.row(item), settings.column(item)), []).append(item)
    every = [*places, *settings.missing]
    rows, columns = (
        _ordered(known, (place[axis] for place in every)) for axis, known in ((1, settings.rows), (2, settings.columns))
    )

    def at(title: str, row: str, column: str) -> Field:
        found = places.get((title, row, column))
        return (
            settings.content(found)
            if found
            else Field(reason=settings.missing.get((title, row, column), settings.empty))
        )

    return [
        Pivot(
            title,
            columns,
            tuple((row, settings.note(row), tuple(at(title, row, column) for column in columns)) for row in rows),
        )
        for title in dict.fromkeys(place[0] for place in places)
    ]


def _ordered(known: Sequence[str], found: Iterable[str]) -> tuple[str, ...]:
    """Those that are known in their order, then the others as they are met."""
    every = dict.fromkeys(found)
    return (*(one for one in known if one in every), *(one for one in every if one not in known))
