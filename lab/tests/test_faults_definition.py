"""Faults as they are asked for: on the command line, in an experiment, and whom they may strike."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from middlemark.duration import Duration
from middlemark.errors import InputError, TargetError
from middlemark.experiment.bench import PointOrder
from middlemark.experiment.definition import read_experiment
from middlemark.experiment.faults import Striking
from middlemark.experiment.faults_definition import (
    FaultKind,
    FaultPoints,
    WantedFault,
    check_carried,
    parse_fault,
    points_with_faults,
)
from middlemark.experiment.options import RunOptions, apply
from middlemark.experiment.preparation import prepare
from middlemark.experiment.schedule import schedule_faults
from middlemark.processes.ending import Part
from middlemark.processes.guard import guard
from middlemark.processes.process import ProcessSpec, running
from middlemark.records.faults import Fault
from middlemark.records.point import Audit, Outcome, Reconciled
from middlemark.records.run import Combination, Phases
from middlemark.verdict.faults import faults_check

ROOT = Path(__file__).parents[2]
FILE = "spec: brokerage\nscale: tiny\nsubjects: [go]\nloads: {users: [1, 5]}\nsession: brokerage\n"
PHASES = Phases(warm=0, ramp=2, settle=1, measure=10, drain=10)


def combination(**modes: str) -> Combination:
    path = "go/" + ",".join(f"{mode}={value}" for mode, value in modes.items())
    return Combination(subject="go", modes=modes, label=path, path=path)


SYNC, QUEUE = combination(binding="json", orders="sync"), combination(binding="json", orders="async-queue")


def order(*faults: WantedFault, repeat: int = 0) -> PointOrder:
    return PointOrder(index=0, combination=SYNC, load=5, repeat=repeat, iteration_s=1.0, faults=faults)


def test_a_fault_of_the_command_line_is_a_kind_and_a_time() -> None:
    assert parse_fault("kill-web@8s") == WantedFault(FaultKind.KILL_WEB, Duration.of_seconds(8))
    assert str(parse_fault("freeze-database@1500ms")) == "freeze-database@1.5s"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kill-wep@8s", "'kill-wep' is no fault. Did you mean 'kill-web'"),
        ("kill-web", "kill-web@8s"),
        ("kill-web@soon", "a fault needs a time"),
        ("@8s", "'' is no fault"),
    ],
)
def test_anything_else_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_fault(text)


def test_all_faults_of_the_command_line_strike_one_point_of_each_combination() -> None:
    asked = (parse_fault("kill-web@3s"), parse_fault("kill-database@5s"))

    points = points_with_faults([SYNC, QUEUE], asked, [FaultPoints(kinds=(FaultKind.KILL_WEB,), points=9)])

    assert points == {SYNC.path: (asked,), QUEUE.path: (asked,)}


def test_each_fault_of_an_experiment_has_points_of_its_own_in_the_combinations_it_names() -> None:
    written = [
        FaultPoints(kinds=(FaultKind.KILL_WEB, FaultKind.KILL_DATABASE), points=2, modes={"orders": "sync"}),
        FaultPoints(kinds=(FaultKind.KILL_PROCESSOR,), points=3, modes={"orders": "async-queue"}),
    ]

    points = points_with_faults([SYNC, QUEUE], (), written)

    kinds = {path: [str(fault) for point in faults for fault in point] for path, faults in points.items()}
    assert kinds == {
        SYNC.path: ["kill-web", "kill-web", "kill-database", "kill-database"],
        QUEUE.path: ["kill-processor"] * 3,
    }
    servings = schedule_faults([SYNC, QUEUE], 5, points)
    assert [len(serving.points) for serving in servings] == [4, 3]
    assert {load for serving in servings for load, _, _ in serving.points} == {5}


def test_faults_for_combinations_that_are_not_there_are_refused() -> None:
    written = [FaultPoints(kinds=(FaultKind.KILL_WEB,), modes={"orders": "async-xa"})]

    with pytest.raises(InputError, match="no combination has the modes"):
        points_with_faults([SYNC], (), written)


def test_a_role_that_nobody_carries_is_wrong_input() -> None:
    points = {SYNC.path: ((parse_fault("kill-processor@3s"),),)}

    with pytest.raises(InputError, match="kill-processor strikes nobody: there is no processor in go/binding=json"):
        check_carried(points, {SYNC.path: SYNC.modes}, own_database=False)


def test_a_database_that_is_the_users_is_not_struck() -> None:
    points = {SYNC.path: ((parse_fault("freeze-database@3s"),),)}

    with pytest.raises(InputError, match="not Middlemark's"):
        check_carried(points, {SYNC.path: SYNC.modes}, own_database=True)


def test_with_faults_only_the_highest_load_is_played_and_blocks_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "short.yaml"
    file.write_text(FILE, encoding="utf-8")
    faults = (parse_fault("kill-web@3s"),)

    assert apply(RunOptions(faults=faults, users=(3, 7)), read_experiment(file)).loads.users == (7,)
    with pytest.raises(InputError, match="--repeats: a run with faults has no blocks"):
        apply(RunOptions(faults=faults, repeats=3), read_experiment(file))


def test_an_unknown_kind_in_an_experiment_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "short.yaml"
    file.write_text(FILE + "faults:\n  - kinds: [kill-everything]\n", encoding="utf-8")

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

    assert [len(serving.points) for serving in preparation.servings] == points
    assert preparation.budget_s < minutes * 60


def test_seeded_moments_lie_inside_the_window_and_are_the_same_again() -> None:
    def moments(seed: int) -> list[float]:
        faults = [Striking(order(WantedFault(FaultKind.KILL_WEB), repeat=n), PHASES, seed).faults for n in range(30)]
        return [fault.planned_s for (fault,) in faults]

    assert moments(1) == moments(1) != moments(2)
    assert len(set(moments(1))) == 30
    assert all(3 < moment < 13 for moment in moments(1))


def test_a_fault_whose_turn_comes_after_the_load_does_not_strike() -> None:
    nobody: Any = None
    striking = Striking(order(WantedFault(FaultKind.KILL_WEB, Duration.of_seconds(5))), PHASES, 1)

    striking.on_start(nobody, nobody, lambda: 13.0)

    deadline = time.monotonic() + 10
    while not striking.faults[0].problem:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    striking.finish()
    (fault,) = striking.faults
    assert (fault.struck_s, fault.done) == (None, False)
    assert "the load had ended (at 13.0 s)" in fault.problem


def test_a_process_that_had_ended_by_itself_is_neither_struck_nor_restarted(tmp_path: Path) -> None:
    striking = Striking(order(WantedFault(FaultKind.KILL_WEB, Duration.of_seconds(0))), PHASES, 1)
    spec = ProcessSpec("go web", Part.WEB, ("sh", "-c", "exit 3"), tmp_path, tmp_path / "log")
    with guard(tmp_path / "runtime") as watch, running(spec, watch) as process:
        process.wait()
        target: Any = SimpleNamespace(carrying=lambda _: (process,))
        bench: Any = None
        striking.on_start(target, bench, lambda: 1.0)
        deadline = time.monotonic() + 10
        while not striking.faults[0].problem:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        with pytest.raises(TargetError, match="go web ended with 3"):
            striking.finish()
        assert process.died(), "it was not restarted"
    (fault,) = striking.faults
    assert (fault.struck_s, fault.done) == (None, False)


def _audit(confirmed: int, *, by_name: bool = True) -> Audit:
    numbers = Reconciled(
        order=True, by_name=by_name, confirmed=confirmed, found=confirmed, unanswered=0, unanswered_done=0,
        invalid=0, invalid_done=0, lost=0, doubled=0,
    )  # fmt: skip
    return Audit(passed=True, findings=[], reconciled={"buy": numbers})


STRUCK = Fault(kind="kill-web", planned_s=5, victim="go web", struck_s=5.1, ready_s=5.4)


@pytest.mark.parametrize(
    ("fault", "audit", "said"),
    [
        (STRUCK.model_copy(update={"struck_s": None, "ready_s": None}), _audit(7), "it never struck"),
        (STRUCK.model_copy(update={"ready_s": None}), _audit(7), "not everything worked again"),
        (STRUCK.model_copy(update={"problem": "the load had ended"}), _audit(7), "the load had ended"),
        (STRUCK, _audit(0), "no order was confirmed: nothing is proven"),
        (STRUCK, _audit(7, by_name=False), "would cancel"),
    ],
)
def test_a_fault_that_proves_nothing_does_not_count(fault: Fault, audit: Audit, said: str) -> None:
    check = faults_check([fault], audit)

    assert check.outcome is Outcome.FAILED
    assert said in check.value


def test_a_fault_that_struck_and_was_mended_counts() -> None:
    assert faults_check([STRUCK], _audit(7)).outcome is Outcome.PASSED
