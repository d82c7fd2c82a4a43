"""The network of each tier at the load compared; a tier without a figure has its reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from deployed_result import apart, with_deployments
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.records.folder import Result, read_result, write_json
from middlemark.records.point import TierFigures
from middlemark.report.network import BY_DRIVER, NOT_COUNTED, OF_DRIVER, network_table
from middlemark.report.page import report_page

FIGURES = TierFigures(
    cpu_s=1, cpu_share=0.1, cpu_ms_per_transaction=1, memory_mean_mib=1, memory_max_mib=1
)  # fmt: skip


def result(folder: Path, tiers: dict[str, TierFigures]) -> Result:
    write_synthetic(folder, Shape(combinations=COMBINATIONS[:1], loads=(10,), repeats=2))
    for point in with_deployments(folder, apart("go", "json (http)")).points:
        assert point.verdict
        changes = {"tiers": tiers, "bytes_per_s": 3 * 2**20, "sent_bytes_per_s": 2**20}
        write_json(point.folder / "verdict.json", point.verdict.model_copy(update=changes))
    return read_result(folder)


def counted(received: float, sent: float, ended: int = 0) -> TierFigures:
    changes = {"net_received_mib_per_s": received, "net_sent_mib_per_s": sent, "connections_ended": ended}
    return FIGURES.model_copy(update=changes)


def test_each_tier_has_its_figures_or_its_reason(tmp_path: Path) -> None:
    tiers = {"web": FIGURES, "services": counted(0.5, 1.5), "database": counted(2, 4, 3), "processor": FIGURES,
             "driver": FIGURES}  # fmt: skip
    page = result(tmp_path, tiers)
    rows = {row[1].text: (row[2].exact, row[3].exact, row[4].text) for row in network_table(page).rows}
    assert rows == {
        "web": (None, None, BY_DRIVER),
        "services": (0.5, 1.5, "on its callers' connections"),
        "database": (2, 4, "at least: the last bytes of 6 connections that ended are missing"),
        "processor": (None, None, NOT_COUNTED),
        "driver": (3, 1, OF_DRIVER),
    }
    assert "<summary>Network of every tier, at 10 users</summary>" in report_page(page)


def test_points_that_do_not_count_have_no_network(tmp_path: Path) -> None:
    found = read_result(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, error_points=frozenset({0, 1}))))
    assert network_table(found).rows == ()


def test_what_an_older_version_did_not_keep_is_none(tmp_path: Path) -> None:
    found = read_result(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)))
    (driver,) = [row for row in network_table(found).rows if row[1].text == "driver" and row[0].text == "local"]
    assert driver[2].exact == pytest.approx(
        found.points[0].verdict.bytes_per_s / 2**20 if found.points[0].verdict else 0
    )
    (web,) = [row for row in network_table(found).rows if row[1].text == "web+services" and row[0].text == "local"]
    assert web[4].text == NOT_COUNTED
