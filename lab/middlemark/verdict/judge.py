"""Judges one point: its figures, and whether they count."""

from __future__ import annotations

from middlemark.results.point import Check, Outcome, Verdict
from middlemark.verdict import conditions, faults
from middlemark.verdict.evidence import DriverFigures, PointEvidence


def judge_point(evidence: PointEvidence) -> Verdict:
    """Return the verdict of a point; it is valid when no check failed."""
    window = evidence.window
    expected = conditions.little_tps(evidence.users, evidence.think_mean_ms, window.total.mean_ms)
    checks = _checks(evidence, expected)
    if evidence.faults:
        checks = [*map(faults.not_applied, checks), faults.faults_check(evidence.faults, evidence.audit)]
    failed = [f"{check.name}: {check.value} (limit: {check.limit})" for check in checks if _failed(check)]
    return Verdict(
        valid=not failed,
        invalid=failed,
        shared_cpus=evidence.shared_cpus,
        users=evidence.users,
        window_s=window.window_s,
        throughput_tps=window.total.tps,
        little_tps=expected,
        transactions=dict(window.transactions),
        total=window.total,
        errors_by_kind=dict(window.errors_by_kind),
        bytes_per_s=window.bytes_received_per_s,
        # What was killed cannot be asked for its CPU time any longer.
        tiers={} if evidence.faults else dict(evidence.tiers),
        checks=checks,
    )


def _checks(evidence: PointEvidence, expected: float) -> list[Check]:
    window = evidence.window
    own = window.driver
    driver = DriverFigures(own.busiest_thread_share, own.lateness_p50_ms, own.lateness_p99_ms)
    return [
        conditions.errors_check(window.total, window.errors_by_kind),
        conditions.audit_check(evidence.audit),
        conditions.driver_cpu_check(driver),
        conditions.driver_pace_check(driver, evidence.think_mean_ms),
        conditions.driver_lateness_check(driver, window.total.p99_ms, shared_cpus=evidence.shared_cpus),
        conditions.little_check(window.total.tps, expected),
        conditions.mix_check(window.transactions, evidence.mix),
        conditions.steady_check(window.course),
        conditions.settings_check(evidence.about_changes),
        conditions.drained_check(evidence.work_left),
        conditions.alone_check(evidence.other_runs),
        conditions.conformance_check(),
    ]


def _failed(check: Check) -> bool:
    return check.outcome is Outcome.FAILED
