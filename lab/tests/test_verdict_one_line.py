"""The line on top is one line of at most 100 characters, whatever a run found and however it ended."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from content_result import Made, write_contents
from content_result import combination as content
from report_html import HTML, parsed, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.records.faults import Fault, Faults, PlannedFault
from middlemark.records.folder import FAULTS, Result, read_result, write_json
from middlemark.records.point import Audit, Reconciled
from middlemark.records.run import Combination, LoadLimits, RunStatus, Searched, SearchedPoint
from middlemark.report.page import report_page
from middlemark.verdict.headline import headline, reasons, verdict_sentence
from middlemark.verdict.metrics import CPU_TIME
from middlemark.verdict.naming import label
from middlemark.verdict.one_line import MAX_LENGTH, fitting
from middlemark.verdict.pairwise import pairwise_comparisons

LIMITS = LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001)
EVERY = frozenset(range(100))


def chosen(subject: str, binding: str, **choices: str) -> Combination:
    modes = {"binding": binding, **choices}
    path = f"{subject}/" + ",".join(f"{mode}={value}" for mode, value in modes.items())
    return Combination(subject=subject, modes=modes, label=label(subject, modes), path=path)


LONG = tuple(
    chosen(f"a-platform-with-a-very-long-name-{number}@and-a-server-with-one", "local", MM_DATABASE_POOL=str(10**9))
    for number in range(2)
)
MANY = tuple(chosen(subject, binding, session=session) for session in "abcd" for subject, binding in
             (("one", "local"), ("two", "json")))  # fmt: skip
PROXIED = (chosen("go", "local", reverse_proxy="none"), chosen("go", "json", reverse_proxy="nginx"))
SOAP = chosen("go", "soap")

SHAPES = {
    "one pair of two rounds": (Shape(), "cannot tell"),
    "one pair of four rounds": (Shape(repeats=4, loads=(10,)), "slower"),
    "one pair of one start": (Shape(repeats=3, rounds=3, loads=(10,)), "slower"),
    "one pair with long names": (Shape(combinations=LONG, repeats=4, loads=(10,)), "the CPU time per transaction"),
    "one pair that is not ranked": (Shape(combinations=PROXIED, repeats=4, loads=(10,)), "not ranked"),
    "one round": (Shape(repeats=1, loads=(10,)), "cannot tell"),
    "three": (Shape(combinations=(*COMBINATIONS, SOAP), repeats=4, loads=(10,)), "2 slower"),
    "three of one round": (Shape(combinations=(*COMBINATIONS, SOAP), repeats=1, loads=(10,)), "cannot tell"),
    "many": (Shape(combinations=MANY, repeats=1, loads=(10,)), "in 4 groups"),
    "one of one round": (Shape(combinations=COMBINATIONS[:1], repeats=1, loads=(10,)), "CPU-ms per transaction"),
    "one of four rounds": (Shape(combinations=COMBINATIONS[:1], repeats=4, loads=(10,)), "CPU-ms per transaction"),
    "one with a long name": (Shape(combinations=LONG[:1], repeats=4, loads=(10,)), "/s"),
    "an INVALID point in each round": (Shape(error_points=frozenset({1, 2, 8, 9})), "no round in which both count"),
    "every point INVALID": (Shape(error_points=EVERY), "no round"),
    "one whose points are INVALID": (
        Shape(combinations=COMBINATIONS[:1], error_points=EVERY, loads=(10,)), "no valid point"),
    "many whose points are INVALID": (
        Shape(combinations=MANY, error_points=EVERY, loads=(10,), repeats=1), "no round"),
    "interrupted": (Shape(stop_after=5, status=RunStatus.INTERRUPTED), "interrupted after 5 of 12 points"),
    "failed": (
        Shape(stop_after=5, status=RunStatus.FAILED, message="the driver died\n" * 9), "failed after 5 of 12 points"),
    "killed": (Shape(stop_after=0, status=RunStatus.RUNNING), "not finished"),
    "incomplete": (Shape(stop_after=5), "incomplete: 5 of 12 points"),
}  # fmt: skip


def check(result: Result) -> str:
    """Hold the headline against the rule, on the page too, and return it."""
    line = headline(result)
    assert 0 < len(line) <= MAX_LENGTH
    assert line == " ".join(line.split())
    assert "INVALID" not in line
    assert "nan" not in line
    page = parsed(report_page(result))
    assert [words(one) for one in page.iter(f"{HTML}h1")] == [line]
    large = (one for one in page.iter(f"{HTML}div") if one.get("class") == "value")
    assert not any("INVALID" in words(one) for one in large)
    (below,) = (one for one in page.iter(f"{HTML}ul") if one.get("class") == "reasons")
    assert [words(one) for one in below] == [" ".join(reason.split()) for reason in reasons(result)]
    return line


@pytest.mark.parametrize("name", SHAPES)
def test_every_kind_of_run_has_one_line(tmp_path: Path, name: str) -> None:
    shape, expected = SHAPES[name]
    assert expected in check(read_result(write_synthetic(tmp_path, shape)))


def test_a_pair_has_its_ratio_its_interval_and_its_word(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=4, loads=(10,))))
    found = pairwise_comparisons(result, CPU_TIME)[0].comparison
    assert found.interval
    interval = f"{found.interval.low:.2f} … {found.interval.high:.2f}"
    assert headline(result).startswith(
        f"json costs {found.ratio:.2f} × ({interval}) the CPU time per transaction of local"
    )
    assert headline(result).removesuffix(" (4 rounds)").endswith(": slower")


def test_without_an_interval_the_rounds_are_named_as_such(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(repeats=2, loads=(10,))))
    found = pairwise_comparisons(result, CPU_TIME)[0].comparison
    assert headline(result).startswith(
        f"json: {found.ratio:.2f} × (rounds {found.min_ratio:.2f} … {found.max_ratio:.2f}) the CPU time"
    )


def test_the_reasons_have_what_the_line_has_not(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(error_points=frozenset({1, 2}))))
    assert "2 of 12 points INVALID, the first (local, 30 users, round 1) by errors" in " ".join(reasons(result))
    for reason in reasons(result):
        assert reason in verdict_sentence(result)
        assert reason not in headline(result)


def searched(peak: int | None, loads: tuple[int, ...] = (10,), **changes: object) -> Searched:
    points = [
        SearchedPoint(load=load, throughput_tps=40, mean_ms=5, inside=True, valid=peak is not None) for load in loads
    ]
    found = Searched(
        limits=LIMITS, peak=peak, throughput_tps=40, peak_known=True, inside=10, outside=None, limit_known=False,
        points=points,
    )  # fmt: skip
    changes = {"peak_known": changes.pop("known", True), **changes}
    return found.model_copy(update=changes)


@pytest.mark.parametrize(
    ("searches", "expected"),
    [
        ((searched(10), searched(10)), "cannot tell (2 rounds)"),
        ((searched(10), searched(10, (10, 20), known=False)), "; 1 of 2 peaks not narrowed down"),
        ((searched(10), searched(10, known=False)), "; 1 of 2 peaks may lie beyond"),
        ((searched(10), searched(None)), "; 1 of 2 peaks not found"),
        (
            (searched(10, ended=False), searched(10, ended=False)),
            "interrupted while searching, after 2 points of the searches",
        ),
        ((searched(10), searched(10, at_edge=True)), "; 1 of 2 peaks at the edge of the range"),
        ((searched(10, doubtful=[20]), searched(10)), "; 1 of 2 peaks beside loads that do not count"),
        ((searched(10, at_edge=True), searched(None)), "; 2 of 2 peaks not known"),
        ((searched(10, at_edge=True),), "at 10 users; peak at the edge of the range"),
        ((searched(10),), "go local: highest throughput 4"),
        ((searched(10, (10, 20), known=False),), "at 10 users; peak not narrowed down"),
        ((searched(10, known=False),), "at 10 users; peak may lie beyond"),
        ((searched(None),), "go local: no peak that counts"),
    ],
)
def test_a_search_says_in_the_line_when_its_peak_is_not_known(
    tmp_path: Path, searches: tuple[Searched, ...], expected: str
) -> None:
    combinations = COMBINATIONS[: len(searches)]
    result = read_result(write_synthetic(tmp_path, Shape(combinations=combinations, loads=(10,), repeats=2)))
    by_path = dict(zip((one.path for one in combinations), searches, strict=True))
    loads = {path: [10] if one.peak else [] for path, one in by_path.items() if one.ended}
    status = RunStatus.FINISHED if all(one.ended for one in searches) else RunStatus.INTERRUPTED
    changes = {"searched": by_path, "chosen": loads, "status": status}
    write_json(tmp_path / "run.json", result.run.model_copy(update=changes))
    line = check(read_result(tmp_path))
    assert expected in line
    assert line.count("no peak that counts") <= 1


def with_faults(folder: Path, effects: Iterable[str], count: int) -> Result:
    result = read_result(write_synthetic(folder, Shape(loads=(10,), repeats=2)))
    plurals = {effect: f"{effect}s" for effect in effects}
    fault = Fault(kind="kill", planned_s=1, target="web", injected_s=1, ready_s=2)
    for point in result.points:
        write_json(point.folder / FAULTS, Faults(faults=(fault,) * 6))
        numbers = Reconciled(
            effect="", by_name=True, confirmed=count, found=count, unanswered=0, unanswered_done=0, invalid=0,
            invalid_done=0, lost=1, doubled=0,
        )  # fmt: skip
        every = {effect: numbers.model_copy(update={"effect": effect}) for effect in plurals}
        write_json(point.folder / "audit.json", Audit(passed=True, findings=[], reconciled=every))
    specification = result.run.specification.model_copy(update={"effects": plurals})
    planned: dict[str, list[list[PlannedFault]]] = {one.path: [[], []] for one in result.run.combinations}
    write_json(folder / "run.json", result.run.model_copy(update={"faults": planned, "specification": specification}))
    return read_result(folder)


def test_a_run_with_faults_says_what_was_lost(tmp_path: Path) -> None:
    few, many = tmp_path / "few", tmp_path / "many"
    line = check(with_faults(few, ["order"], 120_000))
    assert line == "24 faults under load: 480,000 orders confirmed, 4 lost, 0 doubled; 4 of 4 audits passed"
    line = check(with_faults(many, ["order", "registration", "payment"], 120_000))
    assert line == "24 faults under load: 12 lost, 0 doubled; 4 of 4 audits passed"


def test_efficiencies_have_one_line_too(tmp_path: Path) -> None:
    sides = [content(subject, session=session) for session in ("files", "calls") for subject in ("one", "two")]
    tps = {"one": 1000.0, "two": 1200.0}
    points = [(one, 4, [Made(tps[one.subject] + number, 1.0) for number in range(4)]) for one in sides]
    assert re.match(r"Throughput .*1\.20", check(write_contents(tmp_path, points)))


def test_nothing_was_run(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path, Shape(stop_after=0)))
    empty = dataclasses.replace(result, run=result.run.model_copy(update={"combinations": []}))
    assert headline(empty) == "no combination was run"


def test_what_fits_is_not_cut_and_what_does_not_is() -> None:
    assert fitting(["a" * 101, "b" * 100, "c"]) == "b" * 100
    cut = fitting(["word " * 40])
    assert len(cut) <= MAX_LENGTH
    assert cut.endswith("word…")
