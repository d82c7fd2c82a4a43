"""A price sheet gives what a throughput costs; two scopes are never mixed, and a mistake in the file is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_result import Made, combination, made
from rejudged_result import page_of
from report_html import HTML, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from conftest import ROOT
from middlemark.cli.report import report
from middlemark.errors import InputError
from middlemark.judge.result import judge, judge_folder, read_measured
from middlemark.prices.price_sheet import read_price_sheet
from middlemark.records.findings import CombinationFinding, Findings
from middlemark.records.folder import write_json
from middlemark.records.run import Combination
from middlemark.records.side_files import PRICES, PriceLine, PriceScope, PriceSheet
from middlemark.records.window import Window

LINE = """[[lines]]
date = "2001-02-03"
item = "a made-up server"
subjects = ["go"]
price = 1200
currency = "USD"
per = "purchase"
years = 3
scope = "software"
source = "a test"
"""
SHEET = f'version = 1\ntitle = "made up for a test"\n{LINE}'
GO = combination("go", session="shop")
RATES = (90.0, 100.0, 110.0, 100.0)


def sheet(folder: Path, text: str = SHEET) -> PriceSheet:
    file = folder / "prices.toml"
    file.write_text(text, encoding="utf-8")
    return read_price_sheet(file)


def hourly(text: str) -> str:
    return text.replace('"purchase"', '"hour"').replace("years = 3\n", "")


def judged(prices: PriceSheet | None, one: Combination = GO, rates: tuple[float, ...] = RATES) -> CombinationFinding:
    """Judge a combination whose throughput is highest with 8 of 16 users."""
    loads = ((4, 0.5), (8, 1.0), (16, 0.8))
    points = [(one, load, [Made(share * rate, 5.0) for rate in rates]) for load, share in loads]
    return judge(made(points).model_copy(update={"prices": prices})).combinations[0]


def test_of_purchases_it_is_the_sum_by_transactions_per_second_from_where_to_where(tmp_path: Path) -> None:
    prices = sheet(tmp_path, SHEET + LINE.replace("price = 1200", "price = 300\nquantity = 4"))
    found = judged(prices)
    tps = found.at_load(8).figures["throughput"]
    assert tps.mean == 100
    assert (found.cost.value, found.cost.low, found.cost.high) == (24, 2400 / tps.high, 2400 / tps.low)


def test_of_hourly_prices_it_is_that_of_a_million_transactions(tmp_path: Path) -> None:
    found = judged(sheet(tmp_path, hourly(SHEET).replace("1200", "0.36")))
    assert found.cost.value == pytest.approx(1.0)
    assert found.cost.low == pytest.approx(100 / found.at_load(8).figures["throughput"].high)


def test_nothing_paid_costs_nothing_and_no_line_is_not_nothing(tmp_path: Path) -> None:
    assert judged(sheet(tmp_path, SHEET.replace("1200", "0"))).cost.value == 0
    other = judged(sheet(tmp_path, SHEET.replace('["go"]', '["other"]'))).cost
    assert (other.value, other.reason) == (None, "the price sheet has no line for go")
    assert judged(None).cost.reason == "no price sheet"


def test_every_subject_that_runs_a_tier_is_paid(tmp_path: Path) -> None:
    both = combination("go", **{"session": "shop", "tiers.web": "other"}).model_copy(update={"tiers": {"web": "other"}})
    assert judged(sheet(tmp_path), both).cost.reason == "the price sheet has no line for other"
    more = LINE.replace('["go"]', '["other", "go"]').replace("1200", "800")
    assert judged(sheet(tmp_path, SHEET + more), both).cost.value == 20


def test_the_throughput_of_a_single_load_has_no_price(tmp_path: Path) -> None:
    alone = made([(GO, 8, [Made(100.0, 5.0)] * 4)]).model_copy(update={"prices": sheet(tmp_path)})
    cost = judge(alone).combinations[0].cost
    assert (cost.value, cost.reason) == (None, "the throughput at the only load need not be the peak")


def test_where_nothing_was_done_nothing_has_a_price(tmp_path: Path) -> None:
    cost = judged(sheet(tmp_path), rates=(0.0, 0.0, 0.0, 0.0)).cost
    assert (cost.value, cost.reason) == (None, "nothing was done")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SHEET + LINE.replace('"software"', '"middle tier"'), "line 1 has the scope 'software' and line 2 'middle"),
        (SHEET + LINE.replace("USD", "EUR"), "line 1 has the currency 'USD' and line 2 'EUR'"),
        (SHEET + hourly(LINE), "line 1 has the per 'purchase' and line 2 'hour'"),
        (SHEET + LINE.replace("years = 3", "years = 5"), "line 1 has the years '3.0' and line 2 '5.0'"),
        (hourly(SHEET) + "years = 3\n", "`years` is for purchases alone"),
        (SHEET.replace("price = ", "prise = "), "unknown key 'prise'. Did you mean 'price'?"),
        (SHEET.replace("price = 1200\n", ""), "the key 'price' is missing (at lines.0.price)"),
        (SHEET.replace("1200", "-1"), "lines.0.price: expected 0 or more, found -1"),
        (SHEET.replace("1200", "inf"), "lines.0.price: expected a finite number, found inf"),
        (SHEET.replace('"2001-02-03"', "2001-02-03"), "lines.0.date: expected text, found datetime.date(2001, 2, 3)"),
        (SHEET.replace('"2001-02-03"', '"last week"'), "lines.0.date: 'last week' does not match the pattern"),
        (SHEET.replace("purchase", "month"), "lines.0.per: expected 'purchase' or 'hour', found 'month'"),
        ('version = 1\ntitle = "none"\nlines = []', "lines: expected at least 1 element, found none"),
        ("version = ", "Invalid value"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        sheet(tmp_path, text)
    assert message in str(raised.value)
    assert "prices.toml" in str(raised.value)


def test_the_example_is_marked_as_one_and_can_be_read() -> None:
    example = ROOT / "docs/reference/price-sheet-example.toml"
    found = read_price_sheet(example)
    assert found.title.startswith("EXAMPLE")
    assert example.read_text(encoding="utf-8").startswith("# AN EXAMPLE")
    assert found.terms.scope is PriceScope.SOFTWARE
    figures = (ROOT / "published/brokerage-2008.csv").read_text(encoding="utf-8")
    assert all(f",{line.price:.0f}" in figures for line in found.lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_synthetic(tmp_path_factory.mktemp("result"), Shape(loads=(10, 30), repeats=4))


def priced(folder: Path, prices: PriceSheet) -> Findings:
    return judge(read_measured(folder).model_copy(update={"prices": prices}))


def rows_of(findings: Findings) -> list[dict[str, str]]:
    """Return the rows of the table of what each combination reached and took, by column."""
    tables = page_of(findings).iter(f"{HTML}table")
    table = next(each for each in tables if words(each).startswith("combination CPU-ms"))
    rows = [[words(entry) for entry in row] for row in table.iter(f"{HTML}tr")]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def test_without_a_sheet_the_table_says_so(folder: Path) -> None:
    assert {row["price per transaction per second"] for row in rows_of(judge_folder(folder))} == {"no price sheet"}


def test_the_report_shows_what_the_peak_costs_and_the_sheet(folder: Path, tmp_path: Path) -> None:
    findings = priced(folder, sheet(tmp_path))
    price = rows_of(findings)[0]["USD per transaction per second"]
    tps = findings.of(COMBINATIONS[0], 30)
    assert float(price.split(" ")[0]) == pytest.approx(1200 * 4 / sum(w.throughput_tps for w in tps), abs=0.06)
    tree = page_of(findings)
    assert "Price sheet: made up for a test (software)" in [words(each) for each in tree.iter(f"{HTML}summary")]
    rows = [words(row) for row in tree.iter(f"{HTML}tr")]
    assert rows[rows.index("item for quantity USD per purchase for 3 years date source") + 1] == (
        "a made-up server go 1 1,200 2001-02-03 a test"
    )


def test_a_subject_without_a_line_has_no_price_and_its_reason(folder: Path, tmp_path: Path) -> None:
    found = priced(folder, sheet(tmp_path, SHEET.replace('["go"]', '["other"]')))
    assert {row["USD per transaction per second"] for row in rows_of(found)} == {"the price sheet has no line for go"}


def test_the_sheet_of_the_run_counts_unless_another_is_given(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(folder / PRICES, sheet(tmp_path))
    other = tmp_path / "other.toml"
    other.write_text(SHEET.replace("made up for", "another of"), encoding="utf-8")
    report([folder])
    assert "made up for a test (software)" in (folder / "report.html").read_text(encoding="utf-8")
    report([folder], other)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "another of a test (software)" in page
    assert "made up for a test" not in page
    assert judge_folder(folder).prices == sheet(tmp_path), "findings.json has the sheet of the run"
    (folder / PRICES).write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="cannot read these prices"):
        report([folder])
    (folder / PRICES).unlink()
    assert capsys.readouterr().out


def test_the_price_of_a_throughput_whose_interval_holds_zero_has_no_upper_end(folder: Path, tmp_path: Path) -> None:
    measured = read_measured(folder)

    def slow(window: Window) -> Window:
        slower = window.combination == COMBINATIONS[0].path and window.load == 30 and window.repeat > 0
        return window.model_copy(update={"throughput_tps": 0.01 if slower else window.throughput_tps})

    windows = tuple(
        slow(window) if window.load == 30 else window.model_copy(update={"throughput_tps": 0.001})
        for window in measured.windows
    )
    findings = judge(measured.model_copy(update={"windows": windows, "prices": sheet(tmp_path)}))

    assert findings.combinations[0].cost.high is None
    row = rows_of(findings)[0]
    assert row["USD per transaction per second"].endswith(" or more)")
    assert row["transactions per second"].split("(")[1].startswith("0 … ")
    assert "nan" not in words(page_of(findings)).lower().split()


def test_a_line_is_what_it_is_times_how_many() -> None:
    line = PriceLine(date="2001", item="x", subjects=("go",), price=2.5, quantity=4, currency="EUR", per="hour",
                     scope="middle tier", source="a test")  # fmt: skip
    assert line.total == 10
