"""Loads that need more open files than there may be: refused before anything is started, a search ends below them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from run_command import run_words

from conftest import ROOT

EXPERIMENT = """\
spec: petstore
scale: tiny
sessions: [browse-and-buy, browse-and-buy-images]
subjects: [go]
loads: LOADS
"""
# Less 512 to spare there are 1,000 connections: one for a user, two for one who fetches images.
OPEN_FILES = 1512


def planned(folder: Path, loads: str) -> subprocess.CompletedProcess[str]:
    """Return the plan of a run in a process that may have so many open files."""
    experiment = folder / "files.yaml"
    experiment.write_text(EXPERIMENT.replace("LOADS", loads), encoding="utf-8")
    words = ["prlimit", f"--nofile={OPEN_FILES}", *run_words(experiment, folder, "--dry-run")]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_search_goes_as_far_up_as_files_may_be_open(tmp_path: Path) -> None:
    plan = planned(tmp_path, "{users: {from: 10, to: 800}, search: limit, until: {mean: 3s}}")

    (line,) = [line for line in plan.stdout.splitlines() if "no more files may be open" in line]
    assert line == "go, session browse-and-buy-images: searched up to 500 users, since no more files may be open"


@pytest.mark.parametrize("loads", ["{users: [10, 800]}", "{users: {from: 800, to: 4000}, search: peak}"])
def test_users_with_more_connections_than_files_are_refused_before_anything_starts(tmp_path: Path, loads: str) -> None:
    plan = planned(tmp_path, loads)

    assert plan.returncode == 2
    assert (
        "800 users need more open files than the limit (`ulimit -Hn`) allows: a user of 'browse-and-buy-images' has up "
        "to 2 connections" in plan.stderr
    )
    assert "take at most 500 users" in plan.stderr
