"""A subject that is kept: after which windows it starts anew, which are measured again, and which end the run.

And who starts anew with it: everything that runs on the same processes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from unittest.mock import MagicMock

import pytest
from synthetic_result import COMBINATIONS, write_synthetic

from middlemark.duration import Duration
from middlemark.errors import TargetError
from middlemark.experiment import kept_deployment, kept_subject
from middlemark.experiment.kept_deployment import KeptDeployment
from middlemark.experiment.kept_subject import KeptSubject
from middlemark.experiment.loads import LoadChooser, Loads
from middlemark.experiment.run_context import RunContext, RunningSubject
from middlemark.experiment.schedule import PointSpec
from middlemark.judge.result import read_measured
from middlemark.records.point import Outcome
from middlemark.records.run import Combination
from middlemark.records.samples import Disturbance
from middlemark.records.window import Check, Window
from middlemark.workload.think import Think

LOADS = (10, 30, 60)
EVERY_POINT = [[10, 30, 60]]
TWICE = [[10], [30, 60]]
STEAL = Disturbance(witness="steal", found=0.03, limit=0.01, text="3.0 % of its CPUs were stolen")


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Window:
    """Give a window whose conditions all passed."""
    found = read_measured(write_synthetic(tmp_path_factory.mktemp("result"))).rounds[0]
    names = ("drained", "audit", "errors", "settings", "conformance")
    checks = tuple(Check(name=name, outcome=Outcome.PASSED, message="", requirement="") for name in names)
    return found.model_copy(update={"checks": checks, "disturbances": ()})


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch) -> Measuring:
    """Give what measures a subject with given windows."""
    return Measuring(monkeypatch)


@pytest.mark.parametrize(
    "case",
    [
        ({"orders"}, "drained", Outcome.PASSED, EVERY_POINT),
        ({"orders"}, "drained", Outcome.FAILED, TWICE),
        ({"orders"}, "audit", Outcome.FAILED, TWICE),
        ({"orders"}, "audit", Outcome.NOT_CHECKED, TWICE),
        ({"orders"}, "errors", Outcome.FAILED, EVERY_POINT),
        (set(), "drained", Outcome.FAILED, EVERY_POINT),
    ],
)
def test_a_subject_with_queues_starts_anew_after_a_point_that_may_have_left_messages(
    measuring: Measuring, window: Window, case: tuple[set[str], str, Outcome, list[list[object]]]
) -> None:
    queues, condition, outcome, starts = case

    assert measuring.windows([_changed(window, condition, outcome), window, window], queues).starts == starts


def test_a_disturbed_window_is_measured_again_at_once_and_its_files_are_set_aside(
    measuring: Measuring, window: Window
) -> None:
    disturbed = window.model_copy(update={"disturbances": (STEAL,)})

    happened = measuring.windows([disturbed, window, window, window])

    assert happened.starts == [[10, 10, 30, 60]]
    assert happened.aside == ["replaced-0-1"]
    assert [one.disturbances for one in happened.counted] == [(), (), ()]


def test_in_a_search_only_what_can_mislead_it_is_measured_again(measuring: Measuring, window: Window) -> None:
    little = window.model_copy(update={"disturbances": (STEAL,)})
    much = window.model_copy(update={"disturbances": (STEAL, STEAL.model_copy(update={"found": 0.05}))})

    happened = measuring.windows([little, much, window, window], searching=True)

    assert happened.starts == [[10, 30, 30, 60]]
    assert [one.disturbances for one in happened.counted] == [(STEAL,), (), ()]


def test_a_disturbed_window_with_wrong_data_is_not_replaced(measuring: Measuring, window: Window) -> None:
    wrong = _changed(window, "audit", Outcome.FAILED).model_copy(update={"disturbances": (STEAL,)})

    happened = measuring.windows([wrong, window, window])

    assert (happened.starts, happened.aside) == ([[10, 30, 60]], [])


def test_a_window_that_is_disturbed_a_third_time_counts_and_is_marked(measuring: Measuring, window: Window) -> None:
    disturbed = window.model_copy(update={"disturbances": (STEAL,)})

    happened = measuring.windows([disturbed, disturbed, disturbed, window, window])

    assert happened.starts == [[10, 10, 10, 30, 60]]
    assert happened.aside == ["replaced-0-1", "replaced-0-2"]
    assert [one.disturbances for one in happened.counted] == [(STEAL,), (), ()]


@pytest.mark.parametrize("condition", ["settings", "conformance"])
def test_what_no_later_window_can_correct_ends_the_run_after_the_first(
    measuring: Measuring, window: Window, condition: str
) -> None:
    with pytest.raises(TargetError, match=f"no window of go local can be valid: {condition}"):
        measuring.windows([_changed(window, condition, Outcome.FAILED)])
    # Its reason is in the record of the run.
    assert [one.failed(condition) for one in measuring.counted] == [True]


def test_combinations_on_the_same_processes_start_once_and_are_each_warmed_up(
    measuring: Measuring, window: Window
) -> None:
    happened = measuring.sharing([window] * 6)

    assert happened.starts == [[10, 10, 30, 30, 60, 60]]
    assert happened.warmed == [A.path, B.path]
    # No process of their own is a neighbour's.
    assert set(happened.neighbours) == {(3,)}


def test_a_new_start_is_one_for_all_that_run_on_the_processes(measuring: Measuring, window: Window) -> None:
    left = _changed(window, "drained", Outcome.FAILED)

    happened = measuring.sharing([window, left, window, window, window, window], {"orders"})

    assert happened.starts == [[10, 10], [30, 30, 60, 60]]
    assert happened.warmed == [A.path, B.path, A.path, B.path]


def test_what_runs_on_processes_of_its_own_is_a_neighbour(measuring: Measuring, window: Window) -> None:
    happened = measuring.sharing([window] * 6, of=(A, B.model_copy(update={"runs_on": ""})))

    assert happened.starts == [[10, 30, 60], [10, 30, 60]]
    assert set(happened.neighbours) == {(1, 3), (2, 3)}


A = COMBINATIONS[0]
B = A.model_copy(update={"path": "go/session=other", "label": "go, session other", "runs_on": A.path})


class Measuring:
    """Measures one window for each load, one after the other; nothing is really started.

    In each of the `starts` are the loads that were measured; windows were set `aside` or `counted`. `warmed` has the
    path of each warm-up, `neighbours` those of each window: the process of a start has its number, that of another
    deployment, which is kept beside them, the number 3.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.starts: list[list[object]] = []
        self.aside: list[str] = []
        self.counted: list[Window] = []
        self.warmed: list[str] = []
        self.neighbours: list[tuple[int, ...]] = []
        patch.setattr(kept_deployment, "deployed", self.deployed)
        patch.setattr(kept_subject, "deployment_record", lambda _: None)
        patch.setattr(kept_subject, "warm_up", self.warm_up)
        patch.setattr(kept_subject, "keep_work", lambda _: None)
        patch.setattr(kept_subject, "measure_point", self.measured)
        patch.setattr(kept_subject, "set_aside", lambda _root, _folder, part: self.aside.append(part))
        patch.setattr(KeptDeployment, "_request", lambda _: None)

    def windows(self, given: list[Window], queues: set[str] | None = None, *, searching: bool = False) -> Measuring:
        """Measure with these windows, which come one after the other."""
        self._queues, self._given = frozenset(queues or ()), iter(given)
        with KeptDeployment(self.context, A, 0) as deployment:
            kept = KeptSubject(self.context, A, 0, {A.path: deployment})
            for load in LOADS:
                kept.measure((load, 0), searching=searching)
        return self

    def sharing(
        self, given: list[Window], queues: set[str] | None = None, of: tuple[Combination, Combination] = (A, B)
    ) -> Measuring:
        """Measure two combinations in turn at each load, beside the deployment of another one."""
        self._queues, self._given = frozenset(queues or ()), iter(given)
        with ExitStack() as stack:
            kept = {
                path: stack.enter_context(KeptDeployment(self.context, A, 0)) for path in {one.deployment for one in of}
            }
            other = cast("KeptDeployment", SimpleNamespace(roots=(3,)))
            subjects = [KeptSubject(self.context, one, 0, kept | {"other": other}) for one in of]
            for one in subjects:
                one.warm()
            for load in LOADS:
                for one in subjects:
                    one.measure((load, 0))
        return self

    @property
    def context(self) -> RunContext:
        """Return a run without databases that keeps nothing."""
        loads = Loads(users=LOADS)
        ignored = MagicMock()
        journal = MagicMock(next_index=0)
        journal.run.resumed = []
        journal.end_point = self.counted.append
        experiment = SimpleNamespace(loads=loads, think=Think.of(Duration(0)), work=True, replacements=2)
        session = SimpleNamespace(scripts=[], pacing=None)
        preparation = SimpleNamespace(experiment=experiment, faults={}, points=3, session_of=lambda _: session)
        parts = {"preparation": preparation, "journal": journal, "progress": ignored, "watchdog": ignored}
        unknown = {
            "stores_of": lambda _: {},
            "seen_by": lambda _, target: target,
            "logs_of": lambda *_: Path(),
            "root": Path(),
        }
        return cast("RunContext", SimpleNamespace(**parts, **unknown, chooser=LoadChooser(loads)))

    @contextmanager
    def deployed(self, *_: object) -> Iterator[SimpleNamespace]:
        """Note a start."""
        self.starts.append([])
        number = len(self.starts)
        yield SimpleNamespace(queues=self._queues, start_seconds={}, tiers={"web": (number,)}, number=number)

    def warm_up(self, subject: RunningSubject, *_: object) -> tuple[None, float]:
        """Note a warm-up."""
        self.warmed.append(subject.combination.path)
        return None, 1.0

    def measured(self, subject: RunningSubject, point: PointSpec, *_: object) -> Window:
        """Note a point, and return its window."""
        number = cast("SimpleNamespace", subject.target).number
        self.starts[number - 1].append(point.load)
        self.neighbours.append(subject.neighbours)
        return next(self._given)


def _changed(window: Window, condition: str, outcome: Outcome) -> Window:
    checks = tuple(
        one.model_copy(update={"outcome": outcome}) if one.name == condition else one for one in window.checks
    )
    assert any(one.name == condition for one in checks)
    return window.model_copy(update={"checks": checks})
