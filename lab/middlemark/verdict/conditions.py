"""The conditions of a valid point but the driver's and steadiness: one Check each, with the value and the limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from middlemark.records.placement import Placement, Whereabouts
from middlemark.records.point import Audit, Check, Outcome, TransactionFigures
from middlemark.records.work_left import WorkLeft
from middlemark.workload.window import WindowFigures

ERROR_LIMIT = 0.0001


def errors_check(total: TransactionFigures, by_kind: Mapping[str, int]) -> Check:
    """Errors are below 0.01 % of all steps; a window without any transaction fails."""
    attempts = total.count + total.errors
    if attempts == 0:
        return _check("errors", ok=False, value="no transaction in the window", limit="< 0.01 %")
    share = total.errors / attempts
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(by_kind.items()) if count)
    value = f"{total.errors:,} of {attempts:,} ({100 * share:.3f} %)" + (f": {kinds}" if kinds else "")
    return _check("errors", ok=share < ERROR_LIMIT, value=value, limit="< 0.01 %")


def arrivals_check(window: WindowFigures) -> Check:
    """Open model: every arrival of the timetable began; else there was less load than is said."""
    value = f"{window.missed:,} never began and {window.waited:,} had to wait for a free user"
    return _check("arrivals", ok=not window.missed, value=value, limit="every one begins in the window")


def audit_check(audit: Audit | None) -> Check:
    """The database agrees with what the driver saw."""
    if audit is None:
        return _check("audit", ok=False, value="no audit was made", limit="every rule passes")
    broken = [f"{f.rule}: {f.message}" for f in audit.findings if f.outcome is Outcome.FAILED]
    unchecked = sum(f.outcome is Outcome.NOT_CHECKED for f in audit.findings)
    value = f"{len(broken)} of {len(audit.findings)} rules broken, the first: {broken[0]}" if broken else ""
    passed = f"{len(audit.findings) - unchecked} rules passed" + (f", {unchecked} not checked" if unchecked else "")
    return _check("audit", ok=audit.passed and not broken, value=value or passed, limit="every rule passes")


def settings_check(changes: Sequence[str] | None) -> Check:
    """`/about` says what was asked before the point, and the same after it."""
    limit = "as asked, before and after"
    if changes is None:
        return Check(name="settings", outcome=Outcome.NOT_CHECKED, value="/about was not compared", limit=limit)
    value = "; ".join(changes) if changes else limit
    return _check("settings", ok=not changes, value=value, limit=limit)


def placement_check(placement: Placement, found: Whereabouts) -> Check:
    """Every process could use the CPUs that were given to its tier, all of them and no others."""
    limit = "each role on its own, before and after"
    if not placement.cpus:
        value = f"{placement.said}: {placement.note}"
        return Check(name="placement", outcome=Outcome.NOT_CHECKED, value=value, limit=limit)
    if found.unseen and not found.displaced:
        value = f"nobody saw which CPUs {' and '.join(found.unseen)} could use"
        return Check(name="placement", outcome=Outcome.NOT_CHECKED, value=value, limit=limit)
    value = "; ".join(found.displaced) or placement.said
    return _check("placement", ok=not found.displaced, value=value, limit=limit)


def drained_check(work_left: WorkLeft | None) -> Check:
    """All orders were completed within the time that the specification gives them after the load."""
    if work_left is None:
        return Check(name="drained", outcome=Outcome.NOT_CHECKED, value="nobody waited for it", limit="none")
    what = "nothing was left" if work_left.done else "work was left"
    value = f"{what} {work_left.seconds:.1f} s after the driver's end"
    return _check("drained", ok=work_left.done, value=value, limit=f"≤ {work_left.limit_s:.0f} s")


def alone_check(other_runs: Sequence[int]) -> Check:
    """No other run of this user measured at the same time, on whatever CPUs."""
    pids = ", ".join(str(pid) for pid in other_runs)
    value = f"another run measured at the same time (pid {pids})" if other_runs else "no other run"
    return _check("alone", ok=not other_runs, value=value, limit="no other run of this user's")


def _check(name: str, *, ok: bool, value: str, limit: str) -> Check:
    return Check(name=name, outcome=Outcome.PASSED if ok else Outcome.FAILED, value=value, limit=limit)
