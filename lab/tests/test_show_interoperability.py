"""Who runs one tier against who runs the others: the cost of each tier in every field, and the proof of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
from made_result import Made, changed, contents
from rejudged_result import page_of
from report_html import HTML, words

from middlemark.judge.result import judge
from middlemark.records.findings import Findings
from middlemark.records.naming import label
from middlemark.records.point import Outcome
from middlemark.records.run import Combination, LeftOut
from middlemark.records.window import Check, TierFigures, Window
from middlemark.show.matrices import DARKEST, interoperability
from middlemark.show.pivot import Pivot
from middlemark.show.tables import Text

SUBJECTS = ("one", "two")
WEB_MS = {"one": 1.0, "two": 2.0}
SERVICES_MS = {"one": 3.0, "two": 0.5}
NOISE = (1.0, 1.02, 1.02, 1.04)
PROVEN = Check(name="conformance", outcome=Outcome.PASSED, message="verified; 8 cases passed", requirement="passed")
UNPROVEN = Check(name="conformance", outcome=Outcome.NOT_CHECKED, message="never verified", requirement="passed")


def combination(web: str, services: str, calls: str) -> Combination:
    modes = {"session": "files", "calls": calls, "tiers.web": web}
    path = f"{services}/calls={calls},tiers.web={web}"
    tiers = {"web": web, "services": services}
    return Combination(subject=services, modes=modes, label=label(services, modes), path=path, tiers=tiers)


def cost(ms: float) -> TierFigures:
    return TierFigures(cpu_s=1, cpu_share=0.1, cpu_ms_per_transaction=ms, memory_mean_mib=1, memory_max_mib=1)


def found(rounds: int) -> Findings:
    """Judge a run: all four over json, `one` alone in process, one field unproven, one INVALID, the rest left out."""
    places = [combination(web, services, "json") for web in SUBJECTS for services in SUBJECTS]
    alone = combination("one", "one", "local")
    points = [(one, 8, [Made(100, 1.0, failed="audit" if one is places[3] else "")] * rounds) for one in places]
    left_out = [
        LeftOut(label="", reason=f"the web process of {web} cannot carry services of {services}", subject=services,
                modes=combination(web, services, "local").modes)
        for web, services in (("one", "two"), ("two", "one"))
    ]  # fmt: skip
    measured = contents([*points, (alone, 8, [Made(100, 1.0)] * rounds)], left_out=left_out)
    by_path = {one.path: one for one in measured.run.combinations}

    def watched(window: Window) -> Window:
        one, noise = by_path[window.combination], NOISE[window.repeat]
        apart = {"web": cost(WEB_MS[one.tiers["web"]] * noise), "services": cost(SERVICES_MS[one.subject] * noise)}
        tiers = {"web+services": cost(1.5)} if one == alone else apart
        own = [check for check in window.checks if check.name != "conformance"]
        checks = (*own, UNPROVEN if one == places[1] else PROVEN)
        others = {"driver": cost(9.0), "database": cost(9.0)}
        return window.model_copy(update={"tiers": {**tiers, **others}, "checks": checks})

    specification = measured.run.specification.model_copy(update={"efficiency": None})
    return judge(changed(measured, [watched(window) for window in measured.windows], specification=specification))


@pytest.fixture(scope="module")
def four() -> Findings:
    return found(4)


@pytest.fixture(scope="module")
def tree(four: Findings) -> ET.Element:
    return page_of(four)


def pivots_of(findings: Findings) -> Iterator[Pivot]:
    return (block for block in interoperability(findings) if isinstance(block, Pivot))


def rows_of(tree: ET.Element, title: str) -> dict[str, list[str]]:
    tables = (table for table in tree.iter(f"{HTML}table") if table.get("class") == "pivot")
    own = next(table for table in tables if words(next(table.iter(f"{HTML}caption"))) == title)
    return {words(row[0]): [words(entry) for entry in row[1:]] for row in own.iter(f"{HTML}tr")}


def test_each_field_has_the_cost_of_each_tier_with_its_range_and_its_proof(tree: ET.Element) -> None:
    rows = rows_of(tree, "calls json")

    assert list(rows) == ["", "web of one", "web of two"]
    assert rows[""] == ["services of one", "services of two"]
    assert rows["web of one"][0] == (
        "web 1.02 (1.00 … 1.04) services 3.06 (3.00 … 3.12) together 4.08 (3.98 … 4.18) 4 rounds conformance passed"
    )
    assert rows["web of two"][0].startswith("web 2.04 (2.00 … 2.08) services 3.06 (3.00 … 3.12)")


def test_a_field_without_a_proof_says_so_beside_its_figures(tree: ET.Element) -> None:
    field = rows_of(tree, "calls json")["web of one"][1]

    assert field.startswith("web 1.02 (1.00 … 1.04) services 0.510 (0.500 … 0.520)")
    assert field.endswith("conformance not checked: never verified")


def test_a_field_in_which_nothing_counts_has_the_reason_and_no_figure(tree: ET.Element) -> None:
    assert rows_of(tree, "calls json")["web of two"][1] == "4 INVALID: audit: 1 % (limit: 0.01 %) conformance passed"


def test_tiers_of_one_process_are_one_figure_and_what_cannot_be_has_the_reason(tree: ET.Element) -> None:
    rows = rows_of(tree, "calls local")

    assert rows["web of one"] == [
        "web + services 1.50 (1.50 … 1.50) 4 rounds conformance passed",
        "not offered: the web process of one cannot carry services of two",
    ]
    assert rows["web of two"] == [
        "not offered: the web process of two cannot carry services of one",
        "not part of this run",
    ]


def test_the_shade_is_the_share_of_the_largest_figure_of_the_tier(four: Findings) -> None:
    first = next(each for each in pivots_of(four) if each.caption == "calls json")
    shades = [[part.shade for part in field.parts] for _, _, fields in first.rows for field in fields]
    assert shades[0] == pytest.approx([DARKEST / 2, DARKEST])
    assert shades[1][1] == pytest.approx(DARKEST / 6)
    assert shades[2] == pytest.approx([DARKEST, DARKEST])
    (lead,) = [block.text for block in interoperability(four) if isinstance(block, Text)]
    assert "(web 2.04 ms, web + services 1.50 ms, services 3.06 ms)" in lead


def test_one_round_has_no_range() -> None:
    field = rows_of(page_of(found(1)), "calls json")["web of one"][0]
    assert field == "web 1.00 services 3.00 together 4.00 (4.00 … 4.00) 1 round conformance passed"


def test_one_row_of_a_table_is_a_table() -> None:
    row = [combination("one", services, "json") for services in SUBJECTS]
    (only,) = pivots_of(judge(contents([(one, 8, [Made(100, 1.0)]) for one in row])))
    assert only.columns == ("services of one", "services of two")
    assert [name for name, _, _ in only.rows] == ["web of one"]


def test_a_run_in_which_one_subject_runs_everything_has_no_such_table() -> None:
    one = Combination(subject="one", modes={"session": "files"}, label="one", path="one/session=files")
    assert list(interoperability(judge(contents([(one, 8, [Made(100, 1.0)])])))) == []
