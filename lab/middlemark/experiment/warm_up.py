"""Warms a subject up: for a fixed time, until its compiler is done, or until CPU time per transaction is flat."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from middlemark.duration import Duration
from middlemark.errors import TargetError
from middlemark.experiment.load_run import load_settings, run_load
from middlemark.experiment.phases import MIN_LOOK_S, UntilFlat
from middlemark.experiment.run_context import RunningSubject
from middlemark.judge.samples import SampleSums
from middlemark.monitor.sampler import families
from middlemark.processes.affinity import threads_on_cpus
from middlemark.records.driver_lines import Interval, Line, PhaseName
from middlemark.records.run import Load
from middlemark.records.run_parts import WarmUp, WarmUpCourse
from middlemark.records.samples import Samples
from middlemark.saving import saving_under
from middlemark.verdict.compilation import Compiling, is_done, last_span, rho_of
from middlemark.verdict.drift import CpuCourse, Flatness, flatness
from middlemark.workload.expected import EXPECTED_RESPONSE_S, expected_cycle
from middlemark.workload.plan import Plan, write_plan
from middlemark.workload.planning import PhaseLengths, make_plan
from middlemark.workload.think import Think
from middlemark.workload.window import driven

# A look costs the lab milliseconds; the more looks, the likelier that chance makes one of them flat.
LOOK_S = 5.0
MAX_STRETCHES = 24
MAX_STRETCHES_OF_LOOK = 4


@dataclass(frozen=True)
class _Counted:
    """What the driver counted in an interval; seconds since its hello."""

    start_s: float
    end_s: float
    count: int


class WarmUpWatch:
    """What was heard and seen so far. `compiles`: tiers declare compiler threads, and these decide."""

    def __init__(self, folder: Path, first_look_s: float, *, compiles: bool = False) -> None:
        self._samples = Samples(folder / "monitor.ndjson")
        self._intervals: list[_Counted] = []
        self._compiles = compiles
        self._compiling: list[Compiling] = []
        self._due_s = first_look_s
        self._end_s = 0.0
        self._found: Flatness | None = None
        self._is_over = False

    def hear(self, line: Line) -> None:
        """Take in a line."""
        if not isinstance(line, Interval) or line.phase is PhaseName.DRAIN or not line.seconds:
            return
        self._end_s = line.end_ns / 1e9
        if line.phase is PhaseName.MEASURE:
            self._intervals.append(_Counted(line.start_ns / 1e9, self._end_s, line.count))

    def enough(self) -> bool:
        """Whether a look was due, and the compiler was done, or CPU time per transaction flat."""
        if self._end_s < self._due_s:
            return False
        self._due_s = self._end_s + LOOK_S
        self._look()
        self._is_over = is_done(self._compiling) if self._compiles else self._is_flat()
        return self._is_over

    def record(self, combination: str, start: int, limit_s: float, *, judged: bool) -> WarmUp:
        """The record of the warm-up, which is over; `judged`: it might have ended before its limit."""
        self._look()
        found, last = self._found, last_span(self._compiling)
        seen = self._compiles and bool(self._compiling)
        share = (last.share if last else _share(self._compiling)) if seen else None
        return WarmUp(
            combination=combination,
            start=start,
            seconds=self._end_s,
            limit_s=limit_s,
            flat=self._is_over or self._is_flat() if judged and not self._compiles else None,
            change_s=found.seconds if found else None,
            change=found.change if found else None,
            uncertainty=found.uncertainty if found else None,
            compiled=self._is_over or is_done(self._compiling) if judged and self._compiles else None,
            compiler_share=share,
            rho=rho_of(self._compiling) if self._compiles else None,
            course=list(self._course(MAX_STRETCHES)),
        )

    def look_after(self, begin_s: float) -> list[WarmUpCourse]:
        """The course of the look at the measured load, which began so many seconds after the warm-up."""
        self._look()
        found = self._course(MAX_STRETCHES_OF_LOOK)
        return [one.model_copy(update={"end_s": begin_s + one.end_s, "at_load": True}) for one in found]

    def _is_flat(self) -> bool:
        return self._found is not None and self._found.flat

    def _look(self) -> None:
        samples = list(self._samples)
        if not samples:
            return
        # The first sample may be taken after the begin of the load, and the one beside the last interval not yet.
        first_s, last_s = samples[0].t_ns / 1e9, samples[-1].t_ns / 1e9
        watched = [one for one in self._intervals if first_s <= one.start_s and one.end_s <= last_s]
        if not watched:
            return
        sums, edges = SampleSums.of(samples), [*(one.start_s for one in watched), watched[-1].end_s]
        cpu = CpuCourse(sums.cpu_between(edges), sums.cpu_step_s)
        self._found = flatness(watched, cpu)
        compiler_s = sums.compiler_between(edges) if self._compiles else (0.0,) * len(watched)
        if len(compiler_s) == len(cpu.seconds) == len(watched):
            both = zip(watched, cpu.seconds, compiler_s, strict=True)
            self._compiling = [Compiling(one.start_s, one.end_s, one.count, cpu_s, spent) for one, cpu_s, spent in both]

    def _course(self, stretches: int) -> Iterable[WarmUpCourse]:
        """The CPU time per transaction of as many intervals together as are needed to have so few stretches."""
        size = max(1, math.ceil(len(self._compiling) / stretches))
        for begin in range(0, len(self._compiling), size):
            part = self._compiling[begin : begin + size]
            count, cpu_s = sum(one.count for one in part), sum(one.cpu_s for one in part)
            if count:
                share = _share(part) if self._compiles else None
                yield WarmUpCourse(end_s=part[-1].end_s, cpu_ms=1000 * cpu_s / count, compiler_share=share)


def _share(stretches: Sequence[Compiling]) -> float:
    cpu_s = sum(one.cpu_s for one in stretches)
    return sum(one.compiler_s for one in stretches) / cpu_s if cpu_s > 0 else 0.0


NONE = Duration(0)


def warm_up(subject: RunningSubject, load: Load, start: int, folder: Path) -> tuple[WarmUp, float]:
    """Load a subject before its first window of a start; the folder keeps the driver's lines and the samples.

    Returns its record, and the mean response in seconds at the measured load: where nothing was answered there, the one
    that a session is expected to have. Raises what `measure_point` raises.
    """
    preparation, target = subject.context.preparation, subject.target
    experiment, compiles = preparation.experiment, bool(target.compiler_threads)
    warm, users = experiment.phases.warm, preparation.warm_users(subject.combination, load, compiles=compiles)
    ends_itself = isinstance(warm, UntilFlat)
    limit = experiment.phases.warm_limit(compiles=compiles, compiled_before=target.is_compiled_before)
    subject.reset()
    watch = WarmUpWatch(folder, warm.at_least.seconds if isinstance(warm, UntilFlat) else math.inf, compiles=compiles)
    with _compilers_anywhere(subject):
        mean_s = _driven(subject, _plan(subject, load, users, limit), folder, watch)
    # Of a program that compiles nothing only caches are warmed: it does not end before its limit.
    judged = ends_itself and not target.is_compiled_before
    record = watch.record(subject.combination.path, start, limit.seconds, judged=judged)
    record = record.model_copy(update={"users": users})
    if users and ends_itself:
        look = WarmUpWatch(folder / "look", math.inf, compiles=compiles)
        mean_s = _driven(subject, _look_plan(subject, load), folder / "look", look)
        stretches = [*record.course, *look.look_after(record.seconds)]
        record = record.model_copy(update={"course": stretches})
    elif users:
        mean_s = 0.0
    return record, mean_s or EXPECTED_RESPONSE_S


def _compilers_anywhere(subject: RunningSubject) -> AbstractContextManager[None]:
    """Let the compiler threads alone use every CPU: nothing is measured meanwhile, and they are done sooner."""
    names = subject.target.compiler_threads
    members = families({tier: subject.target.tiers[tier] for tier in names})
    by_pid = {pid: names[tier] for tier, pids in members.items() for pid in pids}
    return threads_on_cpus(by_pid, subject.context.preparation.cpus.usable)


def _driven(subject: RunningSubject, plan: Plan, folder: Path, watch: WarmUpWatch) -> float:
    """Drive a plan until the watch has seen enough; mean response in s, or TargetError when work of it is left."""
    with saving_under(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_plan(plan, folder / "plan.json")
        lines = run_load(subject, folder, watch.hear, enough=watch.enough)
    if subject.target.queues and not (left := subject.drained()).done:
        # A reset does not empty the queues of servers.
        raise TargetError(
            f"work of the warm-up was left {left.seconds:.0f} s after its end",
            where=subject.combination.label,
            todo="Warm up with a lower load",
        )
    return driven(lines).whole.total.mean_ms / 1000


def _plan(subject: RunningSubject, load: Load, users: int | None, limit: Duration) -> Plan:
    """The plan of `users` who do not think, or of the load itself."""
    session, phases = subject.session, subject.context.preparation.experiment.phases
    settings = load_settings(subject, load, PhaseLengths(NONE, NONE, limit, phases.drain), "warm")
    if users:
        settings = dataclasses.replace(settings, users=users, think=Think.of(NONE), arrivals=None)
        session = session.model_copy(update={"pacing": None})
    if isinstance(phases.warm, UntilFlat):
        # Users who start together act in step, and CPU time per transaction goes up and down with their steps.
        ramp = min(Duration.of_seconds(expected_cycle(session, settings.think)), Duration(limit.ms / 2))
        lengths = PhaseLengths(ramp, NONE, Duration(limit.ms - ramp.ms), phases.drain)
        settings = dataclasses.replace(settings, phases=lengths, interval=None)
    return make_plan(session, settings)


def _look_plan(subject: RunningSubject, load: Load) -> Plan:
    """Plan of the look at the measured load, which alone compiles some code: an iteration, at least 30 s."""
    experiment = subject.context.preparation.experiment
    length_s = max(MIN_LOOK_S, expected_cycle(subject.session, experiment.think))
    half = Duration.of_seconds(length_s / 2)
    settings = load_settings(subject, load, PhaseLengths(half, NONE, half, experiment.phases.drain), "look")
    return make_plan(subject.session, dataclasses.replace(settings, interval=None))
