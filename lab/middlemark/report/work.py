"""The tables of the work that each transaction asks of the databases."""

from __future__ import annotations

from collections.abc import Mapping

from middlemark.records.folder import Result
from middlemark.records.work import TransactionWork, read_work
from middlemark.report.figure import Cell, Style, Table
from middlemark.verdict.naming import short_names
from middlemark.verdict.work import FIGURES, WorkFigure, figure_text, work_by_combination, work_differences


def work_table(result: Result) -> Table | None:
    """A row for each transaction and figure, a column for each combination; None where no work was measured."""
    work = work_by_combination(result)
    if not work:
        return None
    names = short_names(result.run.combinations)
    marked = {(one.combination.path, one.transaction, one.figure.title) for one in work_differences(result)}
    rows = [
        (
            Cell(transaction),
            Cell(figure.title),
            *(
                _cell(one, transaction, figure, (path, transaction, figure.title) in marked)
                for path, one in work.items()
            ),
        )
        for transaction in dict.fromkeys(name for one in work.values() for name in one)
        for figure in FIGURES
    ]
    columns = (result.run.specification.unit, "of the databases", *(f"#{names[path]}" for path in work))
    return Table(columns, tuple(rows))


def work_statements(result: Result) -> Table | None:
    """The statements of each step of each combination; None where no work was measured."""
    names = short_names(result.run.combinations)
    rows = [
        (Cell(names[one.path]), Cell(step.step), Cell(" · ".join(step.texts) or "none"))
        for one in result.run.combinations
        if (work := read_work(result.folder, one))
        for step in work.steps
    ]
    return Table(("combination", "step", "statements"), tuple(rows)) if rows else None


def work_unavailable(result: Result) -> list[str]:
    """A line for each combination whose work could not be measured, with the reason."""
    names = short_names(result.run.combinations)
    found = {one.path: read_work(result.folder, one) for one in result.run.combinations}
    return [f"{names[path]}: n/a, {work.unavailable}" for path, work in found.items() if work and work.unavailable]


def _cell(
    work: Mapping[str, TransactionWork],
    transaction: str,
    figure: WorkFigure,
    differs: bool,  # noqa: FBT001 (of this file alone)
) -> Cell:
    one = work.get(transaction)
    if one is None:
        return Cell("n/a", style=Style.MUTED)
    value = figure.of(one)
    text = figure_text(value)
    return Cell(f"{text} ≠", style=Style.FAILED) if differs else Cell(text, exact=value)
