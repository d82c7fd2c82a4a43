"""Writes a verification as JUnit XML, which build servers show: a suite for each cell, a case for each play."""

from __future__ import annotations

from lxml import etree

from middlemark.conformance.result import CellResult, ConformanceResult, Play, PlayOutcome, SubjectResult


def junit(result: ConformanceResult) -> bytes:
    """Return the XML. Known failures and what was not checked are `skipped`, with the reason."""
    root = etree.Element("testsuites", name="middlemark verify")
    for subject in result.subjects:
        for cell in subject.cells:
            _suite(root, subject, cell)
        if subject.missed:
            _extra(root, f"{subject.subject}: known failures", [(text, text) for text in subject.missed])
    if result.differences:
        texts = [(f"{one.play}: {one.what}", f"{one.one} / {one.other}: {one.text}") for one in result.differences]
        _extra(root, "differences", texts)
    etree.indent(root)
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def _suite(root: etree._Element, subject: SubjectResult, cell: CellResult) -> None:
    suite = etree.SubElement(
        root,
        "testsuite",
        name=f"{subject.subject}: {cell.cell}",
        tests=str(cell.plays),
        failures=str(cell.failed),
        errors="0",
        skipped=str(cell.known + cell.not_checked),
        time=f"{cell.seconds:.3f}",
        timestamp=subject.started,
    )
    for play in subject.plays:
        if play.cell == cell.cell:
            _case(suite, play)


def _case(suite: etree._Element, play: Play) -> None:
    name = f"{play.case}{f' (over {play.binding})' if play.binding else ''}"
    case = etree.SubElement(suite, "testcase", name=_text(name), classname=play.topic, time=f"{play.seconds:.3f}")
    if play.outcome is PlayOutcome.NOT_CHECKED:
        etree.SubElement(case, "skipped", message=_text(play.reason))
    for failure in play.failures:
        kind = "failure" if play.outcome is PlayOutcome.FAILED else "skipped"
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
