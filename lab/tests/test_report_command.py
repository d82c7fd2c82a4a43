"""`middlemark report` judges a result and makes its report again; the last line is the report's place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import findings_differ, judge_folder
from middlemark.records.folder import point_folder
from middlemark.records.run import RunStatus
from middlemark.show.terminal import answer_lines

SMALL = Shape(loads=(10,), repeats=1)


def report(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "middlemark", "report", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_valid_result_ends_with_0_and_the_answer_and_the_path(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    done = report(str(tmp_path))
    page = tmp_path / "report.html"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == answer_lines(judge_folder(tmp_path), page)
    assert done.stdout.splitlines()[-1] == str(page)
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_findings_that_are_not_those_of_the_raw_files_are_written_again(tmp_path: Path) -> None:
    write_synthetic(tmp_path, SMALL)
    lines = point_folder(tmp_path, COMBINATIONS[0], 10, 0) / "monitor.ndjson"
    lines.write_text(lines.read_text(encoding="utf-8").replace('"rss_mib": 46.0', '"rss_mib": 47.0'), encoding="utf-8")
    assert findings_differ(tmp_path, judge_folder(tmp_path))
    first, *_ = report(str(tmp_path)).stdout.splitlines()
    assert first.startswith("findings.json was not what the raw files show (in windows")
    assert findings_differ(tmp_path, judge_folder(tmp_path)) == ""
    assert "findings.json" not in report(str(tmp_path)).stdout


def test_an_invalid_window_ends_with_1_and_still_makes_the_report(tmp_path: Path) -> None:
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, error_points=frozenset({0})))
    done = report(str(tmp_path))
    assert done.returncode == 1
    assert "1 of 2 windows is INVALID, the first (local, 10 users, round 1) by errors" in done.stdout
    assert (tmp_path / "report.html").is_file()


def test_one_unfinished_result_among_several_ends_with_1(tmp_path: Path) -> None:
    write_synthetic(tmp_path / "killed", Shape(loads=(10,), repeats=1, stop_after=1, status=RunStatus.RUNNING))
    write_synthetic(tmp_path / "whole", SMALL)
    done = report(str(tmp_path / "killed"), str(tmp_path / "whole"))
    assert done.returncode == 1
    assert "Not finished (still running or killed)" in done.stdout
    assert (tmp_path / "whole" / "report.html").is_file()


def test_a_folder_that_is_not_a_result_ends_with_2_and_the_reason(tmp_path: Path) -> None:
    done = report(str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == (
        f"middlemark: {tmp_path}: this folder is not a result: it has no run.json. "
        "Give the folder that `middlemark run` printed\n"
    )
    assert "Traceback" not in done.stderr
