"""`middlemark report`: make the report of a result folder again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.prices.price_sheet import read_price_sheet
from middlemark.records.folder import read_result
from middlemark.report.page import write_report
from middlemark.verdict.headline import verdict_sentence
from middlemark.verdict.validity import run_is_valid


def report(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT…", help="Result folders that `run` printed.")],
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A price sheet: what a transaction per second costs by it.")
    ] = None,
) -> int:
    """Make report.html of results again. Exit 1 when a point is INVALID or missing; the last line is the verdict."""
    status = 0
    sheet = None if prices is None else read_price_sheet(prices)
    for folder in results:
        page = write_report(folder, sheet).resolve()
        result = read_result(folder)
        print(f"Open it in a browser: {page.as_uri()}")
        print(page)
        print(verdict_sentence(result))
        status = status if run_is_valid(result) else 1
    return status
