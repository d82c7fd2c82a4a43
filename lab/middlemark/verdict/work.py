"""Whether combinations that are ranked together ask the same work of the databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.run import Combination
from middlemark.records.work import TransactionWork, read_work
from middlemark.verdict.comparability import comparability_groups
from middlemark.verdict.naming import short_names

# What a run of the same application twice differs by: an index page that splits, a sequence that is logged.
MAX_WAL_DEVIATION = 0.10
# More columns do not fit into a terminal; the report has them all.
MAX_COLUMNS = 4
MAX_NAMED = 3


@dataclass(frozen=True)
class WorkFigure:
    """A figure of the work of a transaction, and by which share it may be larger on one side than on the other."""

    title: str
    of: Callable[[TransactionWork], float]
    tolerance: float = 0.0

    def differs(self, a: TransactionWork, b: TransactionWork) -> bool:
        """Whether the two do not do the same."""
        low, high = sorted((self.of(a), self.of(b)))
        return high > low * (1 + self.tolerance) + 1e-9


FIGURES = (
    WorkFigure("statements", lambda work: work.statements),
    WorkFigure("rows written", lambda work: work.rows),
    WorkFigure("WAL bytes", lambda work: work.wal_bytes, MAX_WAL_DEVIATION),
)


@dataclass(frozen=True)
class WorkDifference:
    """A figure of a transaction in which a combination differs from the first one that it is ranked with."""

    combination: Combination
    first: Combination
    transaction: str
    figure: WorkFigure
    values: tuple[float, float]


def work_by_combination(result: Result) -> dict[str, dict[str, TransactionWork]]:
    """The work of each transaction by the path of the combination; without those where none was measured."""
    found = {one.path: read_work(result.folder, one) for one in result.run.combinations}
    return {
        path: {each.transaction: each for each in work.transactions}
        for path, work in found.items()
        if work and work.steps
    }


def work_differences(result: Result) -> list[WorkDifference]:
    """The differences within every group of combinations that are ranked together."""
    work = work_by_combination(result)
    found: list[WorkDifference] = []
    for group in comparability_groups(result):
        measured = [one for one in group if one.path in work]
        for other in measured[1:]:
            found += _differences(measured[0], other, work)
    return found


def work_reservation(result: Result) -> str:
    """The differences in words, the first few of many; empty when ranked combinations do the same."""
    found = work_differences(result)
    if not found:
        return ""
    names = short_names(result.run.combinations)
    parts = [
        f"{one.transaction} {figure_text(one.values[1])} {one.figure.title} on {names[one.combination.path]}, "
        f"{figure_text(one.values[0])} on {names[one.first.path]}"
        for one in found[:MAX_NAMED]
    ]
    more = f"; and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
    return f"unequal work in the databases: {'; '.join(parts)}{more}"


def work_lines(result: Result) -> Iterator[str]:
    """The work of each transaction as lines for a terminal; none without work, or with too many combinations."""
    work = work_by_combination(result)
    if not work or len(work) > MAX_COLUMNS:
        return
    names = short_names(result.run.combinations)
    unequal = {(one.combination.path, one.transaction) for one in work_differences(result)}
    yield "statements / rows written / WAL bytes of a transaction (≠: not as the first it is ranked with):"
    rows: list[tuple[str, ...]] = [("", *(names[path] for path in work))]
    for transaction in dict.fromkeys(name for one in work.values() for name in one):
        texts = (_figures_text(one.get(transaction), (path, transaction) in unequal) for path, one in work.items())
        rows.append((transaction, *texts))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def _figures_text(work: TransactionWork | None, differs: bool) -> str:  # noqa: FBT001 (of this file alone)
    if work is None:
        return "n/a"
    return " / ".join(figure_text(figure.of(work)) for figure in FIGURES) + (" ≠" if differs else "")


def figure_text(value: float) -> str:
    """A figure of work: few as they are, with up to two decimals, many as whole numbers."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")


def _differences(
    first: Combination, other: Combination, work: dict[str, dict[str, TransactionWork]]
) -> Iterator[WorkDifference]:
    for transaction, a in work[first.path].items():
        b = work[other.path].get(transaction)
        for figure in FIGURES if b else ():
            if b and figure.differs(a, b):
                yield WorkDifference(other, first, transaction, figure, (figure.of(a), figure.of(b)))
