"""How a point with faults is judged: by its audit alone, and by whether every fault struck and was mended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from middlemark.records.faults import Fault
from middlemark.records.folder import PointResult, Result
from middlemark.records.point import Audit, Check, Outcome
from middlemark.wording import TIMES

# Whether the database holds what was answered and the subject was the one asked for does not depend on faults.
APPLIED = frozenset({"audit", "drained", "settings"})
LIMIT = "each strikes under load, and everything works again"


def not_applied(check: Check) -> Check:
    """Return a check as it counts in a point with faults: errors, pace and steadiness are what faults disturb."""
    if check.name in APPLIED or check.outcome is Outcome.NOT_CHECKED:
        return check
    return check.model_copy(update={"outcome": Outcome.NOT_CHECKED, "value": f"{check.value}; not applied with faults"})


def faults_check(faults: Sequence[Fault], audit: Audit | None) -> Check:
    """Every fault struck while the subject was loaded, everything worked again, and orders were confirmed meanwhile."""
    wrong = [f"{fault.kind} planned at {fault.planned_s:.1f} s: {_wrong(fault)}" for fault in faults if not fault.done]
    orders = [numbers for numbers in audit.reconciled.values() if numbers.order] if audit else []
    if not wrong and not sum(numbers.confirmed for numbers in orders):
        wrong = ["no order was confirmed: nothing is proven"]
    elif not wrong and not all(numbers.by_name for numbers in orders if numbers.confirmed):
        wrong = ["the driver did not tell every answer: an order lost and another doubled would cancel"]
    done = ", ".join(f"{fault.kind} at {fault.struck_s or 0:.1f} s" for fault in faults)
    outcome = Outcome.FAILED if wrong else Outcome.PASSED
    return Check(name="faults", outcome=outcome, value="; ".join(wrong) or done, limit=LIMIT)


def _wrong(fault: Fault) -> str:
    return fault.problem or ("it never struck" if fault.struck_s is None else "not everything worked again")


@dataclass(frozen=True)
class OrderTotals:
    """Orders of some points, of all transactions that place one, over all phases."""

    confirmed: int
    found: int
    unanswered: int
    unanswered_done: int
    invalid: int
    invalid_done: int
    lost: int
    doubled: int


def order_totals(points: Iterable[PointResult]) -> OrderTotals:
    """Add up what the audits of points say of orders; a point without an audit adds nothing."""
    reconciled = [n for p in points if p.audit for n in p.audit.reconciled.values() if n.order]
    return OrderTotals(
        confirmed=sum(n.confirmed for n in reconciled),
        found=sum(n.found for n in reconciled),
        unanswered=sum(n.unanswered for n in reconciled),
        unanswered_done=sum(n.unanswered_done for n in reconciled),
        invalid=sum(n.invalid for n in reconciled),
        invalid_done=sum(n.invalid_done for n in reconciled),
        lost=sum(n.lost for n in reconciled),
        doubled=sum(n.doubled for n in reconciled),
    )


def faults_sentence(result: Result) -> str:
    """Say in one sentence what the faults of a run did to orders and audits."""
    struck = [fault for p in result.points for fault in p.faults if fault.done]
    totals = order_totals(result.points)
    audits = [p.audit for p in result.points if p.audit]
    passed = sum(audit.passed for audit in audits)
    faults = f"{len(struck)} {'fault' if len(struck) == 1 else 'faults'}"
    return (
        f"{faults} struck under load: {totals.confirmed:,} orders confirmed, {totals.lost:,} lost, "
        f"{totals.doubled:,} doubled; {passed} of {len(audits)} audits passed"
    )


def totals_lines(result: Result) -> Iterator[str]:
    """Yield what the faults of a run did, a line for each kind in each combination and one for all."""
    for combination in result.run.combinations:
        points = [p for p in result.points if p.combination == combination]
        kinds = Counter(fault.kind for p in points for fault in p.faults if fault.done)
        yield f"{combination.label}: {_said(order_totals(points))}; " + ", ".join(
            f"{kind} {TIMES} {count}" for kind, count in kinds.items()
        )
    yield f"all: {_said(order_totals(result.points))}"


def _said(totals: OrderTotals) -> str:
    return (
        f"{totals.confirmed:,} orders confirmed, {totals.found:,} found; "
        f"{totals.unanswered:,} without answer, {totals.unanswered_done:,} of them done; "
        f"{totals.invalid:,} answered with an error, {totals.invalid_done:,} of them done; "
        f"{totals.lost:,} lost, {totals.doubled:,} doubled"
    )
