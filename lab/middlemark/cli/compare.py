"""`middlemark compare`: the results of separate runs beside each other."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from middlemark.cli.option_values import share_of
from middlemark.cli.tables import Csv, JUnit
from middlemark.experiment.ledger import ledger_file, spread_between_runs
from middlemark.judge.between import compare_results, slower_by
from middlemark.judge.result import read_findings
from middlemark.saving import saving_under, write_whole
from middlemark.show.between import between_junit, between_lines, between_page
from middlemark.show.csv import csv_of


def compare(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT RESULT…", help="Result folders; the first is A.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where the page goes.")] = None,
    fail_if_slower: Annotated[
        str | None, typer.Option(metavar="P", help="Exit 1 when a run is slower than A by more for certain.")
    ] = None,
    csv: Csv = None,
    junit: JUnit = None,
) -> int:
    """Compare results of separate runs: what differs, and every ratio."""
    most = None if fail_if_slower is None else share_of("--fail-if-slower", fail_if_slower)
    found = compare_results(
        [read_findings(one) for one in results],
        lambda run, subject: spread_between_runs(run, subject, ledger_file()),
    )
    page = out or results[0].resolve().parent / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-compare.html"
    with saving_under(page.parent):
        page.parent.mkdir(parents=True, exist_ok=True)
    write_whole(page, between_page(found))
    too_slow = [] if most is None else slower_by(found, most)
    if csv is not None:
        write_whole(csv, csv_of(found.results))
    if junit is not None:
        write_whole(junit, between_junit(found, too_slow))
    print(*between_lines(found, page.resolve()), sep="\n")
    return 1 if too_slow else 0
