"""The sittings of a run that was interrupted and gone on with: when they were, and what was measured in each."""

from __future__ import annotations

from datetime import datetime

from middlemark.records.folder import PointResult, Result, points_aside
from middlemark.report.figure import Cell, Table, count, number
from middlemark.verdict.headline import point_name
from middlemark.verdict.yardsticks import cpu_ms_per_transaction


def sitting_table(result: Result) -> Table:
    """Return a row for each sitting; none for a run in one go."""
    run = result.run
    columns = ("#sitting", "began", "after a pause of", "ended", "by", "#points", "blocks", "#set aside")
    if not run.resumed:
        return Table(columns, ())
    begins = [run.started, *(one.at for one in run.resumed)]
    ends = [*(one.ended for one in run.resumed), run.finished]
    reasons = [*(one.after for one in run.resumed), run.message or run.status.value]
    aside = [*(len(one.aside) for one in run.resumed), 0]
    rows = [
        (
            count(sitting + 1),
            Cell(_time(begins[sitting])),
            Cell(_pause(ends[sitting - 1], begins[sitting]) if sitting else ""),
            Cell(_time(ends[sitting])),
            Cell(reasons[sitting]),
            count(sum(_sitting(p) == sitting for p in result.points)),
            Cell(_blocks(result, sitting)),
            count(aside[sitting]),
        )
        for sitting in range(len(begins))
    ]
    return Table(columns, tuple(rows))


def aside_table(result: Result) -> Table:
    """Return a row for each point that was set aside, with what it had found and what counts instead."""
    again = {p.path: p for p in result.points}
    rows = [
        (
            Cell(point_name(result, p)),
            Cell(_time(p.point.started if p.point else None)),
            Cell("valid" if p.valid else "INVALID"),
            *_figures(p),
            *_figures(again.get(p.path)),
        )
        for p in points_aside(result)
    ]
    columns = ("point", "started", "was", "#per s", "#CPU ms per transaction")
    return Table((*columns, "#per s, measured again", "#CPU ms per transaction, measured again"), tuple(rows))


def sitting_cell(point: PointResult) -> Cell:
    """Return in which sitting a point was measured, counted from 1."""
    sitting = _sitting(point)
    return Cell("") if sitting is None else count(sitting + 1)


def _sitting(point: PointResult) -> int | None:
    return None if point.point is None else point.point.sitting


def _blocks(result: Result, sitting: int) -> str:
    """Return the blocks, counted from 1, of which points were measured in a sitting."""
    found = sorted({p.repeat + 1 for p in result.points if _sitting(p) == sitting})
    return ", ".join(map(str, found)) or "none"


def _figures(point: PointResult | None) -> tuple[Cell, Cell]:
    if point is None or point.verdict is None:
        return Cell(""), Cell("")
    return number(point.verdict.throughput_tps), number(cpu_ms_per_transaction(point.verdict))


def _pause(ended: str | None, began: str) -> str:
    """Return how long nothing was measured, to the second."""
    if ended is None:
        return "unknown"
    seconds = int((datetime.fromisoformat(began) - datetime.fromisoformat(ended)).total_seconds())
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min {rest} s" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _time(moment: str | None) -> str:
    return "unknown" if moment is None else moment.replace("T", " ")
