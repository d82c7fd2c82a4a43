"""The points in the order they ran: whether the machine drifted while they did."""

from __future__ import annotations

import math

from markupsafe import Markup

from middlemark.records.folder import PointResult, Result
from middlemark.records.point import Verdict
from middlemark.report.axes import Axes, Size
from middlemark.report.figure import Cell, Figure, Series, Style, Table, both, count, number, rounded
from middlemark.report.scales import Scale, nice_ticks
from middlemark.report.segments import segment_cell
from middlemark.verdict.headline import point_name
from middlemark.verdict.metrics import CPU_TIME, cpu_ms_per_transaction
from middlemark.verdict.naming import short_names

WIDE = Size(1140, 190, top=26)
PHONE = Size(344, 190, top=26)
# A number under each point on a phone needs about this many pixels.
ROOM = 26


def sequence_chart(result: Result) -> Figure | None:
    """Return the chart and the table of all points in run order; None when no point has a verdict."""
    judged = [
        (i, p, p.verdict)
        for i, p in enumerate(result.points)
        if p.verdict is not None and math.isfinite(cpu_ms_per_transaction(p.verdict))
    ]
    if not judged:
        return None
    names = short_names(result.run.combinations)
    wide, narrow = both(lambda size: _draw(result, judged, size), WIDE, PHONE)
    legend = tuple(Series(s, names[c.path]) for s, c in enumerate(result.run.combinations))
    note = f"{CPU_TIME.title(result.run.specification)} of the platform's tiers at every point, valid or not."
    return Figure("Cost by place in the run", note, wide, narrow, None, legend)


def sequence_table(result: Result) -> Table:
    """Return a row for each point in run order, also for those that were not finished."""
    names = short_names(result.run.combinations)
    segments = bool(result.run.resumed)
    sizes = any(p.verdict and p.verdict.mean_body_bytes is not None for p in result.points)
    columns = (
        "#place",
        "combination",
        "#users",
        "#round",
        "started",
        "#per s",
        f"#CPU ms per {result.run.specification.unit}",
        "#p95 ms",
        *(("#response B",) if sizes else ()),
        "counts",
        *(("#segment",) if segments else ()),
    )
    rows: list[tuple[Cell, ...]] = []
    for place, p in enumerate(result.points, 1):
        name = names[p.combination.path] if p.combination else p.path
        started = p.point.started.replace("T", " ") if p.point else "unknown"
        rows.append(
            (
                count(place),
                Cell(name),
                Cell(f"{p.load:g}"),
                count(p.repeat + 1),
                Cell(started),
                *_figures(p),
                *((_size(p),) if sizes else ()),
                _counts(p),
                *((segment_cell(p),) if segments else ()),
            )
        )
    return Table(columns, tuple(rows))


def _figures(point: PointResult) -> tuple[Cell, ...]:
    v = point.verdict
    if v is None:
        return (Cell(""), Cell(""), Cell(""))
    return number(v.throughput_tps), number(cpu_ms_per_transaction(v)), number(v.total.p95_ms)


def _size(point: PointResult) -> Cell:
    size = point.verdict.mean_body_bytes if point.verdict else None
    return Cell("") if size is None else Cell(f"{size:,.0f}", exact=size)


def _counts(point: PointResult) -> Cell:
    if point.verdict is None:
        return Cell("not finished", style=Style.MUTED)
    return Cell("valid", style=Style.PASSED) if point.verdict.valid else Cell("INVALID", style=Style.FAILED)


def _draw(result: Result, judged: list[tuple[int, PointResult, Verdict]], size: Size) -> Markup:
    series = {c.path: number_ for number_, c in enumerate(result.run.combinations)}
    ticks = nice_ticks(0.0, max(cpu_ms_per_transaction(v) for _, _, v in judged), 4)
    places = len(result.points)
    axes = Axes(
        size,
        Scale(0.3, places + 0.7, size.left, size.width - size.right),
        Scale(0.0, ticks[-1], size.height - size.bottom, size.top),
    )
    axes.y_axis(ticks, f"ms of CPU per {result.run.specification.unit}")
    every = max(1, -(-places * ROOM // int(axes.right - axes.left)))
    axes.x_axis([float(place) for place in range(1, places + 1, every)], "place in the run")
    for index, point, verdict in judged:
        combination = point.combination.path if point.combination else ""
        value = cpu_ms_per_transaction(verdict)
        title = f"{point_name(result, point)}: {rounded(value)} ms"
        axes.dot(index + 1, value, series.get(combination, 0), title, hollow=not verdict.valid)
    return axes.markup(f"{CPU_TIME.title(result.run.specification)} in run order")
