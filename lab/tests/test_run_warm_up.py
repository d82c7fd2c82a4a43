"""A real warm-up ends when it is flat, long before its limit or at it, and the result says which."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from run_command import finish, found_in

from middlemark.records.driver_lines import DriverLines
from middlemark.records.run import RunStatus
from middlemark.workload.window import driven

pytestmark = pytest.mark.full

CHECKOUT = Path(__file__).parent / "checkout"
LIMIT_S = 90
# The application is one of Python: nothing is known of what it compiles, and so its cost is looked at.
EXPERIMENT = f"""\
spec: sums
sessions: [sums]
subjects: [plain]
modes: {{method: [loop]}}
loads: {{users: [4]}}
think: {{constant: 50ms}}
warm_users: 2
phases: {{warm: {{at_least: 5s, at_most: {LIMIT_S}s}}, settle: 200ms, measure: 2s}}
rounds: 1
replacements: 0
work: false
"""


def test_a_real_warm_up_ends_when_it_is_flat(tmp_path: Path) -> None:
    experiment = tmp_path / "flat.yaml"
    experiment.write_text(EXPERIMENT, encoding="utf-8")

    done = finish(experiment, tmp_path / "out", home=shutil.copytree(CHECKOUT, tmp_path / "checkout"))

    (folder,) = (tmp_path / "out").iterdir()
    result = found_in(folder)
    assert result.run.status is RunStatus.FINISHED, done.stderr
    (found,) = result.run.warm_ups
    log = (folder / "logs" / "run.log").read_text(encoding="utf-8")
    assert f"warm-up ended after {found.seconds:.0f} s: " in log
    # A busy machine may scatter too much, and its last look be the one that finds it flat.
    assert found.flat or found.seconds > found.limit_s - 1
    assert found.change is not None
    assert all(one.cpu_ms > 0 for one in found.course)
    lines = DriverLines(folder / "logs" / found.combination / "0" / "warm-up" / "intervals.ndjson")
    window = driven(lines).whole
    assert found.seconds == pytest.approx(window.start_s + window.window_s, abs=2)
    assert "Warm-ups" in (folder / "report.html").read_text(encoding="utf-8")
