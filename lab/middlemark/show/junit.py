"""JUnit XML, which build servers show: cases that passed, failed or were skipped, and that of a result."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from middlemark.records.findings import Findings


@dataclass(frozen=True)
class Case:
    """A case. It failed with `failure`, was left out with `skipped`, else it passed; `text` is the whole of it."""

    name: str
    group: str = ""
    seconds: float | None = None
    failure: str = ""
    skipped: str = ""
    text: str = ""


@dataclass(frozen=True)
class Suite:
    """Cases that belong together; `started` is a time, `properties` are names with values."""

    name: str
    cases: Sequence[Case]
    started: str | None = None
    properties: Sequence[tuple[str, str]] = ()


def junit_xml(name: str, suites: Iterable[Suite]) -> bytes:
    """The XML, without the characters that XML cannot hold."""
    root = JUnitXml(name)
    for one in suites:
        suite = TestSuite(_text(one.name))
        if one.started:
            suite.timestamp = one.started
        for what, value in one.properties:
            suite.add_property(what, _text(value))
        suite.add_testcases([_case(case) for case in one.cases])
        root.add_testsuite(suite)
    content = io.BytesIO()
    root.write(content)
    return content.getvalue()


def junit_of(every: Iterable[Findings]) -> bytes:
    """Results: whether each is valid, every window, comparison by the figure that leads, and soak."""
    return junit_xml("middlemark run", (suite for one in every for suite in _suites(one) if suite.cases))


def _suites(findings: Findings) -> Iterator[Suite]:
    failure = "" if findings.run_is_valid else findings.status or findings.answer
    name = f"{findings.run.name}, {findings.folder}"
    yield Suite(name, [Case("the result is valid", name, failure=failure, text=findings.answer)], findings.run.started)
    yield Suite(f"{name}: windows", list(_windows(findings)))
    yield Suite(f"{name}: comparisons", list(_comparisons(findings)))
    yield Suite(f"{name}: soaks", list(_soaks(findings)))


def _windows(findings: Findings) -> Iterator[Case]:
    for window in findings.rounds:
        why = "; ".join(window.reasons)
        # Enough others may count: then the result is no failure.
        failure, skipped = ("", why) if findings.run_is_valid else (why, "")
        yield Case(findings.window_name(window), window.combination, window.window_s, failure, skipped)


def _comparisons(findings: Findings) -> Iterator[Case]:
    for one in findings.compared_by(findings.metric):
        skipped = "" if one.word and not one.not_ranked and one.word_low is not None else one.text or one.reason
        name = f"{findings.name(one.b)} compared with {findings.name(one.a)}"
        yield Case(name, one.metric, skipped=skipped, text=one.text)


def _soaks(findings: Findings) -> Iterator[Case]:
    for one in findings.run.combinations:
        for soak in findings.soaks(one):
            failure, skipped = ("", "") if soak.sustained else (soak.text, "") if soak.reasons else ("", soak.text)
            yield Case(f"{findings.name(one.path)} sustains its load", "soak", soak.seen_s, failure, skipped, soak.text)


def _case(one: Case) -> TestCase:
    """A case with at most one result, as the format wants it."""
    case = TestCase(_text(one.name), _text(one.group), one.seconds)
    found = Failure(_text(one.failure)) if one.failure else Skipped(_text(one.skipped)) if one.skipped else None
    if found is not None:
        found.text = _text(one.text)
        case.result = [found]
    elif one.text:
        case.system_out = _text(one.text)
    return case


def _text(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or " " <= c < "\ud800" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "\ufffd" for c in text
    )
