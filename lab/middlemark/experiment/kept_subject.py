"""A subject that is started and warmed up once, and kept running from window to window."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import ExitStack, nullcontext, suppress
from types import TracebackType
from typing import Self

from middlemark.errors import HostError, TargetError
from middlemark.experiment.deployment_record import deployment_record
from middlemark.experiment.faults_definition import PointFaults
from middlemark.experiment.point import measure_point
from middlemark.experiment.point_spec import PointSpec
from middlemark.experiment.requested_deployment import requested_deployment
from middlemark.experiment.run_context import RunContext
from middlemark.experiment.running_subject import RunningSubject
from middlemark.experiment.warm_up import warm_up
from middlemark.experiment.work import keep_work
from middlemark.judge.result import has_wrong_data
from middlemark.load.stores import drop_databases, reset_all, urls_of
from middlemark.records.folder import set_aside
from middlemark.records.point import Outcome
from middlemark.records.run import Combination, Load
from middlemark.records.window import Window
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest
from middlemark.workload.expected import expected_iteration

Neighbours = Callable[[], Mapping[str, tuple[int, ...]]]
"""Root processes of the other subjects that are kept running, by the path of each."""

DECISIVE = ("settings", "conformance")
"""Conditions that no later window of the same processes can meet."""
# A search looks for a load, in steps of 20 % and more. Five times a witness's limit, 5 % of a CPU for the hypervisor,
# misleads it; less would only make it last longer.
_IN_SEARCH = 5


class KeptSubject:
    """A combination in one start. It starts anew only after a window that may have left messages in a queue.

    Resetting databases does not empty queues.
    """

    def __init__(self, context: RunContext, combination: Combination, start: int) -> None:
        self.combination = combination
        self._context = context
        self._start = start
        self._stack = ExitStack()
        self._subject: RunningSubject | None = None
        self._response_s = 0.0

    def __enter__(self) -> Self:
        """Start it, and warm it up."""
        try:
            self._begin()
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it, and drop its databases; a server that has died keeps its own reason."""
        try:
            self._end()
        finally:
            with suppress(HostError) if error else nullcontext():
                drop_databases(self._context.stores_of(self.combination))

    @property
    def roots(self) -> tuple[int, ...]:
        """Root processes of all its tiers; none while it does not run."""
        tiers = self._subject.target.tiers if self._subject else {}
        return tuple(pid for pids in tiers.values() for pid in pids)

    def measure(
        self, place: tuple[Load, int], neighbours: Neighbours, *, faults: PointFaults = (), searching: bool = False
    ) -> Window:
        """Measure one window at a load, with its number (`place`), again at once when the machine disturbed it.

        The last of several counts, and is marked. One with wrong data is never replaced: they would go unseen.
        Raises TargetError when no later window can count, and what `measure_point` raises.
        """
        progress = self._context.progress
        most = self._context.preparation.experiment.replacements
        for replaced in range(most + 1):
            if self._subject is None:
                self._begin()
            point = self._point(place, faults, searching=searching)
            window = self._measured(point, neighbours)
            disturbed = any(one.is_at_least(_IN_SEARCH if searching else 1) for one in window.disturbances)
            if faults or not disturbed or has_wrong_data(window) or replaced == most:
                break
            # Each segment of a run has its own: none is written over.
            part = f"replaced-{point.segment}-{replaced + 1}"
            set_aside(self._context.root, point.folder(self._context.root), part)
            progress.replaced(point, window)
            self._context.journal.replaced(window, part)
        self._context.journal.end_point(window)
        if not faults:
            _require_possible(self.combination, window)
        return window

    def _measured(self, point: PointSpec, neighbours: Neighbours) -> Window:
        context, subject = self._context, dataclasses.replace(self._running(), neighbours=neighbours())
        context.journal.begin_point(point)
        hear = context.progress.point(point, context.journal.measured, context.journal.points)
        window = measure_point(subject, point, hear)
        context.progress.measured(point, window)
        self._response_s = window.total.mean_ms / 1000 or self._response_s
        if subject.target.queues and _may_have_left_work(window):
            self._end()
        return window

    def _begin(self) -> None:
        """Start the subject on freshly loaded databases, and warm it up."""
        context, progress = self._context, self._context.progress
        progress.step("starting", self.combination)
        reset_all(context.stores_of(self.combination))
        request = self._request()
        target = self._stack.enter_context(deployed(request, context.watchdog))
        context.journal.started(self.combination, self._start, target.start_seconds)
        self._subject = RunningSubject(context, target, self.combination)
        context.journal.deployed(self.combination, deployment_record(self._subject))
        progress.step("warming up", self.combination)
        load = context.chooser.warm(self.combination)
        warmed = warm_up(self._subject, load, self._start, request.logs / "warm-up")
        context.journal.warmed(warmed.record)
        progress.warmed(self.combination, warmed.record)
        if context.preparation.experiment.work and not context.preparation.faults:
            keep_work(self._subject)
        self._response_s = self._response_s or warmed.response_s

    def _end(self) -> None:
        self._subject = None
        self._stack.close()

    def _running(self) -> RunningSubject:
        if self._subject is None:
            raise AssertionError(f"{self.combination.label} is not running")
        return self._subject

    def _request(self) -> DeploymentRequest:
        context, combination = self._context, self.combination
        return dataclasses.replace(
            requested_deployment(context.preparation.home, context.programs, combination),
            databases=urls_of(context.stores_of(combination)),
            logs=context.root / "logs" / combination.path / str(self._start),
            placement=context.preparation.cpus.of(combination),
        )

    def _point(self, place: tuple[Load, int], faults: PointFaults, *, searching: bool) -> PointSpec:
        context, (load, repeat) = self._context, place
        iteration_s = expected_iteration(
            context.preparation.session_of(self.combination),
            context.preparation.experiment.think,
            mean_response_s=self._response_s,
        )
        return PointSpec(
            index=context.journal.next_index,
            combination=self.combination,
            load=load,
            repeat=repeat,
            iteration_s=iteration_s,
            faults=faults,
            searching=searching,
            segment=len(context.journal.run.resumed),
        )


def _may_have_left_work(window: Window) -> bool:
    """Say whether work of a point is not known to be done, or to have been done rightly."""
    known = {check.name: check.outcome for check in window.checks}
    return any(known.get(name) is not Outcome.PASSED for name in ("drained", "audit"))


def _require_possible(combination: Combination, window: Window) -> None:
    """Raise TargetError for a condition that the next windows of these processes cannot meet either."""
    failed = next((one for one in window.checks if one.name in DECISIVE and one.outcome is Outcome.FAILED), None)
    if failed is not None:
        raise TargetError(
            f"no window of {combination.label} can be valid: {failed.text}",
            where=combination.label,
            todo="Correct it and run `middlemark verify`; --resume keeps what was measured",
        )
