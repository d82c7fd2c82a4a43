"""A price sheet gives what a throughput costs; two scopes are never mixed, and a mistake in the file is named."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from report_html import HTML, parsed, words
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from conftest import ROOT
from middlemark.errors import InputError
from middlemark.prices.price_sheet import read_price_sheet
from middlemark.records.folder import Result, read_result, write_json
from middlemark.records.prices import PRICES, PriceLine, PriceScope, PriceSheet
from middlemark.records.run import Combination
from middlemark.report.page import report_page, write_report
from middlemark.verdict.at_peak import peaks
from middlemark.verdict.levels import Estimate
from middlemark.verdict.metrics import throughput_tps
from middlemark.verdict.price import cost_of, without_price

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
TPS = Estimate(mean=100, low=80, high=120, rounds=4, is_interval=True)


def sheet(folder: Path, text: str = SHEET) -> PriceSheet:
    file = folder / "prices.toml"
    file.write_text(text, encoding="utf-8")
    return read_price_sheet(file)


def hourly(text: str) -> str:
    return text.replace('"purchase"', '"hour"').replace("years = 3\n", "")


def test_of_purchases_it_is_the_sum_by_transactions_per_second(tmp_path: Path) -> None:
    cost = cost_of(
        sheet(tmp_path, SHEET + LINE.replace("price = 1200", "price = 300\nquantity = 4")), COMBINATIONS[0], TPS
    )
    assert cost
    assert (cost.value, cost.low, cost.high) == (24, 20, 30)


def test_of_hourly_prices_it_is_that_of_a_million_transactions(tmp_path: Path) -> None:
    cost = cost_of(sheet(tmp_path, hourly(SHEET).replace("1200", "0.36")), COMBINATIONS[0], TPS)
    assert cost
    assert cost.value == pytest.approx(1.0)
    assert cost.low == pytest.approx(100 / 120)


def test_nothing_paid_costs_nothing_and_no_line_is_not_nothing(tmp_path: Path) -> None:
    free = cost_of(sheet(tmp_path, SHEET.replace("1200", "0")), COMBINATIONS[0], TPS)
    assert free
    assert free.value == 0
    assert cost_of(sheet(tmp_path, SHEET.replace('["go"]', '["other"]')), COMBINATIONS[0], TPS) is None


def test_every_subject_that_runs_a_tier_is_paid(tmp_path: Path) -> None:
    modes = {"binding": "json", "tiers.web": "other"}
    both = Combination(
        subject="go", modes=modes, label="both", path="go/binding=json,tiers.web=other", tiers={"web": "other"}
    )
    assert cost_of(sheet(tmp_path), both, TPS) is None
    assert without_price(sheet(tmp_path), both) == ["other"]
    more = LINE.replace('["go"]', '["other", "go"]').replace("1200", "800")
    cost = cost_of(sheet(tmp_path, SHEET + more), both, TPS)
    assert cost
    assert cost.value == 20


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
        (SHEET.replace("1200", "-1"), "lines.0.price: Input should be greater than or equal to 0"),
        (SHEET.replace("1200", "inf"), "lines.0.price: Input should be a finite number"),
        (SHEET.replace('"2001-02-03"', "2001-02-03"), "lines.0.date: expected text, found datetime.date(2001, 2, 3)"),
        (SHEET.replace('"2001-02-03"', '"last week"'), "lines.0.date: String should match pattern"),
        (SHEET.replace("purchase", "month"), "lines.0.per: Input should be 'purchase' or 'hour'"),
        ('version = 1\ntitle = "none"\nlines = []', "lines: Tuple should have at least 1 item"),
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
    assert found.scope is PriceScope.SOFTWARE
    figures = (ROOT / "published/brokerage-2008.csv").read_text(encoding="utf-8")
    assert all(f",{line.price:.0f}" in figures for line in found.lines)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return read_result(write_synthetic(tmp_path_factory.mktemp("result"), Shape(loads=(10, 30), repeats=4)))


def rows_of(page: str) -> list[dict[str, str]]:
    """Return the rows of the table at the peaks, by column."""
    part = next(e for e in parsed(page).iter(f"{HTML}div") if e.get("class") == "peaks")
    table = [t for t in part.iter(f"{HTML}table") if words(t).startswith("combination")][-1]
    rows = [[words(entry) for entry in row] for row in table.iter(f"{HTML}tr")]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def test_without_a_sheet_the_table_says_so(result: Result) -> None:
    assert {row["price per transaction per second"] for row in rows_of(report_page(result))} == {"no price sheet"}


def test_the_report_shows_what_the_peak_costs_and_the_sheet(result: Result, tmp_path: Path) -> None:
    page = report_page(result, sheet(tmp_path))
    found = peaks(result)[0].level
    assert found
    tps = found.estimate(throughput_tps).mean
    price = next(iter(rows_of(page)))["USD per transaction per second"]
    assert float(price.split(" ")[0]) == pytest.approx(1200 / tps, abs=0.06)
    assert "Price sheet: made up for a test (software)" in page
    for text in ("a made-up server", "USD per purchase for 3 years", "2001-02-03", "a test"):
        assert f"<td>{text}</td>" in page


def test_a_subject_without_a_line_has_no_price_and_its_reason(result: Result, tmp_path: Path) -> None:
    page = report_page(result, sheet(tmp_path, SHEET.replace('["go"]', '["other"]')))
    texts = {row["USD per transaction per second"] for row in rows_of(page)}
    assert texts == {"the price sheet has no line for go"}


def test_the_throughput_of_a_single_load_has_no_price(tmp_path: Path) -> None:
    alone = read_result(write_synthetic(tmp_path, Shape(loads=(10,), repeats=4)))
    texts = {row["USD per transaction per second"] for row in rows_of(report_page(alone, sheet(tmp_path)))}
    assert texts == {"the throughput at the only load need not be the peak"}


def test_the_sheet_of_the_run_counts_unless_another_is_given(result: Result, tmp_path: Path) -> None:
    kept, other = sheet(tmp_path), sheet(tmp_path, SHEET.replace("made up for", "another of"))
    write_json(result.folder / PRICES, kept)
    assert "made up for a test (software)" in write_report(result.folder).read_text(encoding="utf-8")
    page = write_report(result.folder, other).read_text(encoding="utf-8")
    assert "another of a test (software)" in page
    assert "made up for a test" not in page
    (result.folder / PRICES).write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="cannot read these prices"):
        write_report(result.folder)
    (result.folder / PRICES).unlink()


def test_without_any_throughput_it_costs_without_end(tmp_path: Path) -> None:
    nothing = Estimate(mean=0, low=0, high=0, rounds=4, is_interval=True)
    cost = cost_of(sheet(tmp_path), COMBINATIONS[0], nothing)
    assert cost
    assert math.isinf(cost.value)


def test_the_price_of_a_throughput_whose_interval_holds_zero_has_no_upper_end(tmp_path: Path) -> None:
    result = read_result(write_synthetic(tmp_path / "result", Shape(loads=(4, 30), repeats=4)))
    for point in result.of(COMBINATIONS[0], 30)[1:]:
        assert point.verdict
        slow = point.verdict.model_copy(update={"throughput_tps": 0.01})
        write_json(point.folder / "verdict.json", slow)

    page = report_page(read_result(result.folder), sheet(tmp_path))

    assert rows_of(page)[0]["USD per transaction per second"].endswith(" or more)")
    assert rows_of(page)[0]["transactions per second"].split("(")[1].startswith("0 … ")
    assert "nan" not in page.lower()


def test_a_line_is_what_it_is_times_how_many() -> None:
    line = PriceLine(date="2001", item="x", subjects=("go",), price=2.5, quantity=4, currency="EUR", per="hour",
                     scope="middle tier", source="a test")  # fmt: skip
    assert line.total == 10
