"""Curves over users: a dot for every round, a line for every combination, a band when there are rounds enough."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from markupsafe import Markup

from middlemark.records.folder import Result
from middlemark.records.point import Verdict
from middlemark.records.run import load_name
from middlemark.report.axes import Axes, Size, colour
from middlemark.report.figure import HALF, PANEL, PHONE, Cell, Figure, Series, Style, Table, both, number, rounded
from middlemark.report.samples import Line, Sample, lines
from middlemark.report.scales import Scale, nice_ticks
from middlemark.verdict.estimate import MIN_ROUNDS
from middlemark.verdict.metrics import (
    BYTES_PER_SECOND,
    CPU_TIME,
    cpu_ms_per_transaction,
    mean_response_ms,
    throughput_tps,
)
from middlemark.verdict.multiples import alike_but_subject
from middlemark.verdict.naming import choices_in_words

# More combinations than this are drawn in small charts, one for each set of other choices: lines would hide each other.
MAX_LINES = 6
# Loads that are nearer than this on the axis need a logarithmic one, and there the label of one of them is left out.
NEAR, LABEL = 16, 24
MEGABYTE = 1e6
# Series are drawn so many pixels aside of each other, so that equal values do not hide one another.
ASIDE = 5
# Where nothing is joined by a line there is room, and the bars of the means need it.
BAR, BAR_ASIDE = 15, 38


class Joining(StrEnum):
    """What the line goes through. Percentiles are never averaged: each round keeps its own line."""

    MEAN = "mean of the rounds"
    ROUNDS = "each round"


@dataclass(frozen=True)
class Panels:
    """One quantity in small charts with a scale of its own each, a legend and the numbers of all of them."""

    title: str
    note: str
    legend: tuple[Series, ...]
    figures: tuple[Figure, ...]
    table: Table


@dataclass(frozen=True)
class Quantity:
    """A figure to draw over users."""

    title: str
    unit: str
    figure: Callable[[Verdict], float]
    joining: Joining = Joining.MEAN


def load_curves(result: Result) -> list[Figure]:
    """Return a figure for each quantity that has been measured; none where there are panels instead."""
    if _in_panels(result):
        return []
    return [f for f in (curve(result, quantity) for quantity in quantities(result)) if f is not None]


def load_panels(result: Result) -> list[Panels]:
    """Return small charts for each quantity, for a run with several subjects and too many combinations for one."""
    if not _in_panels(result):
        return []
    return [panels for panels in (_panels(result, quantity) for quantity in quantities(result)) if panels is not None]


def _in_panels(result: Result) -> bool:
    run = result.run
    return len(run.combinations) > MAX_LINES and len(alike_but_subject(run)) > 1


def quantities(result: Result) -> tuple[Quantity, ...]:
    """Return what is drawn; bytes where the specification leads with them."""
    specification = result.run.specification
    received = Quantity("Bytes received", "MB/s", lambda v: v.bytes_per_s / MEGABYTE)
    return (
        Quantity("Throughput", specification.rate, throughput_tps),
        *([received] if BYTES_PER_SECOND in specification.leads_with else []),
        Quantity(f"{CPU_TIME.title(specification)}, the platform's tiers", "ms", cpu_ms_per_transaction),
        Quantity("Mean response time", "ms", mean_response_ms),
        Quantity("95th percentile of response time", "ms", lambda v: v.total.p95_ms, Joining.ROUNDS),
    )


def _panels(result: Result, quantity: Quantity) -> Panels | None:
    run = result.run
    by_path = dict(zip((one.path for one in run.combinations), lines(result, quantity.figure), strict=True))
    subjects = list(dict.fromkeys(one.subject for one in run.combinations))
    every = [line for line in by_path.values() if any(level.samples for level in line.levels)]
    if not every:
        return None
    figures = []
    for alike in alike_but_subject(run):
        own = [replace(by_path[c.path], series=subjects.index(c.subject), name=c.subject) for c in alike]
        own = [line for line in own if any(level.samples for level in line.levels)]
        if own:
            wide, narrow = both(lambda size, own=own: _draw(own, quantity, size), PANEL, PHONE)  # type: ignore[misc]
            figures.append(Figure(choices_in_words(alike[0]), "", wide, narrow))
    legend = tuple(Series(number, subject) for number, subject in enumerate(subjects))
    note = f"{_note(every, quantity, run.repeats)} Each chart has a scale of its own."
    return Panels(quantity.title, note, legend, tuple(figures), _table(every, quantity, run.repeats))


def curve(result: Result, quantity: Quantity, sizes: tuple[Size, Size] = (HALF, PHONE)) -> Figure | None:
    """Return the figure of one quantity; None when no point has it."""
    found = [line for line in lines(result, quantity.figure) if any(level.samples for level in line.levels)]
    if not found:
        return None
    wide, narrow = both(lambda size: _draw(found, quantity, size), *sizes)
    return Figure(
        quantity.title,
        _note(found, quantity, result.run.repeats),
        wide,
        narrow,
        _table(found, quantity, result.run.repeats),
        tuple(Series(line.series, line.name) for line in found),
    )


def _note(found: Sequence[Line], quantity: Quantity, repeats: int) -> str:
    hollow = any(not s.valid for line in found for level in line.levels for s in level.samples)
    dots = "A dot is a round, a hollow one does not count" if hollow else "A dot is a round"
    if quantity.joining is Joining.ROUNDS:
        joined = any(_joined(line) for line in found)
        return f"{dots}; {'each round has its own line, because ' if joined else ''}percentiles are never averaged."
    means, intervals = _drawn(found)
    note = f"{dots}, the {means} their mean" if repeats > 1 and means else dots
    if intervals:
        return f"{note}, the {intervals} its 95 % interval."
    return f"{note}. No interval is drawn below {MIN_ROUNDS} rounds." if repeats > 1 else f"{note}."


def _joined(line: Line) -> bool:
    """Whether a line joins the loads; at a single load its mean is a bar, and the interval a whisker."""
    return sum(level.mean is not None for level in line.levels) > 1


def _drawn(found: Sequence[Line]) -> tuple[str, str]:
    """Return what stands for the means and for their intervals: the words of the caption; empty for nothing."""
    several = [line for line in found if any(len(level.valid) > 1 for level in line.levels)]
    with_interval = [line for line in several if any(level.interval for level in line.levels)]
    means = sorted({"line" if _joined(line) else "bar" for line in several}, reverse=True)
    intervals = sorted({"band" if _has_band(line) else "whisker" for line in with_interval})
    return " or ".join(means), " or ".join(intervals)


def _has_band(line: Line) -> bool:
    return sum(level.interval is not None for level in line.levels) > 1


def _draw(found: Sequence[Line], quantity: Quantity, size: Size) -> Markup:
    values = [s.value for line in found for level in line.levels for s in level.samples]
    if quantity.joining is Joining.MEAN:
        values += [end for line in found for level in line.levels for end in level.interval or ()]
    high = max([*values, 0.0])
    loads = sorted({level.load for line in found for level in line.levels})
    y_ticks = nice_ticks(0.0, high, 6)
    size = replace(size, top=size.top + 14)
    axes = Axes(size, _x_scale(loads, size), Scale(y_ticks[0], y_ticks[-1], size.height - size.bottom, size.top))
    axes.y_axis(y_ticks, quantity.unit)
    unit = found[0].unit
    axes.x_axis(loads, f"{unit} (logarithmic)" if axes.x.log else unit, _load_labels(axes.x, loads))
    middle, apart = axes.x, ASIDE if len(loads) > 1 else BAR_ASIDE
    for place, line in enumerate(found):
        aside = (place - (len(found) - 1) / 2) * min(apart, (axes.right - axes.left) / (len(found) + 1))
        axes.x = replace(middle, start=middle.start + aside, end=middle.end + aside)
        _draw_line(axes, line, quantity)
    return axes.markup(f"{quantity.title} against {found[0].unit}: {', '.join(line.name for line in found)}")


def _x_scale(loads: Sequence[float], size: Size) -> Scale:
    """Return the scale of the loads: logarithmic where some would lie on each other, as in a geometric ramp."""
    margin = (max(loads) - min(loads)) * 0.04 or 1
    ends = size.left, size.width - size.right
    linear = Scale(min(loads) - margin, max(loads) + margin, *ends)
    if all(linear.at(right) - linear.at(left) >= NEAR for left, right in itertools.pairwise(loads)):
        return linear
    aside = (max(loads) / min(loads)) ** 0.04
    return Scale(min(loads) / aside, max(loads) * aside, *ends, log=True)


def _load_labels(x: Scale, loads: Sequence[float]) -> list[str]:
    """Return the labels of the loads, the highest always, empty for one too near to its right neighbour's."""
    labels: list[str] = []
    right = math.inf
    for load in reversed(loads):
        fits = right - x.at(load) >= LABEL
        labels.append(f"{load:,g}" if fits else "")
        right = x.at(load) if fits else right
    return labels[::-1]


def _draw_means(axes: Axes, line: Line) -> None:
    """Draw the means and their intervals: a line in a band, or, where there is nothing to join, bars and whiskers."""
    style = colour(line.series)
    intervals = [(level.load, *level.interval) for level in line.levels if level.interval]
    if _has_band(line):
        axes.band(intervals, style)
    else:
        for load, low, high in intervals:
            axes.whisker(load, (low, high), BAR, style)
    means = [(level.load, level.mean) for level in line.levels if level.mean is not None]
    if _joined(line):
        axes.line(means, style)
    elif means and any(len(level.valid) > 1 for level in line.levels):
        axes.bar(*means[0], BAR, style)


def _draw_line(axes: Axes, line: Line, quantity: Quantity) -> None:
    style = colour(line.series)
    if quantity.joining is Joining.MEAN:
        _draw_means(axes, line)
    else:
        for number in sorted({s.round for level in line.levels for s in level.samples}):
            own = [
                (level.load, s.value) for level in line.levels for s in level.samples if s.round == number and s.valid
            ]
            axes.line(own, f"{style} thin")
    for level in line.levels:
        for s in level.samples:
            status = "" if s.valid else ", INVALID"
            where = f"{line.name}, {load_name(level.load, line.unit)}, round {s.round}"
            label = f"{where}: {rounded(s.value)} {quantity.unit}{status}"
            axes.dot(level.load, s.value, line.series, label, hollow=not s.valid)


def _table(found: Sequence[Line], quantity: Quantity, repeats: int) -> Table:
    mean = ("#mean",) if quantity.joining is Joining.MEAN else ()
    columns = ("combination", f"#{found[0].unit}", *(f"#round {number + 1}" for number in range(repeats)), *mean)
    rows = []
    for line in found:
        for level in line.levels:
            by_round = {s.round: s for s in level.samples}
            rounds = [_round(by_round.get(number + 1)) for number in range(repeats)]
            average = [number(level.mean) if level.mean is not None else Cell("none")] if mean else []
            rows.append((Cell(line.name), Cell(f"{level.load:g}"), *rounds, *average))
    return Table(columns, tuple(rows))


def _round(sample: Sample | None) -> Cell:
    if sample is None:
        return Cell("not measured", style=Style.MUTED)
    return number(sample.value) if sample.valid else Cell(f"{rounded(sample.value)} INVALID", exact=sample.value)
