"""Audits one database: every rule of the specification, and the driver's report against what is there."""

from __future__ import annotations

import time
from pathlib import Path

from middlemark.audit.confirmed import DriverReport, judge_confirmed, read_confirmed
from middlemark.audit.rules import Rule, judge_rule, read_rules
from middlemark.databases.database import Connection
from middlemark.databases.users_own import database_at
from middlemark.errors import InputError, TargetError
from middlemark.records.point import Audit, AuditFinding, Outcome

_PAUSE_S = 0.1


def audit(connection: Connection, spec_folder: Path, report: DriverReport | None) -> Audit:
    """Return what the database says, at one moment; without the driver's report its counts are not checked.

    Rules about a session are asked only when the report is of that session.

    Waits before that moment for work that is not done: as long as a rule that is given time is broken, at most for its
    time. What is broken then stays so.
    """
    played = None if report is None else report.session
    rules = [rule for rule in read_rules(spec_folder) if rule.session in (None, played)]
    confirmed = read_confirmed(spec_folder)
    wait_until_done(connection, rules)
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # The rules join every order with every holding; disk spills would make them slower, never wrong.
        connection.execute("SET LOCAL work_mem = '128MB'")
        findings = [judge_rule(connection, rule) for rule in rules]
        if confirmed is None:
            return Audit(passed=passes(findings), findings=findings)
        judged = judge_confirmed(connection, confirmed, report)
    findings += judged.findings
    return Audit(passed=passes(findings), findings=findings, reconciled=judged.reconciled)


def wait_until_done(connection: Connection, rules: list[Rule]) -> bool:
    """Return when every rule that is given time holds, or its time is over; say whether all of them hold."""
    began = time.monotonic()
    waiting = [rule for rule in rules if rule.within_s]
    while waiting:
        asked = time.monotonic()
        waiting = [rule for rule in waiting if judge_rule(connection, rule).outcome is Outcome.FAILED]
        now = time.monotonic()
        if any(now - began >= rule.within_s for rule in waiting):
            return False
        if waiting:
            # Asking a large database takes CPU time from the work that is waited for: half of it at most.
            time.sleep(max(_PAUSE_S, now - asked))
    return True


def audit_at(url: str, spec_folder: Path) -> Audit:
    """Audit the database of a URL, without a driver's report.

    Raises HostError when it cannot be reached, InputError when it is no database of that specification.
    """
    database, name = database_at(url)
    with database.connected(name) as connection:
        try:
            return audit(connection, spec_folder, None)
        except TargetError as error:
            # Nothing of the lab has run on it: the URL is wrong, and that is no broken rule.
            raise InputError(error.what, where=error.where, todo=error.todo) from error


def passes(findings: list[AuditFinding]) -> bool:
    """Say whether no rule failed."""
    return all(finding.outcome != Outcome.FAILED for finding in findings)
