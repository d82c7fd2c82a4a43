"""`middlemark lines`: how much code each platform is, by tier."""

from __future__ import annotations

from rich.table import Table

from middlemark.checkout import checkout
from middlemark.cli.printing import print_table
from middlemark.lines.code_lines import code_of_checkout
from middlemark.subject.code import CodeTier


def lines() -> int:
    """Count the lines of code of every platform, by tier."""
    table = Table(box=None, pad_edge=False)
    for column in ("platform", "specification", "with"):
        table.add_column(column)
    for column in (*CodeTier, "sum"):
        table.add_column(column, justify="right")
    for size in code_of_checkout(checkout()):
        chosen = " ".join(f"{mode}={value}" for mode, value in size.modes.items())
        numbers = [*size.tiers.values(), sum(size.tiers.values())]
        table.add_row(size.platform, size.spec, chosen, *(f"{number:,}" for number in numbers))
    print_table(table)
    return 0
