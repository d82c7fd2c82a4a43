"""The report draws where the transactions under way were, and shows pools, disks and checkpoints of each point."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from synthetic_result import Shape, write_synthetic

from middlemark.records.folder import Result, read_result, write_json
from middlemark.records.limit import Limit
from middlemark.records.point import (
    DatabaseFigures,
    DiskFigures,
    HostFigures,
    ObservedPoolFigures,
    ReportedPoolFigures,
)
from middlemark.report.page import report_page
from middlemark.report.waiting import REST, waiting_charts, waiting_table

SHOP = DatabaseFigures(
    commits_per_s=1, rollbacks_per_s=0, deadlocks=0, cache_hit_share=1, temporary_mib=0, max_waiting_locks=0,
    mean_active_sessions=0, looks=80, waits={"CPU": 0.01, "IO:WalSync": 0.02, "Lock:tuple": 0.01},
    log_mib_per_s=105.0, full_pages_per_s=9000.0, checkpoints=1, checkpoint_mib=812.0,
    pools={"web+services": ObservedPoolFigures(size=20, in_work=17.5, full=0.83)},
)  # fmt: skip

DISK = DiskFigures(busy=0.5, read_mib_per_s=0, written_mib_per_s=3)


@pytest.fixture
def watched(tmp_path: Path) -> Result:
    """Give a run whose points were watched."""
    result = read_result(write_synthetic(tmp_path, Shape(loads=(10, 60), repeats=1)))
    for point in result.points:
        assert point.verdict is not None
        own = point.verdict.tiers["web+services"]
        pool = ReportedPoolFigures(size=20, in_use=19.5, full=0.9, waiting=0.03)
        limit = Limit(by=(), platform_peak=False, message="waiting for the moon", in_progress=1.0, seen=0.5)
        more = {
            "tiers": {**point.verdict.tiers, "web+services": own.model_copy(update={"pools": {"shop": pool}})},
            "databases": {"shop": SHOP},
            "host": HostFigures(io_stalled=0.25, disks={"vda": DISK}),
            "limit": limit,
        }  # fmt: skip
        write_json(point.folder / "verdict.json", point.verdict.model_copy(update=more))
    return read_result(tmp_path)


def test_a_column_for_each_load_is_as_high_as_the_transactions_under_way(watched: Result) -> None:
    for chart in waiting_charts(watched):
        for drawing in (chart.wide, chart.narrow):
            parts = re.findall(
                r'<rect class="column (\S+)" x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', drawing
            )
            at = {x: [(float(y), float(height)) for _, own, y, height in parts if own == x] for _, x, _, _ in parts}
            assert len(at) == 2
            for stack in at.values():
                # Each part stands on the one before.
                assert all(low[0] == pytest.approx(high[0] + high[1], abs=0.2) for low, high in pairwise(stack))
    table = waiting_table(watched)
    point = watched.points[0]
    assert point.verdict is not None
    assert table.rows[0][1].exact == pytest.approx(point.verdict.total.tps * point.verdict.total.mean_ms / 1000)
    assert table.rows[0][-1].text == "WalSync 0.02, tuple 0.01"


def test_the_page_has_the_chart_its_legend_and_the_tables(watched: Result) -> None:
    page = report_page(watched)
    assert "Where the transactions under way were" in page
    assert f"{REST}</span>" in page
    assert "waiting for the moon" in page
    for text in (
        "Connection pools",
        "Disks of the machine",
        "checkpoints wrote MiB",
        ">812<",
        ">vda<",
        "a task waited",
    ):
        assert text in page, text


def test_a_result_in_which_nothing_was_waited_for_has_no_such_chart(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)))
    assert waiting_charts(result) == []
    assert "under way were" not in report_page(result)
