"""Warms a subject up: for a fixed time, until its compiler is done, or until CPU time per transaction is flat."""

from __future__ import annotations

import dataclasses
import math
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from middlemark.duration import Duration
from middlemark.errors import TargetError
from middlemark.experiment.load_run import run_load
from middlemark.experiment.load_settings import load_settings
from middlemark.experiment.min_phases import UntilFlat
from middlemark.experiment.running_subject import RunningSubject
from middlemark.experiment.warm_up_watch import WarmUpWatch
from middlemark.monitor.sampler import families
from middlemark.processes.affinity import threads_on_cpus
from middlemark.records.folder import saving_under
from middlemark.records.placement import SUT
from middlemark.records.run import Load
from middlemark.records.run_parts import WarmUp
from middlemark.workload.expected import EXPECTED_RESPONSE_S, expected_iteration
from middlemark.workload.plan import Plan, write_plan
from middlemark.workload.planning import PhaseLengths, make_plan
from middlemark.workload.think import Think
from middlemark.workload.window import driven

# Many users on the only CPU starve the compiler: Spring Boot with 200 had a share of 10 % after 227 s, with 3 of 1.3 %.
# With a CPU beside them, as many as are measured make more of what runs later: Open Liberty's compiler took 14 % in
# the first window at 200 users who think, and 34 % after 3 users.
FEW_USERS, MANY_USERS = 3, 200
MIN_LOOK_S = 30.0
NONE = Duration(0)


@dataclass(frozen=True)
class Warmed:
    """What came of a warm-up: its record, and the mean response in seconds at the measured load.

    Where nothing was answered there, it is the response a session is expected to have.
    """

    record: WarmUp
    response_s: float


@dataclass(frozen=True)
class _Course:
    """How a subject is warmed up: by `users` without think time and a look, or by the load itself (None)."""

    subject: RunningSubject
    load: Load
    users: int | None
    limit: Duration
    ends_itself: bool

    @classmethod
    def of(cls, subject: RunningSubject, load: Load) -> _Course:
        experiment = subject.context.preparation.experiment
        ends_itself, users = isinstance(experiment.phases.warm, UntilFlat), experiment.warm_users
        compiles, compiled_before = bool(subject.target.compiler_threads), subject.target.is_compiled_before
        if ends_itself and compiles:
            users = users or _users_of_compiled(subject, load)
        limit = experiment.phases.warm_limit(compiles=compiles, compiled_before=compiled_before)
        return cls(subject, load, users, limit, ends_itself)

    @property
    def is_judged(self) -> bool:
        """Whether it may end before its limit: not of a program that compiles nothing, which caches alone warm."""
        return self.ends_itself and not self.subject.target.is_compiled_before

    @property
    def has_look(self) -> bool:
        """Whether the measured load is looked at after it."""
        return self.ends_itself and self.users is not None


def warm_up(subject: RunningSubject, load: Load, start: int, folder: Path) -> Warmed:
    """Load a subject before its first window of a start; the folder keeps the driver's lines and the samples.

    Raises what `measure_point` raises.
    """
    warm, course = subject.context.preparation.experiment.phases.warm, _Course.of(subject, load)
    subject.reset()
    compiles = bool(subject.target.compiler_threads)
    watch = WarmUpWatch(folder, warm.at_least.seconds if isinstance(warm, UntilFlat) else math.inf, compiles=compiles)
    with _compilers_anywhere(subject):
        mean_s = _driven(subject, _plan(course), folder, watch)
    record = watch.record(subject.combination.path, start, course.limit.seconds, judged=course.is_judged)
    record = record.model_copy(update={"users": course.users})
    if course.has_look:
        look = WarmUpWatch(folder / "look", math.inf, compiles=compiles)
        mean_s = _driven(subject, _look_plan(course), folder / "look", look)
        stretches = [*record.course, *look.look_after(record.seconds)]
        record = record.model_copy(update={"course": stretches})
    elif course.users:
        mean_s = 0.0
    return Warmed(record, mean_s or EXPECTED_RESPONSE_S)


def _users_of_compiled(subject: RunningSubject, load: Load) -> int:
    """Return how many users without think time warm a program up that compiles."""
    preparation = subject.context.preparation
    sut = subject.placement.cpus.get(SUT, ())
    alone = len(preparation.cpus.usable) <= len(sut)
    return FEW_USERS if alone else min(preparation.experiment.loads.users_at(load), MANY_USERS)


def _compilers_anywhere(subject: RunningSubject) -> AbstractContextManager[None]:
    """Let the subject's compiler threads use every CPU: nothing is measured meanwhile, and they are done sooner.

    Its other threads stay, so that it sees as many CPUs as ever.
    """
    names = subject.target.compiler_threads
    members = families({tier: subject.target.tiers[tier] for tier in names})
    by_pid = {pid: names[tier] for tier, pids in members.items() for pid in pids}
    return threads_on_cpus(by_pid, subject.context.preparation.cpus.usable)


def _driven(subject: RunningSubject, plan: Plan, folder: Path, watch: WarmUpWatch) -> float:
    """Drive a plan until the watch has seen enough; return the mean response in seconds."""
    with saving_under(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_plan(plan, folder / "plan.json")
        lines = run_load(subject, folder, watch.hear, enough=watch.enough)
    _require_drained(subject)
    return driven(lines).whole.total.mean_ms / 1000


def _require_drained(subject: RunningSubject) -> None:
    """Raise TargetError when work of the warm-up is left: a reset does not empty the queues of servers."""
    if subject.target.queues and not (left := subject.drained()).done:
        raise TargetError(
            f"work of the warm-up was left {left.seconds:.0f} s after its end",
            where=subject.combination.label,
            todo="Warm up with a lower load",
        )


def _plan(course: _Course) -> Plan:
    subject, limit, session = course.subject, course.limit, course.subject.session
    drain = subject.context.preparation.experiment.phases.drain
    settings = load_settings(subject, course.load, PhaseLengths(NONE, NONE, limit, drain), "warm")
    if course.users:
        settings = dataclasses.replace(settings, users=course.users, think=Think.of(NONE), arrivals=None)
        session = session.model_copy(update={"pacing": None})
    if course.ends_itself:
        # Users who start together act in step, and CPU time per transaction goes up and down with their steps.
        ramp = min(Duration.of_seconds(expected_iteration(session, settings.think)), Duration(limit.ms / 2))
        lengths = PhaseLengths(ramp, NONE, Duration(limit.ms - ramp.ms), drain)
        settings = dataclasses.replace(settings, phases=lengths, interval=None)
    return make_plan(session, settings)


def _look_plan(course: _Course) -> Plan:
    """Return the plan of the look at the measured load: one expected iteration, at least 30 s; half of it users start.

    It compiles what only this load reaches, as the waiting for connections.
    """
    subject = course.subject
    experiment = subject.context.preparation.experiment
    length_s = max(MIN_LOOK_S, expected_iteration(subject.session, experiment.think))
    half = Duration.of_seconds(length_s / 2)
    settings = load_settings(subject, course.load, PhaseLengths(half, NONE, half, experiment.phases.drain), "look")
    return make_plan(subject.session, dataclasses.replace(settings, interval=None))
