"""A verification as JUnit XML: a suite for each configuration, a result at most for each execution."""

from __future__ import annotations

from lxml import etree

from middlemark.conformance.reporting.junit import junit
from middlemark.conformance.reporting.summary import configuration_results
from middlemark.conformance.result import (
    ConformanceResult,
    Difference,
    Execution,
    ExecutionOutcome,
    Failure,
    SubjectResult,
)

FEE = Failure(where="fee.yaml:5", step="step 1", text="expected 1, found \x00 <2>")
OLD = Failure(where="fee.yaml:7", step="", text="audit: a rule", known="it is under repair")


def execution(case: str, outcome: ExecutionOutcome, *failures: Failure, binding: str = "local") -> Execution:
    """Return an execution over JSON that took 1.5 s."""
    return Execution(
        case=case, topic="fees", rule="", where="fee.yaml:3", configuration={"binding": binding}, interface="json",
        outcome=outcome, failures=failures, reason="there is no database" * (outcome is ExecutionOutcome.NOT_CHECKED),
        seconds=1.5,
    )  # fmt: skip


EXECUTIONS = (
    execution("passes", ExecutionOutcome.PASSED),
    execution("fails twice", ExecutionOutcome.FAILED, OLD, FEE),
    execution("fails as known", ExecutionOutcome.KNOWN, OLD),
    execution("cannot be run", ExecutionOutcome.NOT_CHECKED),
    execution("passes", ExecutionOutcome.PASSED, binding="soap"),
)
SUBJECT = SubjectResult(
    subject="go", specification="brokerage", specification_version="1", commit="none", seconds=7.5,
    started="2026-11-20T08:05:00+00:00", configurations=configuration_results(EXECUTIONS),
    not_offered=("orders=later", "feature motto"),
    missed=("a case does not fail any more",), notes=(), executions=EXECUTIONS,
)  # fmt: skip
DIFFERENCE = Difference(one="go", other="java", execution="passes [binding=local]", what="size", text="1 / 2 bytes")


def suites() -> list[etree._Element]:
    """Return the suites of a verification in which everything happens that can."""
    return list(etree.fromstring(junit(ConformanceResult(subjects=(SUBJECT,), differences=(DIFFERENCE,)))))


def test_every_configuration_is_a_suite_and_so_are_what_was_missed_and_what_differs() -> None:
    keys = ("name", "tests", "failures", "skipped", "errors", "time")
    assert [tuple(suite.get(key) for key in keys) for suite in suites()] == [
        ("go: binding=local", "4", "1", "2", "0", "6.0"),
        ("go: binding=soap", "1", "0", "0", "0", "1.5"),
        ("go: known failures", "1", "1", "0", "0", "0"),
        ("differences", "1", "1", "0", "0", "0"),
    ]


def test_what_is_not_offered_is_a_property_of_every_suite_of_the_subject() -> None:
    found = [[(one.get("name"), one.get("value")) for one in suite.iter("property")] for suite in suites()]
    missing = [("not offered", "orders=later"), ("not offered", "feature motto")]
    assert found == [missing, missing, [], []]


def test_an_execution_has_one_result_whose_message_is_the_first_new_failure() -> None:
    first = suites()[0].findall("testcase")
    assert [(case.get("name"), case.get("classname"), len(case)) for case in first] == [
        ("passes (over json)", "fees", 0),
        ("fails twice (over json)", "fees", 1),
        ("fails as known (over json)", "fees", 1),
        ("cannot be run (over json)", "fees", 1),
    ]
    results = [(one.tag, one.get("message")) for case in first for one in case]
    assert results == [
        ("failure", "expected 1, found � <2>"),
        ("skipped", "known: it is under repair"),
        ("skipped", "there is no database"),
    ]
    assert first[1][0].text == "fee.yaml:7\n\naudit: a rule\n\nfee.yaml:5\nstep 1\nexpected 1, found � <2>"
