"""Pivot tables: what was reached by subject, who runs one tier against who runs the others, and times faster."""

from __future__ import annotations

import statistics
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_result import Made, changed, combination, contents
from rejudged_result import page_of, with_windows
from report_html import HTML, pivot_of, section, words
from synthetic_result import APART, Shape, write_synthetic

from middlemark.judge.result import judge, judge_folder
from middlemark.records.findings import Comparison, Findings, Use
from middlemark.records.naming import label
from middlemark.records.point import Outcome
from middlemark.records.run import Combination, LeftOut
from middlemark.records.window import Check, TierFigures, Window
from middlemark.show import matrices
from middlemark.show.matrices import DARKEST, interoperability
from middlemark.show.ratios import multiples
from middlemark.show.tables import Cell, Field, Part, Pivot, Text, pivots, table

FILES, CALL = (combination("one", session=session, http="1.0") for session in ("files", "call"))
ENCRYPTED = combination("one", encryption="tls", session="shop", http="1.0")
OTHER = combination("two", session="files", http="1.0")
BROKEN = combination("two", session="call", http="1.0")
KEPT = combination("one", session="files", http="1.1")
NOT_OFFERED = LeftOut(
    label="two, session shop, HTTP/1.0", reason="two has no feature 'shop'", subject="two",
    modes={"session": "shop", "http": "1.0", "encryption": "tls"},
)  # fmt: skip
POINTS = [
    (FILES, 1, [Made(1000, 1.0)] * 4),
    (FILES, 8, [Made(4000, 2.0), Made(4100, 2.0), Made(3900, 2.0), Made(4000, 2.0)]),
    (FILES, 16, [Made(3500, 4.5)] * 4),
    (CALL, 1, [Made(500, 1.9)] * 4),
    (CALL, 8, [Made(1000, 7.9), Made(1000, 7.9), Made(1000, 7.9), Made(1000, 7.9, equal=False)]),
    (CALL, 16, [Made(990, 16.0, equal=False)] * 4),
    (ENCRYPTED, 8, [Made(900, 9.0, 6300.0)] * 4),
    (OTHER, 8, [Made(2000, 4.0)] * 4),
    (BROKEN, 8, [Made(2000, 4.0, failed="audit")] * 4),
    (KEPT, 8, [Made(9000, 0.9)] * 4),
]


@pytest.fixture(scope="module")
def tree() -> ET.Element:
    measured = contents(POINTS, left_out=[NOT_OFFERED])
    return page_of(judge(changed(measured, sessions=["files", "call", "shop"])))


def test_the_table_has_rates_at_the_peak_and_the_efficiency_beside_them(tree: ET.Element) -> None:
    rows = pivot_of(tree, "HTTP/1.0")
    assert list(rows) == ["", "files", "call", "shop encryption tls"]
    assert rows["files"][0] == "4,000 /s 3,870 … 4,130, sd 81.6 at 8 users 2.00 ms · 6,250 B"
    assert rows["call"][0] == "1,000 /s 0.25 of files 1,000 … 1,000, sd 0 at 8 users 7.90 ms · 6,250 B"
    assert rows["files"][1].startswith("2,000 /s 2,000 … 2,000, sd 0 at 8 users 4.00 ms")
    assert list(pivot_of(tree, "HTTP/1.1")) == ["", "files", "call", "shop encryption tls"]


def test_a_field_without_a_figure_says_why(tree: ET.Element) -> None:
    rows = pivot_of(tree, "HTTP/1.0")
    assert rows["call"][1] == "no valid window: audit: 1 % (limit: 0.01 %)"
    assert rows["shop encryption tls"][1] == "not offered: two has no feature 'shop'"
    assert pivot_of(tree, "HTTP/1.1")["call"] == ["not run: not part of this run"] * 2
    assert rows["shop encryption tls"][0].endswith("no efficiency: files was not run with encryption tls")


def test_headers_of_rows_and_columns_are_headers(tree: ET.Element) -> None:
    table = next(t for t in tree.iter(f"{HTML}table") if t.get("class") == "pivot")
    assert {h.get("scope") for h in table.iter(f"{HTML}th")} == {"col", "row"}
    assert [words(h) for h in table.iter(f"{HTML}th") if h.get("scope") == "col"] == ["one", "two"]


def test_the_slowest_is_shown_beside_the_fastest_of_its_kind_where_there_are_two(tree: ET.Element) -> None:
    rows = [[words(entry) for entry in row] for row in tree.iter(f"{HTML}tr")]
    assert [row for row in rows if row[2:3] == ["files"]] == [
        ["one", "HTTP/1.0", "files", "4,000", "2.00", "call", "1,000", "0.250"]
    ]


def test_the_table_of_efficiencies_has_both_places(tree: ET.Element) -> None:
    rows = [[words(entry) for entry in row] for row in tree.iter(f"{HTML}tr")]
    at_peak = next(row for row in rows if row[1:2] == ["own peaks"])
    assert at_peak[2:6] == ["8", "8", "0.250", "0.242 … 0.258"]
    assert at_peak[6:] == ["0.253", "0.253 … 0.253", "4"]
    highest = next(row for row in rows if row[1:2] == ["highest load"])
    assert highest[2:4] == ["16", "16"]
    assert highest[4] == "0.283"


def test_the_useful_peak_ends_where_clients_are_not_served_equally(tree: ET.Element) -> None:
    # The third table of HTTP/1.0 is that of the light load.
    useful, light = (pivot_of(tree, "HTTP/1.0", number) for number in (1, 2))
    assert useful["files"][0] == "16 users 3,500 /s, response 4.50 ms no higher load was measured"
    assert useful["call"][0].startswith(
        "1 user 500 /s, response 1.90 ms not at 8 users: clients not served equally in 1 of 4 rounds"
    )
    assert light["call"][0] == "1.90 ms 1.90 … 1.90 at 1 user"
    assert light["files"][0] == "1.00 ms 1.00 … 1.00 at 1 user"


def test_fewer_rounds_than_decide_anything_have_no_interval_and_are_marked() -> None:
    points = [(FILES, 1, [Made(1000, 1.0), Made(1100, 1.0)]), (CALL, 1, [Made(500, 1.9), Made(600, 1.8)])]
    tree = page_of(judge(contents(points)))
    assert "none: rounds 0.500 … 0.545" in words(tree)
    assert pivot_of(tree, "At the peak of each")["files"] == [
        "1,050 /s 2 rounds: 1,000 … 1,100, sd 70.7 at 1 user 1.00 ms · 6,250 B"
    ]


def test_where_every_combination_has_its_efficiency_none_is_missing() -> None:
    points = [(FILES, 8, [Made(1000, 1.0)] * 3), (CALL, 8, [Made(500, 1.9)] * 3)]
    assert "Without an efficiency" not in words(page_of(judge(contents(points))))


def test_a_specification_without_an_efficiency_has_no_such_tables() -> None:
    measured = contents([(FILES, 1, [Made(1000, 1.0)])])
    plain = measured.run.specification.model_copy(update={"efficiency": None})
    findings = judge(changed(measured, specification=plain))
    assert list(matrices.contents(findings)) == []
    assert "matrix" not in {section.get("id") for section in page_of(findings).iter(f"{HTML}section")}


def test_columns_of_a_table_follow_their_paths_and_those_without_a_value_are_left_out() -> None:
    rows = [("one", {"share": 0.5, "b": None}), ("two", {"share": None})]
    found = table(rows, "name: 0 | #of it: all: %1.share | #never: 1.b.c | first letter: 0.0")
    assert found
    assert found.columns == ("name", "#of it: all", "first letter")
    assert [[one.text for one in row] for row in found.rows] == [["one", "50.0", "o"], ["two", "n/a", "t"]]


def test_a_pivot_sorts_items_into_tables_rows_and_columns_and_gives_reasons() -> None:
    missing = {("a", "y", "1"): Field(reason="not offered")}
    places = {(item[0], item[1], item[2]): Field((Part(Cell(item)),)) for item in ("ax1", "ax2", "bx1", "bz2")}
    found = pivots({**places, **missing}, "not part of this run", ("z", "x"), {"y": "last"})
    assert [(one.caption, one.columns) for one in found] == [("a", ("1", "2")), ("b", ("1", "2"))]
    assert texts(found[0]) == {
        ("z", ""): ["not part of this run"] * 2,
        ("x", ""): ["ax1", "ax2"],
        ("y", "last"): ["not offered", "not part of this run"],
    }
    assert texts(found[1])["z", ""] == ["not part of this run", "bz2"]


def texts(pivot: Pivot) -> dict[tuple[str, str], list[str]]:
    return {
        (row, note): [field.reason or field.parts[0].figure.text for field in fields]
        for row, note, fields in pivot.rows
    }


SUBJECTS = ("one", "two")
WEB_MS = {"one": 1.0, "two": 2.0}
SERVICES_MS = {"one": 3.0, "two": 0.5}
NOISE = (1.0, 1.02, 1.02, 1.04)
PROVEN = Check(name="conformance", outcome=Outcome.PASSED, message="verified; 8 cases passed", requirement="passed")
UNPROVEN = Check(name="conformance", outcome=Outcome.NOT_CHECKED, message="never verified", requirement="passed")


def served_by(web: str, services: str, calls: str) -> Combination:
    modes = {"session": "files", "calls": calls, "tiers.web": web}
    path = f"{services}/calls={calls},tiers.web={web}"
    tiers = {"web": web, "services": services}
    return Combination(subject=services, modes=modes, label=label(services, modes), path=path, tiers=tiers)


def cost(ms: float) -> TierFigures:
    return TierFigures(cpu_s=1, cpu_share=0.1, cpu_ms_per_transaction=ms, memory_mean_mib=1, memory_max_mib=1)


def judged(rounds: int) -> Findings:
    """Judge a run: all four over json, `one` alone in process, one field unproven, one INVALID, the rest left out."""
    places = [served_by(web, services, "json") for web in SUBJECTS for services in SUBJECTS]
    alone = served_by("one", "one", "local")
    points = [(one, 8, [Made(100, 1.0, failed="audit" if one is places[3] else "")] * rounds) for one in places]
    left_out = [
        LeftOut(label="", reason=f"the web process of {web} cannot carry services of {services}", subject=services,
                modes=served_by(web, services, "local").modes)
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
    return judged(4)


@pytest.fixture(scope="module")
def heat(four: Findings) -> ET.Element:
    return page_of(four)


def pivots_of(findings: Findings) -> Iterator[Pivot]:
    return (block for block in interoperability(findings) if isinstance(block, Pivot))


def test_each_field_has_the_cost_of_each_tier_with_its_range_and_its_proof(heat: ET.Element) -> None:
    rows = pivot_of(heat, "calls json")

    assert list(rows) == ["", "web of one", "web of two"]
    assert rows[""] == ["services of one", "services of two"]
    assert rows["web of one"][0] == (
        "web 1.02 (1.00 … 1.04) services 3.06 (3.00 … 3.12) together 4.08 (3.98 … 4.18) 4 rounds conformance passed"
    )
    assert rows["web of two"][0].startswith("web 2.04 (2.00 … 2.08) services 3.06 (3.00 … 3.12)")


def test_a_field_without_a_proof_says_so_beside_its_figures(heat: ET.Element) -> None:
    field = pivot_of(heat, "calls json")["web of one"][1]

    assert field.startswith("web 1.02 (1.00 … 1.04) services 0.510 (0.500 … 0.520)")
    assert field.endswith("conformance not checked: never verified")


def test_a_field_in_which_nothing_counts_has_the_reason_and_no_figure(heat: ET.Element) -> None:
    assert pivot_of(heat, "calls json")["web of two"][1] == "4 INVALID: audit: 1 % (limit: 0.01 %) conformance passed"


def test_tiers_of_one_process_are_one_figure_and_what_cannot_be_has_the_reason(heat: ET.Element) -> None:
    rows = pivot_of(heat, "calls local")

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
    field = pivot_of(page_of(judged(1)), "calls json")["web of one"][0]
    assert field == "web 1.00 services 3.00 together 4.00 (4.00 … 4.00) 1 round conformance passed"


def test_one_row_of_a_table_is_a_table() -> None:
    row = [served_by("one", services, "json") for services in SUBJECTS]
    (only,) = pivots_of(judge(contents([(one, 8, [Made(100, 1.0)]) for one in row])))
    assert only.columns == ("services of one", "services of two")
    assert [name for name, _, _ in only.rows] == ["web of one"]


def test_a_run_in_which_one_subject_runs_everything_has_no_such_table() -> None:
    one = Combination(subject="one", modes={"session": "files"}, label="one", path="one/session=files")
    assert list(interoperability(judge(contents([(one, 8, [Made(100, 1.0)])])))) == []


FOUR = tuple(combination(subject, binding=binding) for subject in ("one", "two") for binding in ("local", "json"))


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Judge a run of two subjects in two modes over four rounds; of "one local" nothing counts with 60 users."""
    places = frozenset(8 * number + (1 if number % 2 == 0 else 7) for number in range(4))
    shape = Shape(combinations=FOUR, loads=(10, 60), repeats=4, error_points=places, placement=APART)
    return judge_folder(write_synthetic(tmp_path_factory.mktemp("result"), shape))


def by_load(findings: Findings) -> list[Comparison]:
    return [one for one in findings.comparisons if one.use is Use.LOAD]


def tables_of(findings: Findings) -> list[Pivot]:
    return [block for block in multiples(findings) if isinstance(block, Pivot)]


def last_text(findings: Findings) -> str:
    return [block.text for block in multiples(findings) if isinstance(block, Text)][-1]


def figure_of(one: Comparison, window: Window) -> float:
    return window.throughput_tps if one.metric == "throughput" else window.total.mean_ms


def test_pairs_differ_in_nothing_but_their_subject(findings: Findings) -> None:
    paths = {(one.a, one.b) for one in by_load(findings)}
    assert {frozenset(pair) for pair in paths} == {
        frozenset({"one/binding=local", "two/binding=local"}), frozenset({"one/binding=json", "two/binding=json"}),
    }  # fmt: skip
    assert len(paths) == 2


def test_a_multiple_is_the_geometric_mean_over_the_rounds_at_one_load(findings: Findings) -> None:
    sides = {one.path: one for one in findings.run.combinations}
    json = [one for one in by_load(findings) if "json" in one.a]
    assert [(one.metric, one.load_b) for one in json] == [
        (metric, load) for load in (10, 60) for metric in ("throughput", "mean_ms")
    ]
    for one in json:
        windows = [findings.of(sides[path], one.load_b or 0) for path in (one.b, one.a)]
        ratios = [figure_of(one, b) / figure_of(one, a) for b, a in zip(*windows, strict=True)]
        assert one.ratio == pytest.approx(statistics.geometric_mean(ratios))
        assert one.low is not None
        assert one.word == ""


def test_the_side_with_more_throughput_comes_first(findings: Findings) -> None:
    rates = [one.ratio for one in by_load(findings) if one.metric == "throughput" and "json" in one.a and one.ratio]
    assert sum(rate >= 1 for rate in rates) * 2 >= len(rates) == 2


def test_a_window_that_does_not_count_leaves_its_reason_in_the_table(findings: Findings) -> None:
    local, json = tables_of(findings)
    assert [local.caption, json.caption] == ["binding local", "binding json"]
    assert local.columns == json.columns == ("10 users", "60 users")
    ((_, _, fields),) = local.rows
    assert fields[1].reason == "one INVALID by errors"
    ((pair, _, fields),) = json.rows
    assert pair in {"two ÷ one", "one ÷ two"}
    for field in fields:
        assert [part.before for part in field.parts] == ["throughput ", "response time "]
        assert all(part.after.startswith(" (") for part in field.parts)
    # One load of two pairs and another one of one pair, two figures each.
    assert "Of 6 intervals, each by itself, about 1 can be expected to miss by chance." in last_text(findings)


def test_the_report_shows_them_without_words_of_conclusion(findings: Findings) -> None:
    tree = page_of(findings)
    text = words(section(tree, "ratios")).partition("Times faster at the same load")[2]
    assert "No word follows" in text
    assert not any(word in text for word in ("differs", "slower", "cannot tell"))


def test_few_rounds_have_a_range_and_no_interval(tmp_path: Path) -> None:
    found = judge_folder(write_synthetic(tmp_path, Shape(combinations=FOUR[::2], loads=(10, 60), repeats=2)))
    (table,) = tables_of(found)
    assert table.caption == "Times faster"
    assert all(part.after.startswith(" [") for _, _, fields in table.rows for field in fields for part in field.parts)
    assert last_text(found).startswith("Where too few rounds count, their range")
    assert last_text(found).endswith("Response times are shown, not ranked: shared CPUs.")


def test_what_may_not_be_ranked_is_named_and_not_compared(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path, Shape(combinations=FOUR[::2], loads=(10, 60), repeats=1))

    def little(window: Window) -> Window:
        other = window.combination == FOUR[0].path and window.load == 60
        return window.model_copy(update={"bytes_per_s": 1.0}) if other else window

    found = with_windows(folder, little)
    assert tables_of(found) == []
    texts = [block.text for block in multiples(found) if isinstance(block, Text)]
    assert any(text.startswith("Not compared: two ÷ one: different response sizes") for text in texts)


@pytest.mark.parametrize(("combinations", "loads"), [(FOUR[::2], (10,)), (FOUR[:2], (10, 60))])
def test_one_load_or_one_subject_has_nothing_new_to_show(
    tmp_path: Path, combinations: tuple[Combination, ...], loads: tuple[int, ...]
) -> None:
    found = judge_folder(write_synthetic(tmp_path, Shape(combinations=combinations, loads=loads, repeats=1)))
    assert list(multiples(found)) == []
