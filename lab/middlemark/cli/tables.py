"""The options that write what was found for other programs: CSV and JUnit XML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from middlemark.records.findings import Findings
from middlemark.saving import write_whole
from middlemark.show.csv import csv_of
from middlemark.show.junit import junit_of

Csv = Annotated[Path | None, typer.Option(metavar="FILE", help="Write every figure of every window as CSV.")]
JUnit = Annotated[Path | None, typer.Option(metavar="FILE", help="Write what was found as JUnit XML.")]


def write_tables(every: Sequence[Findings], csv: Path | None, junit: Path | None) -> None:
    """Write what was found where a file is given; of several results JUnit has each."""
    if csv is not None:
        write_whole(csv, csv_of(every))
    if junit is not None:
        write_whole(junit, junit_of(every))
