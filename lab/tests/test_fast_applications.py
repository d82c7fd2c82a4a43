"""Applications of any speed are measurable with the default placement: what disturbs times alone ends no window."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from own_checkout import checkout_at

from middlemark.judge.result import read_measured
from middlemark.processes.affinity import usable_cpus
from middlemark.records.findings import Measured

pytestmark = pytest.mark.full

# Of Python's server a page costs 0.4 ms, and each round that adds up 10,000 numbers 0.12 ms.
ROUNDS = {"0.5 ms": "1", "5 ms": "40", "50 ms": "400"}
EXPERIMENT = f"""\
spec: sums
sessions: [ten-thousand]
subjects: [plain]
modes: {{method: [loop]}}
settings: {{MM_ROUNDS: [{", ".join(ROUNDS.values())}]}}
loads: {{users: [4]}}
think: {{constant: 200ms}}
phases: {{warm: 1s, settle: 200ms, measure: 3s}}
rounds: 1
replacements: 0
work: false
"""
# Other programs of a shared machine may take so much of the driver's CPU that it is the limit; then again.
TRIES = 3


def measured(home: Path, out: Path) -> Measured:
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(out), "HOME": str(out)}
    words = [sys.executable, "-m", "middlemark", "run", "fast.yaml", "--out", str(out / "results")]
    done = subprocess.run(words, cwd=home, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    (folder,) = (out / "results").iterdir()
    return read_measured(folder)


@pytest.mark.skipif(len(usable_cpus()) < 2, reason="needs two CPUs")
def test_three_applications_of_three_speeds_give_a_valid_window_each(tmp_path: Path) -> None:
    home = tmp_path / "checkout"
    checkout_at(home)
    sessions = home / "specs" / "sums" / "sessions"
    session = (sessions / "sums.yaml").read_text(encoding="utf-8").replace("[1, 1000]", "[9999, 10000]")
    (sessions / "ten-thousand.yaml").write_text(session.replace("name: sums", "name: ten-thousand"), encoding="utf-8")
    (home / "fast.yaml").write_text(EXPERIMENT, encoding="utf-8")

    for number in range(TRIES):
        out = tmp_path / str(number)
        out.mkdir()
        result = measured(home, out)
        assert len(result.windows) == len(ROUNDS)
        if all(window.valid for window in result.windows):
            break

    assert [window.reasons for window in result.windows] == [[], [], []]
    assert all(not placement.shared for placement in result.run.placement.values())
    costs = [
        sum(one.cpu_ms_per_transaction for tier, one in w.tiers.items() if tier != "driver") for w in result.windows
    ]
    assert costs == sorted(costs)
    assert costs[2] > 10 * costs[0]
