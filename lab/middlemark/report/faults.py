"""The faults of a run: what was injected when, and what became of the effects that audits count."""

from __future__ import annotations

from middlemark.records.faults import Fault
from middlemark.records.folder import PointResult, Result
from middlemark.report.figure import Cell, Style, Table, count
from middlemark.verdict.faults import EffectTotals, effect_totals
from middlemark.verdict.headline import point_name

FAULT_COLUMNS = ("point", "fault", "#injected at s", "#ready after s")
EFFECT_COLUMNS = (
    "#found",
    "#unanswered",
    "#of them done",
    "#answered with an error",
    "#of them done",
    "#lost",
    "#doubled",
)


def fault_table(result: Result) -> Table | None:
    """Return a row for each point with faults and one for all; None when the run has none."""
    points = [p for p in result.points if p.faults]
    if not points:
        return None
    plurals = result.run.specification.effects
    effects = [column for plural in plurals.values() for column in (f"#{plural} confirmed", *EFFECT_COLUMNS)]
    rows = [(Cell(point_name(result, p)), *_fault(p), *_totals(effect_totals([p], plurals)), _audit(p)) for p in points]
    empty = (Cell(f"{sum(f.done for p in points for f in p.faults)} injected"), Cell(""), Cell(""))
    passed = sum(p.audit is not None and p.audit.passed for p in points)
    last = (Cell("all"), *empty, *_totals(effect_totals(points, plurals)), Cell(f"{passed} of {len(points)} passed"))
    return Table((*FAULT_COLUMNS, *effects, "audit"), (*rows, last))


def _fault(point: PointResult) -> tuple[Cell, Cell, Cell]:
    kinds = ", ".join(f"{fault.kind} ({fault.target})" if fault.target else fault.kind for fault in point.faults)
    injected = ", ".join("never" if f.injected_s is None else f"{f.injected_s:.1f}" for f in point.faults)
    style = Style.PLAIN if all(fault.done for fault in point.faults) else Style.FAILED
    return Cell(kinds), Cell(injected, style=style), Cell(", ".join(map(_ready, point.faults)), style=style)


def _ready(fault: Fault) -> str:
    if fault.injected_s is None or fault.ready_s is None:
        return "never"
    return f"{fault.ready_s - fault.injected_s:.1f}"


def _totals(totals: dict[str, EffectTotals]) -> tuple[Cell, ...]:
    return tuple(cell for one in totals.values() for cell in _cells(one))


def _cells(one: EffectTotals) -> tuple[Cell, ...]:
    harmless = (
        one.confirmed,
        one.found,
        one.unanswered,
        one.unanswered_done,
        one.invalid,
        one.invalid_done,
    )
    wrong = (one.lost, one.doubled)
    return (
        *map(count, harmless),
        *(Cell(f"{n:,}", exact=n, style=Style.FAILED if n else Style.PASSED) for n in wrong),
    )


def _audit(point: PointResult) -> Cell:
    if point.audit is None:
        return Cell("none", style=Style.FAILED)
    return Cell("passed", style=Style.PASSED) if point.audit.passed else Cell("failed", style=Style.FAILED)
