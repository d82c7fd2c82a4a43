"""Labs that need the same wait for one another, and say so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from middlemark.subject.only_one import only_one

WAITING = """
import sys
from pathlib import Path
from middlemark.subject.only_one import only_one
with only_one(Path(sys.argv[1]), "another build of shop"):
    print("it is my turn", flush=True)
"""


def test_a_lab_that_waits_says_for_what_and_for_whom_and_goes_on_when_it_may(tmp_path: Path) -> None:
    lock = tmp_path / "new" / "build.lock"
    words = [sys.executable, "-c", WAITING, str(lock)]
    with only_one(lock, "another build of shop"):
        other = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert other.stderr is not None
        first = other.stderr.readline()
        assert other.poll() is None
    printed, more = other.communicate()
    assert first == f"waiting for another build of shop (pid {os.getpid()}) …\n"
    assert (other.returncode, printed, more) == (0, "it is my turn\n", "")


def test_nobody_waits_for_a_lab_that_has_ended(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lock = tmp_path / "build.lock"
    subprocess.run([sys.executable, "-c", WAITING, str(lock)], check=True)
    with only_one(lock, "another build of shop"):
        assert lock.read_text(encoding="ascii") == f"{os.getpid()}"
    assert capfd.readouterr().err == ""
