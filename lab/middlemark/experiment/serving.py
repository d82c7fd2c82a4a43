"""One serving: start a subject, warm it up, measure its loads, stop it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from middlemark.experiment.bench import Bench, PointOrder
from middlemark.experiment.choosing import Choosing
from middlemark.experiment.faults_definition import PointFaults
from middlemark.experiment.journal import Journal
from middlemark.experiment.point import measure_point, warm_up
from middlemark.experiment.progress import Progress
from middlemark.experiment.schedule import Serving
from middlemark.records.point import Verdict
from middlemark.records.run import Load
from middlemark.search.seen import Seen
from middlemark.topology.laying_out import laid_out
from middlemark.topology.topology import ServingOrder, Target, serving
from middlemark.workload.expected import expected_iteration


@dataclass(frozen=True)
class Work:
    """What all servings of a run need; `artifacts` are those of the subjects, by name."""

    bench: Bench
    artifacts: Mapping[str, Path]
    entries: Journal
    progress: Progress
    choosing: Choosing


class ServingCourse:
    """A serving as far as it has come: what was measured, and so what comes next."""

    def __init__(self, work: Work, order: Serving) -> None:
        self.work = work
        self.order = order
        self.seen: list[Seen] = []
        self.response_s = 0.0

    def next(self) -> PointOrder | None:
        """Return the point that comes next, None at the end."""
        point = self.work.choosing.next_point(self.order, self.seen)
        return None if point is None else self._point(*point)

    def learn(self, point: PointOrder, verdict: Verdict) -> None:
        """Take in what came out of a point; that of a search is written at once."""
        limits = self.work.bench.preparation.experiment.loads.limits
        self.seen.append(limits.seen(point.load, verdict))
        self.response_s = verdict.total.mean_ms / 1000 or self.response_s
        if self.order.searching:
            self.work.choosing.learn(self.order, self.seen)
            self.work.entries.choose(self.work.choosing)

    def _point(self, load: Load, repeat: int, faults: PointFaults) -> PointOrder:
        preparation = self.work.bench.preparation
        iteration_s = expected_iteration(
            preparation.session, preparation.experiment.think, mean_response_s=self.response_s
        )
        return PointOrder(
            index=self.work.entries.next_index,
            combination=self.order.combination,
            load=load,
            repeat=repeat,
            iteration_s=iteration_s,
            faults=faults,
            searching=self.order.searching,
            sitting=len(self.work.entries.run.resumed),
        )


def serve(work: Work, order: Serving) -> None:
    """Start the subject, warm it up, measure its points and stop it; nothing is started for a serving without any."""
    course = ServingCourse(work, order)
    while (point := course.next()) is not None and (verdict := work.entries.kept(point)) is not None:
        course.learn(point, verdict)
    if point is not None:
        _measure(course)
    if not order.faults and work.choosing.end(order, course.seen):
        work.entries.choose(work.choosing)


def _measure(course: ServingCourse) -> None:
    work, order = course.work, course.order
    bench, progress = work.bench, work.progress
    place = "to search" if order.searching else f"block {order.repeat + 1}"
    progress.step(f"starting {order.combination.label} ({place})")
    stage = "search" if order.searching else str(order.repeat)
    logs = bench.root / "logs" / order.combination.path / stage
    bench.reset()
    with serving(_asked(work, order, logs), bench.guard) as target:
        if not order.searching:
            work.entries.started(order, target.start_seconds)
        progress.step(f"warming up {order.combination.label}")
        load = order.loads[0] if order.faults else work.choosing.first(order)
        warm_s = warm_up(bench, target, load, logs / "warm-up", order.combination.subject)
        course.response_s = course.response_s or warm_s
        while (point := course.next()) is not None:
            course.learn(point, _measured(work, target, point))


def _measured(work: Work, target: Target, point: PointOrder) -> Verdict:
    work.entries.begin_point(point)
    tell = work.progress.point(point, work.bench.preparation.points)
    verdict = measure_point(work.bench, target, point, tell)
    work.entries.end_point()
    work.progress.measured(point, verdict)
    return verdict


def _asked(work: Work, order: Serving, logs: Path) -> ServingOrder:
    bench = work.bench
    modes, layout = laid_out(bench.preparation.home, order.combination.modes)
    return ServingOrder(
        subject=bench.preparation.subjects[order.combination.subject],
        artifact=work.artifacts[order.combination.subject],
        modes=modes,
        database_url=bench.database.url(bench.name),
        logs=logs,
        web_servers=layout.web_servers,
        processors=layout.processors,
        front=layout.front,
        placement=bench.preparation.places.of(order.combination),
    )
