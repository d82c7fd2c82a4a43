"""Figures as CSV: one row for each window and metric, as docs/reference/results.md describes the columns."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from middlemark.records.figures import FIGURES
from middlemark.records.findings import Findings
from middlemark.records.window import Window

COLUMNS = ("result", "window", "part", "combination", "load", "start", "round", "valid", "metric", "value")
# What names a window, and what is no figure.
_NOT_FIGURES = {"about", "index", "load", "repeat", "seed", "segment", "checks", "audit"}


def csv_of(every: Iterable[Findings]) -> str:
    """The windows of results; rounds and starts count from 1, as in reports."""
    return csv_text(row for findings in every for window in findings.windows for row in _rows(findings, window))


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows below the names of the columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return text.getvalue()


def numbers(values: Mapping[str, object], place: str = "") -> Iterator[tuple[str, float]]:
    """Yield each number with its path: `tiers.web.cpu_s`."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from numbers(value, f"{place}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{place}{name}", value


def _rows(findings: Findings, window: Window) -> Iterator[tuple[object, ...]]:
    start = findings.run.start_of(window.repeat) + 1
    place = (window.combination, window.load, start, window.repeat + 1, window.valid)
    known = {figure.name: value for figure in FIGURES if not math.isnan(value := figure.of(window))}
    checks = {f"checks.{check.name}": check.found for check in window.checks}
    checks |= {f"disturbances.{one.witness}": one.found for one in window.disturbances}
    for metric, value in numbers({**known, **window.model_dump(exclude=_NOT_FIGURES), **checks}):
        yield findings.folder, window.path, window.part.value, *place, metric, value
