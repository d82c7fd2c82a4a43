"""Every condition of a valid window can fail, and says what was found."""

from __future__ import annotations

import dataclasses
import json

import pytest

from middlemark.experiment.loads import Limits
from middlemark.judge.window import LoadRead, RawWindow, compiler_share, judge_window
from middlemark.records.driver_lines import DriverRule, PhaseName, RuleName, SelfAudit, Times, parse_line
from middlemark.records.placement import Placement
from middlemark.records.point import Audit, AuditFinding, Evidence, ObservedAffinity, Outcome, Point, WorkLeft
from middlemark.records.run_parts import Fault
from middlemark.records.samples import Disturbance
from middlemark.records.window import Check, TierFigures, TransactionFigures, Window
from middlemark.verdict.drift import CpuCourse
from middlemark.workload.course import Course
from middlemark.workload.window import DriverWindow, WindowFigures

USERS, THINK_MS, MEAN_MS = 50, 200.0, 50.0
# Little: 50 users / 0.25 s.
TPS = 200.0
SECONDS = 10


def figures(count: int, errors: int = 0) -> TransactionFigures:
    others = dict.fromkeys(("sd_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms"), 10.0)
    return TransactionFigures(count=count, errors=errors, tps=count / SECONDS, mean_ms=MEAN_MS, **others)


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


def rule(name: RuleName, outcome: Outcome = Outcome.PASSED) -> DriverRule:
    return DriverRule(
        rule=name, outcome=outcome, found=0.5, limit=0.4, message="0.5 of it (limit: 0.4 of it); so be it"
    )


def self_audit(failed: RuleName | None = None) -> SelfAudit:
    """Return how a driver judges itself whose rules all hold but one, as it comes out of the driver's file."""
    outcomes = {name: Outcome.FAILED if name is failed else Outcome.PASSED for name in RuleName}
    audit = SelfAudit(
        v=1,
        t_ns=1,
        type="self_audit",
        users=USERS,
        think_mean_ms=THINK_MS,
        response_ms=Times(count=2000, mean=MEAN_MS, p50=45, p99=100, max=150),
        rules=[rule(name, outcome) for name, outcome in outcomes.items()],
    )
    return SelfAudit.model_validate_json(audit.model_dump_json())


APART = Placement(cpus={"driver": (0,), "database": (1,), "sut": (2, 3)}, shared=False, driver_shares=False)
WEB = TierFigures(cpu_s=2, cpu_share=0.2, cpu_ms_per_transaction=1, memory_mean_mib=9, memory_max_mib=9)
POINT = Point(
    index=0, combination="go/x", load=USERS, repeat=0, started="2026-11-20T08:00:00Z", seed=1, plan_sha256="0" * 64,
    expected_iteration_s=1.0, window_s=float(SECONDS), users=USERS, about={},
)  # fmt: skip
OPEN = POINT.model_copy(update={"open_model": True})
GOOD = Evidence(about_changes=(), work_left=WorkLeft(done=True, seconds=0.2, limit_s=30.0))
PASSED = Audit(passed=True, findings=[AuditFinding(rule="orders", outcome=Outcome.PASSED, message="all there")])


def load() -> LoadRead:
    cpu = CpuCourse((0.2,) * SECONDS)
    return LoadRead(window(), self_audit(), tiers={"web": WEB}, cpu=cpu)


def raw(**changes: object) -> RawWindow:
    """A good window, but for its changes."""
    good = RawWindow(point=POINT, evidence=GOOD, placement=APART, load=load(), audit=PASSED)
    return dataclasses.replace(good, **changes)  # type: ignore[arg-type]


def with_load(**changes: object) -> RawWindow:
    return raw(load=dataclasses.replace(load(), **changes))  # type: ignore[arg-type]


def with_window(**changes: object) -> RawWindow:
    return with_load(window=dataclasses.replace(window(), **changes))  # type: ignore[arg-type]


def with_evidence(**changes: object) -> RawWindow:
    return raw(evidence=GOOD.model_copy(update=changes))


def driver_that(failed: RuleName) -> RawWindow:
    return with_load(self_audit=self_audit(failed))


def judged(one: RawWindow) -> Window:
    return judge_window(one, "go/x/50/0")


def check(one: RawWindow, name: str) -> Check:
    return next(c for c in judged(one).checks if c.name == name)


def test_a_good_window_is_valid_with_everything_but_conformance_passed() -> None:
    found = judged(raw())
    assert found.valid
    assert found.reasons == []
    assert {c.name for c in found.checks if c.outcome is not Outcome.PASSED} == {"conformance"}
    assert found.little_tps == pytest.approx(TPS)
    assert found.throughput_tps == pytest.approx(TPS)


def test_a_rate_whose_arrivals_never_began_is_outside_every_limit() -> None:
    assert Limits().seen(judged(LATE)).failing
    assert not Limits().seen(judged(raw(point=OPEN))).failing
    assert "arrivals" not in {c.name for c in judged(raw()).checks}


ONE_ERROR = {"total": figures(2000, 1), "errors_by_kind": {"status": 1}}
BROKEN = AuditFinding(rule="money", outcome=Outcome.FAILED, message="12.00 too much", count=1)

LATE = dataclasses.replace(with_window(missed=7, waited=9), point=OPEN)

FAULTS = {
    "arrivals": (LATE, "7 never began and 9 had to wait for a free user"),
    "errors": (with_window(**ONE_ERROR), "1 of 2,001 (0.050 %): status 1"),
    "audit": (raw(audit=Audit(passed=False, findings=[BROKEN])), "money: 12.00 too much"),
    "driver CPU": (driver_that(RuleName.THREAD_CPU), "0.5 of it; so be it (limit: 0.4 of it)"),
    "driver pace": (driver_that(RuleName.LATENESS_P50), "0.5 of it"),
    "Little's law": (driver_that(RuleName.LITTLES_LAW), "0.5 of it; so be it; give more users a longer think time"),
    "mix": (driver_that(RuleName.MIX), "0.5 of it"),
    "local ports": (driver_that(RuleName.LOCAL_PORTS), "0.5 of it"),
    "driver": (with_load(self_audit=None), "did not report whether it was the limit"),
    "drained": (
        with_evidence(work_left=WorkLeft(done=False, seconds=30.1, limit_s=30.0)),
        "work was left 30.1 s after the driver's end",
    ),
    "exclusive": (
        with_evidence(other_runs=(4711,)),
        "another run measured at the same time (pid 4711)",
    ),
    "settings": (with_evidence(about_changes=("web: orders was sync, is async-queue",)), "is async"),
}


def test_the_first_check_that_failed_is_named_with_its_request_and_response() -> None:
    line = {
        "v": 1,
        "t_ns": 1,
        "type": "failed_check",
        "user": 1,
        "iteration": 2,
        "step": "price",
        "transaction": "price",
    }
    more = {"request": "GET /price?item=77", "expected": ">249<", "status": 200, "variables": {}}
    seen = [
        parse_line(json.dumps({**line, **more, "kind": kind, "body": body}).encode())
        for kind, body in (("length", "of the ramp"), ("status", "<p>250\n</p>"), ("status", "the second"))
    ]
    found = judged(with_load(window=dataclasses.replace(window(), **ONE_ERROR), failed_checks=seen))  # type: ignore[arg-type]
    assert found.reasons[0] == (
        "errors: 1 of 2,001 (0.050 %): status 1; the first status: GET /price?item=77 (step price): "
        "expected >249<, found status 200: <p>250 </p> (limit: < 0.01 %)"
    )


@pytest.mark.parametrize("name", FAULTS)
def test_each_condition_fails_on_its_own_and_is_the_reason(name: str) -> None:
    broken, message = FAULTS[name]
    found = judged(broken)
    assert {c.name for c in found.checks if c.outcome is Outcome.FAILED} == {name}
    assert not found.valid
    assert found.reasons[0].startswith(f"{name}: ")
    assert message in found.reasons[0]


@pytest.mark.parametrize(
    ("rule", "name"), [(RuleName.LATENESS_P99, "driver lateness"), (RuleName.RECEIVE_LAG_P99, "receive lag")]
)
def test_what_the_driver_adds_to_response_times_forbids_ranking_these_alone(rule: RuleName, name: str) -> None:
    found = judged(driver_that(rule))
    assert {c.name for c in found.checks if c.outcome is Outcome.FAILED} == {name}
    assert (found.valid, found.times_valid, found.reasons) == (True, False, [])
    assert judged(raw()).times_valid


def test_what_forbids_everything_forbids_response_times_too() -> None:
    assert not judged(FAULTS["mix"][0]).times_valid


def test_a_window_that_drifts_counts_and_shows_it() -> None:
    drifting = course(*range(150, 250, 10))
    cost = CpuCourse(tuple(0.001 * c.count * (2 - n / 20) for n, c in enumerate(drifting)))
    one = with_window(course=drifting)
    one = dataclasses.replace(one, load=dataclasses.replace(one.load, cpu=cost))
    assert judged(one).valid
    assert check(one, "throughput drift").message.startswith("+51.3 % over the window")
    assert check(one, "CPU-cost drift").message.startswith("-")


def test_disturbances_are_in_the_window_and_no_condition() -> None:
    stolen = Disturbance(witness="steal", found=0.4, limit=0.01, text="a hypervisor took 40 %")
    found = judged(with_load(disturbances=(stolen,)))
    assert (found.valid, found.disturbances) == (True, (stolen,))


def test_a_check_has_its_number_and_its_limit_beside_the_text() -> None:
    found = check(FAULTS["errors"][0], "errors")
    assert found.found == pytest.approx(1 / 2001)
    assert found.limit == 0.0001
    assert (check(FAULTS["drained"][0], "drained").found, check(FAULTS["drained"][0], "drained").limit) == (30.1, 30.0)
    assert check(FAULTS["exclusive"][0], "exclusive").found == 1


def test_without_a_database_there_is_nothing_to_audit() -> None:
    nothing = check(raw(audit=Audit(passed=True, findings=[])), "audit")
    assert (nothing.outcome, nothing.message) == (Outcome.PASSED, "no database: nothing to audit")


def test_errors_must_stay_below_one_in_ten_thousand() -> None:
    assert check(with_window(total=figures(9_999, 1)), "errors").outcome is Outcome.FAILED
    assert check(with_window(total=figures(10_000, 1)), "errors").outcome is Outcome.PASSED


def test_what_found_no_local_port_is_no_error_of_the_servers() -> None:
    kinds = {"local_ports": 300, "status": 1}
    found = judged(with_window(total=figures(20_000, 301), errors_by_kind=kinds))
    errors = next(c for c in found.checks if c.name == "errors")
    assert (errors.outcome, errors.message) == (Outcome.PASSED, "1 of 20,001 (0.005 %): status 1")
    assert not Limits().seen(found).failing
    assert Limits(errors=1 / 20_001).seen(found).failing


def test_a_window_without_a_transaction_fails() -> None:
    found = judged(with_window(transactions={}, total=figures(0)))
    assert {"errors"} == {c.name for c in found.checks if c.outcome is Outcome.FAILED}


def test_a_point_that_was_not_audited_does_not_count() -> None:
    assert not judged(raw(audit=None)).valid


def test_late_percentiles_on_shared_cpus_are_shown_and_leave_the_point_valid() -> None:
    late = dataclasses.replace(driver_that(RuleName.LATENESS_P99), placement=Placement())
    found = check(late, "driver lateness")
    assert found.outcome is Outcome.NOT_CHECKED
    assert "0.5 of it, over the limit; so be it; not judged: the driver shares its CPUs" in found.message
    assert found.reason == "the driver shares its CPUs, so that percentiles are not ranked"
    assert judged(late).valid


def test_a_driver_that_shares_cpus_with_the_database_only_is_forgiven_late_percentiles() -> None:
    shares = APART.model_copy(update={"driver_shares": True})
    found = judged(dataclasses.replace(driver_that(RuleName.LATENESS_P99), placement=shares))
    assert found.valid


def test_a_tier_that_was_not_on_its_own_cpus_makes_the_point_invalid() -> None:
    moved = with_evidence(
        affinity=ObservedAffinity(misplaced=("web can use CPU 0-3, not 2-3",), not_observed=("reverse-proxy",))
    )
    assert judged(moved).reasons == [
        "placement: web can use CPU 0-3, not 2-3 (limit: each role on its own, before and after)"
    ]


def test_a_tier_that_was_not_observed_leaves_the_placement_unchecked() -> None:
    not_observed = with_evidence(affinity=ObservedAffinity(not_observed=("driver", "web")))
    found = check(not_observed, "placement")
    assert (found.outcome, found.message) == (
        Outcome.NOT_CHECKED,
        "the CPUs of driver and web were not observed",
    )


def test_where_nothing_is_pinned_placement_is_not_checked_with_the_reason() -> None:
    found = check(raw(placement=Placement(note="this system cannot")), "placement")
    assert (found.outcome, found.message) == (Outcome.NOT_CHECKED, "nothing is pinned: this system cannot")


def test_a_rule_of_a_newer_driver_counts_under_its_own_name() -> None:
    newer = DriverRule(rule="core_hopping", outcome=Outcome.FAILED, found=2, limit=1, message="2 hops (limit: 1 hop)")
    one = with_load(self_audit=self_audit().model_copy(update={"rules": [newer]}))
    assert judged(one).reasons == ["core hopping: 2 hops (limit: 1 hop)"]


def test_where_littles_law_does_not_hold_no_throughput_is_expected() -> None:
    message = "no think times"
    unchecked = DriverRule(
        rule=RuleName.LITTLES_LAW, outcome=Outcome.NOT_CHECKED, found=None, limit=None, message=message
    )
    audit = self_audit().model_copy(update={"rules": [unchecked]})
    one = with_load(self_audit=audit)
    assert judged(one).little_tps is None
    assert check(one, "Little's law").outcome is Outcome.NOT_CHECKED
    assert check(one, "Little's law").message == message
    assert judged(one).valid


def test_a_noisy_course_without_a_trend_has_no_drift_and_three_seconds_are_too_few_to_tell() -> None:
    noisy = check(with_window(course=course(120, 280, 140, 260, 130, 270, 150, 250, 140, 260)), "throughput drift")
    assert noisy.outcome is Outcome.PASSED
    assert check(with_window(course=course(100, 200, 300)), "throughput drift").outcome is Outcome.NOT_CHECKED


def test_seconds_outside_the_window_do_not_count_for_the_drift() -> None:
    ramp = tuple(dataclasses.replace(c, phase=PhaseName.RAMP) for c in course(0, 50, 100, 150))
    assert check(with_window(course=(*ramp, *course(*[200] * 8))), "throughput drift").message.startswith("+0.0 %")


def test_settings_that_were_not_compared_are_not_checked() -> None:
    assert check(with_evidence(about_changes=None), "settings").outcome is Outcome.NOT_CHECKED


def test_the_compilers_share_is_that_of_all_tiers_of_the_platform() -> None:
    none = dict.fromkeys(("services", "driver", "database"), WEB)
    compiling = WEB.model_copy(update={"compiler_s": 0.5 * WEB.cpu_s})
    assert compiler_share(none | {"web": compiling}) == pytest.approx(0.25)
    assert compiler_share(none) is None
    assert judged(with_load(tiers={"web": compiling})).compiler_share == pytest.approx(0.5)


def test_with_faults_what_they_disturb_is_not_applied_and_no_tier_is_known() -> None:
    fault = Fault(kind="kill", planned_s=1, target="web", injected_s=1, ready_s=2)
    found = judged(dataclasses.replace(FAULTS["errors"][0], faults=(fault,)))
    assert (found.valid, found.tiers, found.limit, found.cpu_course) == (True, {}, None, ())
    (errors,) = (one for one in found.checks if one.name == "errors")
    assert (errors.outcome, errors.message) == (
        Outcome.NOT_CHECKED, "1 of 2,001 (0.050 %): status 1; not applied with faults",
    )  # fmt: skip
    assert not judged(dataclasses.replace(FAULTS["audit"][0], faults=(fault,))).valid
    assert not judged(raw(faults=(fault.model_copy(update={"injected_s": None}),))).valid


def test_what_a_session_counts_is_the_throughput_and_nothing_else() -> None:
    found = judged(raw(point=POINT.model_copy(update={"counted": ("buy",)})))
    assert found.throughput_tps == pytest.approx(TPS / 4)
    assert found.total.tps == pytest.approx(TPS)
    assert found.little_tps == pytest.approx(TPS)
    assert found.under_way == pytest.approx(TPS * MEAN_MS / 1000)
    assert found.valid
