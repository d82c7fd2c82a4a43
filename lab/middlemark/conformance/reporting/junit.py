"""Writes a verification as JUnit XML, which build servers show: a suite for each configuration of a subject."""

from __future__ import annotations

from lxml import etree

from middlemark.conformance.result import (
    ConfigurationResult,
    ConformanceResult,
    Execution,
    ExecutionOutcome,
    SubjectResult,
)


def junit(result: ConformanceResult) -> bytes:
    """Return the XML. Known failures and what was not checked are `skipped`, with the reason."""
    root = etree.Element("testsuites", name="middlemark verify")
    for subject in result.subjects:
        for configuration in subject.configurations:
            _suite(root, subject, configuration)
        if subject.missed:
            _extra(root, f"{subject.subject}: known failures", [(text, text) for text in subject.missed])
    if result.differences:
        texts = [(f"{one.execution}: {one.what}", f"{one.one} / {one.other}: {one.text}") for one in result.differences]
        _extra(root, "differences", texts)
    etree.indent(root)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def _suite(root: etree._Element, subject: SubjectResult, one: ConfigurationResult) -> None:
    suite = etree.SubElement(
        root,
        "testsuite",
        name=f"{subject.subject}: {one.label}",
        tests=str(one.executions),
        failures=str(one.failed),
        errors="0",
        skipped=str(one.known + one.not_checked),
        time=f"{one.seconds:.3f}",
        timestamp=subject.started,
    )
    for execution in subject.executions:
        if execution.configuration == one.configuration:
            _case(suite, execution)


def _case(suite: etree._Element, execution: Execution) -> None:
    name = f"{execution.case}{f' (over {execution.interface})' if execution.interface else ''}"
    case = etree.SubElement(
        suite, "testcase", name=_text(name), classname=execution.topic, time=f"{execution.seconds:.3f}"
    )
    if execution.outcome is ExecutionOutcome.NOT_CHECKED:
        etree.SubElement(case, "skipped", message=_text(execution.reason))
    for failure in execution.failures:
        kind = "failure" if execution.outcome is ExecutionOutcome.FAILED else "skipped"
        reason = f"known: {failure.known}" if failure.known else ""
        element = etree.SubElement(case, kind, message=_text(reason or failure.text))
        element.text = _text(f"{failure.where}\n{failure.step}\n{failure.text}")


def _extra(root: etree._Element, name: str, texts: list[tuple[str, str]]) -> None:
    count = str(len(texts))
    suite = etree.SubElement(root, "testsuite", name=name, tests=count, failures=count, errors="0", skipped="0")
    for title, text in texts:
        case = etree.SubElement(suite, "testcase", name=_text(title), classname="verify")
        etree.SubElement(case, "failure", message=_text(text))


def _text(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or " " <= c < "\ud800" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "�" for c in text
    )
