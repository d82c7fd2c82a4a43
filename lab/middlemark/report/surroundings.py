"""What databases and machine did inside each point's window, and the statements that took most time."""

from __future__ import annotations

from pydantic import ValidationError

from middlemark.records.folder import PointResult, Result
from middlemark.records.point import DatabaseFigures, DiskFigures, HostFigures, ObservedPoolFigures, ReportedPoolFigures
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
        "#log MiB/s",
        "#full pages in it per s",
        "#checkpoints begun",
        "#checkpoints wrote MiB",
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
    stalled = ("#% a task waited for a CPU", "#% for a disk", "#% for memory")
    columns = ("point", "#loopback MiB/s", "#other networks MiB/s", "#CPUs taken away by the hypervisor", *stalled)
    found = [(p, p.verdict.host) for p in result.points if p.verdict is not None and p.verdict.host is not None]
    return Table(columns, tuple((Cell(point_name(result, p)), *_host(figures)) for p, figures in found))


def disk_table(result: Result) -> Table:
    """Return a row for each disk that did something at a point."""
    rows = [
        (Cell(point_name(result, p)), Cell(name), *_disk(one))
        for p in result.points
        if p.verdict is not None and p.verdict.host is not None
        for name, one in p.verdict.host.disks.items()
        if one.busy > 0
    ]
    return Table(("point", "disk", "#busy %", "#read MiB/s", "#written MiB/s"), tuple(rows))


def _disk(figures: DiskFigures) -> tuple[Cell, ...]:
    return tuple(map(number, (PERCENT * figures.busy, figures.read_mib_per_s, figures.written_mib_per_s)))


def pool_table(result: Result) -> Table:
    """Return a row for each pool of connections at each point: as PostgreSQL saw it, and as its tier reports."""
    columns = (
        "point",
        "tier",
        "database",
        "#size",
        "#sessions with work",
        "#% of looks all of them",
        "#given out, as it reports",
        "#% of samples all of them",
        "#requests waiting",
    )
    rows = []
    for p in result.points:
        for name, figures in p.verdict.databases.items() if p.verdict else ():
            tiers = p.verdict.tiers if p.verdict else {}
            for tier in tiers:
                reported, seen = tiers[tier].pools.get(name), figures.pools.get(tier)
                if reported or seen:
                    rows.append((Cell(point_name(result, p)), Cell(tier), Cell(name), *_pool(reported, seen)))
    return Table(columns, tuple(rows))


def _pool(reported: ReportedPoolFigures | None, seen: ObservedPoolFigures | None) -> tuple[Cell, ...]:
    size = max(one.size for one in (reported, seen) if one)
    return (
        count(size),
        known(seen.in_work if seen else None),
        known(PERCENT * seen.full if seen else None),
        known(reported.in_use if reported else None),
        known(PERCENT * reported.full if reported else None),
        known(reported.waiting if reported else None),
    )


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
        known(figures.log_mib_per_s),
        known(figures.full_pages_per_s),
        known(figures.checkpoints),
        known(figures.checkpoint_mib),
    )


def _host(figures: HostFigures) -> tuple[Cell, ...]:
    stalled = (figures.cpu_stalled, figures.io_stalled, figures.memory_stalled)
    return (
        *map(known, (figures.loopback_mib_per_s, figures.network_mib_per_s, figures.stolen_cpus)),
        *(known(None if share is None else PERCENT * share) for share in stalled),
    )
