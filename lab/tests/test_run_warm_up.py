"""A real warm-up ends when it is flat, long before its limit or at it, and the result says which."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_command import finish

from middlemark.records.folder import read_result
from middlemark.records.lines_file import DriverLines
from middlemark.records.run import RunStatus
from middlemark.workload.window import window_figures

pytestmark = pytest.mark.full

LIMIT_S = 90
EXPERIMENT = f"""\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {{binding: [local]}}
loads: {{users: [4]}}
think: {{constant: 50ms}}
warm_users: 2
phases: {{warm: {{at_least: 5s, at_most: {LIMIT_S}s}}, settle: 200ms, measure: 2s, drain: 10s}}
rounds: 1
replacements: 0
work: false
"""


def test_a_real_warm_up_ends_when_it_is_flat(tmp_path: Path) -> None:
    experiment = tmp_path / "flat.yaml"
    experiment.write_text(EXPERIMENT, encoding="utf-8")

    done = finish(experiment, tmp_path / "out")

    (folder,) = (tmp_path / "out").iterdir()
    result = read_result(folder)
    assert result.run.status is RunStatus.FINISHED, done.stderr
    (found,) = result.run.warm_ups
    assert f"warm after {found.seconds:.0f} s: " in done.stderr
    # A busy machine may scatter too much, and its last look be the one that finds it flat.
    assert found.flat or found.seconds > LIMIT_S - 1
    assert found.change is not None
    assert all(one.cpu_ms > 0 for one in found.course)
    lines = DriverLines(folder / "logs" / found.combination / "0" / "warm-up" / "intervals.ndjson")
    window = window_figures(lines)
    assert found.seconds == pytest.approx(window.start_s + window.window_s, abs=2)
    assert "Warm-ups" in (folder / "report.html").read_text(encoding="utf-8")
