"""Judges one point: its figures, and whether they count."""

from __future__ import annotations

from middlemark.results.point import Check, Outcome, Verdict
from middlemark.verdict import conditions
from middlemark.verdict.evidence import PointEvidence


def judge_point(evidence: PointEvidence) -> Verdict:
    """Return the verdict of a point; it is valid when no check failed."""
    window = evidence.window
    throughput = window.total.count / window.window_s if window.window_s > 0 else 0.0
    expected = conditions.little_tps(evidence.users, evidence.think_mean_ms, window.total.mean_ms)
    checks = _checks(evidence, throughput, expected)
    failed = [f"{check.name}: {check.value} (limit: {check.limit})" for check in checks if _failed(check)]
    return Verdict(
        valid=not failed,
        invalid=failed,
        shared_cpus=evidence.shared_cpus,
        users=evidence.users,
        window_s=window.window_s,
        throughput_tps=throughput,
        little_tps=expected,
        transactions=dict(window.transactions),
        total=window.total,
        errors_by_kind=dict(window.errors_by_kind),
        bytes_per_s=window.bytes_per_s,
        tiers=dict(window.tiers),
        checks=checks,
    )


def _checks(evidence: PointEvidence, throughput: float, expected: float) -> list[Check]:
    window = evidence.window
    return [
        conditions.errors_check(window.total, window.errors_by_kind),
        conditions.audit_check(evidence.audit),
        conditions.driver_cpu_check(window.driver),
        conditions.driver_pace_check(window.driver, evidence.think_mean_ms),
        conditions.driver_lateness_check(window.driver, window.total.p99_ms, shared_cpus=evidence.shared_cpus),
        conditions.little_check(throughput, expected),
        conditions.mix_check(window.transactions, evidence.mix),
        conditions.steady_check(window.series),
        conditions.settings_check(evidence.about_changes),
        conditions.conformance_check(),
    ]


def _failed(check: Check) -> bool:
    return check.outcome is Outcome.FAILED
