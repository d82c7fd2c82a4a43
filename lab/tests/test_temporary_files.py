"""A TMPDIR that cannot be used, or is full sooner or later: one message with its path and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

LOAD = [sys.executable, "-m", "middlemark", "load", "brokerage", "--scale"]
# A mount of one process and its children, which is gone with them; root needs no user namespace for it.
ALONE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
ON_A_SMALL_DISK = 'mount -t tmpfs -o size="$1" none "$TMPDIR" && shift && exec "$@"'


def on_a_small_disk(folder: Path, size: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a TMPDIR of this size; skips the test where that is not permitted."""
    command = [*ALONE, "sh", "-c", ON_A_SMALL_DISK, "sh", size]
    environment = {**os.environ, "TMPDIR": str(folder)}
    probe = subprocess.run([*command, "true"], env=environment, check=False, capture_output=True)
    if probe.returncode != 0:
        pytest.skip(f"no tmpfs may be mounted here: {probe.stderr.decode().strip()}")
    return subprocess.run([*command, *words], env=environment, cwd=ROOT, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("name", ["absent", "file"])
def test_a_folder_that_is_none_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    given = tmp_path / name
    done = subprocess.run(
        [*LOAD, "tiny"], env={**os.environ, "TMPDIR": str(given)}, cwd=ROOT, check=False, capture_output=True, text=True
    )
    reason = {"absent": "No such file or directory", "file": "Not a directory"}[name]
    expected = f"middlemark: {given}: cannot write ({reason}). Set TMPDIR to another folder\n"
    assert (done.returncode, done.stderr) == (2, expected)


@pytest.mark.parametrize(
    ("size", "scale"),
    [
        pytest.param("40k", "tiny", id="from the start"),
        pytest.param("8m", "tiny", id="while initdb works"),
        pytest.param("45m", "tiny", id="while a database is made"),
        pytest.param("65m", "demo", id="while rows are loaded", marks=pytest.mark.full),
    ],
)
def test_a_full_disk_is_one_message(tmp_path: Path, size: str, scale: str) -> None:
    done = on_a_small_disk(tmp_path, size, *LOAD, scale)
    assert done.returncode == 2, done.stdout
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"middlemark: no space left under {tmp_path}"), done.stderr
    assert last.endswith(": free some or set TMPDIR to another folder")
    assert "Traceback" not in done.stderr


def test_the_doctor_names_a_folder_that_cannot_be_used_and_looks_on(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "middlemark", "doctor"]
    absent = tmp_path / "absent"
    done = subprocess.run(
        words, env={**os.environ, "TMPDIR": str(absent)}, cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert f"missing  temporary files: {absent}: cannot write" in done.stdout
    assert "orphans: " in done.stdout
