"""`middlemark report`: judge a result again from its raw files, and make its report again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.cli.tables import Csv, JUnit, write_tables
from middlemark.judge.result import findings_differ, judge, read_measured, write_findings
from middlemark.prices.price_sheet import read_price_sheet
from middlemark.records.folder import FINDINGS, REPORT, result_folder
from middlemark.saving import write_whole
from middlemark.show.page import report_page
from middlemark.show.terminal import answer_lines


def report(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT…", help="Result folders that `run` printed.")],
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A price sheet: what a transaction per second costs by it.")
    ] = None,
    csv: Csv = None,
    junit: JUnit = None,
) -> int:
    """Judge results again and make report.html. Exit 1 when a result is not valid; the last line is the report."""
    status, every = 0, []
    sheet = None if prices is None else read_price_sheet(prices)
    for result in results:
        folder, measured = result_folder(result), read_measured(result)
        findings = judge(measured)
        if differing := findings_differ(folder, findings):
            print(f"{FINDINGS} was not what the raw files show ({differing}): written again")
            write_findings(folder, findings)
        shown = findings if sheet is None else judge(measured.model_copy(update={"prices": sheet}))
        write_whole(folder / REPORT, report_page(shown))
        print(*answer_lines(shown, (folder / REPORT).resolve()), sep="\n")
        every.append(shown)
        status = status if findings.run_is_valid else 1
    write_tables(every, csv, junit)
    return status
