"""Response time by percentile at the highest load, the rounds' histograms added (percentiles are never averaged)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from middlemark.records.folder import Result
from middlemark.report.axes import Axes, Size, colour
from middlemark.report.figure import FULL, PHONE, Cell, Figure, Series, Table, both, count, number
from middlemark.report.scales import Scale, log_ticks
from middlemark.report.timelines import Timeline
from middlemark.verdict.naming import short_names
from middlemark.verdict.sharing import times_not_ranked
from middlemark.workload.latencies import Latencies

# The last nine in which a window must have ten slower responses to be drawn.
NINES = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999)
MIN_BEYOND = 10
STEPS_PER_NINE = 60


@dataclass(frozen=True)
class _Curve:
    series: int
    name: str
    latencies: Latencies

    @property
    def last(self) -> float:
        """The highest percentile that ten responses lie beyond."""
        fitting = [p for p in NINES if self.latencies.count * (100 - p) / 100 >= MIN_BEYOND]
        return fitting[-1] if fitting else NINES[0]

    def points(self) -> list[tuple[float, float]]:
        """Return (nines, ms) from the median's side to the last percentile."""
        end = _nines(self.last)
        steps = max(1, round(end * STEPS_PER_NINE))
        nines = [end * i / steps for i in range(steps + 1)]
        return [(n, self.latencies.percentile_us(_percent(n)) / 1000) for n in nines]


def percentile_curve(result: Result, timelines: Sequence[Timeline]) -> Figure | None:
    """Return the curve of every combination over its valid points; None without responses enough."""
    names = short_names(result.run.combinations)
    merged: Mapping[int, Latencies] = {
        series: Latencies.merged(t.latencies for t in timelines if t.point.valid and t.point.combination == c)
        for series, c in enumerate(result.run.combinations)
    }
    curves = [
        _Curve(series, names[result.run.combinations[series].path], latencies) for series, latencies in merged.items()
    ]
    curves = [curve for curve in curves if curve.last >= NINES[2]]
    if not curves:
        return None
    at = result.run.top_name
    wide, narrow = both(lambda size: _draw(curves, size, at), FULL, PHONE)
    note = f"At {at}, all rounds that count together; "
    note += f"drawn while at least {MIN_BEYOND} responses were slower."
    if reason := times_not_ranked(result):
        note += f" Shown, not ranked ({reason})."
    legend = tuple(Series(curve.series, curve.name) for curve in curves)
    return Figure("Response time by percentile", note, wide, narrow, _table(curves), legend)


def _draw(curves: Sequence[_Curve], size: Size, at: str) -> Markup:
    drawn = [(curve, curve.points()) for curve in curves]
    values = [ms for _, points in drawn for _, ms in points if ms > 0]
    ticks = log_ticks(min(values), max(values))
    last = max(curve.last for curve in curves)
    size = replace(size, top=size.top + 14)
    axes = Axes(
        size,
        Scale(0.0, _nines(last), size.left, size.width - size.right - 10),
        Scale(ticks[0], ticks[-1], size.height - size.bottom, size.top, log=True),
    )
    axes.y_axis(ticks, "ms (logarithmic)")
    shown = [p for p in NINES if p <= last]
    axes.x_axis([_nines(p) for p in shown], "percentile", [f"{p:g}" for p in shown])
    for curve, points in drawn:
        axes.line([(nines, ms) for nines, ms in points if ms > 0], colour(curve.series))
        for percent in shown:
            ms = curve.latencies.percentile_us(percent) / 1000
            if percent <= curve.last and ms > 0:
                axes.dot(_nines(percent), ms, curve.series, f"{curve.name}: {percent:g} % ≤ {ms:.2f} ms")
    return axes.markup(f"Response time by percentile at {at}: {', '.join(c.name for c in curves)}")


def _table(curves: Sequence[_Curve]) -> Table:
    last = max(curve.last for curve in curves)
    shown = [p for p in NINES if p <= last]
    rows = tuple(
        (
            Cell(curve.name),
            count(curve.latencies.count),
            *(
                number(curve.latencies.percentile_us(p) / 1000) if p <= curve.last else Cell("too few responses")
                for p in shown
            ),
        )
        for curve in curves
    )
    return Table(("combination", "#responses", *(f"#p{p:g} ms" for p in shown)), rows)


def _nines(percent: float) -> float:
    return -math.log10(1 - percent / 100)


def _percent(nines: float) -> float:
    return 100 * (1 - 10**-nines)
