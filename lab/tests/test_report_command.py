"""`middlemark report` makes the report again; the verdict is its last line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from synthetic_result import Shape, write_synthetic

from middlemark.records.folder import read_result
from middlemark.records.run import RunStatus
from middlemark.verdict.headline import verdict_sentence

SMALL = Shape(loads=(10,), repeats=1)


def report(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "middlemark", "report", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_valid_result_ends_with_0_the_path_and_the_verdict(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    done = report(str(tmp_path))
    page = tmp_path / "report.html"
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[-2:] == [str(page), verdict_sentence(read_result(tmp_path))]
    assert page.as_uri() in lines[0]
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_an_invalid_point_ends_with_1_and_still_makes_the_report(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, error_points=frozenset({0})))
    done = report(str(tmp_path))
    assert done.returncode == 1
    assert "1 of 2 points INVALID" in done.stdout.splitlines()[-1]
    assert (tmp_path / "report.html").is_file()


def test_one_unfinished_result_among_several_ends_with_1(tmp_path: Path) -> None:
    write_synthetic(tmp_path / "killed", Shape(loads=(10,), repeats=1, stop_after=1, status=RunStatus.RUNNING))
    write_synthetic(tmp_path / "whole", SMALL)
    done = report(str(tmp_path / "killed"), str(tmp_path / "whole"))
    assert done.returncode == 1
    assert "not finished (still running or killed)" in done.stdout
    assert (tmp_path / "whole" / "report.html").is_file()


def test_a_folder_that_is_not_a_result_ends_with_2_and_the_reason(tmp_path: Path) -> None:
    done = report(str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == (
        f"middlemark: {tmp_path}: this folder is not a result: it has no run.json. "
        "Give the folder that `middlemark run` printed\n"
    )
    assert "Traceback" not in done.stderr
