"""How a point with faults is judged: by its audit, and by whether every fault was injected and all worked again."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.records.faults import Fault
from middlemark.records.point import Audit, Outcome
from middlemark.records.window import Check

# Whether the databases hold what was answered and the subject was the one requested does not depend on faults.
APPLIED = frozenset({"audit", "drained", "settings"})
REQUIREMENT = "each is injected under load, and everything works again"


def not_applied(check: Check) -> Check:
    """Return a check as it counts in a point with faults: errors, pace and drift are what faults disturb."""
    if check.name in APPLIED or check.outcome is Outcome.NOT_CHECKED:
        return check
    message = f"{check.message}; not applied with faults"
    return check.model_copy(update={"outcome": Outcome.NOT_CHECKED, "message": message})


def faults_check(faults: Sequence[Fault], audit: Audit | None) -> Check:
    """Every fault was injected under load, everything worked again, and effects were confirmed meanwhile."""
    wrong = [f"{fault.kind} planned at {fault.planned_s:.1f} s: {_wrong(fault)}" for fault in faults if not fault.done]
    if not wrong:
        wrong = [text for text in (_unproven(audit),) if text]
    done = ", ".join(f"{fault.kind} at {fault.injected_s or 0:.1f} s" for fault in faults)
    return Check(
        name="faults",
        outcome=Outcome.FAILED if wrong else Outcome.PASSED,
        message="; ".join(wrong) or done,
        requirement=REQUIREMENT,
        found=len(wrong),
        limit=0,
    )


def _wrong(fault: Fault) -> str:
    return fault.problem or ("it was never injected" if fault.injected_s is None else "not everything worked again")


def _unproven(audit: Audit | None) -> str:
    """Return why an audit proves nothing of the effects that are counted by name; empty when it does, or none are."""
    if audit is None or not audit.effects:
        return ""
    names, counts = " or ".join(audit.effects), [one for one in audit.reconciled.values() if one.effect]
    if not sum(one.confirmed for one in counts):
        return f"no {names} was confirmed: nothing is proven"
    if not all(one.by_name for one in counts if one.confirmed):
        return f"the driver did not name every response: one {names} lost and another doubled would cancel"
    return ""
