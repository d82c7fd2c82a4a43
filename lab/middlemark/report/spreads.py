"""The spread between starts by which a run is judged: of each combination, and how it is known."""

from __future__ import annotations

from middlemark.records.folder import Result
from middlemark.report.figure import Cell, Table, count, number
from middlemark.verdict.naming import short_names
from middlemark.verdict.spread import spread_of


def spread_table(result: Result) -> Table:
    """A row for each combination."""
    names = short_names(result.run.combinations)
    rows = []
    for combination in result.run.combinations:
        spread = spread_of(result, combination)
        sigma = Cell(f"{100 * spread.sigma:.1f} %", exact=spread.sigma)
        known = Cell("from this machine's ledger" if spread.starts else "assumed")
        rows.append((Cell(names[combination.path]), sigma, known, count(spread.starts), number(spread.degrees)))
    columns = ("combination", "#spread between starts", "known", "#starts seen", "#degrees of freedom")
    return Table(columns, tuple(rows))
