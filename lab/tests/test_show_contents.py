"""The tables of contents by subject: what was reached, the efficiency beside it, and why a field is empty."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from made_result import Made, changed, combination, contents
from rejudged_result import page_of
from report_html import HTML, words

from middlemark.judge.result import judge
from middlemark.records.run import LeftOut
from middlemark.show import matrices
from middlemark.show.pivot import Field, Part, Pivot, Settings, pivots
from middlemark.show.tables import Cell

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


def table_of(tree: ET.Element, title: str, number: int = 0) -> dict[str, list[str]]:
    """Return the so many-th table with a title: its rows by their headers, the texts of their fields."""
    tables = [t for t in tree.iter(f"{HTML}table") if t.get("class") == "pivot"]
    found = [t for t in tables if words(next(t.iter(f"{HTML}caption"))) == title]
    rows = list(found[number].iter(f"{HTML}tr"))[1:]
    return {words(row[0]): [words(entry) for entry in row[1:]] for row in rows}


def test_the_table_has_rates_at_the_peak_and_the_efficiency_beside_them(tree: ET.Element) -> None:
    rows = table_of(tree, "HTTP/1.0")
    assert list(rows) == ["files", "call", "shop encryption tls"]
    assert rows["files"][0] == "4,000 /s 3,870 … 4,130 at 8 users 2.00 ms · 6,250 B"
    assert rows["call"][0] == "1,000 /s 0.25 of files 1,000 … 1,000 at 8 users 7.90 ms · 6,250 B"
    assert rows["files"][1].startswith("2,000 /s 2,000 … 2,000 at 8 users 4.00 ms")
    assert list(table_of(tree, "HTTP/1.1")) == ["files", "call", "shop encryption tls"]


def test_a_field_without_a_figure_says_why(tree: ET.Element) -> None:
    rows = table_of(tree, "HTTP/1.0")
    assert rows["call"][1] == "no valid window: audit: 1 % (limit: 0.01 %)"
    assert rows["shop encryption tls"][1] == "not offered: two has no feature 'shop'"
    assert table_of(tree, "HTTP/1.1")["call"] == ["not run: not part of this run"] * 2
    assert rows["shop encryption tls"][0].endswith("no efficiency: files was not run with encryption tls")


def test_headers_of_rows_and_columns_are_headers(tree: ET.Element) -> None:
    table = next(t for t in tree.iter(f"{HTML}table") if t.get("class") == "pivot")
    assert {h.get("scope") for h in table.iter(f"{HTML}th")} == {"col", "row"}
    assert [words(h) for h in table.iter(f"{HTML}th") if h.get("scope") == "col"] == ["one", "two"]


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
    useful, light = (table_of(tree, "HTTP/1.0", number) for number in (1, 2))
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
    assert table_of(tree, "At the peak of each")["files"] == [
        "1,050 /s 2 rounds: 1,000 … 1,100 at 1 user 1.00 ms · 6,250 B"
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


def test_a_pivot_sorts_items_into_tables_rows_and_columns_and_gives_reasons() -> None:
    settings = Settings[str](
        row=lambda item: item[1],
        column=lambda item: item[2],
        title=lambda item: item[0],
        content=lambda items: Field((Part(Cell(" ".join(items))),)),
        missing={("a", "y", "1"): "not offered"},
        note=lambda row: "last" if row == "y" else "",
        rows=("z", "x"),
    )
    found = pivots(["ax1", "ax2", "bx1", "bz2", "ax1"], settings)
    assert [(one.caption, one.columns) for one in found] == [("a", ("1", "2")), ("b", ("1", "2"))]
    assert texts(found[0]) == {
        ("z", ""): ["not part of this run"] * 2,
        ("x", ""): ["ax1 ax1", "ax2"],
        ("y", "last"): ["not offered", "not part of this run"],
    }
    assert texts(found[1])["z", ""] == ["not part of this run", "bz2"]


def texts(pivot: Pivot) -> dict[tuple[str, str], list[str]]:
    return {
        (row, note): [field.reason or field.parts[0].figure.text for field in fields]
        for row, note, fields in pivot.rows
    }
