"""Texts from outside are shown as texts, in every field of every record; a large run has a page of a few megabytes."""

from __future__ import annotations

import html
import random
from collections.abc import Callable

import pytest
from hostile_findings import Maker, hostile_findings, of_faults, of_search, without_efficiency
from made_result import combination
from report_html import HTML, parsed
from synthetic_result import Shape, write_synthetic

from middlemark.judge.result import judge, measured_of, read_measured
from middlemark.records.findings import Findings
from middlemark.records.window import TransactionFigures, Window
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


LOADS, REPEATS, TRANSACTIONS = (10, 30, 60), 20, 19
FIVE = tuple(
    combination(subject, binding=binding)
    for subject, binding in (("go", "local"), ("go", "json"), ("jakarta@liberty", "local"), ("jakarta@wildfly", "json"),
                             ("spring-boot", "local"))
)  # fmt: skip
MAX_BYTES = 3_000_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Judge 60 windows of each of 5 combinations with 19 transactions, made of those of a small run."""
    folder = write_synthetic(tmp_path_factory.mktemp("result"), Shape(FIVE, loads=LOADS, repeats=1))
    small = read_measured(folder)
    chance = random.Random(4)  # noqa: S311 (made-up figures, no secret)
    windows = [again(window, repeat, chance) for repeat in range(REPEATS) for window in small.windows]
    paths = [window.path for window in windows]
    run = small.run.model_copy(update={"repeats": REPEATS, "rounds": 5, "points": paths})
    return judge(measured_of(folder, run, windows))


def again(window: Window, repeat: int, chance: random.Random) -> Window:
    """Return the window of another round, with figures that differ a little."""
    much = chance.uniform(0.97, 1.03)

    def other(figures: TransactionFigures) -> TransactionFigures:
        return figures.model_copy(update={"tps": figures.tps * much, "mean_ms": figures.mean_ms / much})

    every = list(window.transactions.values())
    named = {f"transaction number {number}": other(every[number % len(every)]) for number in range(TRANSACTIONS)}
    tiers = {
        name: tier.model_copy(update={"cpu_ms_per_transaction": tier.cpu_ms_per_transaction * much})
        for name, tier in window.tiers.items()
    }
    place = window.path.rpartition("/")[0]
    return window.model_copy(
        update={"path": f"{place}/{repeat}", "repeat": repeat, "tiers": tiers, "transactions": named,
                "throughput_tps": window.throughput_tps * much, "total": other(window.total)}
    )  # fmt: skip


@pytest.mark.timeout(120)
def test_60_windows_of_5_combinations_with_19_transactions_are_one_file_below_3_megabytes(large: Findings) -> None:
    assert len(large.rounds) == 300
    page = report_page(large)
    assert len(page.encode()) < MAX_BYTES
    tree = parsed(page)
    figures = list(tree.iter(f"{HTML}figure"))
    assert len(figures) > 20
    rows = [row for row in tree.iter(f"{HTML}tr") if "".join(row.itertext()).strip().startswith("transaction number")]
    assert len(rows) == TRANSACTIONS * len(FIVE) * len(LOADS)
