"""Judges one point: its figures, and whether they count."""

from __future__ import annotations

from middlemark.records.point import Check, Forbids, Verdict
from middlemark.verdict import conditions, faults
from middlemark.verdict.conformance import conformance_check
from middlemark.verdict.drift import cpu_cost_drift_check, throughput_drift_check
from middlemark.verdict.driver import driver_checks, little_tps
from middlemark.verdict.evidence import PointEvidence
from middlemark.verdict.limit import limit_of
from middlemark.verdict.waiting import Situation


def judge_point(evidence: PointEvidence) -> Verdict:
    """Return the verdict of a point; it is valid when no check failed that forbids everything."""
    window = evidence.window
    checks = _checks(evidence)
    if evidence.faults:
        checks = [*map(faults.not_applied, checks), faults.faults_check(evidence.faults, evidence.audit)]
    return Verdict(
        valid=not any(check.keeps_from(Forbids.EVERYTHING) for check in checks),
        shared_cpus=evidence.placement.shared,
        users=evidence.users,
        window_s=window.window_s,
        throughput_tps=window.total.tps,
        little_tps=little_tps(evidence.self_audit),
        transactions=dict(window.transactions),
        total=window.total,
        errors_by_kind=dict(window.errors_by_kind),
        bytes_per_s=window.bytes_received_per_s,
        sent_bytes_per_s=window.bytes_sent_per_s,
        mean_body_bytes=window.mean_body_bytes,
        # The CPU time of a process that was killed is lost.
        tiers={} if evidence.faults else dict(evidence.tiers),
        checks=checks,
        databases=dict(evidence.databases),
        host=evidence.host,
        limit=None if evidence.faults else limit_of(_situation(evidence), evidence.cpus),
        receive_lag=window.receive_lag,
        tls=window.tls,
        fairness=evidence.fairness,
        first_byte=window.first_byte,
        page=window.page,
        connections=window.connections,
        reconnected=window.reconnected,
        disturbances=evidence.disturbances,
    )


def _situation(evidence: PointEvidence) -> Situation:
    total = evidence.window.total
    return Situation(
        tiers=evidence.tiers,
        databases=evidence.databases,
        in_progress=total.tps * total.mean_ms / 1000,
        users=None if evidence.open_model else evidence.users,
    )


def _checks(evidence: PointEvidence) -> list[Check]:
    window = evidence.window
    return [
        conditions.errors_check(window.total, window.errors_by_kind),
        *([conditions.arrivals_check(window)] if evidence.open_model else []),
        conditions.audit_check(evidence.audit),
        *driver_checks(evidence.self_audit, shared_cpus=evidence.placement.driver_shares),
        throughput_drift_check(window.course),
        cpu_cost_drift_check(window.course, evidence.cpu_course),
        conditions.settings_check(evidence.about_changes),
        conditions.placement_check(evidence.placement, evidence.observed_affinity),
        conditions.drained_check(evidence.work_left),
        conditions.exclusive_check(evidence.other_runs),
        conformance_check(evidence.proofs, evidence.replay),
    ]
