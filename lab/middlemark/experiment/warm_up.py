"""Warms a subject up before its first point: for a fixed time, or until CPU time per transaction is flat."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path

from middlemark.duration import Duration
from middlemark.errors import TargetError
from middlemark.experiment.evidence import cpu_course
from middlemark.experiment.load_run import run_load
from middlemark.experiment.load_settings import load_settings
from middlemark.experiment.min_phases import UntilFlat
from middlemark.experiment.running_subject import RunningSubject
from middlemark.records.driver_lines import Interval, Line, PhaseName
from middlemark.records.folder import saving_under
from middlemark.records.run import Combination, Load
from middlemark.records.samples import Samples
from middlemark.records.warm_up import WarmUp, WarmUpCourse
from middlemark.verdict.drift import CpuCourse
from middlemark.verdict.flatness import Flatness, flatness
from middlemark.workload.expected import EXPECTED_RESPONSE_S, expected_iteration
from middlemark.workload.plan import Plan, write_plan
from middlemark.workload.planning import PhaseLengths, make_plan
from middlemark.workload.think import Think
from middlemark.workload.window import window_figures

# A look costs the lab milliseconds; the more looks, the likelier that chance makes one of them flat.
LOOK_S = 5.0
MAX_STRETCHES = 24
NONE = Duration(0)


@dataclass(frozen=True)
class Warmed:
    """What came of a warm-up: its record, and the mean response in seconds.

    Where nothing was answered, or with `warm_users`, it is the response a session is expected to have.
    """

    record: WarmUp
    response_s: float


def warm_up(subject: RunningSubject, load: Load, start: int, folder: Path) -> Warmed:
    """Load a subject before its first window of a start; the folder keeps the driver's lines and the samples.

    Raises what `measure_point` raises.
    """
    experiment = subject.context.preparation.experiment
    subject.reset()
    warm = experiment.phases.warm
    watch = WarmUpWatch(folder, warm.at_least.seconds if isinstance(warm, UntilFlat) else math.inf)
    with saving_under(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_plan(_plan(subject, load), folder / "plan.json")
        lines = run_load(subject, folder, watch.hear, enough=watch.enough)
    _require_drained(subject)
    record = watch.record(
        subject.combination, start, experiment.phases.warm_at_most.seconds, judged=isinstance(warm, UntilFlat)
    )
    mean_s = 0.0 if experiment.warm_users else window_figures(lines).total.mean_ms / 1000
    return Warmed(record, mean_s or EXPECTED_RESPONSE_S)


def _require_drained(subject: RunningSubject) -> None:
    """Raise TargetError when work of the warm-up is left: a reset does not empty the queues of servers."""
    if subject.target.queues and not (left := subject.drained()).done:
        raise TargetError(
            f"work of the warm-up was left {left.seconds:.0f} s after its end",
            where=subject.combination.label,
            todo="Warm up with a lower load",
        )


def _plan(subject: RunningSubject, load: Load) -> Plan:
    experiment, session = subject.context.preparation.experiment, subject.session
    phases = experiment.phases
    settings = load_settings(subject, load, PhaseLengths(NONE, NONE, phases.warm_at_most, phases.drain), "warm")
    if experiment.warm_users:
        never = Think.of(NONE)
        settings = dataclasses.replace(settings, users=experiment.warm_users, think=never, arrivals=None)
        session = session.model_copy(update={"pacing": None})
    if isinstance(phases.warm, UntilFlat):
        # Users who start together act in step, and CPU time per transaction goes up and down with their steps.
        iteration = Duration.of_seconds(expected_iteration(session, settings.think))
        ramp = min(iteration, Duration(phases.warm_at_most.ms / 2))
        lengths = PhaseLengths(ramp, NONE, Duration(phases.warm_at_most.ms - ramp.ms), phases.drain)
        settings = dataclasses.replace(settings, phases=lengths, interval=None)
    return make_plan(session, settings)


@dataclass(frozen=True)
class _Counted:
    """What the driver counted in an interval; seconds since its hello."""

    start_s: float
    end_s: float
    count: int


class WarmUpWatch:
    """Hears the driver's lines of a warm-up, reads the samples beside them, and decides when it is `enough`."""

    def __init__(self, folder: Path, first_look_s: float) -> None:
        self._samples = Samples(folder / "monitor.ndjson")
        self._intervals: list[_Counted] = []
        self._watched: list[_Counted] = []
        self._cpu = CpuCourse()
        self._due_s = first_look_s
        self._end_s = 0.0
        self._found: Flatness | None = None

    def hear(self, line: Line) -> None:
        """Take in a line."""
        if not isinstance(line, Interval) or line.phase is PhaseName.DRAIN or not line.seconds:
            return
        self._end_s = line.end_ns / 1e9
        if line.phase is PhaseName.MEASURE:
            self._intervals.append(_Counted(line.start_ns / 1e9, self._end_s, line.count))

    def enough(self) -> bool:
        """Return whether a look was due, and CPU time per transaction was flat."""
        if self._end_s < self._due_s:
            return False
        self._due_s = self._end_s + LOOK_S
        self._look()
        return self._found is not None and self._found.flat

    def record(self, combination: Combination, start: int, limit_s: float, *, judged: bool) -> WarmUp:
        """Return the record of the warm-up, which is over; `judged`: it might have ended before its limit."""
        self._look()
        found = self._found
        return WarmUp(
            combination=combination.path,
            repeat=start,
            seconds=self._end_s,
            limit_s=limit_s,
            flat=(found is not None and found.flat) if judged else None,
            change_s=found.seconds if found else None,
            change=found.change if found else None,
            uncertainty=found.uncertainty if found else None,
            course=self._course(),
        )

    def _look(self) -> None:
        samples = list(self._samples)
        if not samples:
            return
        # The first sample may be taken after the begin of the load, and the one beside the last interval not yet.
        first_s, last_s = samples[0].t_ns / 1e9, samples[-1].t_ns / 1e9
        watched = [one for one in self._intervals if first_s <= one.start_s and one.end_s <= last_s]
        if watched:
            self._watched, self._cpu = watched, cpu_course(samples, watched)
            self._found = flatness(watched, self._cpu)

    def _course(self) -> list[WarmUpCourse]:
        """Return the CPU time per transaction of as many intervals together as are needed to have few stretches."""
        number = len(self._cpu.seconds)
        size = max(1, math.ceil(number / MAX_STRETCHES))
        found = []
        for begin in range(0, number, size):
            part = self._watched[begin : min(begin + size, number)]
            count = sum(one.count for one in part)
            if count:
                cpu_s = sum(self._cpu.seconds[begin : begin + size])
                found.append(WarmUpCourse(end_s=part[-1].end_s, cpu_ms=1000 * cpu_s / count))
        return found
