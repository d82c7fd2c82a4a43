"""The harness of mutants, run as people run it: on one mutation and the executions of one case."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MUTATION = "The fee is a cent higher"
CASE = "A sell that brings less than the fee"


@pytest.mark.full
def test_a_wrong_fee_is_killed_and_the_application_as_it_is_passes(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    command = [sys.executable, "-m", "checks.mutation", "named", "--only", MUTATION, "--cases", CASE, "--jobs", "1"]
    done = subprocess.run(
        [*command, "--out", str(results)], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "1 of 1 compiling mutants are killed (100.0%)"
    heading, mutant, checked = (json.loads(line) for line in results.read_text(encoding="utf-8").splitlines())
    assert (heading["mutants"], mutant["name"], mutant["outcome"]) == ("named", MUTATION, "killed")
    assert CASE in mutant["case"]
    assert checked["names"] == [MUTATION]
