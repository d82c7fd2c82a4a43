"""The conditions of a valid point but drift: one Check each, with what was found and the limit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from middlemark.records.driver_lines import DriverRule, FailedCheck, RuleName, SelfAudit
from middlemark.records.placement import Placement
from middlemark.records.point import Audit, ObservedAffinity, Outcome, Proof, Replay, WorkLeft
from middlemark.records.run_parts import Fault
from middlemark.records.window import Check, Forbids, TransactionFigures
from middlemark.wording import counted
from middlemark.workload.window import WindowFigures

ERROR_LIMIT = 0.0001
DRIVERS_OWN = "local_ports"
"""The kind of error that the driver's limit makes, and no server: the driver judges itself by it."""
# Whether the databases hold what was answered and the subject was the one requested does not depend on faults.
APPLIED_WITH_FAULTS = frozenset({"audit", "drained", "settings"})
NAMES: Mapping[str, str] = {
    RuleName.THREAD_CPU: "driver CPU",
    RuleName.LATENESS_P50: "driver pace",
    RuleName.LATENESS_P99: "driver lateness",
    RuleName.RECEIVE_LAG_P99: "receive lag",
    RuleName.LITTLES_LAW: "Little's law",
}
# Lateness and lag of the driver are in the response times and nowhere else. They are few at the median: a driver whose
# every other think time ends late (`lateness_p50`) makes a lighter load than the one named, and forbids everything.
OF_PERCENTILES = frozenset({RuleName.LATENESS_P99, RuleName.RECEIVE_LAG_P99})
SHARED_CPUS = "the driver shares its CPUs, so that percentiles are not ranked"
LITTLES_LAW_REMEDY = "; give more users a longer think time"
# What was found, its limit and perhaps why, as docs/reference/driver.md promises it.
_MESSAGE = re.compile(r"(?P<value>.*?) \(limit: (?P<limit>[^()]*)\)(?P<more>.*)")


def error_share(total: TransactionFigures, by_kind: Mapping[str, int]) -> float:
    """Failed ÷ all transactions, without those that the driver's own limit let fail; 1 without any."""
    errors = total.errors - by_kind.get(DRIVERS_OWN, 0)
    attempts = total.count + errors
    return errors / attempts if attempts else 1.0


def errors_check(
    total: TransactionFigures, by_kind: Mapping[str, int], failed_checks: Sequence[FailedCheck] = ()
) -> Check:
    """Errors, but for those of the driver's own limit, are below 0.01 % of all steps; a window without any fails.

    The first of the checks that failed is named where it is of a kind that the window has.
    """
    requirement = "< 0.01 %"
    errors = total.errors - by_kind.get(DRIVERS_OWN, 0)
    attempts = total.count + errors
    if attempts == 0:
        return _failed("errors", "no transaction in the window", requirement)
    share = error_share(total, by_kind)
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(by_kind.items()) if count and kind != DRIVERS_OWN)
    message = f"{errors:,} of {attempts:,} ({100 * share:.3f} %)" + (f": {kinds}" if kinds else "")
    first = next((one for one in failed_checks if by_kind.get(one.kind)), None)
    if first:
        message += f"; the first {first.kind}: {text_of(first)}"
    check = _failed("errors", message, requirement, unless=share < ERROR_LIMIT)
    return check.model_copy(update={"found": share, "limit": ERROR_LIMIT})


def text_of(failed: FailedCheck) -> str:
    """What was requested, expected and found, in one line."""
    found = f"expected {failed.expected}, found status {failed.status}: {' '.join(failed.body.split())}"
    return f"{failed.request} (step {failed.step}): {found}"


def arrivals_check(window: WindowFigures) -> Check:
    """Open model: every arrival of the timetable began; else there was less load than requested."""
    message = f"{window.missed:,} never began and {window.waited:,} had to wait for a free user"
    return _counted("arrivals", window.missed, message, "every one begins in the window")


def audit_check(audit: Audit | None) -> Check:
    """The databases agree with what the driver saw."""
    requirement = "every rule passes"
    if audit is None:
        return _failed("audit", "no audit was made", requirement)
    if not audit.findings:
        return _failed("audit", "no database: nothing to audit", requirement, unless=audit.passed)
    broken = [f"{f.rule}: {f.message}" for f in audit.findings if f.outcome is Outcome.FAILED]
    unchecked = sum(f.outcome is Outcome.NOT_CHECKED for f in audit.findings)
    first = f"{len(broken)} of {len(audit.findings)} rules broken, the first: {broken[0]}" if broken else ""
    passed = f"{counted(len(audit.findings) - unchecked, 'rule')} passed" + (
        f", {unchecked} not checked" if unchecked else ""
    )
    check = _failed("audit", first or passed, requirement, unless=audit.passed and not broken)
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
    check = _failed("drained", message, f"≤ {work_left.limit_s:.0f} s", unless=work_left.done)
    return check.model_copy(update={"found": work_left.seconds, "limit": work_left.limit_s})


def exclusive_check(other_runs: Sequence[int]) -> Check:
    """No other run of this user measured at the same time, on whatever CPUs."""
    pids = ", ".join(map(str, other_runs))
    message = f"another run measured at the same time (pid {pids})" if other_runs else "no other run"
    return _counted("exclusive", len(other_runs), message, "no other run of this user's")


def faults_check(faults: Sequence[Fault], audit: Audit | None) -> Check:
    """Every fault was injected under load, all worked again, nothing is left in doubt, and effects were confirmed."""
    wrong = [f"{one.kind} planned at {one.planned_s:.1f} s: {text}" for one in faults if (text := _wrong(one))]
    wrong = wrong or [text for text in (_unproven(audit),) if text]
    done = ", ".join(f"{fault.kind} at {fault.injected_s or 0:.1f} s" for fault in faults)
    requirement = "each is injected under load, and everything works again"
    return _counted("faults", len(wrong), "; ".join(wrong) or done, requirement)


def not_applied(check: Check) -> Check:
    """A check as it counts in a point with faults: errors, pace and drift are what faults disturb."""
    if check.name in APPLIED_WITH_FAULTS or check.outcome is Outcome.NOT_CHECKED:
        return check
    message = f"{check.message}; not applied with faults"
    return check.model_copy(update={"outcome": Outcome.NOT_CHECKED, "message": message})


def _wrong(fault: Fault) -> str:
    """What is wrong with a fault; empty if nothing is."""
    if not fault.done:
        never = "it was never injected" if fault.injected_s is None else "not everything worked again"
        return fault.problem or never
    if not (left := fault.left_prepared):
        return ""
    number = f"{len(left)} of {counted(len(fault.in_doubt), 'transaction')} in doubt"
    return f"{number} still prepared at the end: {', '.join(f'{one.gid} ({one.database})' for one in left)}"


def _unproven(audit: Audit | None) -> str:
    """Why an audit proves nothing of the effects that are counted by name; empty when it does, or none are."""
    if audit is None or not audit.effects:
        return ""
    names, counts = " or ".join(audit.effects), [one for one in audit.reconciled.values() if one.effect]
    if not sum(one.confirmed for one in counts):
        return f"no {names} was confirmed: nothing is proven"
    if not all(one.by_name for one in counts if one.confirmed):
        return f"the driver did not name every response: one {names} lost and another doubled would cancel"
    return ""


def driver_checks(audit: SelfAudit | None, *, shared_cpus: bool) -> list[Check]:
    """A check for each rule by which the driver judged itself.

    When CPUs are shared, lateness that the driver causes cannot be distinguished from waiting for a CPU that the
    application has, and percentiles are not ranked: then an excess is shown, and does not fail.
    """
    if audit is None or not audit.rules:
        silent = "the driver did not report whether it was the limit"
        return [_failed("driver", silent, "its own line about the window")]
    return [_of_rule(rule, shared_cpus=shared_cpus) for rule in audit.rules]


def little_tps(audit: SelfAudit | None) -> float | None:
    """The throughput that Little's law expects (J. D. C. Little, Operations Research 9, 1961).

    That is users ÷ (think + response). None where the driver did not check it: the law does not hold then, or there is
    nothing to compare.
    """
    rules = audit.rules if audit else []
    if audit is None or not any(rule.rule == RuleName.LITTLES_LAW and rule.found is not None for rule in rules):
        return None
    return audit.users / ((audit.think_mean_ms + audit.response_ms.mean) / 1000)


def _of_rule(rule: DriverRule, *, shared_cpus: bool) -> Check:
    parts = _MESSAGE.fullmatch(rule.message)
    value, requirement, more = (parts["value"], parts["limit"], parts["more"]) if parts else (rule.message, "none", "")
    if rule.rule == RuleName.LITTLES_LAW and rule.outcome is Outcome.FAILED:
        more += LITTLES_LAW_REMEDY
    outcome, reason = rule.outcome, rule.message if rule.outcome is Outcome.NOT_CHECKED else None
    if rule.rule in OF_PERCENTILES and outcome is Outcome.FAILED and shared_cpus:
        value, more = f"{value}, over the limit", f"{more}; not judged: {SHARED_CPUS}"
        outcome, reason = Outcome.NOT_CHECKED, SHARED_CPUS
    return Check(
        name=NAMES.get(rule.rule, rule.rule.replace("_", " ")),
        outcome=outcome,
        message=value + more,
        requirement=requirement,
        reason=reason,
        found=rule.found,
        limit=rule.limit,
        forbids=Forbids.RESPONSE_TIMES if rule.rule in OF_PERCENTILES else Forbids.EVERYTHING,
    )


def conformance_check(proofs: Mapping[str, Proof | None], replay: Replay | None) -> Check:
    """What is measured was verified in its own configuration, and still answers as specified after the load.

    `proofs` are of every subject that takes part, and of the pairing where the front end is another's.
    """
    before = [_before(proof, f"{subject}: " if len(proofs) > 1 else "") for subject, proof in proofs.items()]
    found = [*(before or [_before(None, "")]), _after(replay)]
    outcomes = {outcome for outcome, _ in found}
    failed = [proof.failed + proof.missed for proof in proofs.values() if proof]
    failed += [replay.failed] if replay else []
    return Check(
        name="conformance",
        outcome=next(one for one in (Outcome.FAILED, Outcome.NOT_CHECKED, Outcome.PASSED) if one in outcomes),
        message="; ".join(text for _, text in found),
        requirement="every case of its configuration passes before the load, and some again after it",
        found=sum(failed) if failed else None,
        limit=0,
    )


def _before(proof: Proof | None, of: str) -> tuple[Outcome, str]:
    """What is proven before the load; `of` names the subject where there are several."""
    if proof is None:
        return Outcome.NOT_CHECKED, f"{of}what was measured was not verified before"
    cases_with = f", cases run with {' '.join(proof.environment)} (not measured so)" if proof.environment else ""
    changes = " with changes that are in no commit" if proof.changed else ""
    when = f"{of}verified {proof.started.replace('T', ' ')} at commit {proof.commit}{changes}{cases_with}"
    if proof.failed:
        failed = f"{proof.failed:,} of {proof.executions:,} executions failed, the first: {proof.first}"
        return Outcome.FAILED, f"{when}: {failed}"
    if proof.missed:
        return Outcome.FAILED, f"{when}: {proof.missed:,} known failures did not fail"
    if not proof.verified:
        why = f"but not in the configuration that was measured ({proof.configuration}): it changes one mode at a time"
        return Outcome.NOT_CHECKED, f"{when}, {why}"
    rest = [(proof.known, "known failures"), (proof.not_checked, "not checked")]
    counts = [counted(proof.executions, "execution"), *(f"{count:,} {what}" for count, what in rest if count)]
    elsewhere = f"; {proof.failed_elsewhere:,} failed in other configurations" if proof.failed_elsewhere else ""
    return Outcome.PASSED, f"{when}: {', '.join(counts)}{elsewhere}"


def _after(replay: Replay | None) -> tuple[Outcome, str]:
    if replay is None:
        return Outcome.NOT_CHECKED, "no case with the tag replay was run after the load"
    if replay.failed:
        failed = f"{replay.failed} of {replay.executions} cases failed after the load, the first: {replay.first}"
        return Outcome.FAILED, failed
    cases = counted(replay.executions, "case")
    return Outcome.PASSED, f"{cases} passed after the load, on the processes that were measured"


def _counted(name: str, count: int, message: str, requirement: str) -> Check:
    """A check that passes when something was found not even once."""
    return _failed(name, message, requirement, unless=not count).model_copy(update={"found": count, "limit": 0})


def _not_checked(name: str, message: str, requirement: str) -> Check:
    return Check(name=name, outcome=Outcome.NOT_CHECKED, message=message, requirement=requirement)


def _failed(name: str, message: str, requirement: str, *, unless: bool = False) -> Check:
    outcome = Outcome.PASSED if unless else Outcome.FAILED
    return Check(name=name, outcome=outcome, message=message, requirement=requirement)
