"""The answer in a terminal fits it: few lines, none too wide, the report's place last."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_result import Made, combination, contents
from synthetic_result import Shape, write_synthetic

from middlemark.judge.result import judge, judge_folder
from middlemark.records.findings import Findings, Mark
from middlemark.records.run import Combination, RunStatus
from middlemark.show.terminal import answer_lines

REPORT = Path("/results/some/report.html")
MOST, WIDEST = 25, 160


def checked(findings: Findings) -> list[str]:
    lines = answer_lines(findings, REPORT)
    assert len(lines) <= MOST
    assert max(map(len, lines)) <= WIDEST
    assert not [line for line in lines if "\n" in line]
    assert lines[-1] == str(REPORT)
    return lines


def test_it_has_the_answer_the_ranking_what_is_to_be_known_and_the_report(tmp_path: Path) -> None:
    findings = judge_folder(write_synthetic(tmp_path, Shape(loads=(10, 60), repeats=4)))
    lines = checked(findings)
    assert lines[0] == findings.answer
    assert lines[1] == findings.basis
    titles = ["CPU ms/transaction", "95 % interval", "transactions/s", "mean ms", "rounds"]
    assert [title in lines[3] for title in titles] == [True] * 5
    assert lines[4].startswith("1. local ")
    assert lines[5].startswith("2. json ")
    assert "slower by" in lines[5]
    assert "shared CPUs: shared CPUs" in lines
    assert lines[-2] == REPORT.as_uri()


def test_many_combinations_with_long_names_are_cut_and_counted(tmp_path: Path) -> None:
    name = "a-platform-with-a-long-name@application-server"
    many = tuple(
        Combination(subject=f"{n}-{name}", modes={"binding": b}, label=f"{n} {b}", path=f"{n}-{name}/binding={b}")
        for n in range(10)
        for b in ("local", "json")
    )
    lines = checked(judge_folder(write_synthetic(tmp_path, Shape(many, loads=(10,), repeats=1))))
    shown = [line for line in lines if "…" in line and name[:20] in line]
    (rest,) = [line for line in lines if line.startswith("… and ")]
    assert rest == f"… and {20 - len(shown)} more in the report"


@pytest.mark.parametrize("combinations", [1, 2, 30])
def test_however_long_the_answer_and_the_notes_are_it_fits(combinations: int) -> None:
    points = [(combination(f"subject-{n}", session="files"), 8, [Made(100 + n, 1.0)] * 3) for n in range(combinations)]
    long = judge(contents(points)).model_copy(
        update={
            "answer": "Failed after 1 of 2 windows (" + "a long\nmessage of a build " * 200 + ").",
            "basis": "Measured at something " * 40,
            "marks": tuple(Mark(kind=f"kind {n}", text="a long note\nof two lines " * 30) for n in range(12)),
        }
    )
    lines = checked(long)
    assert "7 more notes are in the report." in lines


def test_a_failed_run_without_a_window_says_so(tmp_path: Path) -> None:
    shape = Shape(stop_after=0, status=RunStatus.FAILED, message="the build failed")
    lines = checked(judge_folder(write_synthetic(tmp_path, shape)))
    assert lines[0].startswith("Failed after 0 of 12 windows (the build failed).")
