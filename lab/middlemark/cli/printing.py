"""Lines and tables on a terminal, where no word is broken; elsewhere no line is broken."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from middlemark.wording import folded

_ENOUGH = 1_000
"""Characters that hold any table."""


def print_lines(lines: Iterable[str | Table]) -> None:
    """Print lines, and tables between them, on a terminal as wide as it is."""
    console = Console()
    for line in lines:
        if isinstance(line, Table):
            print_table(line)
            continue
        print(folded(line, console.width) if console.is_terminal else line)


def print_table(table: Table) -> None:
    """Print a table, on a terminal as wide as it is, or wider where its longest words need that."""
    console = Console(highlight=False)
    needed = console.measure(table, options=console.options.update(width=_ENOUGH))
    if console.is_terminal and needed.maximum > console.width:
        _narrow(table, max(0, console.width - needed.minimum), console)
    console.width = _ENOUGH if not console.is_terminal else max(console.width, needed.minimum)
    console.print(table)


def _narrow(table: Table, spare: int, console: Console) -> None:
    """Give each column the width of its longest word, and share the spare characters out by what each lacks.

    The library narrows the widest column alone, and cuts its words.
    """
    wide = console.options.update(width=_ENOUGH)
    ranges = [
        [console.measure(text, options=wide) for text in (column.header, *column.cells)] for column in table.columns
    ]
    least = [max(text.minimum for text in texts) for texts in ranges]
    lacking = [max(text.maximum for text in texts) - low for texts, low in zip(ranges, least, strict=True)]
    for column, low, more in zip(table.columns, least, lacking, strict=True):
        column.width = low + spare * more // max(1, sum(lacking))
