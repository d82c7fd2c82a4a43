"""The page begins with the answer, however a run ended; in a terminal it fits; programs read it as CSV and JUnit."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from junitparser import JUnitXml, Skipped
from made_result import Made, combination, contents, costing, made
from report_html import HTML, parsed, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.judge.result import judge, judge_folder, read_findings
from middlemark.records.figures import CPU_TIME, FIGURES
from middlemark.records.findings import Findings, Mark
from middlemark.records.run import RunStatus
from middlemark.show.csv import COLUMNS, csv_of
from middlemark.show.junit import junit_of
from middlemark.show.page import report_page
from middlemark.show.terminal import answer_lines

REPORT = Path("/results/some/report.html")
MOST, WIDEST = 25, 120
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
    "one pair of two rounds": (Shape(), "Cannot tell whether"),
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


def checked(findings: Findings) -> list[str]:
    lines = answer_lines(findings, REPORT)
    assert len(lines) <= MOST
    assert max(map(len, lines)) <= WIDEST
    assert not [line for line in lines if "\n" in line]
    assert lines[-1] == str(REPORT)
    return lines


def check(findings: Findings) -> str:
    """Hold the page and the terminal against the answer, and return it."""
    page = report_page(findings)
    assert [words(one) for one in parsed(page).iter(f"{HTML}h1")] == [" ".join(findings.answer.split())]
    assert not re.search(r"\bnan\b", page)
    assert "".join("".join(checked(findings)).split()).startswith("".join(findings.answer.split()))
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
    assert any("(shared CPUs)" in line for line in lines)
    assert lines[-2] == REPORT.as_uri()


def test_many_combinations_with_long_names_are_cut_and_counted(tmp_path: Path) -> None:
    name = "a-platform-with-a-long-name@application-server"
    many = tuple(combination(f"{n}-{name}", binding=binding) for n in range(10) for binding in ("local", "json"))
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
    assert "In the report: 11 more marks." in lines


def test_a_long_note_is_whole_or_in_the_report_alone() -> None:
    notes = [f"Note {n} is a long one{' with many words' * n}, and this is its end." for n in (1, 25, 20, 2)]
    marks = tuple(Mark(kind="disturbed", text=text) for text in notes)
    found = judge(made([(LOCAL, 10, costing(1.0))])).model_copy(update={"marks": marks})
    text = " ".join(checked(found))
    assert notes[0] in text
    assert notes[1] in text
    assert "Note 20" not in text
    assert "In the report: 2 more marks." in text


def test_a_failed_run_without_a_window_says_so(tmp_path: Path) -> None:
    shape = Shape(stop_after=0, status=RunStatus.FAILED, message="the build failed")
    lines = checked(judge_folder(write_synthetic(tmp_path, shape)))
    assert lines[0].startswith("Failed after 0 of 12 windows (the build failed).")


DOC = Path(__file__).resolve().parents[2] / "docs" / "reference" / "results.md"


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return read_findings(write_synthetic(tmp_path_factory.mktemp("result"), Shape(error_points=frozenset({0}))))


def test_csv_has_each_number_of_each_window_once(findings: Findings) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_of([findings]))))
    assert len({(row["window"], row["metric"]) for row in rows}) == len(rows)
    assert {row["window"] for row in rows} == {window.path for window in findings.windows}
    window = findings.rounds[1]
    own = {row["metric"]: row for row in rows if row["window"] == window.path}
    assert float(own[CPU_TIME.name]["value"]) == CPU_TIME.of(window)
    assert float(own["transactions.buy.p99_ms"]["value"]) == window.transactions["buy"].p99_ms
    assert float(own["tiers.database.cpu_s"]["value"]) == window.tiers["database"].cpu_s
    assert float(own["checks.errors"]["value"]) == 0
    unknown = {
        "reverse_proxy_cpu_ms_per_transaction", "responses_per_s", "responses_per_transaction", "users_at_limit",
    }  # fmt: skip
    assert {figure.name for figure in FIGURES} - own.keys() <= unknown
    place = [own[CPU_TIME.name][column] for column in ("combination", "load", "start", "round", "valid", "part")]
    assert place == [window.combination, str(window.load), "1", "1", "True", "round"]


def test_the_columns_are_documented() -> None:
    section = DOC.read_text(encoding="utf-8").partition("### CSV")[2].partition("###")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert tuple(re.findall(r"`([a-z]+)`", " ".join(cells))) == COLUMNS


def test_junit_has_the_result_every_window_and_every_comparison(findings: Findings) -> None:
    assert not findings.run_is_valid
    suites = list(JUnitXml.fromstring(junit_of([findings])))
    pairs = findings.compared_by(findings.metric)
    assert [len(list(suite)) for suite in suites] == [1, len(findings.rounds), len(pairs)]
    invalid = [window for window in findings.rounds if not window.valid]
    failed = [case for case in suites[1] if not case.is_passed]
    assert [case.name for case in failed] == [findings.window_name(window) for window in invalid]
    assert "errors" in failed[0].result[0].message
    assert not next(iter(suites[0])).is_passed


def test_what_has_no_word_is_skipped(tmp_path: Path) -> None:
    findings = read_findings(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)))
    (case,) = list(JUnitXml.fromstring(junit_of([findings])))[-1]
    assert isinstance(case.result[0], Skipped)
    assert "a word needs" in case.result[0].message
