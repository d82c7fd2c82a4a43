"""The page begins with the answer, whatever a run found and however it ended."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made_result import Made, combination, costing, made
from report_html import HTML, parsed, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import judge, judge_folder
from middlemark.records.findings import Findings
from middlemark.records.run import RunStatus
from middlemark.show.page import report_page
from middlemark.show.terminal import answer_lines

LOCAL, JSON = (combination("go", binding=binding) for binding in ("local", "json"))
LONG = tuple(
    combination(f"a-platform-with-a-very-long-name-{number}@and-a-server-with-one", binding="local", MM_POOL=str(10**9))
    for number in range(2)
)
MANY = tuple(
    combination(subject, binding=binding, session=session)
    for session in "abcd" for subject, binding in (("one", "local"), ("two", "json"))
)  # fmt: skip
EVERY = frozenset(range(100))
SHAPES = {
    "one pair of two rounds": (Shape(), "is not known"),
    "one pair of one start": (Shape(repeats=3, rounds=3, loads=(10,)), " times the CPU time of "),
    "one pair with long names": (Shape(combinations=LONG, repeats=4, loads=(10,)), "a-platform-with-a-very-long-name-"),
    "many of one round": (Shape(combinations=MANY, repeats=1, loads=(10,)), "Of 2 combinations (session a) "),
    "one of four rounds": (Shape(combinations=COMBINATIONS[:1], repeats=4, loads=(10,)), "Go local needs "),
    "every window INVALID": (Shape(error_points=EVERY), "were not compared: no round in which both count."),
    "interrupted": (Shape(stop_after=5, status=RunStatus.INTERRUPTED), "Interrupted after 5 of 12 windows. "),
    "failed": (
        Shape(stop_after=5, status=RunStatus.FAILED, message="the driver died\n" * 9), "Failed after 5 of 12 windows"),
    "killed": (Shape(stop_after=0, status=RunStatus.RUNNING), "Not finished"),
}  # fmt: skip


def check(findings: Findings) -> str:
    """Hold the page and the terminal against the answer, and return it."""
    page = report_page(findings)
    assert [words(one) for one in parsed(page).iter(f"{HTML}h1")] == [" ".join(findings.answer.split())]
    assert not re.search(r"\bnan\b", page)
    lines = answer_lines(findings, Path("/report.html"))
    assert "".join("".join(lines).split()).startswith("".join(findings.answer.split()))
    assert (max(map(len, lines)) <= 110, lines[-1]) == (True, "/report.html")
    return findings.answer


@pytest.mark.parametrize("name", SHAPES)
def test_every_kind_of_run_begins_with_its_answer(tmp_path: Path, name: str) -> None:
    shape, expected = SHAPES[name]
    assert expected in check(judge_folder(write_synthetic(tmp_path, shape)))


def test_a_run_without_a_figure_has_its_answer_too() -> None:
    assert check(judge(made([]))) == "No combination was run."
    unwatched = [(one, 10, [Made(100.0, 5.0)] * 3) for one in (LOCAL, JSON)]
    assert check(judge(made(unwatched))).endswith("no round in which both count.")
    assert check(judge(made([(LOCAL, 10, costing(1.0, failed="errors"))]))).endswith(
        "no window that counts at 10 users."
    )


def test_all_of_the_page_has_the_word_of_the_specification_for_what_is_counted() -> None:
    of = made([(one, 10, costing(1.0, 1.1, 1.0)) for one in (LOCAL, JSON)])
    page = report_page(judge(of))
    assert "pages per second" in page
    assert "transaction" not in re.sub(r'(href|id)="#?transactions"', "", page)
