"""A run counts what its application asks of the database: as much as the specification allows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_command import finish

from middlemark.records.findings import Findings
from middlemark.records.folder import FINDINGS, REPORT, read_record

pytestmark = pytest.mark.long

EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {binding: [local]}
loads: {users: [2]}
think: {constant: 20ms}
phases: {warm: 500ms, settle: 200ms, measure: 1s, drain: 10s}
rounds: 1
replacements: 0
"""
# specs/brokerage/sql.md, "How much"; a page of quotes looks for alerts besides.
ALLOWED = {"buy": (6, 4), "logout": (1, 1), "quotes": (2, 0)}


def test_a_run_counts_as_much_work_as_the_specification_allows(tmp_path: Path) -> None:
    experiment = tmp_path / "short.yaml"
    experiment.write_text(EXPERIMENT, encoding="utf-8")

    done = finish(experiment, tmp_path)

    folder = next(tmp_path.glob("*/run.json")).parent
    found = read_record(folder / FINDINGS, Findings)
    assert found is not None, done.stderr
    (work,) = found.work
    assert work.unavailable == ""
    figures = {one.transaction: (one.statements, one.rows) for one in work.transactions}
    assert figures.items() >= ALLOWED.items()
    assert all(step.wal_bytes > 0 for step in work.steps if step.rows)
    assert "asks of the databases" in (folder / REPORT).read_text(encoding="utf-8")
