"""`middlemark report`: make the report of a result folder again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.records.folder import read_result
from middlemark.report.page import write_report
from middlemark.verdict.headline import counts, verdict_sentence


def report(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT…", help="Result folders that `run` printed.")],
) -> int:
    """Make report.html of results again. Exit 1 when a point is INVALID or missing; the last line is the verdict."""
    status = 0
    for folder in results:
        page = write_report(folder).resolve()
        result = read_result(folder)
        print(f"Open it in a browser: {page.as_uri()}")
        print(page)
        print(verdict_sentence(result))
        status = status if counts(result) else 1
    return status
