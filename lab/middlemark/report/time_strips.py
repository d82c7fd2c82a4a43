"""Throughput and CPU use over time, strips for every point at the highest load, the measured window shaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from middlemark.records.clearing import read_clearing
from middlemark.records.folder import Result
from middlemark.records.run import RunStatus
from middlemark.report.axes import Axes, Points, Size, colour
from middlemark.report.figure import PHONE_STRIP, STRIP, Figure, Table, both, number, rounded
from middlemark.report.scales import Scale, nice_ticks
from middlemark.report.timelines import Stretch, Timeline
from middlemark.verdict.drift import CPU_COST_DRIFT, THROUGHPUT_DRIFT
from middlemark.verdict.headline import point_name

MIN_SHARE = 0.001
# The strips are low: their scale ends just above the highest value, not at the next round one.
HEADROOM = 1.08


@dataclass(frozen=True)
class Quantity:
    """What a strip shows over time; `highest` is the same for all strips of a quantity."""

    name: str
    unit: str
    highest: float
    longest_s: float


@dataclass(frozen=True)
class Look:
    """What one strip is called, its CSS classes, and the window's mean, written at its end; None when not judged."""

    title: str
    style: str
    mean: float | None


def time_strips(result: Result, timelines: Sequence[Timeline]) -> list[tuple[Figure, ...]]:
    """Return the strips of each timeline, all on the same scales so that they can be laid upon each other."""
    if not timelines:
        return []
    longest = max(line.throughput[-1].end_s for line in timelines)
    rate = result.run.specification.rate
    rates = Quantity(rate[0].upper() + rate[1:], "per s", _highest([t.throughput for t in timelines], longest), longest)
    cpus = Quantity("CPU of all tiers, % of one CPU", "%", _highest([t.cpu for t in timelines], longest), longest)
    return [_strips(result, line, rates, cpus) for line in timelines]


def _highest(lines: Sequence[Sequence[Stretch]], longest_s: float) -> float:
    return max((stretch.rate for line in lines for stretch in _drawn(line, longest_s)), default=0.0)


def _drawn(stretches: Sequence[Stretch], longest_s: float) -> list[Stretch]:
    """Leave out stretches of a few milliseconds, as at the last responses: spikes, whose numbers the table has."""
    return [stretch for stretch in stretches if stretch.end_s - stretch.start_s > MIN_SHARE * longest_s]


def _strips(result: Result, line: Timeline, rates: Quantity, cpus: Quantity) -> tuple[Figure, ...]:
    name = point_name(result, line.point)
    mean = line.point.verdict.throughput_tps if line.point.verdict else None
    style = _style(result, line)
    throughput = _strip(line, line.throughput, rates, Look(f"{name}: {rates.name.lower()}", style, mean))
    # A process that a fault killed and the lab started again is not watched any longer.
    if not line.cpu or line.point.faults:
        return (_noted(throughput, _note(result, line)),)
    used = sum(t.cpu_share for t in line.point.verdict.tiers.values()) * 100 if line.point.verdict else None
    cpu = _strip(line, line.cpu, cpus, Look(f"{name}: {cpus.name}", style, used))
    return _noted(throughput, _note(result, line)), cpu


def _style(result: Result, line: Timeline) -> str:
    """Return the CSS classes of a strip: the colour its combination has everywhere."""
    series = next((i for i, c in enumerate(result.run.combinations) if c == line.point.combination), 0)
    return f"strip {colour(series)}"


def _noted(figure: Figure, note: str) -> Figure:
    return Figure(figure.title, note, figure.wide, figure.narrow, figure.table, kind=figure.kind)


def _strip(line: Timeline, stretches: Sequence[Stretch], quantity: Quantity, look: Look) -> Figure:
    wide, narrow = both(lambda size: _draw(line, stretches, quantity, look, size), STRIP, PHONE_STRIP)
    rows = tuple((number(s.start_s), number(s.end_s), number(s.rate)) for s in stretches)
    return Figure(look.title, "", wide, narrow, Table(("#from s", "#to s", f"#{quantity.unit}"), rows), kind="time")


def _note(result: Result, line: Timeline) -> str:
    verdict = line.point.verdict
    if verdict is not None:
        drifts = [c for c in verdict.checks if c.name in {THROUGHPUT_DRIFT, CPU_COST_DRIFT}]
        texts = [f"{c.name}: {c.message}" for c in drifts]
        return " · ".join((*([] if verdict.valid else ["INVALID"]), *texts))
    may_run = result.run.status is RunStatus.RUNNING and read_clearing(result.folder) is None
    return "being measured when this was written" if may_run else "not finished"


def _draw(line: Timeline, stretches: Sequence[Stretch], quantity: Quantity, look: Look, size: Size) -> Markup:
    top = quantity.highest * HEADROOM or 1.0
    ticks = [tick for tick in nice_ticks(0.0, top, 4) if tick <= top]
    axes = Axes(
        size,
        Scale(0.0, quantity.longest_s, size.left, size.width - size.right),
        Scale(0.0, top, size.height - size.bottom, size.top),
    )
    if line.window is not None:
        axes.shade(*line.window)
    axes.y_axis(ticks)
    axes.x_axis([t for t in nice_ticks(0.0, quantity.longest_s, 8) if t <= quantity.longest_s])
    axes.text(axes.right + 5, axes.bottom + 16, "s", "tick")
    for run in _unbroken(_drawn(stretches, quantity.longest_s)):
        points: Points = [(s.start_s, s.rate) for s in run]
        axes.steps(points, run[-1].end_s, look.style)
    if line.window is not None:
        axes.text(axes.x.at(line.window[0]) + 3, size.top - 4, "window", "tick")
    for fault in line.point.faults:
        if fault.injected_s is not None:
            axes.moment(fault.injected_s, fault.kind)
    if look.mean is not None:
        at = min(max(axes.y.at(look.mean), size.top + 8), axes.bottom - 16)
        axes.text(axes.right + 8, at, rounded(look.mean), "value")
        axes.text(axes.right + 8, at + 15, quantity.unit, "tick")
    return axes.markup(f"{quantity.name} over time: {line.point.path}")


def _unbroken(stretches: Sequence[Stretch]) -> list[list[Stretch]]:
    """Return runs of stretches that follow each other without a gap."""
    runs: list[list[Stretch]] = []
    for stretch in stretches:
        if runs and stretch.start_s - runs[-1][-1].end_s < 1e-6:
            runs[-1].append(stretch)
        else:
            runs.append([stretch])
    return runs
