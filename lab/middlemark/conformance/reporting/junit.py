"""Writes a verification as JUnit XML, which build servers show: a suite for each configuration of a subject."""

from __future__ import annotations

from collections.abc import Iterator

from middlemark.conformance.result import (
    ConfigurationResult,
    ConformanceResult,
    Execution,
    ExecutionOutcome,
    SubjectResult,
)
from middlemark.show.junit import Case, Suite, junit_xml


def junit(result: ConformanceResult) -> bytes:
    """Return the XML. Known failures and what was not checked are `skipped`, with the reason.

    What is not offered is a property of each suite of the subject.
    """
    return junit_xml("middlemark verify", _suites(result))


def _suites(result: ConformanceResult) -> Iterator[Suite]:
    for subject in result.subjects:
        for configuration in subject.configurations:
            yield _suite(subject, configuration)
        if subject.missed:
            cases = [Case(one, "verify", failure=one) for one in subject.missed]
            yield Suite(f"{subject.subject}: known failures", cases)
    if result.differences:
        cases = [
            Case(f"{one.execution}: {one.what}", "verify", failure=f"{one.one} / {one.other}: {one.text}")
            for one in result.differences
        ]
        yield Suite("differences", cases)


def _suite(subject: SubjectResult, one: ConfigurationResult) -> Suite:
    cases = [_case(execution) for execution in subject.executions if execution.configuration == one.configuration]
    not_offered = [("not offered", what) for what in subject.not_offered]
    return Suite(f"{subject.subject}: {one.label}", cases, subject.started, not_offered)


def _case(execution: Execution) -> Case:
    """Return one execution; the message of one that failed is its first new failure."""
    over = f" (over {execution.interface})" if execution.interface else ""
    failure = skipped = text = ""
    if execution.outcome is ExecutionOutcome.NOT_CHECKED:
        skipped = execution.reason
    elif execution.failures:
        first = next((one for one in execution.failures if not one.known), None)
        failure = first.text if first else ""
        skipped = "" if first else f"known: {execution.failures[0].known}"
        text = "\n\n".join(f"{each.where}\n{each.step}\n{each.text}" for each in execution.failures)
    return Case(execution.case + over, execution.topic, execution.seconds, failure, skipped, text)
