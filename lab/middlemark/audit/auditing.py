"""Audits one database: every rule of the specification, and the driver's report against what is there."""

from __future__ import annotations

from pathlib import Path

from middlemark.audit.confirmed import DriverReport, judge_confirmed, read_confirmed
from middlemark.audit.rules import judge_rule, read_rules
from middlemark.errors import InputError, TargetError
from middlemark.results.point import Audit, AuditFinding, Outcome
from middlemark.target.database import Connection
from middlemark.target.postgresql_own import database_at


def audit(connection: Connection, spec_folder: Path, report: DriverReport | None) -> Audit:
    """Return what the database says, at one moment; without the driver's report its counts are not checked."""
    rules = read_rules(spec_folder)
    confirmed = read_confirmed(spec_folder)
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # The rules join every order with every holding; disk spills would make them slower, never wrong.
        connection.execute("SET LOCAL work_mem = '128MB'")
        findings = [judge_rule(connection, rule) for rule in rules]
        if confirmed is not None:
            findings += judge_confirmed(connection, confirmed, report)
    return Audit(passed=passes(findings), findings=findings)


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
