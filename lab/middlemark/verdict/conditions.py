"""The conditions of a valid point but the driver's and drift: one Check each, with what was found and the limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from middlemark.records.placement import Placement
from middlemark.records.point import Audit, ObservedAffinity, Outcome, WorkLeft
from middlemark.records.window import Check, TransactionFigures
from middlemark.workload.window import WindowFigures

ERROR_LIMIT = 0.0001
DRIVERS_OWN = "local_ports"
"""The kind of error that the driver's limit makes, and no server: the driver judges itself by it."""


def error_share(total: TransactionFigures, by_kind: Mapping[str, int]) -> float:
    """Return failed ÷ all transactions, without those that the driver's own limit let fail; 1 without any."""
    errors = total.errors - by_kind.get(DRIVERS_OWN, 0)
    attempts = total.count + errors
    return errors / attempts if attempts else 1.0


def errors_check(total: TransactionFigures, by_kind: Mapping[str, int]) -> Check:
    """Errors, but for those of the driver's own limit, are below 0.01 % of all steps; a window without any fails."""
    requirement = "< 0.01 %"
    errors = total.errors - by_kind.get(DRIVERS_OWN, 0)
    attempts = total.count + errors
    if attempts == 0:
        return _check("errors", "no transaction in the window", requirement, ok=False)
    share = error_share(total, by_kind)
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(by_kind.items()) if count and kind != DRIVERS_OWN)
    message = f"{errors:,} of {attempts:,} ({100 * share:.3f} %)" + (f": {kinds}" if kinds else "")
    check = _check("errors", message, requirement, ok=share < ERROR_LIMIT)
    return check.model_copy(update={"found": share, "limit": ERROR_LIMIT})


def arrivals_check(window: WindowFigures) -> Check:
    """Open model: every arrival of the timetable began; else there was less load than requested."""
    message = f"{window.missed:,} never began and {window.waited:,} had to wait for a free user"
    return _counted("arrivals", window.missed, message, "every one begins in the window")


def audit_check(audit: Audit | None) -> Check:
    """The databases agree with what the driver saw."""
    requirement = "every rule passes"
    if audit is None:
        return _check("audit", "no audit was made", requirement, ok=False)
    if not audit.findings:
        return _check("audit", "no database: nothing to audit", requirement, ok=audit.passed)
    broken = [f"{f.rule}: {f.message}" for f in audit.findings if f.outcome is Outcome.FAILED]
    unchecked = sum(f.outcome is Outcome.NOT_CHECKED for f in audit.findings)
    first = f"{len(broken)} of {len(audit.findings)} rules broken, the first: {broken[0]}" if broken else ""
    passed = f"{len(audit.findings) - unchecked} rules passed" + (f", {unchecked} not checked" if unchecked else "")
    check = _check("audit", first or passed, requirement, ok=audit.passed and not broken)
    return check.model_copy(update={"found": len(broken), "limit": 0})


def settings_check(changes: Sequence[str] | None) -> Check:
    """`/about` shows what was requested before the point, and the same after it."""
    requirement = "as requested, before and after"
    if changes is None:
        return _not_checked("settings", "/about was not compared", requirement)
    return _counted("settings", len(changes), "; ".join(changes) or requirement, requirement)


def placement_check(placement: Placement, observed: ObservedAffinity) -> Check:
    """Every process could use the CPUs that were given to its tier, all of them and no others."""
    requirement = "each role on its own, before and after"
    if not placement.cpus:
        return _not_checked("placement", f"{placement.text}: {placement.note}", requirement)
    if observed.not_observed and not observed.misplaced:
        message = f"the CPUs of {' and '.join(observed.not_observed)} were not observed"
        return _not_checked("placement", message, requirement)
    message = "; ".join(observed.misplaced) or placement.text
    return _counted("placement", len(observed.misplaced), message, requirement)


def drained_check(work_left: WorkLeft | None) -> Check:
    """All work was completed within the time that the specification's audit gives it after the load."""
    if work_left is None:
        return _not_checked("drained", "work that was left was not waited for", "no work is left")
    what = "no work was left" if work_left.done else "work was left"
    message = f"{what} {work_left.seconds:.1f} s after the driver's end"
    check = _check("drained", message, f"≤ {work_left.limit_s:.0f} s", ok=work_left.done)
    return check.model_copy(update={"found": work_left.seconds, "limit": work_left.limit_s})


def exclusive_check(other_runs: Sequence[int]) -> Check:
    """No other run of this user measured at the same time, on whatever CPUs."""
    pids = ", ".join(str(pid) for pid in other_runs)
    message = f"another run measured at the same time (pid {pids})" if other_runs else "no other run"
    return _counted("exclusive", len(other_runs), message, "no other run of this user's")


def _counted(name: str, count: int, message: str, requirement: str) -> Check:
    """Return a check that passes when something was found not even once."""
    return _check(name, message, requirement, ok=not count).model_copy(update={"found": count, "limit": 0})


def _not_checked(name: str, message: str, requirement: str) -> Check:
    return Check(name=name, outcome=Outcome.NOT_CHECKED, message=message, requirement=requirement)


def _check(name: str, message: str, requirement: str, *, ok: bool) -> Check:
    outcome = Outcome.PASSED if ok else Outcome.FAILED
    return Check(name=name, outcome=outcome, message=message, requirement=requirement)
