"""The heat maps of the report: who runs one tier against who runs the others, with the cost of each tier."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from content_result import Made, write_contents
from report_html import HTML, parsed, words

from middlemark.records.folder import read_result, write_json
from middlemark.records.point import Check, Outcome, TierFigures
from middlemark.records.run import Combination, LeftOut
from middlemark.report.heat_map import DARKEST, HeatMaps, heat_maps
from middlemark.report.page import report_page
from middlemark.verdict.naming import label

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


def written(root: Path, rounds: int) -> Path:
    """Write a run: all four over json, `one` alone in process, one field unproven, one INVALID, the rest left out."""
    places = [combination(web, services, "json") for web in SUBJECTS for services in SUBJECTS]
    alone = combination("one", "one", "local")
    points = [(one, 8, [Made(100, 1.0, failed="audit" if one is places[3] else "")] * rounds) for one in places]
    left_out = [
        LeftOut(label="", reason=f"the web process of {web} cannot carry services of {services}", subject=services,
                modes=combination(web, services, "local").modes)
        for web, services in (("one", "two"), ("two", "one"))
    ]  # fmt: skip
    result = write_contents(root, [*points, (alone, 8, [Made(100, 1.0)] * rounds)], left_out=left_out)
    for point in result.points:
        verdict, one = point.verdict, point.combination
        assert verdict is not None
        assert one is not None
        noise = NOISE[point.repeat]
        apart = {"web": cost(WEB_MS[one.tiers["web"]] * noise), "services": cost(SERVICES_MS[one.subject] * noise)}
        together = {"web+services": cost(1.5)}
        tiers = {**(together if one == alone else apart), "driver": cost(9.0), "database": cost(9.0)}
        check = UNPROVEN if one == places[1] else PROVEN
        changed = verdict.model_copy(update={"tiers": tiers, "checks": [*verdict.checks, check]})
        write_json(point.folder / "verdict.json", changed)
    return root


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("four"), 4)


@pytest.fixture(scope="module")
def tree(root: Path) -> ET.Element:
    return parsed(report_page(read_result(root)))


def rows_of(tree: ET.Element, title: str) -> dict[str, list[str]]:
    tables = (table for table in tree.iter(f"{HTML}table") if table.get("class") == "heat")
    found = next(table for table in tables if words(next(table.iter(f"{HTML}caption"))) == title)
    return {words(row[0]): [words(entry) for entry in row[1:]] for row in found.iter(f"{HTML}tr")}


def maps_of(root: Path) -> HeatMaps:
    found = heat_maps(read_result(root))
    assert found is not None
    return found


def test_the_part_has_a_link_and_no_other_part_has_its_name(tree: ET.Element) -> None:
    names = [name for element in tree.iter() if (name := element.get("id"))]
    links = {words(link): link.get("href") for link in tree.iter(f"{HTML}a")}
    assert links["Heat map"] == "#heat"
    assert sorted(names) == sorted(set(names))
    assert "heat" in names


def test_each_field_has_the_cost_of_each_tier_with_its_interval_and_its_proof(tree: ET.Element) -> None:
    rows = rows_of(tree, "calls json")

    assert list(rows) == ["", "web of one", "web of two"]
    assert rows[""] == ["services of one", "services of two"]
    assert rows["web of one"][0] == (
        "web 1.02 ± 0.026 services 3.06 ± 0.078 together 4.08 ± 0.104 4 rounds conformance passed"
    )
    assert rows["web of two"][0].startswith("web 2.04 ± 0.052 services 3.06 ± 0.078")


def test_a_field_without_a_proof_says_so_beside_its_figures(tree: ET.Element) -> None:
    field = rows_of(tree, "calls json")["web of one"][1]

    assert field.startswith("web 1.02 ± 0.026 services 0.510 ± 0.013")
    assert field.endswith("conformance not checked: never verified")


def test_a_field_in_which_nothing_counts_has_the_reason_and_no_figure(tree: ET.Element) -> None:
    assert rows_of(tree, "calls json")["web of two"][1] == ("4 INVALID: audit: 1 % (limit: 0.01 %) conformance passed")


def test_tiers_of_one_process_are_one_figure_and_what_cannot_be_has_the_reason(tree: ET.Element) -> None:
    rows = rows_of(tree, "calls local")

    assert rows["web of one"] == [
        "web + services 1.50 ± 0 4 rounds conformance passed",
        "not offered: the web process of one cannot carry services of two",
    ]
    assert rows["web of two"] == [
        "not offered: the web process of two cannot carry services of one",
        "not part of this run",
    ]


def test_the_shade_is_the_share_of_the_largest_figure_of_the_tier(root: Path) -> None:
    found = maps_of(root)

    first = next(one for one in found.maps if one.title == "calls json")
    shades = [[tier.shade for tier in field.tiers] for _, fields in first.rows for field in fields]
    assert shades[0] == pytest.approx([DARKEST / 2, DARKEST])
    assert shades[1][1] == pytest.approx(DARKEST / 6)
    assert shades[2] == pytest.approx([DARKEST, DARKEST])
    assert (found.row_tier, found.column_tiers) == ("web", "services")
    assert found.scale == "web 2.04 ms, web + services 1.50 ms, services 3.06 ms"


def test_few_rounds_show_their_range_and_no_interval(tmp_path: Path) -> None:
    root = written(tmp_path, 2)

    page = parsed(report_page(read_result(root)))
    assert rows_of(page, "calls json")["web of one"][0].startswith("web 1.01 (1.00 … 1.02) services 3.03 (3.00 … 3.06)")
    assert maps_of(root).few_rounds


def test_one_row_of_a_map_is_a_map(tmp_path: Path) -> None:
    row = [combination("one", services, "json") for services in SUBJECTS]
    write_contents(tmp_path, [(one, 8, [Made(100, 1.0)]) for one in row])

    (only,) = maps_of(tmp_path).maps
    assert (only.title, only.columns, [subject for subject, _ in only.rows]) == ("", SUBJECTS, ["one"])


def test_a_run_in_which_one_subject_runs_everything_has_no_map(tmp_path: Path) -> None:
    one = Combination(subject="one", modes={"session": "files"}, label="one", path="one/session=files")
    write_contents(tmp_path, [(one, 8, [Made(100, 1.0)])])
    assert heat_maps(read_result(tmp_path)) is None
