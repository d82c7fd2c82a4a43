"""The table of the parts of response times: to the first byte, and of pages without their sub-resources."""

from __future__ import annotations

from collections.abc import Iterator

from middlemark.records.folder import PointResult, Result
from middlemark.records.point import TransactionFigures, Verdict
from middlemark.report.figure import Cell, Table, number
from middlemark.verdict.headline import point_name

COLUMNS = ("point", "of the whole", "#mean ms", "#p50", "#p90", "#p95", "#p99", "#max ms")


def split_times(result: Result) -> Table | None:
    """Return the parts of the times of each point; None where they were not asked for."""
    judged = [(p, p.verdict) for p in result.points if p.verdict]
    rows = [row for point, verdict in judged for row in _rows(result, point, verdict)]
    return Table(COLUMNS, tuple(rows)) if rows else None


def _rows(result: Result, point: PointResult, verdict: Verdict) -> Iterator[tuple[Cell, ...]]:
    if verdict.first_byte is None and verdict.page is None:
        return
    parts = {"to the first byte": verdict.first_byte, "page alone": verdict.page, "whole": verdict.total}
    for name, figures in parts.items():
        if figures is not None:
            yield (Cell(point_name(result, point)), Cell(name), *_times(figures))


def _times(figures: TransactionFigures) -> Iterator[Cell]:
    times = (figures.mean_ms, figures.p50_ms, figures.p90_ms, figures.p95_ms, figures.p99_ms, figures.max_ms)
    return map(number, times)
