"""Pools, disks, checkpoints and the network of every tier are shown, and where the transactions under way were."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest
from deployed_result import apart, with_deployments
from rejudged_result import page_of, with_windows
from report_html import HTML, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import judge_folder
from middlemark.records.findings import Findings
from middlemark.records.limit import Limit
from middlemark.records.samples import Statement
from middlemark.records.window import (
    DatabaseFigures,
    DiskFigures,
    HostFigures,
    ObservedPoolFigures,
    ReportedPoolFigures,
    TierFigures,
    Window,
)
from middlemark.show.resources import limits
from middlemark.show.tables import Figure, Fold, Row, Table
from middlemark.verdict.waiting import Place

SHOP = DatabaseFigures(
    commits_per_s=1, rollbacks_per_s=0, deadlocks=0, cache_hit_share=1, temporary_mib=0, max_waiting_locks=0,
    mean_active_sessions=0, looks=80, waits={"CPU": 0.01, "IO:WalSync": 0.02, "Lock:tuple": 0.01},
    log_mib_per_s=105.0, full_pages_per_s=9000.0, checkpoints=1, checkpoint_mib=812.0,
    pools={"web+services": ObservedPoolFigures(size=20, in_work=17.5, full=0.83)},
)  # fmt: skip
DISK = DiskFigures(busy=0.5, read_mib_per_s=0, written_mib_per_s=3)
PLACES = {Place.POOL.value: 0.01, Place.APPLICATION.value: 0.05, Place.STORAGE.value: 0.03}
PLAIN = TierFigures(cpu_s=1, cpu_share=0.1, cpu_ms_per_transaction=1, memory_mean_mib=1, memory_max_mib=1)


def watched_closely(window: Window) -> Window:
    own = window.tiers["web+services"]
    pool = ReportedPoolFigures(size=20, in_use=19.5, full=0.9, waiting=0.03)
    slow = Statement(database="shop", query="SELECT pg_sleep($1)", calls=7, total_ms=7000.0)
    more = {
        "tiers": {**window.tiers, "web+services": own.model_copy(update={"pools": {"shop": pool}})},
        "databases": {"shop": SHOP},
        "host": HostFigures(io_stalled=0.25, disks={"vda": DISK}),
        "limit": Limit(by=(), platform_peak=False, message="waiting for the moon", in_progress=1.0, seen=0.5),
        "places": PLACES,
        "statements": (slow,),
    }
    return window.model_copy(update=more)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Judge a run whose windows were watched."""
    shape = Shape(loads=(10, 60), repeats=1)
    return with_windows(write_synthetic(tmp_path_factory.mktemp("result"), shape), watched_closely)


def rows_of(findings: Findings, title: str) -> list[list[str]]:
    """Return the rows of the table folded below a title."""
    section = next(each for each in page_of(findings).iter(f"{HTML}section") if each.get("id") == "resources")
    folds = (each for each in section.iter(f"{HTML}details") if words(each[0]) == title)
    return [[words(entry) for entry in row] for row in next(folds, ET.Element("none")).iter(f"{HTML}tr")]


def waiting_charts(findings: Findings) -> list[Figure]:
    return [figure for block in limits(findings) if isinstance(block, Row) for figure in block.figures]


def test_a_bar_for_each_load_is_as_long_as_the_transactions_under_way(watched: Findings) -> None:
    charts = waiting_charts(watched)
    assert [chart.title for chart in charts] == ["local", "json"]
    for combination, chart in zip(COMBINATIONS, charts, strict=True):
        whole = [watched.of(combination, load)[0].under_way for load in (10, 60)]
        for drawing in (chart.wide, chart.narrow):
            parts = re.findall(r'<rect class="column (\S+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', drawing)
            bars: dict[str, list[tuple[float, float]]] = {}
            for _, x, y, width in parts:
                bars.setdefault(y, []).append((float(x), float(width)))
            lengths = []
            for bar in bars.values():
                # Each part begins where the one before it ends.
                assert all(left[0] + left[1] == pytest.approx(right[0], abs=0.2) for left, right in pairwise(bar))
                lengths.append(sum(width for _, width in bar))
            assert lengths[1] / lengths[0] == pytest.approx(whole[1] / whole[0], rel=0.05)
            assert {style for style, *_ in parts} == {"s0", "s1", "s2", "rest"}


def test_the_numbers_below_have_every_place_and_what_was_not_seen(watched: Findings) -> None:
    (folded,) = [block for block in limits(watched) if isinstance(block, Fold)]
    table = folded.blocks[0]
    assert isinstance(table, Table)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    seen = [row[f"#{place}"].exact for place in PLACES]
    assert seen == pytest.approx(list(PLACES.values()))
    under_way = watched.of(COMBINATIONS[0], 60)[0].under_way
    assert row["#under way"].exact == pytest.approx(under_way)
    assert row["#not seen anywhere"].exact == pytest.approx(under_way - sum(PLACES.values()))


def test_pools_disks_checkpoints_and_statements_have_their_tables(watched: Findings) -> None:
    pools = rows_of(watched, "Connection pools")
    assert pools[1][:3] == ["local, 60 users", "web+services", "shop"]
    assert pools[1][3:] == ["20.0", "17.5", "83.0", "19.5", "90.0", "0.030"]
    disks = rows_of(watched, "Disks of the machine")
    assert disks[1] == ["local, 60 users", "vda", "50.0", "0", "3.00"]
    databases = rows_of(watched, "Commits, locks and cache of the databases")
    assert databases[0][-1] == "checkpoints wrote MiB"
    assert databases[1][-1] == "812"
    assert rows_of(watched, "The whole machine")[1][-1] == "25.0"
    statements = rows_of(watched, "Statements that took most time, over all windows compared")
    assert statements[1] == ["local", "shop", "SELECT pg_sleep($1)", "7", "7,000"]
    assert "waiting for the moon" in words(page_of(watched))


def test_a_result_in_which_nothing_was_waited_for_has_no_such_chart(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path, Shape(loads=(10,), repeats=1))
    bare = with_windows(folder, lambda window: window.model_copy(update={"places": {}, "limit": None}))
    assert list(limits(bare)) == []
    assert "under way were" not in words(page_of(bare))


def counted(received: float, sent: float, ended: int = 0) -> TierFigures:
    changes = {"net_received_mib_per_s": received, "net_sent_mib_per_s": sent, "connections_ended": ended}
    return PLAIN.model_copy(update=changes)


def test_each_tier_has_the_figures_of_its_network_or_the_reason(tmp_path: Path) -> None:
    tiers = {"web": PLAIN, "services": counted(0.5, 1.5), "database": counted(2, 4, 3), "processor": PLAIN,
             "driver": PLAIN}  # fmt: skip
    with_deployments(
        write_synthetic(tmp_path, Shape(COMBINATIONS[:1], loads=(10,), repeats=2)), apart("go", "json (http)")
    )

    def with_network(window: Window) -> Window:
        return window.model_copy(update={"tiers": tiers, "bytes_per_s": 3 * 2**20, "sent_bytes_per_s": float(2**20)})

    rows = rows_of(with_windows(tmp_path, with_network), "Network of every tier, at 10 users")
    not_counted = "not counted: the kernel knows no bytes of a process, and its connections were not looked at"
    assert {row[1]: row[2:] for row in rows[1:]} == {
        "web": ["n/a", "n/a", "called by the virtual users: what it exchanged with them is the driver's"],
        "services": ["0.500", "1.50", "on its callers' connections"],
        "database": ["2.00", "4.00", "at least: the last bytes of 6 connections that ended are missing"],
        "processor": ["n/a", "n/a", not_counted],
        "driver": ["3.00", "1.00", "all it exchanged, with headers of HTTP; over TLS before encryption"],
    }


def test_the_tiers_of_each_load_are_listed_with_the_driver_last(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(loads=(10, 60), repeats=2)))
    rows = rows_of(findings, "60 users: CPU and memory of every tier")
    assert [row[:2] for row in rows[1:]] == [
        [tier, name] for tier in ("web + services", "database", "driver") for name in ("local", "json")
    ]
    windows = findings.of(COMBINATIONS[0], 60)
    mean = sum(window.tiers["web+services"].cpu_ms_per_transaction for window in windows) / 2
    assert float(rows[1][2]) == pytest.approx(mean, abs=0.005)
