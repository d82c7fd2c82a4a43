"""The segments of a run that was resumed, and the points that were set aside."""

from __future__ import annotations

from datetime import datetime

from middlemark.records.disturbance import Disturbance
from middlemark.records.folder import PointResult, Result, points_aside
from middlemark.report.figure import Cell, Table, count, number
from middlemark.verdict.headline import point_name
from middlemark.verdict.metrics import cpu_ms_per_transaction


def segment_table(result: Result) -> Table:
    """Return a row for each segment; none for a run that was not resumed."""
    run = result.run
    columns = ("#segment", "began", "after a pause of", "ended", "by", "#points", "rounds", "#set aside")
    if not run.resumed:
        return Table(columns, ())
    begins = [run.started, *(one.at for one in run.resumed)]
    ends = [*(one.ended for one in run.resumed), run.finished]
    reasons = [*(one.reason for one in run.resumed), run.message or run.status.value]
    aside = [*(len(one.aside) for one in run.resumed), 0]
    rows = [
        (
            count(segment + 1),
            Cell(_time(begins[segment])),
            Cell(_pause(ends[segment - 1], begins[segment]) if segment else ""),
            Cell(_time(ends[segment])),
            Cell(reasons[segment]),
            count(sum(_segment(p) == segment for p in result.points)),
            Cell(_rounds(result, segment)),
            count(aside[segment]),
        )
        for segment in range(len(begins))
    ]
    return Table(columns, tuple(rows))


def aside_table(result: Result) -> Table:
    """Return a row for each point that was set aside, with why, what it had found and what counts instead."""
    rows = [
        (
            Cell(point_name(result, aside)),
            Cell(_time(aside.point.started if aside.point else None)),
            Cell("; ".join(one.text for one in _disturbances(aside)) or "its round was cut"),
            *_figures(aside),
            *_figures(again),
        )
        for aside, again in points_aside(result)
    ]
    cpu = f"#CPU ms per {result.run.specification.unit}"
    columns = ("point", "started", "why", "#per s", cpu)
    return Table((*columns, "#per s, measured again", f"{cpu}, measured again"), tuple(rows))


def _disturbances(point: PointResult) -> tuple[Disturbance, ...]:
    return point.verdict.disturbances if point.verdict else ()


def segment_cell(point: PointResult) -> Cell:
    """Return in which segment a point was measured, counted from 1."""
    segment = _segment(point)
    return Cell("") if segment is None else count(segment + 1)


def _segment(point: PointResult) -> int | None:
    return None if point.point is None else point.point.segment


def _rounds(result: Result, segment: int) -> str:
    """Return the rounds, counted from 1, of which points were measured in a segment."""
    found = sorted({p.repeat + 1 for p in result.points if _segment(p) == segment})
    return ", ".join(map(str, found)) or "none"


def _figures(point: PointResult) -> tuple[Cell, Cell]:
    if point.verdict is None:
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
