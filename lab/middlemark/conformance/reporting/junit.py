"""Writes a verification as JUnit XML, which build servers show: a suite for each configuration of a subject."""

from __future__ import annotations

import io
from collections.abc import Iterable

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from middlemark.conformance.result import (
    ConfigurationResult,
    ConformanceResult,
    Execution,
    ExecutionOutcome,
    SubjectResult,
)


def junit(result: ConformanceResult) -> bytes:
    """Return the XML. Known failures and what was not checked are `skipped`, with the reason.

    What is not offered is a property of each suite of the subject.
    """
    root = JUnitXml("middlemark verify")
    for subject in result.subjects:
        for configuration in subject.configurations:
            root.add_testsuite(_suite(subject, configuration))
        if subject.missed:
            root.add_testsuite(_failures(f"{subject.subject}: known failures", ((one, one) for one in subject.missed)))
    if result.differences:
        texts = ((f"{one.execution}: {one.what}", f"{one.one} / {one.other}: {one.text}") for one in result.differences)
        root.add_testsuite(_failures("differences", texts))
    content = io.BytesIO()
    root.write(content)
    return content.getvalue()


def _suite(subject: SubjectResult, one: ConfigurationResult) -> TestSuite:
    suite = TestSuite(_text(f"{subject.subject}: {one.label}"))
    suite.timestamp = subject.started
    for what in subject.not_offered:
        suite.add_property("not offered", what)
    suite.add_testcases(
        [_case(execution) for execution in subject.executions if execution.configuration == one.configuration]
    )
    return suite


def _case(execution: Execution) -> TestCase:
    """Return one execution with at most one result, as the format wants it: its message is the first new failure."""
    over = f" (over {execution.interface})" if execution.interface else ""
    case = TestCase(_text(execution.case + over), execution.topic, execution.seconds)
    if execution.outcome is ExecutionOutcome.NOT_CHECKED:
        case.result = [Skipped(_text(execution.reason))]
    elif execution.failures:
        first = next((one for one in execution.failures if not one.known), None)
        one = Failure(_text(first.text)) if first else Skipped(_text(f"known: {execution.failures[0].known}"))
        one.text = _text("\n\n".join(f"{each.where}\n{each.step}\n{each.text}" for each in execution.failures))
        case.result = [one]
    return case


def _failures(name: str, texts: Iterable[tuple[str, str]]) -> TestSuite:
    suite = TestSuite(_text(name))
    for title, text in texts:
        case = TestCase(_text(title), "verify")
        case.result = [Failure(_text(text))]
        suite.add_testcase(case)
    return suite


def _text(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or " " <= c < "\ud800" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "�" for c in text
    )
