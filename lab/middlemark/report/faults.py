"""The faults of a run: what struck when, and what became of the orders."""

from __future__ import annotations

from middlemark.records.faults import Fault
from middlemark.records.folder import PointResult, Result
from middlemark.report.figure import Cell, Style, Table, count
from middlemark.verdict.faults import OrderTotals, order_totals
from middlemark.verdict.headline import point_name

COLUMNS = (
    "point",
    "fault",
    "#struck at s",
    "#ready after s",
    "#orders confirmed",
    "#found",
    "#without answer",
    "#of them done",
    "#answered with an error",
    "#of them done",
    "#lost",
    "#doubled",
    "audit",
)


def fault_table(result: Result) -> Table | None:
    """Return a row for each point with faults and one for all; None when the run has none."""
    points = [p for p in result.points if p.faults]
    if not points:
        return None
    rows = [(Cell(point_name(result, p)), *_fault(p), *_orders(order_totals([p])), _audit(p)) for p in points]
    empty = (Cell(f"{sum(f.done for p in points for f in p.faults)} struck"), Cell(""), Cell(""))
    passed = sum(p.audit is not None and p.audit.passed for p in points)
    last = (Cell("all"), *empty, *_orders(order_totals(points)), Cell(f"{passed} of {len(points)} passed"))
    return Table(COLUMNS, (*rows, last))


def _fault(point: PointResult) -> tuple[Cell, Cell, Cell]:
    kinds = ", ".join(f"{fault.kind} ({fault.victim})" if fault.victim else fault.kind for fault in point.faults)
    struck = ", ".join("never" if f.struck_s is None else f"{f.struck_s:.1f}" for f in point.faults)
    style = Style.PLAIN if all(fault.done for fault in point.faults) else Style.FAILED
    return Cell(kinds), Cell(struck, style=style), Cell(", ".join(map(_ready, point.faults)), style=style)


def _ready(fault: Fault) -> str:
    if fault.struck_s is None or fault.ready_s is None:
        return "never"
    return f"{fault.ready_s - fault.struck_s:.1f}"


def _orders(totals: OrderTotals) -> tuple[Cell, ...]:
    harmless = (
        totals.confirmed,
        totals.found,
        totals.unanswered,
        totals.unanswered_done,
        totals.invalid,
        totals.invalid_done,
    )
    wrong = (totals.lost, totals.doubled)
    return (
        *map(count, harmless),
        *(Cell(f"{n:,}", exact=n, style=Style.FAILED if n else Style.PASSED) for n in wrong),
    )


def _audit(point: PointResult) -> Cell:
    if point.audit is None:
        return Cell("none", style=Style.FAILED)
    return Cell("passed", style=Style.PASSED) if point.audit.passed else Cell("failed", style=Style.FAILED)
