"""What other programs read of a result: CSV with a row for each window and metric, and JUnit XML."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from junitparser import JUnitXml, Skipped
from synthetic_result import Shape, write_synthetic

from middlemark.judge.result import read_findings
from middlemark.records.figures import CPU_TIME, FIGURES
from middlemark.records.findings import Findings
from middlemark.show.csv import COLUMNS, csv_of
from middlemark.show.junit import junit_of

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
    assert {figure.name for figure in FIGURES} - own.keys() <= {"reverse_proxy_cpu_ms_per_transaction"}
    place = [own[CPU_TIME.name][column] for column in ("combination", "load", "start", "round", "valid", "part")]
    assert place == [window.combination, str(window.load), "1", "1", "True", "round"]


def test_the_columns_are_documented() -> None:
    text = DOC.read_text(encoding="utf-8")
    assert all(f"`{column}`" in text for column in COLUMNS)


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
