"""The page on conformance is what its reports make of it, and names no platform that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.conformance.__main__ import FOLDER, PAGE
from checks.conformance.page import NOTHING, markdown
from checks.conformance.reports import faults, keep, kept, read_report
from checks.conftest import Plant
from checks.listing import REPOSITORY, read
from middlemark.conformance.reporting.report import ConformanceReport, ReportedPair, ReportedSubject
from middlemark.conformance.result import ConfigurationResult
from middlemark.errors import InputError

LOCAL = ConfigurationResult(
    configuration={"binding": "local"}, cases=420, executions=1200, passed=1198, failed=1, known=1, not_checked=0,
    replaced=9, seconds=7.5,
)  # fmt: skip
JSON = LOCAL.model_copy(update={"configuration": {"binding": "json"}, "executions": 100, "passed": 98})
GO = ReportedSubject(
    subject="go", platform="go", server="net/http", artifact="0123456789abcdef",
    versions={"go": "1.26.8", "pgx": "5.12.0"}, environment={}, missed=0,
    not_offered=("orders=async-xa", "feature config-page"), configurations=(LOCAL, JSON),
)  # fmt: skip
MIXED = GO.model_copy(update={"subject": "java@one on go", "platform": "", "configurations": (JSON,)})
PAIR = ReportedPair(
    one="go", other="java@one (jdbc)", executions=1100, responses=1000, end_states=990, sizes=500, differences={},
    equal=True,
)  # fmt: skip
REPORT = ConformanceReport(
    middlemark="0.1.0", commit="0a1b2c3d4e5f", changed=False, specification="brokerage", specification_version="1",
    started="2026-11-20T08:05:00+00:00", seconds=207.5, only=(), sample=False, stopped="", subjects=(GO, MIXED),
    pairs=(PAIR,),
)  # fmt: skip
VERIFIED = "2026-11-20, commit 0a1b2c3d4e5f, Middlemark 0.1.0"
PLATFORM = {"platforms/go/platform.toml": "name = 'go'\n"}


def test_the_page_follows_from_its_reports_which_name_platforms_that_are_there() -> None:
    assert read(PAGE) == markdown(kept(FOLDER, REPOSITORY)), "run python -m checks.conformance"


def test_a_page_shows_subjects_pairs_and_configurations() -> None:
    lines = markdown([REPORT]).splitlines()
    assert "## brokerage 1" in lines
    assert f"| go | 2 | 1,300 | 1,296 | 2 | 2 | 0 | {VERIFIED} |" in lines
    assert f"| java@one on go | 1 | 100 | 98 | 1 | 1 | 0 | {VERIFIED} |" in lines
    assert f"| go and java@one (jdbc) | 1,100 | 1,000 | 990 | 500 | equal | {VERIFIED} |" in lines
    assert lines.count("### go") == 1
    assert not any(line.startswith("### java") for line in lines)
    assert "Build 0123456789abcdef on net/http: go 1.26.8, pgx 5.12.0." in lines
    assert "Not offered, so not verified: orders=async-xa, feature config-page." in lines
    assert "| binding=local | 420 | 1,200 | 1,198 | 1 | 1 | 0 |" in lines


def test_what_differs_and_what_was_not_compared_is_called_so() -> None:
    differs = PAIR.model_copy(update={"differences": {"outcome": 2, "size": 1}, "equal": False})
    apart = PAIR.model_copy(update={"other": "x", "executions": 0, "equal": False})
    page = markdown([REPORT.model_copy(update={"pairs": (differs, apart), "changed": True})])
    assert "| differ: 2 × outcome, 1 × size | 2026-11-20, commit 0a1b2c3d4e5f with changes, Middlemark 0.1.0 |" in page
    assert "| nothing in common |" in page


def test_of_a_subject_the_last_report_counts() -> None:
    later = REPORT.model_copy(update={"started": "2026-12-01T08:05:00+00:00", "subjects": (GO,), "pairs": ()})
    for reports in ([REPORT, later], [later, REPORT]):
        page = markdown(reports)
        assert "| go | 2 | 1,300 | 1,296 | 2 | 2 | 0 | 2026-12-01, commit" in page
        assert "| java@one on go | 1 | 100 | 98 | 1 | 1 | 0 | 2026-11-20, commit" in page


def test_without_a_report_the_page_says_so() -> None:
    assert markdown([]).endswith(f"{NOTHING}\n")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"only": ("welcome.html",)}, "only cases with welcome.html were run"),
        ({"sample": True}, "only a sample of the cases was run"),
        ({"stopped": "after the first failure"}, "the verification was stopped after the first failure"),
        ({"commit": "unknown"}, "nobody knows of which commit it is"),
        ({"subjects": (GO.model_copy(update={"platform": "rust"}),)}, "expected a platform of this checkout"),
        ({"subjects": (GO.model_copy(update={"subject": "http://127.0.0.1:1"}),)}, "is known to nobody else"),
    ],
)
def test_a_report_that_is_not_of_a_whole_verification_is_refused(
    plant: Plant, changes: dict[str, object], text: str
) -> None:
    home = plant(PLATFORM)
    (home / "report.json").write_text(REPORT.model_copy(update=changes).model_dump_json(), encoding="utf-8")
    with pytest.raises(InputError, match=text):
        read_report(home / "report.json", home)


def test_a_report_is_kept_under_its_first_subject_and_replaces_the_one_before(plant: Plant, tmp_path: Path) -> None:
    home = plant(PLATFORM)
    assert list(faults(REPORT, home)) == []
    folder = tmp_path / "kept"
    keep(REPORT, folder)
    later = REPORT.model_copy(update={"started": "2026-12-01T08:05:00+00:00"})
    assert keep(later, folder).name == "go.json"
    assert kept(folder, home) == [later]


def test_a_file_that_is_no_report_is_refused(plant: Plant) -> None:
    home = plant({**PLATFORM, "report.json": '{"v": 1}'})
    with pytest.raises(InputError, match="this is not a report"):
        read_report(home / "report.json", home)
