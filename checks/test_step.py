"""`checks/step` says what a step of the Makefile does, how long it took, and which command failed."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from checks.listing import REPOSITORY

STEP = str(REPOSITORY / "checks" / "step")


def step(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the script."""
    return subprocess.run([STEP, *words], capture_output=True, text=True, check=False)


def test_a_step_says_what_it_does_and_that_it_is_done() -> None:
    done = step("Boil water", "echo", "hot")
    assert done.returncode == 0
    assert done.stdout.startswith("\n== Boil water\nhot\n== Boil water: done in ")


def test_a_failed_step_names_its_command_and_keeps_its_status() -> None:
    done = step("Boil water", "sh", "-c", "exit 7")
    assert done.returncode == 7
    assert "Boil water: FAILED" in done.stderr
    assert "exit status 7" in done.stderr
    assert "The command was: sh -c exit 7" in done.stderr


def test_a_silent_step_says_now_and_then_that_it_goes_on(tmp_path: Path) -> None:
    output = tmp_path / "output"
    until_reported = f"until grep -q 's so far' {output}; do sleep 0.1; done"
    with output.open("w") as file:
        subprocess.run(
            [STEP, "Boil water", "sh", "-c", until_reported],
            stdout=file,
            check=True,
            env={**os.environ, "STEP_PERIOD": "1"},
        )
    lines = output.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"== Boil water: \d+ s so far", lines[2])
    assert re.fullmatch(r"== Boil water: done in \d+ s", lines[-1])
