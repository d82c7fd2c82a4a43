"""Throughput over time, a strip for every point at the highest load, the measured window shaded."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from middlemark.report.axes import Axes, Size
from middlemark.report.figure import PHONE_STRIP, STRIP, Figure, Table, both, number, rounded
from middlemark.report.scales import Scale, nice_ticks
from middlemark.report.timelines import Timeline
from middlemark.results.folder import Result
from middlemark.results.run import RunStatus
from middlemark.verdict.headline import point_name


def time_strips(result: Result, timelines: Sequence[Timeline]) -> list[Figure]:
    """Return a strip for each timeline, all on the same scales so that they can be laid upon each other."""
    if not timelines:
        return []
    highest = max(stretch.tps for line in timelines for stretch in line.stretches)
    longest = max(line.stretches[-1].end_s for line in timelines)
    return [_strip(result, line, highest, longest) for line in timelines]


def _strip(result: Result, line: Timeline, highest: float, longest: float) -> Figure:
    title = point_name(result, line.point)
    mean = line.point.verdict.throughput_tps if line.point.verdict else None
    wide, narrow = both(lambda size: _draw(line, size, (highest, longest, mean), title), STRIP, PHONE_STRIP)
    rows = tuple((number(s.start_s), number(s.end_s), number(s.tps)) for s in line.stretches)
    table = Table(("#from s", "#to s", "#transactions per second"), rows)
    return Figure(title, _note(result, line), wide, narrow, table, kind="time")


def _note(result: Result, line: Timeline) -> str:
    if line.point.verdict is not None:
        return "" if line.point.valid else "INVALID"
    return "being measured when this was written" if result.run.status is RunStatus.RUNNING else "not finished"


def _draw(line: Timeline, size: Size, bounds: tuple[float, float, float | None], title: str) -> Markup:
    highest, longest, mean = bounds
    ticks = nice_ticks(0.0, highest, 3)
    axes = Axes(
        size,
        Scale(0.0, longest, size.left, size.width - size.right),
        Scale(0.0, ticks[-1], size.height - size.bottom, size.top),
    )
    if line.window is not None:
        axes.shade(*line.window)
    axes.y_axis(ticks)
    axes.x_axis([t for t in nice_ticks(0.0, longest, 8) if t <= longest])
    axes.text(axes.right + 5, axes.bottom + 16, "s", "tick")
    axes.steps([(s.start_s, s.tps) for s in line.stretches], line.stretches[-1].end_s, "strip")
    if line.window is not None:
        axes.text(axes.x.at(line.window[0]) + 3, size.top - 4, "window", "tick")
    if mean is not None:
        axes.text(axes.right + 8, axes.y.at(mean) + 1, f"{rounded(mean)}", "value")
        axes.text(axes.right + 8, axes.y.at(mean) + 14, "per s", "tick")
    return axes.markup(f"Transactions per second over time: {title}")
