"""Every condition of a valid point can fail, and says what was found."""

from __future__ import annotations

import dataclasses

import pytest

from middlemark.experiment.limits import Limits
from middlemark.records.disturbance import Disturbance
from middlemark.records.driver_lines import DriverRule, PhaseName, RuleName, RuleOutcome, SelfAudit, Times
from middlemark.records.placement import ObservedAffinity, Placement
from middlemark.records.point import Audit, AuditFinding, Check, Outcome, TierFigures, TransactionFigures
from middlemark.records.work_left import WorkLeft
from middlemark.verdict.drift import CpuCourse
from middlemark.verdict.evidence import PointEvidence
from middlemark.verdict.judge import judge_point
from middlemark.workload.course import Course
from middlemark.workload.window import DriverWindow, WindowFigures

USERS, THINK_MS, MEAN_MS = 50, 200.0, 50.0
# Little: 50 users / 0.25 s.
TPS = 200.0
SECONDS = 10


def figures(count: int, errors: int = 0) -> TransactionFigures:
    return TransactionFigures(
        count=count,
        errors=errors,
        tps=count / SECONDS,
        mean_ms=MEAN_MS,
        sd_ms=10,
        p50_ms=45,
        p90_ms=70,
        p95_ms=80,
        p99_ms=100,
        p999_ms=120,
        max_ms=150,
    )


def course(*rates: int) -> tuple[Course, ...]:
    return tuple(
        Course(PhaseName.MEASURE, float(s), s + 1.0, USERS, rate, 0, float(rate), MEAN_MS, 100.0)
        for s, rate in enumerate(rates)
    )


def window() -> WindowFigures:
    return WindowFigures(
        start_s=5.0,
        window_s=float(SECONDS),
        transactions={"buy": figures(500), "quotes": figures(1500)},
        total=figures(2000),
        errors_by_kind={},
        bytes_received_per_s=1000.0,
        bytes_sent_per_s=100.0,
        iterations=500,
        failed_iterations=0,
        connections=500,
        driver=DriverWindow(1.0, 0.1, 0.1, 0.2, 3.0, 11.0, 12.0),
        course=course(*[199, 201] * 5),
    )


def rule(name: RuleName, outcome: RuleOutcome = RuleOutcome.PASSED) -> DriverRule:
    return DriverRule(
        rule=name, outcome=outcome, found=0.5, limit=0.4, message="0.5 of it (limit: 0.4 of it); so be it"
    )


def self_audit(failed: RuleName | None = None) -> SelfAudit:
    """Return how a driver judges itself whose rules all hold but one."""
    outcomes = {name: RuleOutcome.FAILED if name is failed else RuleOutcome.PASSED for name in RuleName}
    return SelfAudit(
        v=1,
        t_ns=1,
        type="self_audit",
        users=USERS,
        think_mean_ms=THINK_MS,
        response_ms=Times(count=2000, mean=MEAN_MS, p50=45, p99=100, max=150),
        rules=[rule(name, outcome) for name, outcome in outcomes.items()],
    )


def as_it_was_read(audit: SelfAudit) -> SelfAudit:
    """Return the line as it comes out of the driver's file."""
    return SelfAudit.model_validate_json(audit.model_dump_json())


def driver_that(failed: RuleName) -> PointEvidence:
    return dataclasses.replace(evidence(), self_audit=as_it_was_read(self_audit(failed)))


APART = Placement(cpus={"driver": (0,), "database": (1,), "sut": (2, 3)}, shared=False, driver_shares=False)


def evidence() -> PointEvidence:
    return PointEvidence(
        users=USERS,
        self_audit=as_it_was_read(self_audit()),
        window=window(),
        tiers={
            "web": TierFigures(cpu_s=2, cpu_share=0.2, cpu_ms_per_transaction=1, memory_mean_mib=9, memory_max_mib=9)
        },
        audit=Audit(passed=True, findings=[AuditFinding(rule="orders", outcome=Outcome.PASSED, message="all there")]),
        about_changes=(),
        placement=APART,
        work_left=WorkLeft(done=True, seconds=0.2, limit_s=30.0),
        cpu_course=CpuCourse((0.2,) * SECONDS),
    )


def check(judged: PointEvidence, name: str) -> Check:
    return next(c for c in judge_point(judged).checks if c.name == name)


def with_window(**changes: object) -> PointEvidence:
    return dataclasses.replace(evidence(), window=dataclasses.replace(window(), **changes))  # type: ignore[arg-type]


def test_a_good_point_is_valid_with_everything_but_conformance_passed() -> None:
    verdict = judge_point(evidence())
    assert verdict.valid
    assert verdict.reasons == []
    assert {c.name for c in verdict.checks if c.outcome is not Outcome.PASSED} == {"conformance"}
    assert verdict.little_tps == pytest.approx(TPS)
    assert verdict.throughput_tps == pytest.approx(TPS)


def test_a_rate_whose_arrivals_never_began_is_outside_every_limit() -> None:
    assert Limits().seen(100.0, judge_point(LATE)).failing
    assert not Limits().seen(100.0, judge_point(dataclasses.replace(evidence(), open_model=True))).failing
    assert "arrivals" not in {c.name for c in judge_point(evidence()).checks}


ONE_ERROR = {"total": figures(2000, 1), "errors_by_kind": {"status": 1}}
BROKEN = AuditFinding(rule="money", outcome=Outcome.FAILED, message="12.00 too much", count=1)

LATE = dataclasses.replace(with_window(missed=7, waited=9), open_model=True)

FAULTS = {
    "arrivals": (LATE, "7 never began and 9 had to wait for a free user"),
    "errors": (with_window(**ONE_ERROR), "1 of 2,001 (0.050 %): status 1"),
    "audit": (dataclasses.replace(evidence(), audit=Audit(passed=False, findings=[BROKEN])), "money: 12.00 too much"),
    "driver CPU": (driver_that(RuleName.THREAD_CPU), "0.5 of it; so be it (limit: 0.4 of it)"),
    "driver pace": (driver_that(RuleName.LATENESS_P50), "0.5 of it"),
    "Little's law": (driver_that(RuleName.LITTLES_LAW), "0.5 of it"),
    "mix": (driver_that(RuleName.MIX), "0.5 of it"),
    "local ports": (driver_that(RuleName.LOCAL_PORTS), "0.5 of it"),
    "driver": (dataclasses.replace(evidence(), self_audit=None), "did not report whether it was the limit"),
    "drained": (
        dataclasses.replace(evidence(), work_left=WorkLeft(done=False, seconds=30.1, limit_s=30.0)),
        "work was left 30.1 s after the driver's end",
    ),
    "exclusive": (
        dataclasses.replace(evidence(), other_runs=(4711,)),
        "another run measured at the same time (pid 4711)",
    ),
    "settings": (dataclasses.replace(evidence(), about_changes=("web: orders was sync, is async-queue",)), "is async"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_condition_fails_on_its_own_and_is_the_reason(name: str) -> None:
    judged, message = FAULTS[name]
    verdict = judge_point(judged)
    assert {c.name for c in verdict.checks if c.outcome is Outcome.FAILED} == {name}
    assert not verdict.valid
    assert verdict.reasons[0].startswith(f"{name}: ")
    assert message in verdict.reasons[0]


@pytest.mark.parametrize(
    ("rule", "name"), [(RuleName.LATENESS_P99, "driver lateness"), (RuleName.RECEIVE_LAG_P99, "receive lag")]
)
def test_what_the_driver_adds_to_response_times_forbids_ranking_these_alone(rule: RuleName, name: str) -> None:
    verdict = judge_point(driver_that(rule))
    assert {c.name for c in verdict.checks if c.outcome is Outcome.FAILED} == {name}
    assert (verdict.valid, verdict.times_valid, verdict.reasons) == (True, False, [])
    assert judge_point(evidence()).times_valid


def test_what_forbids_everything_forbids_response_times_too() -> None:
    assert not judge_point(FAULTS["mix"][0]).times_valid


def test_a_window_that_drifts_counts_and_shows_it() -> None:
    drifting = course(*range(150, 250, 10))
    cost = CpuCourse(tuple(0.001 * c.count * (2 - n / 20) for n, c in enumerate(drifting)))
    judged = dataclasses.replace(with_window(course=drifting), cpu_course=cost)
    assert judge_point(judged).valid
    assert check(judged, "throughput drift").message.startswith("+51.3 % over the window")
    assert check(judged, "CPU-cost drift").message.startswith("-")


def test_disturbances_are_in_the_verdict_and_no_condition() -> None:
    stolen = Disturbance(witness="steal", found=0.4, limit=0.01, text="a hypervisor took 40 %")
    verdict = judge_point(dataclasses.replace(evidence(), disturbances=(stolen,)))
    assert (verdict.valid, verdict.disturbances) == (True, (stolen,))


def test_a_check_has_its_number_and_its_limit_beside_the_text() -> None:
    found = check(FAULTS["errors"][0], "errors")
    assert found.found == pytest.approx(1 / 2001)
    assert found.limit == 0.0001
    assert (check(FAULTS["drained"][0], "drained").found, check(FAULTS["drained"][0], "drained").limit) == (30.1, 30.0)
    assert check(FAULTS["exclusive"][0], "exclusive").found == 1


def test_without_a_database_there_is_nothing_to_audit() -> None:
    nothing = check(dataclasses.replace(evidence(), audit=Audit(passed=True, findings=[])), "audit")
    assert (nothing.outcome, nothing.message) == (Outcome.PASSED, "no database: nothing to audit")


def test_errors_must_stay_below_one_in_ten_thousand() -> None:
    assert check(with_window(total=figures(9_999, 1)), "errors").outcome is Outcome.FAILED
    assert check(with_window(total=figures(10_000, 1)), "errors").outcome is Outcome.PASSED


def test_what_found_no_local_port_is_no_error_of_the_servers() -> None:
    kinds = {"local_ports": 300, "status": 1}
    found = judge_point(with_window(total=figures(20_000, 301), errors_by_kind=kinds))
    errors = next(c for c in found.checks if c.name == "errors")
    assert (errors.outcome, errors.message) == (Outcome.PASSED, "1 of 20,001 (0.005 %): status 1")
    assert not Limits().seen(100.0, found).failing
    assert Limits(errors=1 / 20_001).seen(100.0, found).failing


def test_a_window_without_a_transaction_fails() -> None:
    verdict = judge_point(with_window(transactions={}, total=figures(0)))
    assert {"errors"} == {c.name for c in verdict.checks if c.outcome is Outcome.FAILED}


def test_a_point_that_was_not_audited_does_not_count() -> None:
    assert not judge_point(dataclasses.replace(evidence(), audit=None)).valid


def test_late_percentiles_on_shared_cpus_are_shown_and_leave_the_point_valid() -> None:
    late = dataclasses.replace(driver_that(RuleName.LATENESS_P99), placement=Placement())
    found = check(late, "driver lateness")
    assert found.outcome is Outcome.NOT_CHECKED
    assert "0.5 of it, over the limit; so be it; not judged: the driver shares its CPUs" in found.message
    assert found.reason == "the driver shares its CPUs, so that percentiles are not ranked"
    assert judge_point(late).valid


def test_a_driver_that_shares_cpus_with_the_database_only_is_forgiven_late_percentiles() -> None:
    shares = APART.model_copy(update={"driver_shares": True})
    verdict = judge_point(dataclasses.replace(driver_that(RuleName.LATENESS_P99), placement=shares))
    assert verdict.valid
    assert not verdict.shared_cpus


def test_a_tier_that_was_not_on_its_own_cpus_makes_the_point_invalid() -> None:
    moved = dataclasses.replace(
        evidence(), observed_affinity=ObservedAffinity(("web can use CPU 0-3, not 2-3",), ("reverse-proxy",))
    )
    assert judge_point(moved).reasons == [
        "placement: web can use CPU 0-3, not 2-3 (limit: each role on its own, before and after)"
    ]


def test_a_tier_that_was_not_observed_leaves_the_placement_unchecked() -> None:
    not_observed = dataclasses.replace(evidence(), observed_affinity=ObservedAffinity((), ("driver", "web")))
    found = check(not_observed, "placement")
    assert (found.outcome, found.message) == (
        Outcome.NOT_CHECKED,
        "the CPUs of driver and web were not observed",
    )


def test_where_nothing_is_pinned_placement_is_not_checked_with_the_reason() -> None:
    found = check(dataclasses.replace(evidence(), placement=Placement(note="this system cannot")), "placement")
    assert (found.outcome, found.message) == (Outcome.NOT_CHECKED, "nothing is pinned: this system cannot")


def test_a_rule_of_a_newer_driver_counts_under_its_own_name() -> None:
    newer = DriverRule(
        rule="core_hopping", outcome=RuleOutcome.FAILED, found=2, limit=1, message="2 hops (limit: 1 hop)"
    )
    judged = dataclasses.replace(evidence(), self_audit=self_audit().model_copy(update={"rules": [newer]}))
    assert judge_point(judged).reasons == ["core hopping: 2 hops (limit: 1 hop)"]


def test_where_littles_law_does_not_hold_no_throughput_is_expected() -> None:
    message = "no think times"
    unchecked = DriverRule(
        rule=RuleName.LITTLES_LAW, outcome=RuleOutcome.NOT_CHECKED, found=None, limit=None, message=message
    )
    audit = self_audit().model_copy(update={"rules": [unchecked]})
    judged = dataclasses.replace(evidence(), self_audit=audit)
    assert judge_point(judged).little_tps is None
    assert check(judged, "Little's law").outcome is Outcome.NOT_CHECKED
    assert check(judged, "Little's law").message == message
    assert judge_point(judged).valid


def test_a_noisy_course_without_a_trend_has_no_drift_and_three_seconds_are_too_few_to_tell() -> None:
    noisy = check(with_window(course=course(120, 280, 140, 260, 130, 270, 150, 250, 140, 260)), "throughput drift")
    assert noisy.outcome is Outcome.PASSED
    assert check(with_window(course=course(100, 200, 300)), "throughput drift").outcome is Outcome.NOT_CHECKED


def test_seconds_outside_the_window_do_not_count_for_the_drift() -> None:
    ramp = tuple(dataclasses.replace(c, phase=PhaseName.RAMP) for c in course(0, 50, 100, 150))
    assert check(with_window(course=(*ramp, *course(*[200] * 8))), "throughput drift").message.startswith("+0.0 %")


def test_settings_that_were_not_compared_are_not_checked() -> None:
    assert check(dataclasses.replace(evidence(), about_changes=None), "settings").outcome is Outcome.NOT_CHECKED
