"""`checks/step` says what a step of the Makefile does, how long it took, and which command failed."""

from __future__ import annotations

import subprocess

from checks.listing import REPOSITORY


def step(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the script."""
    command = [str(REPOSITORY / "checks" / "step"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


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
