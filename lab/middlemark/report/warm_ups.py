"""The warm-ups: how long each took, what ended it, and the CPU time per transaction on the way."""

from __future__ import annotations

from middlemark.records.folder import Result
from middlemark.records.warm_up import WarmUp
from middlemark.report.figure import Cell, Table, number
from middlemark.verdict.naming import short_names
from middlemark.verdict.warm_ups import before_text, ending_text

# More do not fit into a line.
SHOWN = 12


def warm_up_table(result: Result) -> Table:
    """Return a row for each warm-up, in the order in which they were."""
    names = short_names(result.run.combinations)
    rows = [
        (
            Cell(names.get(one.combination, one.combination)),
            Cell(before_text(one)),
            number(one.seconds),
            Cell(ending_text(one)),
            Cell(_course(one)),
        )
        for one in result.run.warm_ups
    ]
    course = f"CPU ms per {result.run.specification.unit}, from begin to end"
    return Table(("combination", "before", "#seconds", "ended", course), tuple(rows))


def _course(warm_up: WarmUp) -> str:
    """Return the values of the course, or evenly chosen ones of many, the first and the last among them."""
    values = [one.cpu_ms for one in warm_up.course]
    if len(values) > SHOWN:
        values = [values[round(n * (len(values) - 1) / (SHOWN - 1))] for n in range(SHOWN)]
    return " ".join(f"{value:.3g}" for value in values)
