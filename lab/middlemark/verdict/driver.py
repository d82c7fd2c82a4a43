"""Whether the driver was the limit, as it judges itself: its rules as checks, and what only the lab knows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from middlemark.records.driver_lines import DriverRule, RuleName, RuleOutcome, SelfAudit
from middlemark.records.point import Outcome
from middlemark.records.window import Check, Forbids

NAMES: Mapping[str, str] = {
    RuleName.THREAD_CPU: "driver CPU",
    RuleName.LATENESS_P50: "driver pace",
    RuleName.LATENESS_P99: "driver lateness",
    RuleName.RECEIVE_LAG_P99: "receive lag",
    RuleName.LITTLES_LAW: "Little's law",
    RuleName.MIX: "mix",
    RuleName.LOCAL_PORTS: "local ports",
}
# Lateness and lag of the driver are in the response times and nowhere else. They are few at the median: a driver whose
# every other think time ends late (`lateness_p50`) makes a lighter load than the one named, and forbids everything.
OF_PERCENTILES = frozenset({RuleName.LATENESS_P99, RuleName.RECEIVE_LAG_P99})
OUTCOMES = {
    RuleOutcome.PASSED: Outcome.PASSED,
    RuleOutcome.FAILED: Outcome.FAILED,
    RuleOutcome.NOT_CHECKED: Outcome.NOT_CHECKED,
}
# What was found, its limit and perhaps why, as docs/reference/driver.md promises it.
SHARED_CPUS = "the driver shares its CPUs, so that percentiles are not ranked"
_MESSAGE = re.compile(r"(?P<value>.*?) \(limit: (?P<limit>[^()]*)\)(?P<more>.*)")
SILENT = Check(
    name="driver",
    outcome=Outcome.FAILED,
    message="the driver did not report whether it was the limit",
    requirement="its own line about the window",
)


def driver_checks(audit: SelfAudit | None, *, shared_cpus: bool) -> list[Check]:
    """Return a check for each rule by which the driver judged itself.

    When CPUs are shared, lateness that the driver causes cannot be distinguished from waiting for a CPU that the
    application has, and percentiles are not ranked: then an excess is shown, and does not fail.
    """
    if audit is None or not audit.rules:
        return [SILENT]
    return [_check(rule, shared_cpus=shared_cpus) for rule in audit.rules]


def little_tps(audit: SelfAudit | None) -> float | None:
    """Return the throughput that Little's law expects (J. D. C. Little, Operations Research 9, 1961).

    That is users ÷ (think + response). None where the driver did not check it: the law does not hold then, or there is
    nothing to compare.
    """
    rules = audit.rules if audit else []
    if audit is None or not any(rule.rule == RuleName.LITTLES_LAW and rule.found is not None for rule in rules):
        return None
    return audit.users / ((audit.think_mean_ms + audit.response_ms.mean) / 1000)


def _check(rule: DriverRule, *, shared_cpus: bool) -> Check:
    parts = _MESSAGE.fullmatch(rule.message)
    value, requirement, more = (parts["value"], parts["limit"], parts["more"]) if parts else (rule.message, "none", "")
    outcome = OUTCOMES[rule.outcome]
    reason = rule.message if outcome is Outcome.NOT_CHECKED else None
    if rule.rule in OF_PERCENTILES and outcome is Outcome.FAILED and shared_cpus:
        value, more = f"{value}, over the limit", f"{more}; not judged: {SHARED_CPUS}"
        outcome, reason = Outcome.NOT_CHECKED, SHARED_CPUS
    return Check(
        name=_name(rule),
        outcome=outcome,
        message=value + more,
        requirement=requirement,
        reason=reason,
        found=rule.found,
        limit=rule.limit,
        forbids=Forbids.RESPONSE_TIMES if rule.rule in OF_PERCENTILES else Forbids.EVERYTHING,
    )


def _name(rule: DriverRule) -> str:
    return NAMES.get(rule.rule, rule.rule.replace("_", " "))
