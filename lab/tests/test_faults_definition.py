"""Faults as they are requested, on the command line and in an experiment, and their targets."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from middlemark.duration import Duration
from middlemark.errors import InputError, TargetError
from middlemark.experiment.combinations import Subjects
from middlemark.experiment.definition import RunOptions, apply, read_experiment
from middlemark.experiment.fault_injection import FaultInjection
from middlemark.experiment.faults_definition import (
    Action,
    FaultKind,
    FaultPoints,
    RequestedFault,
    check_roles,
    fault_kind,
    known_kinds,
    parse_fault,
    points_with_faults,
    problem_with_kind,
)
from middlemark.experiment.preparation import prepare
from middlemark.experiment.schedule import PointSpec, schedule_faults
from middlemark.processes.ending import Part
from middlemark.processes.process import ProcessSpec, running
from middlemark.processes.watchdog import watchdog
from middlemark.records.point import Audit, Outcome, Reconciled
from middlemark.records.run import Combination, Phases
from middlemark.records.run_parts import Fault, InDoubt
from middlemark.specification.specification import find_specification
from middlemark.subject.subject import find_subject
from middlemark.verdict.conditions import faults_check

ROOT = Path(__file__).parents[2]
FILE = "spec: brokerage\nscale: tiny\nsubjects: [go]\nloads: {users: [1, 5]}\nsessions: brokerage\n"
PHASES = Phases(warm=0, ramp=2, settle=1, measure=10, drain=10)


def combination(**modes: str) -> Combination:
    path = "go/" + ",".join(f"{mode}={value}" for mode, value in modes.items())
    return Combination(subject="go", modes=modes, label=path, path=path)


KILL_WEB = FaultKind(Action.KILL, "web")
SYNC, QUEUE = combination(binding="json", orders="sync"), combination(binding="json", orders="async-queue")


def point(*faults: RequestedFault, repeat: int = 0) -> PointSpec:
    return PointSpec(index=0, combination=SYNC, load=5, repeat=repeat, iteration_s=1.0, faults=faults)


def test_a_fault_of_the_command_line_is_a_kind_and_a_time() -> None:
    assert parse_fault("kill-web@8s") == RequestedFault(KILL_WEB, Duration.of_seconds(8))
    assert str(parse_fault("freeze-database@1500ms")) == "freeze-database@1.5s"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hit-web@8s", "'hit-web' is not a fault. Write it like kill-TIER"),
        ("kill-web", "kill-web@8s"),
        ("kill-web@soon", "a fault needs a time"),
        ("@8s", "'' is not a fault"),
    ],
)
def test_anything_else_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_fault(text)


def test_all_faults_of_the_command_line_are_injected_into_one_point_of_each_combination() -> None:
    requested = (parse_fault("kill-web@3s"), parse_fault("kill-database@5s"))

    points = points_with_faults([SYNC, QUEUE], requested, [FaultPoints(kinds=("kill-web",), points=9)])

    assert points == {SYNC.path: (requested,), QUEUE.path: (requested,)}


def test_each_fault_of_an_experiment_has_points_of_its_own_in_the_combinations_it_names() -> None:
    written = [
        FaultPoints(kinds=("kill-web", "kill-database"), points=2, modes={"orders": "sync"}),
        FaultPoints(kinds=("kill-processor",), points=3, modes={"orders": "async-queue"}),
    ]

    points = points_with_faults([SYNC, QUEUE], (), written)

    kinds = {path: [str(fault) for point in faults for fault in point] for path, faults in points.items()}
    assert kinds == {
        SYNC.path: ["kill-web", "kill-web", "kill-database", "kill-database"],
        QUEUE.path: ["kill-processor"] * 3,
    }
    assert [len(plan.faults) for plan in schedule_faults([SYNC, QUEUE], points)] == [4, 3]


def test_each_kind_is_injected_during_each_freeze_of_the_same_part() -> None:
    freezes = ("freeze-database.catalog", "freeze-database.orders")
    written = [FaultPoints(kinds=("kill-web", "kill-database"), during=freezes)]

    points = points_with_faults([SYNC], (), written)

    assert [str(fault) for point in points[SYNC.path] for fault in point] == [
        f"{kind} during {freeze}" for kind in ("kill-web", "kill-database") for freeze in freezes
    ]


def test_a_fault_during_a_freeze_has_one_text_everywhere() -> None:
    text = "kill-web during freeze-database.orders@8s"
    requested = parse_fault(text)

    assert requested.kind == FaultKind(Action.KILL, "web", during=FaultKind(Action.FREEZE, "database.orders"))
    assert str(requested) == text
    assert fault_kind(requested.planned.kind) == requested.kind


@pytest.mark.parametrize(
    ("spec", "kind", "problem"),
    [
        ("petstore", "kill-web during freeze-database.orders", ""),
        ("petstore", "kill-database during freeze-database.orders", ""),
        ("petstore", "kill-database.orders during freeze-database.orders", ""),
        ("brokerage", "kill-database during freeze-web", ""),
        ("petstore", "kill-web during freeze-database.order", "'freeze-database.order' is not a fault of petstore"),
        ("petstore", "kill-web during kill-database.orders", "is injected. Write freeze-database.orders"),
        ("petstore", "kill-web during freeze-database", ""),
        ("brokerage", "kill-web during freeze-database", ""),
        ("spice", "kill-web-server during freeze-web-server", "spice has no database, and so no transaction in doubt"),
        ("petstore", "freeze-database during freeze-database.orders", "can only be killed. Write kill-database"),
        ("petstore", "freeze-web during freeze-web", "can only be killed. Write kill-web"),
        ("petstore", "cut-database.orders during freeze-database.catalog", ""),
        ("petstore", "cut-database during freeze-database.catalog", "a frozen target can only be killed"),
        ("petstore", "cut-web", "'cut-web' is not a fault of petstore"),
        ("spice", "kill-database", "'kill-database' is not a fault of spice"),
    ],
)
def test_what_can_be_frozen_while_something_else_is_injected(spec: str, kind: str, problem: str) -> None:
    found = problem_with_kind(fault_kind(kind), find_specification(spec))

    assert problem in found if problem else not found


def test_faults_for_combinations_that_are_not_there_are_refused() -> None:
    written = [FaultPoints(kinds=("kill-web",), modes={"orders": "async-xa"})]

    with pytest.raises(InputError, match="no combination has the modes"):
        points_with_faults([SYNC], (), written)


def check(fault: str, *combinations: Combination, databases: dict[str, str] | None = None) -> None:
    """Refuse a fault without a target in one of the combinations."""
    subjects = Subjects(ROOT, {"go": find_subject(ROOT, "go", "brokerage")}, {})
    points = {one.path: ((parse_fault(fault),),) for one in combinations}
    check_roles(points, combinations, subjects, databases or {})


def test_a_role_that_no_process_has_is_wrong_input_and_what_to_set_is_named() -> None:
    check("kill-processor@3s", QUEUE)
    with pytest.raises(InputError, match="kill-processor: no process has the role processor in go/binding=json") as no:
        check("kill-processor@3s", QUEUE, SYNC)
    assert no.value.todo == "There is one with --set orders=async-queue"


def test_a_tier_inside_another_ones_process_has_that_process() -> None:
    check("freeze-services@3s", combination(binding="local"))


def test_a_database_that_is_the_users_own_is_no_target() -> None:
    check("freeze-database@3s", SYNC)
    with pytest.raises(InputError, match="freeze-database: this PostgreSQL is not Middlemark's own"):
        check("freeze-database@3s", SYNC, databases={"brokerage": "postgresql://a@b/c"})
    with pytest.raises(InputError, match="freeze-database: this PostgreSQL is not Middlemark's own"):
        check("kill-web during freeze-database@3s", SYNC, databases={"brokerage": "postgresql://a@b/c"})


def test_there_are_faults_for_every_tier_and_every_database_server() -> None:
    assert known_kinds(find_specification("brokerage")) == [
        *(f"{action}-{tier}" for tier in ("web", "services", "processor") for action in ("kill", "freeze")),
        *("kill-database", "freeze-database", "cut-database"),
    ]


def test_with_faults_only_the_highest_load_is_measured_and_blocks_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "short.yaml"
    file.write_text(FILE, encoding="utf-8")
    faults = (parse_fault("kill-web@3s"),)

    assert apply(RunOptions(faults=faults, users=(3, 7)), read_experiment(file)).loads.users == (7,)
    with pytest.raises(InputError, match="--rounds: a run with faults has no rounds"):
        apply(RunOptions(faults=faults, rounds=3), read_experiment(file))


def test_an_unknown_kind_in_an_experiment_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "short.yaml"
    file.write_text(FILE + "faults:\n  - kinds: [hit-everything]\n", encoding="utf-8")

    with pytest.raises(InputError, match=r"short\.yaml:7"):
        read_experiment(file)


@pytest.mark.parametrize(
    ("experiment", "points", "minutes"),
    [("brokerage-faults", [20, 30], 17), ("jakarta-faults", [4, 5, 4, 5, 3, 3], 30)],
)
def test_the_published_experiments_have_fifty_faults_and_twenty_four(
    experiment: str, points: list[int], minutes: int
) -> None:
    preparation = prepare(experiment, RunOptions())

    assert [len(plan.faults) for plan in preparation.plans] == points
    assert preparation.budget_s < minutes * 60


def test_seeded_moments_lie_inside_the_window_and_are_the_same_again() -> None:
    def moments(seed: int) -> list[float]:
        faults = [FaultInjection(point(RequestedFault(KILL_WEB), repeat=n), PHASES, seed).faults for n in range(30)]
        return [fault.planned_s for (fault,) in faults]

    assert moments(1) == moments(1) != moments(2)
    assert len(set(moments(1))) == 30
    assert all(3 < moment < 13 for moment in moments(1))


def await_problem(injection: FaultInjection) -> None:
    deadline = time.monotonic() + 10
    while not injection.faults[0].problem:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_fault_whose_turn_comes_after_the_load_is_not_injected() -> None:
    nothing: Any = None
    injection = FaultInjection(point(RequestedFault(KILL_WEB, Duration.of_seconds(5))), PHASES, 1)

    injection.on_start(nothing, lambda: 13.0)

    await_problem(injection)
    injection.finish()
    (fault,) = injection.faults
    assert (fault.injected_s, fault.done) == (None, False)
    assert "the load had ended (at 13.0 s)" in fault.problem


def test_a_process_that_had_ended_by_itself_is_neither_killed_nor_restarted(tmp_path: Path) -> None:
    injection = FaultInjection(point(RequestedFault(KILL_WEB, Duration.of_seconds(0))), PHASES, 1)
    spec = ProcessSpec("go web", Part.APPLICATION, ("sh", "-c", "exit 3"), tmp_path, tmp_path / "log")
    with watchdog(tmp_path / "runtime") as watch, running(spec, watch) as process:
        process.wait()
        subject: Any = SimpleNamespace(target=SimpleNamespace(carrying=lambda _: (process,)))
        injection.on_start(subject, lambda: 1.0)
        await_problem(injection)
        with pytest.raises(TargetError, match="go web ended with exit status 3"):
            injection.finish()
        assert process.died(), "it was not restarted"
    (fault,) = injection.faults
    assert (fault.injected_s, fault.done) == (None, False)


def test_the_record_of_a_run_has_faults_as_values() -> None:
    at, seeded = RequestedFault(KILL_WEB, Duration.of_seconds(8)), RequestedFault(KILL_WEB)

    assert [fault.planned.model_dump() for fault in (at, seeded)] == [
        {"kind": "kill-web", "at_s": 8.0},
        {"kind": "kill-web", "at_s": None},
    ]


def _audit(confirmed: int, *, by_name: bool = True) -> Audit:
    numbers = Reconciled(
        effect="order", by_name=by_name, confirmed=confirmed, found=confirmed, unanswered=0, unanswered_done=0,
        invalid=0, invalid_done=0, lost=0, doubled=0,
    )  # fmt: skip
    return Audit(passed=True, findings=[], reconciled={"buy": numbers}, effects=("order",))


INJECTED = Fault(kind="kill-web", planned_s=5, target="go web", injected_s=5.1, ready_s=5.4)
IN_DOUBT = InDoubt(database="orders", gid="a:1", xid=755, prepared_s=0.2)


@pytest.mark.parametrize(
    ("fault", "audit", "text"),
    [
        (INJECTED.model_copy(update={"injected_s": None, "ready_s": None}), _audit(7), "it was never injected"),
        (INJECTED.model_copy(update={"ready_s": None}), _audit(7), "not everything worked again"),
        (INJECTED.model_copy(update={"problem": "the load had ended"}), _audit(7), "the load had ended"),
        (INJECTED, _audit(0), "no order was confirmed: nothing is proven"),
        (INJECTED, _audit(7, by_name=False), "would cancel"),
        (
            INJECTED.model_copy(update={"in_doubt": (IN_DOUBT, IN_DOUBT.model_copy(update={"ended_s": 6.0}))}),
            _audit(7),
            "1 of 2 transactions in doubt still prepared at the end: a:1 (orders)",
        ),
    ],
)
def test_a_fault_that_proves_nothing_does_not_count(fault: Fault, audit: Audit, text: str) -> None:
    check = faults_check([fault], audit)

    assert check.outcome is Outcome.FAILED
    assert text in check.message


def test_a_fault_that_was_injected_and_after_which_all_worked_again_counts() -> None:
    assert faults_check([INJECTED], _audit(7)).outcome is Outcome.PASSED
