"""CPU and memory of every tier, driver and databases too: small charts over users and one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from middlemark.records.folder import PointResult, Result
from middlemark.records.placement import is_platform
from middlemark.records.point import TierFigures, Verdict
from middlemark.records.run import Load
from middlemark.report.figure import SMALL, Cell, Figure, Style, Table, count, number
from middlemark.report.load_curves import Joining, Quantity, curve
from middlemark.verdict.naming import short_names

PERCENT = 100.0


@dataclass(frozen=True)
class LoadTable:
    """The table of one load."""

    load: Load
    table: Table


def tier_names(result: Result) -> list[str]:
    """Return every tier that was watched, the platform's first, the driver last."""
    names = {name for p in result.points if p.verdict for name in p.verdict.tiers}
    return sorted(names, key=lambda name: (not is_platform(name), name == "driver", name))


def tier_charts(result: Result) -> list[Figure]:
    """Return a small chart of each tier's CPU use over users."""
    charts = (curve(result, _use_of(tier), (SMALL, SMALL)) for tier in tier_names(result))
    return [replace(chart, table=None, note="") for chart in charts if chart is not None]


def tier_tables(result: Result) -> list[LoadTable]:
    """Return for each load, the highest first, a row for each tier of each point."""
    tables = [LoadTable(load, _table(result, load)) for load in sorted(result.run.loads, reverse=True)]
    return [table for table in tables if table.table.rows]


def _table(result: Result, load: Load) -> Table:
    names = short_names(result.run.combinations)
    tiers = tier_names(result)
    most = max(
        (t.cpu_ms_per_transaction for p in result.points if p.verdict for t in p.verdict.tiers.values()), default=0
    )
    rows = [
        _row(names[c.path], point, tier, figures, most)
        for tier in tiers
        for c in result.run.combinations
        for point, figures in _figures(result.of(c, load), tier)
    ]
    columns = (
        "tier",
        "combination",
        "#round",
        f"#CPU ms per {result.run.specification.unit}",
        "#CPU %",
        "#CPU s",
        "#memory MiB",
        "#max MiB",
        "#threads waiting for a CPU",
        "#switches per s",
        "#read MiB/s",
        "#written MiB/s at most",
    )
    return Table(columns, tuple(rows))


def _figures(points: list[PointResult], tier: str) -> list[tuple[PointResult, TierFigures]]:
    return [(p, p.verdict.tiers[tier]) for p in points if p.verdict and tier in p.verdict.tiers]


def _row(name: str, point: PointResult, tier: str, figures: TierFigures, most: float) -> tuple[Cell, ...]:
    return (
        Cell(_shown(tier)),
        Cell(name),
        count(point.repeat + 1),
        number(figures.cpu_ms_per_transaction, bar_of=most),
        number(PERCENT * figures.cpu_share),
        number(figures.cpu_s),
        number(figures.memory_mean_mib),
        number(figures.memory_max_mib),
        known(figures.waiting_for_cpu),
        known(figures.switches_per_s),
        known(figures.read_mib_per_s),
        known(figures.written_mib_per_s),
    )


def known(value: float | None) -> Cell:
    """Return a number, or n/a where it is unavailable."""
    return Cell("n/a", style=Style.MUTED) if value is None else number(value)


def _use_of(tier: str) -> Quantity:
    """Return the tier's CPU use in % of one CPU."""
    return Quantity(_shown(tier), "% of one CPU", _share_of(tier), Joining.MEAN)


def _share_of(tier: str) -> Callable[[Verdict], float]:
    # Not a number where the tier was not watched, so that nothing is drawn there.
    return lambda v: PERCENT * v.tiers[tier].cpu_share if tier in v.tiers else float("nan")


def _shown(tier: str) -> str:
    return tier.replace("+", " + ")
