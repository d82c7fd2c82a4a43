"""What databases and machine did inside each point's window, and the statements that took most time."""

from __future__ import annotations

from pydantic import ValidationError

from middlemark.records.folder import PointResult, Result
from middlemark.records.point import DatabaseFigures, HostFigures
from middlemark.records.samples import STATEMENTS, Statement, Statements
from middlemark.report.figure import Cell, Table, count, number
from middlemark.report.tier_charts import known
from middlemark.verdict.headline import point_name

PERCENT = 100.0


def database_table(result: Result) -> Table:
    """Return a row for each database that was watched at each point."""
    columns = (
        "point",
        "database",
        "#commits per s",
        "#rollbacks per s",
        "#deadlocks",
        "#cache hits %",
        "#temporary MiB",
        "#max locks waited for",
        "#mean active sessions",
    )
    rows = [
        (Cell(point_name(result, p)), Cell(name), *_database(figures))
        for p in result.points
        if p.verdict is not None
        for name, figures in p.verdict.databases.items()
    ]
    return Table(columns, tuple(rows))


def host_table(result: Result) -> Table:
    """Return a row for each point with what the whole machine did."""
    columns = ("point", "#loopback MiB/s", "#other networks MiB/s", "#CPUs taken away by the hypervisor")
    found = [(p, p.verdict.host) for p in result.points if p.verdict is not None and p.verdict.host is not None]
    return Table(columns, tuple((Cell(point_name(result, p)), *_host(figures)) for p, figures in found))


def statement_table(result: Result) -> Table:
    """Return the slowest statements of each point, by their total time; none where the server does not count them."""
    rows = [
        (Cell(point_name(result, p)), Cell(one.database), Cell(one.query), count(one.calls), number(one.total_ms))
        for p in result.points
        for one in _statements(p)
    ]
    return Table(("point", "database", "statement", "#calls", "#total ms"), tuple(rows))


def _statements(point: PointResult) -> list[Statement]:
    try:
        return Statements.model_validate_json((point.folder / STATEMENTS).read_bytes()).statements
    except (OSError, ValidationError):
        return []


def _database(figures: DatabaseFigures) -> tuple[Cell, ...]:
    hits = figures.cache_hit_share
    return (
        number(figures.commits_per_s),
        number(figures.rollbacks_per_s),
        count(figures.deadlocks),
        known(None if hits is None else PERCENT * hits),
        number(figures.temporary_mib),
        count(figures.max_waiting_locks),
        number(figures.mean_active_sessions),
    )


def _host(figures: HostFigures) -> tuple[Cell, ...]:
    return tuple(known(value) for value in (figures.loopback_mib_per_s, figures.network_mib_per_s, figures.stolen_cpus))
