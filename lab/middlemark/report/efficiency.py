"""The table of efficiencies: each combination beside its reference, at the peaks and at the highest load."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.records.folder import Result
from middlemark.report.figure import Cell, Style, Table, count, text_table
from middlemark.verdict.efficiency import Efficiency, EfficiencyAt
from middlemark.verdict.estimate import Comparison
from middlemark.verdict.naming import short_names
from middlemark.verdict.response_size import ResponseSize, response_size

PEAKS, HIGHEST = "own peaks", "highest load"


def efficiency_table(result: Result, found: Sequence[Efficiency]) -> Table | None:
    """Return a row for each place of each efficiency of some combinations; None where there is none."""
    name = result.run.specification.efficiency.name if result.run.specification.efficiency else ""
    columns = (
        "combination",
        "at",
        f"#{result.run.load_unit}",
        f"#{result.run.load_unit} of the reference",
        f"#{name} request efficiency",
        "#95 % interval",
        f"#{name} latency efficiency",
        "#95 % interval",
        "#rounds",
        "#response B",
        "#response B of the reference",
    )
    names = short_names([one.combination for one in found])
    rows = [row for one in found for row in _rows(result, names[one.combination.path], one)]
    return Table(columns, tuple(rows)) if rows else None


def missing_table(found: Sequence[Efficiency]) -> Table | None:
    """Return why some combinations have no efficiency, or none at the peaks; None where all have."""
    names = short_names([one.combination for one in found])
    reasons = ((one, one.reason or (f"{PEAKS}: {one.hidden}" if one.hidden else "")) for one in found)
    rows = [(names[one.combination.path], reason) for one, reason in reasons if reason]
    return text_table(("combination", "why there is none"), rows) if rows else None


def _rows(result: Result, name: str, one: Efficiency) -> list[tuple[Cell, ...]]:
    if one.reference is None:
        return []
    sizes = [_bytes(response_size(result, side)) for side in (one.combination, one.reference)]
    places = {PEAKS: one.at_peak, HIGHEST: one.at_highest}
    return [(Cell(name), Cell(place), *_figures(at), *sizes) for place, at in places.items() if at is not None]


def _figures(at: EfficiencyAt) -> tuple[Cell, ...]:
    return (
        Cell(f"{at.load:,g}", exact=at.load),
        Cell(f"{at.reference_load:,g}", exact=at.reference_load),
        *_ratio(at.request),
        *_ratio(at.latency),
        count(len(at.request.rounds)),
    )


def _ratio(found: Comparison) -> tuple[Cell, Cell]:
    """Return a ratio and its interval; below the rounds that decide anything the rounds instead, marked as such."""
    if found.ratio is None:
        return Cell("n/a", style=Style.MUTED), Cell("no round in which both count", style=Style.MUTED)
    ratio = Cell(f"{found.ratio:.3f}", exact=found.ratio)
    if found.interval is None:
        spread = f"none: rounds {found.min_ratio:.3f} … {found.max_ratio:.3f}" if len(found.rounds) > 1 else "none"
        return ratio, Cell(spread, style=Style.MUTED)
    return ratio, Cell(f"{found.interval.low:.3f} … {found.interval.high:.3f}")


def _bytes(size: ResponseSize | None) -> Cell:
    return Cell("n/a") if size is None else Cell(f"{size.mean:,.0f}", exact=size.mean)
