"""Texts that come from outside are shown as texts, in every field of every record of the findings."""

from __future__ import annotations

import html
from collections.abc import Callable

import pytest
from hostile_findings import Maker, hostile_findings, of_faults, of_search, without_efficiency
from report_html import parsed

from middlemark.records.findings import Findings
from middlemark.show.page import report_page


def as_they_are(_: Maker, findings: Findings) -> Findings:
    return findings


VARIANTS = (as_they_are, without_efficiency, of_search, of_faults)
SHOWN = {
    "Run.name", "Run.description", "Run.changed", "Run.inputs key", "Run.inputs", "Run.databases key", "Host.hardware",
    "CombinationFinding.name", "LeftOut.reason", "Placement.note", "Tuning.note", "Trial.why", "Window.about",
    "Check.message", "Check.requirement", "AuditFinding.message", "AuditFinding.rows", "Mark.text", "Disturbance.text",
    "Statement.query", "StepWork.texts", "Work.unavailable", "TlsSuite.cipher", "ProcessRecord.runs", "CallRecord.over",
    "PublishedSource.source", "PublishedRatio.figures", "PublishedRatio.note", "PriceSheet.title", "PriceLine.item",
    "PriceLine.source", "Findings.answer", "Findings.basis", "Fault.kind", "SpecificationRecord.unit",
}  # fmt: skip


@pytest.fixture(scope="module", params=VARIANTS)
def page(request: pytest.FixtureRequest) -> str:
    maker = Maker()
    change: Callable[[Maker, Findings], Findings] = request.param
    return report_page(change(maker, hostile_findings(maker)))


def test_no_text_of_any_field_becomes_an_element_or_an_attribute(page: str) -> None:
    tree = parsed(page)
    tags = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert not tags & {"script", "b"}
    assert not [name for element in tree.iter() for name in element.attrib if name.lower().startswith("on")]
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 100


def test_together_the_reports_show_the_texts_of_most_fields() -> None:
    maker = Maker()
    pages = [html.unescape(report_page(change(maker, hostile_findings(maker)))) for change in VARIANTS]
    shown = {place for place, text in maker.texts.items() if any(text in page for page in pages)}
    assert shown >= SHOWN
    assert len(shown) > 130
