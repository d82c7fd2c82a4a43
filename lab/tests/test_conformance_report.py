"""The report of a verification has the numbers of each configuration, and what each pair was compared by."""

from __future__ import annotations

from middlemark.conformance.reporting.report import ReportedPair, report_of
from middlemark.conformance.reporting.summary import configuration_results
from middlemark.conformance.result import (
    ConformanceResult,
    Difference,
    Execution,
    ExecutionOutcome,
    SubjectResult,
)


def execution(case: str, access: str, **more: object) -> Execution:
    """Return an execution with this data access that passed, unless `more` says otherwise."""
    return Execution(
        case=case, topic="fees", rule="", where="fee.yaml:3", configuration={"access": access}, interface="",
        **{"outcome": ExecutionOutcome.PASSED, **more},
    )  # fmt: skip


def subject(name: str, *executions: Execution, **more: object) -> SubjectResult:
    """Return what came of verifying a subject."""
    return SubjectResult(
        subject=name, specification="shop", specification_version="3", commit="0a1b2c3", seconds=7.5,
        started="2026-11-20T08:05:00+00:00", configurations=configuration_results(executions),
        platform_modes=("access",), not_offered=("feature motto",), missed=(), notes=(), executions=executions,
        **more,
    )  # fmt: skip


GO = subject(
    "go",
    execution("page", "pgx", sizes={"home": 900}, responses="a", end_state="b"),
    execution("chance", "pgx"),
    execution("unasked", "pgx", outcome=ExecutionOutcome.NOT_CHECKED),
    platform="go",
    server="net/http",
    artifact="0123456789abcdef",
    versions={"go": "1.26.8"},
)
JAVA = subject(
    "java@one",
    execution("page", "jdbc", sizes={"home": 901}, responses="a", end_state="b"),
    execution("chance", "jdbc", outcome=ExecutionOutcome.FAILED),
    execution("unasked", "jdbc"),
    execution("page", "jpa", sizes={"home": 901}, responses="a", end_state="b"),
    changed=("a.java",),
)
OTHER = Difference(one="go", other="java@one (jdbc)", execution="chance", what="outcome", text="passed / failed")


def test_a_report_has_what_was_verified_and_on_what() -> None:
    report = report_of(ConformanceResult(subjects=(GO, JAVA), differences=(OTHER,), only=("page",)))
    assert (report.specification, report.specification_version, report.commit) == ("shop", "3", "0a1b2c3")
    assert (report.only, report.stopped, report.changed) == (("page",), "", False)
    go, java = report.subjects
    assert (go.platform, go.server, go.artifact, go.versions) == (
        "go",
        "net/http",
        "0123456789abcdef",
        {"go": "1.26.8"},
    )
    assert go.not_offered == ("feature motto",)
    (configuration,) = go.configurations
    assert (configuration.executions, configuration.passed, configuration.not_checked) == (3, 2, 1)
    assert [(one.label, one.failed) for one in java.configurations] == [("access=jdbc", 1), ("access=jpa", 0)]


def test_a_known_failure_is_compared_with_nothing() -> None:
    known = subject("java@one", execution("page", "jdbc", outcome=ExecutionOutcome.KNOWN))
    (pair,) = report_of(ConformanceResult(subjects=(GO, known), differences=())).pairs
    assert (pair.executions, pair.equal) == (0, False)


def test_a_pair_is_equal_when_it_was_compared_and_nothing_differs() -> None:
    report = report_of(ConformanceResult(subjects=(GO, JAVA), differences=(OTHER,)))
    compared = {"responses": 1, "end_states": 1, "sizes": 1}
    same = {"differences": {}, "equal": True}
    assert report.pairs == (
        ReportedPair(
            one="go", other="java@one (jdbc)", executions=2, **compared, differences={"outcome": 1}, equal=False
        ),
        ReportedPair(one="go", other="java@one (jpa)", executions=1, **compared, **same),
        ReportedPair(one="java@one (jdbc)", other="java@one (jpa)", executions=1, **compared, **same),
    )


def test_a_pair_without_an_execution_in_common_is_not_called_equal() -> None:
    report = report_of(ConformanceResult(subjects=(GO, subject("x", execution("else", "a"))), differences=()))
    (pair,) = report.pairs
    assert (pair.executions, pair.equal) == (0, False)
