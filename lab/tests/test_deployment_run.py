"""After which points of a deployment its subject is started anew: the loop alone, with given verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from unittest.mock import MagicMock

import pytest
from synthetic_result import COMBINATIONS, write_synthetic

from middlemark.duration import Duration
from middlemark.experiment import deployment_run
from middlemark.experiment.deployment_run import DeploymentRun
from middlemark.experiment.load_chooser import LoadChooser
from middlemark.experiment.loads import Loads
from middlemark.experiment.point_spec import PointSpec
from middlemark.experiment.run_context import RunContext
from middlemark.experiment.schedule import schedule
from middlemark.records.folder import read_result
from middlemark.records.point import Check, Outcome, Verdict
from middlemark.workload.think import Think

LOADS = (10, 30, 60)
EVERY_POINT = [[10, 30, 60]]
TWICE = [[10], [30, 60]]


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    """Give a verdict whose conditions all passed."""
    found = read_result(write_synthetic(tmp_path_factory.mktemp("result"))).points[0].verdict
    assert found
    names = ("drained", "audit", "errors")
    checks = [Check(name=name, outcome=Outcome.PASSED, message="", requirement="") for name in names]
    return found.model_copy(update={"checks": checks})


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
    monkeypatch: pytest.MonkeyPatch, verdict: Verdict, case: tuple[set[str], str, Outcome, list[list[object]]]
) -> None:
    queues, condition, outcome, starts = case
    happened = Happened(queues, [_changed(verdict, condition, outcome), verdict, verdict])
    monkeypatch.setattr(deployment_run, "deployed", happened.deployed)
    monkeypatch.setattr(deployment_run, "deployment_record", lambda _: None)
    monkeypatch.setattr(deployment_run, "warm_up", lambda *_: SimpleNamespace(record=None, response_s=1.0))
    monkeypatch.setattr(deployment_run, "measure_point", happened.measured)

    loop = DeploymentRun(happened.context, schedule(COMBINATIONS[:1], LOADS, 1)[0])
    monkeypatch.setattr(loop, "_request", lambda: SimpleNamespace(logs=Path()))
    loop.run()

    assert happened.starts == starts


class Happened:
    """What a deployment asked for: in each of the `starts` the loads that were measured. Nothing is really started."""

    def __init__(self, queues: set[str], verdicts: list[Verdict]) -> None:
        self.starts: list[list[object]] = []
        self._queues = frozenset(queues)
        self._verdicts = iter(verdicts)

    @property
    def context(self) -> RunContext:
        """Return a run without databases that keeps nothing."""
        loads = Loads(users=LOADS)
        ignored = MagicMock()
        journal = MagicMock(next_index=0, kept=lambda _: None)
        journal.run.resumed = []
        experiment = SimpleNamespace(loads=loads, think=Think.of(Duration(0)))
        session = SimpleNamespace(scripts=[], pacing=None)
        preparation = SimpleNamespace(experiment=experiment, points=3, session_of=lambda _: session)
        parts = {"preparation": preparation, "journal": journal, "progress": ignored, "watchdog": ignored}
        context = SimpleNamespace(**parts, chooser=LoadChooser(loads), stores_of=lambda _: {})
        return cast("RunContext", context)

    @contextmanager
    def deployed(self, *_: object) -> Iterator[SimpleNamespace]:
        """Note a start."""
        self.starts.append([])
        yield SimpleNamespace(queues=self._queues, start_seconds={})

    def measured(self, _: object, point: PointSpec, *__: object) -> Verdict:
        """Note a point, and return the verdict it has."""
        self.starts[-1].append(point.load)
        return next(self._verdicts)


def _changed(verdict: Verdict, condition: str, outcome: Outcome) -> Verdict:
    checks = [one.model_copy(update={"outcome": outcome}) if one.name == condition else one for one in verdict.checks]
    assert any(one.name == condition for one in checks)
    return verdict.model_copy(update={"checks": checks})
