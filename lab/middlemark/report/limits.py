"""What limited each point, in words."""

from __future__ import annotations

from middlemark.records.folder import Result
from middlemark.report.figure import Table, text_table
from middlemark.verdict.headline import point_name


def limit_table(result: Result) -> Table:
    """Return a row for each point whose limit is known: what limited it, and whether it is a peak of the platform."""
    rows = [
        (point_name(result, p), p.verdict.limit.message, "yes" if p.verdict.limit.platform_peak else "no")
        for p in result.points
        if p.verdict is not None and p.verdict.limit is not None
    ]
    return text_table(("point", "what limited it", "a peak of the platform"), rows)
