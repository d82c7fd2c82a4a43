"""What came out of a drive: the figures of each level, what became of the thresholds, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

from middlemark.drive.options import DriveOptions, PreparedDrive
from middlemark.records.driver_lines import Client, DriverLines, FailedCheck, SelfAudit
from middlemark.records.point import Outcome
from middlemark.records.record import Record
from middlemark.records.window import Check, Fairness, ReceiveLag, TlsSuite, TransactionFigures
from middlemark.verdict.conditions import DRIVERS_OWN, arrivals_check, driver_checks, little_tps
from middlemark.verdict.fairness import LEVELS, OPEN_MODEL, fairness_of
from middlemark.wording import counted
from middlemark.workload.window import WindowFigures, driven

# A shortfall of this share of the expected iterations is counting and the window's edges.
PACING_LIMIT = 0.02


class LevelResult(Record):
    """The figures of one level of load.

    Open model: service times (`service`) count from the actual start of each transaction, response times from the
    intended one; of the arrivals `waited` found no free user when they were due, and `missed` never began.
    `receive_lag`, when stamps of the kernel were requested: the driver's own part of the times. `failed_iterations`
    ended with a failed step, `abandoned_iterations` when the user gave up, as the session wants it. `connections` were
    opened, `reconnected` of them because the server had closed a kept one. `requests` were sent, those of redirects,
    sub-resources and repetitions included. `driver_cpu_s` is the driver's CPU time in the window,
    `driver_cpu_us_per_request` that for each of the requests, None without any and where responses report calls;
    `driver_lateness_*`: how late its think times and starts fired. With --split-times: `first_byte` are the times of
    all transactions to the first byte of the last response, `page` to its last byte, where sub-resources are fetched.
    `tls`: what connections agreed on.
    """

    load: str
    window_s: float
    throughput_tps: float
    iterations: int
    failed_iterations: int
    abandoned_iterations: int
    transactions: dict[str, TransactionFigures]
    total: TransactionFigures
    service: TransactionFigures | None
    first_byte: TransactionFigures | None
    page: TransactionFigures | None
    waited: int
    missed: int
    receive_lag: ReceiveLag | None
    error_rate: float
    errors_by_kind: dict[str, int]
    errors_by_transaction: dict[str, dict[str, int]]
    bytes_per_s: float
    connections: int
    reconnected: int
    odd_responses: int
    requests: int
    driver_cpu_s: float
    driver_cpu_us_per_request: float | None
    driver_lateness_p50_ms: float
    driver_lateness_p99_ms: float
    tls: tuple[TlsSuite, ...]


class DriveResult(LevelResult):
    """`drive.json`, and what `--json` prints: the figures of the window and what became of the thresholds.

    With several `levels` each has its figures there, and those at the top are the last measured one's. `users` are the
    most active at the same time. `named_targets` are those of steps that name one. `passed`: no threshold was missed
    and the drive was not interrupted. `checks` are whether the driver was the limit; they do not decide. `little_tps`
    is the throughput Little's law expects, None where it does not hold. With --per-client: `clients`, the figures of
    each virtual user, and `fairness`, how equally they were served. `failed_checks` are the first of each kind, of all
    phases. `out` is the result folder, if there is one.
    """

    v: Literal[1] = 1
    session: str
    targets: list[str]
    named_targets: dict[str, list[str]]
    users: int
    think: str
    seed: int
    started: str
    interrupted: bool
    little_tps: float | None
    levels: list[LevelResult]
    clients: list[Client] | None
    failed_checks: list[FailedCheck]
    fairness: Fairness | None
    checks: list[Check]
    thresholds: list[Check]
    passed: bool
    verdict: str
    out: str | None


def drive_result(
    prepared: PreparedDrive, lines: DriverLines, *, interrupted: bool, started: datetime, out: Path
) -> DriveResult:
    """Return the result of a drive from the driver's lines."""
    options, session, loads = prepared.options, prepared.session, prepared.options.loads
    read = driven(lines, len(loads))
    found = read.levels or [read.whole]
    by_request = session.calling_step is None
    levels = [_level(load, figures, by_request=by_request) for load, figures in zip(loads, found, strict=True)]
    last = max((number for number, level in enumerate(levels) if level.window_s), default=0)
    thresholds = [
        check for load, figures in zip(loads, found, strict=True) for check in _thresholds(prepared, load, figures)
    ]
    audit = read.self_audit
    # Without a valid transaction there is nothing that the driver could have been the limit of, but this.
    judged = levels[last].total.count or DRIVERS_OWN in levels[last].errors_by_kind
    checks = driver_checks(audit, shared_cpus=prepared.shares_cpus) if judged else []
    checks += _pacing(prepared, audit, levels[last])
    missed = [check for check in thresholds if check.outcome is Outcome.FAILED]
    return DriveResult(
        **{name: getattr(levels[last], name) for name in LevelResult.model_fields},
        session=session.name,
        targets=prepared.plan.targets,
        named_targets=prepared.plan.named_targets,
        users=prepared.plan.load.users or max(options.load.levels),
        think=str(options.think or session.think),
        seed=options.seed,
        started=started.isoformat(timespec="seconds"),
        interrupted=interrupted,
        little_tps=little_tps(audit) if len(levels) == 1 else None,
        levels=levels if len(levels) > 1 else [],
        clients=None if read.clients is None else list(read.clients),
        failed_checks=list(read.failed_checks),
        fairness=fairness_of(read.clients, levels[last].total, reason_against=_why_unequal(options)),
        checks=checks,
        thresholds=thresholds,
        passed=not missed and not interrupted,
        verdict=_verdict(levels, last, missed, interrupted=interrupted) + _doubt(checks),
        out=str(out),
    )


def _why_unequal(options: DriveOptions) -> str:
    """Return why users need not have been served alike; empty when nothing speaks against it."""
    if options.load.arrivals is not None:
        return OPEN_MODEL
    return LEVELS if len(options.loads) > 1 else ""


def _level(load: str, figures: WindowFigures, *, by_request: bool) -> LevelResult:
    requests = figures.requests if by_request else 0
    return LevelResult(
        load=load,
        window_s=figures.window_s,
        throughput_tps=figures.total.tps,
        iterations=figures.iterations,
        failed_iterations=figures.failed_iterations,
        abandoned_iterations=figures.abandoned_iterations,
        transactions=figures.transactions,
        total=figures.total,
        service=figures.service,
        first_byte=figures.first_byte,
        page=figures.page,
        waited=figures.waited,
        missed=figures.missed,
        receive_lag=figures.receive_lag,
        error_rate=figures.error_rate,
        errors_by_kind=figures.errors_by_kind,
        errors_by_transaction={name: dict(kinds) for name, kinds in figures.errors_by_transaction.items()},
        bytes_per_s=figures.bytes_received_per_s,
        connections=figures.connections,
        reconnected=figures.reconnected,
        odd_responses=figures.odd_responses,
        requests=figures.requests,
        tls=figures.tls,
        driver_cpu_s=figures.driver.cpu_s,
        driver_lateness_p50_ms=figures.driver.lateness_p50_ms,
        driver_lateness_p99_ms=figures.driver.lateness_p99_ms,
        driver_cpu_us_per_request=1e6 * figures.driver.cpu_s / requests if requests else None,
    )


def _thresholds(prepared: PreparedDrive, load: str, figures: WindowFigures) -> list[Check]:
    """Return the thresholds at one load, which they name where there are several."""
    checks = prepared.options.thresholds.checks(figures)
    if prepared.options.load.arrivals is not None:
        checks.append(arrivals_check(figures))
    if len(prepared.options.loads) == 1:
        return checks
    return [check.model_copy(update={"name": f"{check.name} at {load}"}) for check in checks]


def _pacing(prepared: PreparedDrive, audit: SelfAudit | None, level: LevelResult) -> list[Check]:
    """Check what holds with pacing: users = iterations per second × pacing, as long as iterations are not longer."""
    pacing = prepared.session.pacing
    if pacing is None or audit is None or not level.window_s or len(prepared.options.loads) > 1 or not pacing.mean_s:
        return []
    expected, found = audit.users / pacing.mean_s, level.iterations / level.window_s
    kept = found >= (1 - PACING_LIMIT) * expected - audit.users / level.window_s
    value = f"{found:,.2f} iterations/s where users ÷ pacing is {expected:,.2f}"
    value += "" if kept else ": iterations take longer than their pacing"
    outcome = Outcome.PASSED if kept else Outcome.NOT_CHECKED
    return [Check(name="pacing", outcome=outcome, message=value, requirement=f"not {100 * PACING_LIMIT:.0f} % less")]


def _verdict(levels: Sequence[LevelResult], last: int, missed: list[Check], *, interrupted: bool) -> str:
    level = levels[last]
    if interrupted and not level.window_s:
        return "INTERRUPTED before the measured window began: nothing was measured."
    several = len(levels) > 1
    p99 = f"p99 {level.total.p99_ms:,.1f} ms, " if level.total.count else ""
    place = f"at the last of {len(levels)} levels, " if several else ""
    figured = (
        f"{place}{level.total.tps:,.1f} transactions/s by {level.load} in {level.window_s:.1f} s, "
        f"{p99}{counted(level.total.errors, 'error')}"
    )
    if interrupted:
        return f"INTERRUPTED: {figured} so far."
    reasons = (
        f"{check.name}: {check.message} ({check.requirement})" if several else _reason(check) for check in missed
    )
    return f"FAIL: {'; '.join(reasons)}." if missed else f"PASS: {figured}."


def _reason(check: Check) -> str:
    return f"{check.message} ({check.requirement})"


def _doubt(checks: list[Check]) -> str:
    """Return a sentence when the driver may have been the limit."""
    failed = [check.name for check in checks if check.outcome is Outcome.FAILED]
    return f" The driver may have been the limit: see {', '.join(failed)}." if failed else ""
