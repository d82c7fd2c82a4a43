"""One deployment: start a subject, warm it up, measure its loads, stop it."""

from __future__ import annotations

import dataclasses

from middlemark.experiment.deployment_record import deployment_record
from middlemark.experiment.faults_definition import PointFaults
from middlemark.experiment.point import measure_point
from middlemark.experiment.point_spec import PointSpec
from middlemark.experiment.requested_deployment import requested_deployment
from middlemark.experiment.run_context import RunContext
from middlemark.experiment.running_subject import RunningSubject
from middlemark.experiment.schedule import Deployment
from middlemark.experiment.warm_up import warm_up
from middlemark.experiment.work import keep_work
from middlemark.load.stores import reset_all, urls_of
from middlemark.records.point import Outcome, Verdict
from middlemark.records.run import Load
from middlemark.search.seen import Seen
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest
from middlemark.workload.expected import expected_iteration


class DeploymentRun:
    """A deployment as far as it has come: what was measured, and so what comes next."""

    def __init__(self, context: RunContext, deployment: Deployment) -> None:
        self._context = context
        self._deployment = deployment
        self._seen: list[Seen] = []
        self._response_s = 0.0

    def run(self) -> None:
        """Start the subject, warm it up, measure its points and stop it; without any point nothing is started.

        It starts anew after a point that may have left messages in a queue: resetting databases does not empty it.
        """
        deployment, journal = self._deployment, self._context.journal
        while (point := self._next()) is not None and (verdict := journal.kept(point)) is not None:
            self.learn(point, verdict)
        while self._next() is not None:
            self._measure()
        if not deployment.faults and self._context.chooser.end(deployment, self._seen):
            journal.choose(self._context.chooser)

    def learn(self, point: PointSpec, verdict: Verdict) -> None:
        """Take in what came out of a point; that of a search is written at once."""
        context = self._context
        limits = context.preparation.experiment.loads.limits
        self._seen.append(limits.seen(point.load, verdict))
        self._response_s = verdict.total.mean_ms / 1000 or self._response_s
        if self._deployment.searching:
            context.chooser.learn(self._deployment, self._seen)
            context.journal.choose(context.chooser)

    def _measure(self) -> None:
        context, deployment, progress = self._context, self._deployment, self._context.progress
        combination = deployment.combination
        place = "to search" if deployment.searching else f"block {deployment.repeat + 1}"
        progress.step(f"starting {combination.label} ({place})")
        reset_all(context.stores_of(combination))
        request = self._request()
        with deployed(request, context.watchdog) as target:
            if not deployment.searching:
                context.journal.started(deployment, target.start_seconds)
            subject = RunningSubject(context, target, combination)
            context.journal.deployed(combination, deployment_record(subject))
            progress.step(f"warming up {combination.label}")
            load = deployment.loads[0] if deployment.faults else context.chooser.first(deployment)
            warmed = warm_up(subject, deployment, load, request.logs / "warm-up")
            context.journal.warmed(warmed.record)
            progress.warmed(combination, warmed.record)
            keep_work(subject)
            self._response_s = self._response_s or warmed.response_s
            while (point := self._next()) is not None:
                verdict = self._measured(subject, point)
                self.learn(point, verdict)
                if target.queues and _may_have_left_work(verdict):
                    break

    def _measured(self, subject: RunningSubject, point: PointSpec) -> Verdict:
        journal, progress = self._context.journal, self._context.progress
        journal.begin_point(point)
        verdict = measure_point(subject, point, progress.point(point, self._context.preparation.points))
        journal.end_point()
        progress.measured(point, verdict)
        return verdict

    def _request(self) -> DeploymentRequest:
        context, combination = self._context, self._deployment.combination
        part = "search" if self._deployment.searching else str(self._deployment.repeat)
        return dataclasses.replace(
            requested_deployment(context.preparation.home, context.programs, combination),
            databases=urls_of(context.stores_of(combination)),
            logs=context.root / "logs" / combination.path / part,
            placement=context.preparation.cpus.of(combination),
        )

    def _next(self) -> PointSpec | None:
        """Return the point that comes next, None at the end."""
        point = self._context.chooser.next_point(self._deployment, self._seen)
        return None if point is None else self._point(*point)

    def _point(self, load: Load, repeat: int, faults: PointFaults) -> PointSpec:
        context, combination = self._context, self._deployment.combination
        iteration_s = expected_iteration(
            context.preparation.session_of(combination),
            context.preparation.experiment.think,
            mean_response_s=self._response_s,
        )
        return PointSpec(
            index=context.journal.next_index,
            combination=combination,
            load=load,
            repeat=repeat,
            iteration_s=iteration_s,
            faults=faults,
            searching=self._deployment.searching,
            segment=len(context.journal.run.resumed),
        )


def _may_have_left_work(verdict: Verdict) -> bool:
    """Say whether work of a point is not known to be done, or to have been done rightly."""
    known = {check.name: check.outcome for check in verdict.checks}
    return any(known.get(name) is not Outcome.PASSED for name in ("drained", "audit"))
