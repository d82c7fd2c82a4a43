"""Audits the databases of a specification: every rule, and the driver's report against what is there."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue

from psycopg import sql
from psycopg.rows import TupleRow

from middlemark.audit.confirmed import judge_confirmed, read_confirmed
from middlemark.audit.driver_report import DriverReport
from middlemark.audit.rules import Rule, judge_rule, read_rules
from middlemark.audit.rules_across import judge_across, read_rules_across
from middlemark.databases.database import Connection
from middlemark.databases.users_own import database_at, require_apart
from middlemark.errors import InputError, TargetError
from middlemark.records.point import Audit, AuditFinding, Outcome
from middlemark.specification.specification import Specification

_PAUSE_S = 0.1


Connections = Mapping[str, Connection]
"""A connection to each database, by its name."""


def audit(
    connections: Connections,
    specification: Specification,
    report: DriverReport | None,
    beside: Connections | None = None,
) -> Audit:
    """Return what the databases (by name) hold; without the driver's report its counts are not checked.

    `beside` are further connections to the same databases: rules are then judged two at a time.

    All questions to one database are asked at one moment, those across databases are not. Rules about a session are
    asked only when the report is of that session. Without databases nothing is audited.

    Waits before that moment for recovery from a crash, then for work that is not done: as long as a rule that is given
    time is broken, at most for its time. What is broken then stays so.
    """
    session = None if report is None else report.session
    rules = [rule for rule in read_rules(specification) if rule.session in (None, session)]
    confirmed = read_confirmed(specification)
    wait_until_recovered(connections, rules)
    wait_until_done(connections, rules)
    across = [judge_across(connections, rule) for rule in read_rules_across(specification)]
    with ExitStack() as snapshots:
        for name, connection in connections.items():
            _begin(snapshots, connection)
            if beside:
                _begin(snapshots, beside[name], connection.execute("SELECT pg_export_snapshot()").fetchone())
        found = _judged(rules, [connections, beside] if beside else [connections])
        judged = [_named(one, rule.database, connections) for rule, one in zip(rules, found, strict=True)]
        confirmations = judge_confirmed(connections, confirmed, report)
    findings = [
        *judged,
        *across,
        *(_named(one, confirmed[name].database, connections) for name, one in confirmations.findings.items()),
    ]
    return Audit(
        passed=passes(findings),
        findings=findings,
        reconciled=confirmations.reconciled,
        effects=tuple(specification.description.effects),
    )


def check_audit(specification: Specification) -> None:
    """Raise InputError for a mistake in what an audit reads, before anything runs that it would be asked about."""
    read_rules(specification)
    read_rules_across(specification)
    read_confirmed(specification)


def _begin(snapshots: ExitStack, connection: Connection, snapshot: TupleRow | None = None) -> None:
    """Let a connection see one moment: now, or that of a snapshot."""
    snapshots.enter_context(connection.transaction())
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    if snapshot:
        connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot[0])))
    # Rules join large tables; disk spills would make them slower, never wrong.
    connection.execute("SET LOCAL work_mem = '128MB'")


def _judged(rules: Sequence[Rule], sets: Sequence[Connections]) -> list[AuditFinding]:
    """Judge each rule by the connections that are free, and return what was found in the order of the rules."""
    free: SimpleQueue[Connections] = SimpleQueue()
    for connections in sets:
        free.put(connections)

    def judged(rule: Rule) -> AuditFinding:
        connections = free.get()
        try:
            return judge_rule(connections[rule.database], rule)
        finally:
            free.put(connections)

    with ThreadPoolExecutor(len(sets)) as pool:
        return list(pool.map(judged, rules))


def _named(found: AuditFinding, database: str, connections: Connections) -> AuditFinding:
    """Return a finding with the name of its database, where there are several."""
    return found.model_copy(update={"database": database}) if len(connections) > 1 else found


def wait_until_recovered(connections: Connections, rules: Sequence[Rule]) -> bool:
    """Return when every rule that a crash may have broken holds, or its time is over; say whether all of them hold."""
    return _wait(connections, {rule: rule.recovery_s for rule in rules if rule.recovery_s})


def wait_until_done(connections: Connections, rules: Sequence[Rule]) -> bool:
    """Return when every rule that is given time for work holds, or its time is over; say whether all of them hold."""
    return _wait(connections, {rule: rule.within_s for rule in rules if rule.within_s})


def _wait(connections: Connections, limits: Mapping[Rule, float]) -> bool:
    """Return when every rule holds, or the time of a broken one is over, in seconds; say whether all of them hold."""
    began = time.monotonic()
    waiting = list(limits)
    while waiting:
        began_asking = time.monotonic()
        found = [(rule, judge_rule(connections[rule.database], rule)) for rule in waiting]
        waiting = [rule for rule, one in found if one.outcome is Outcome.FAILED]
        now = time.monotonic()
        if any(now - began >= limits[rule] for rule in waiting):
            return False
        if waiting:
            # Asking a large database takes CPU time from the work that is waited for: half of it at most.
            time.sleep(max(_PAUSE_S, now - began_asking))
    return True


def audit_at(urls: Mapping[str, str], specification: Specification) -> Audit:
    """Audit the databases of these URLs (by name), without a driver's report.

    Raises HostError when one cannot be reached, InputError when a URL is missing, two are of one database, or a
    database is not of that specification.
    """
    databases = list(specification.description.databases)
    missing = [name for name in databases if name not in urls]
    if missing:
        raise InputError(
            f"{specification.name} has the databases {', '.join(databases)}; {' and '.join(missing)} without a URL",
            where="--database",
            todo=f"Add --database {missing[0]}=URL",
        )
    require_apart(urls)
    with ExitStack() as stack:
        places = {name: database_at(url) for name, url in urls.items()}
        connections = {name: stack.enter_context(one.connected(one.maintenance)) for name, one in places.items()}
        try:
            return audit(connections, specification, None)
        except TargetError as error:
            # Nothing of the lab has run on it: the URL is wrong, and that is no broken rule.
            raise InputError(error.what, where=error.where, todo=error.todo) from error


def passes(findings: Sequence[AuditFinding]) -> bool:
    """Say whether no rule failed."""
    return all(finding.outcome != Outcome.FAILED for finding in findings)
