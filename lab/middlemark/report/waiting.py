"""Where the transactions under way were: a column for each load, a chart for each combination, and the numbers."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from middlemark.records.folder import PointResult, Result
from middlemark.records.run import Combination, Load
from middlemark.report.axes import Axes, Size, colour
from middlemark.report.figure import PANEL, PHONE, Cell, Figure, Table, both, number, rounded
from middlemark.report.scales import Scale, nice_ticks
from middlemark.verdict.headline import point_name
from middlemark.verdict.naming import short_names
from middlemark.verdict.waiting import Place, by_kind, few, places, situation_of

REST = "not seen anywhere"
# Half the width of a column at most, in pixels; the rest of its room is left free.
WIDEST, FREE = 16.0, 0.35


@dataclass(frozen=True)
class Key:
    """An entry of the legend: a colour's CSS class and its meaning."""

    style: str
    name: str


KEYS = (*(Key(colour(series), place) for series, place in enumerate(Place)), Key("rest", REST))


def waiting_charts(result: Result) -> list[Figure]:
    """Return a chart for each combination with a judged point, each with a scale of its own."""
    names = short_names(result.run.combinations)
    return [
        _chart(result, names[combination.path], stacks)
        for combination in result.run.combinations
        if (stacks := _stacks(result, combination))
    ]


def waiting_table(result: Result) -> Table:
    """Return a row for each judged point: transactions under way, and where they were seen."""
    columns = ("point", "#under way", *(f"#{place}" for place in Place), "sessions of the databases waited for")
    rows = [
        (
            Cell(point_name(result, point)),
            number(point.verdict.total.tps * point.verdict.total.mean_ms / 1000),
            *(number(value) for value in _places(point).values()),
            Cell(_events(point)),
        )
        for point in result.points
        if _has_limit(point) and point.verdict
    ]
    return Table(columns, tuple(rows))


def _has_limit(point: PointResult) -> bool:
    """Say whether it was worked out what limited a point: with faults, and in older results, it was not."""
    return bool(point.verdict and point.verdict.limit and point.verdict.limit.in_progress is not None)


def _places(point: PointResult) -> dict[Place, float]:
    return places(situation_of(point.verdict)) if point.verdict else {}


def _events(point: PointResult) -> str:
    """Return the events that most sessions waited for, of each database."""
    found = []
    for figures in point.verdict.databases.values() if point.verdict else ():
        events = [one for kind, each in by_kind(figures.waits).items() if kind for one in each.items()]
        most = sorted(events, key=lambda one: -one[1])[:3]
        found.append(", ".join(f"{event} {few(mean)}" for event, mean in most if mean >= 0.005))
    return "; ".join(text for text in found if text)


def _stacks(result: Result, combination: Combination) -> dict[Load, dict[str, float]]:
    """Return what each column is made of: means over the rounds that count, or over all where none does."""
    stacks: dict[Load, dict[str, float]] = {}
    for load in sorted(result.run.loads):
        reported = [point for point in result.of(combination, load) if _has_limit(point)]
        points = [point for point in reported if point.valid] or reported
        if points:
            seen = [_places(point) for point in points]
            parts = {str(place): statistics.fmean(one[place] for one in seen) for place in Place}
            whole = statistics.fmean(situation_of(p.verdict).in_progress for p in points if p.verdict)
            stacks[load] = {**parts, REST: max(0.0, whole - sum(parts.values()))}
    return stacks


def _chart(result: Result, name: str, stacks: Mapping[Load, Mapping[str, float]]) -> Figure:
    unit = result.run.load_unit
    wide, narrow = both(lambda size: _draw(name, unit, stacks, size), PANEL, PHONE)
    return Figure(name, "", wide, narrow)


def _draw(name: str, unit: str, stacks: Mapping[Load, Mapping[str, float]], size: Size) -> Markup:
    loads: Sequence[Load] = list(stacks)
    ticks = nice_ticks(0.0, max(sum(parts.values()) for parts in stacks.values()), 4)
    x = Scale(-0.5, len(loads) - 0.5, size.left, size.width - size.right)
    axes = Axes(size, x, Scale(ticks[0], ticks[-1], size.height - size.bottom, size.top))
    axes.y_axis(ticks, "under way")
    axes.x_axis(range(len(loads)), unit, [f"{load:,g}" for load in loads])
    half = min(WIDEST, (x.at(1) - x.at(0)) * (1 - FREE) / 2)
    for place, parts in enumerate(stacks.values()):
        base = 0.0
        for key in KEYS:
            value = parts[key.name]
            if value > 0:
                label = f"{loads[place]:,g} {unit}: {rounded(value)} {key.name}"
                axes.column(place, (base, base + value), half, key.style, label)
            base += value
    return axes.markup(f"Transactions under way by where they were, against {unit}: {name}")
