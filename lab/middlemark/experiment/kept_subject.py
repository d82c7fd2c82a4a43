"""A combination that is warmed up on its deployment, and measured in points from window to window."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path

from middlemark.audit.auditing import audit
from middlemark.audit.driver_report import ReportOfDriver
from middlemark.duration import Duration
from middlemark.errors import TargetError
from middlemark.experiment.disclosure import now
from middlemark.experiment.fault_injection import FaultInjection
from middlemark.experiment.faults_definition import PointFaults
from middlemark.experiment.kept_deployment import KeptDeployment
from middlemark.experiment.load_run import OnLine, Standstill, load_settings, run_load
from middlemark.experiment.phases import point_phases, slice_of
from middlemark.experiment.proofs import proofs_of
from middlemark.experiment.run_context import RunContext, RunningSubject, deployment_record
from middlemark.experiment.schedule import PointSpec
from middlemark.experiment.warm_up import warm_up
from middlemark.experiment.work import keep_work
from middlemark.judge.result import has_wrong_data
from middlemark.judge.window import AUDIT, EVIDENCE, POINT, RawWindow, judge_window, read_load
from middlemark.monitor.affinity import observed_affinity
from middlemark.processes.runtime import other_runs, runtime_folder
from middlemark.records.folder import FAULTS, POINTS, SEARCH, read_record, set_aside, write_json
from middlemark.records.point import Evidence, Outcome, Point, Replay
from middlemark.records.run import Combination, Load, Phases
from middlemark.records.run_parts import Faults
from middlemark.records.samples import STATEMENTS, Statements
from middlemark.records.soak import SoakPlan
from middlemark.records.window import Part, Window
from middlemark.saving import saving_under
from middlemark.topology.about import About, compare_about
from middlemark.topology.target import Target
from middlemark.workload.clients import CLIENTS, write_clients
from middlemark.workload.expected import expected_cycle
from middlemark.workload.plan import Plan, read_plan, write_plan
from middlemark.workload.planning import LoadSettings, PhaseLengths, make_plan

DECISIVE = ("settings", "conformance")
"""Conditions that no later window of the same processes can meet."""
# A search looks for a load, in steps of 20 % and more. Five times a witness's limit, 5 % of a CPU for the hypervisor,
# misleads it; less would only make it last longer.
_IN_SEARCH = 5


class KeptSubject:
    """A combination in one start, on its deployment of all that are `kept`, by path.

    It is warmed up once, and again where the deployment has started anew.
    """

    def __init__(
        self, context: RunContext, combination: Combination, start: int, kept: Mapping[str, KeptDeployment]
    ) -> None:
        self.combination = combination
        self._context = context
        self._start = start
        self._kept = kept
        self._deployment = kept[combination.deployment]
        self._subject: RunningSubject | None = None
        self._warm_on: Target | None = None
        self._response_s = 0.0

    def warm(self) -> RunningSubject:
        """The combination on processes that run and are warm: whatever of this is missing is done."""
        target = self._deployment.running(self.combination)
        if self._subject is None or self._warm_on is not target:
            own = self._context.seen_by(self.combination, target)
            self._subject, self._warm_on = RunningSubject(self._context, own, self.combination), target
            self._warm_up(self._subject)
        others = tuple(pid for one in self._kept.values() if one is not self._deployment for pid in one.roots)
        return dataclasses.replace(self._subject, neighbours=others)

    def measure(self, place: tuple[Load, int], *, faults: PointFaults = (), searching: bool = False) -> Window:
        """Measure one window at a load, with its number (`place`), again at once when the machine disturbed it.

        The last of several counts, and is marked. One with wrong data is never replaced: they would go unseen.
        Raises TargetError when no later window can count, and what `measure_point` raises.
        """
        progress = self._context.progress
        most = self._context.preparation.experiment.replacements
        for replaced in range(most + 1):
            subject = self.warm()
            point = self._point(place, faults, searching=searching)
            window = self._measured(subject, point)
            disturbed = any(one.is_at_least(_IN_SEARCH if searching else 1) for one in window.disturbances)
            if faults or not disturbed or has_wrong_data(window) or replaced == most:
                break
            # Each segment of a run has its own: none is written over.
            part = f"replaced-{point.segment}-{replaced + 1}"
            set_aside(self._context.root, point.folder(self._context.root), part)
            progress.replaced(point, window)
            self._context.journal.replaced(window, part)
        self._context.journal.end_point(window)
        if not faults and window.soak is None:  # after a soak nothing is measured on these processes
            _require_possible(self.combination, window)
        return window

    def _measured(self, subject: RunningSubject, point: PointSpec) -> Window:
        context = self._context
        context.journal.begin_point(point)
        hear = context.progress.point(point, context.journal.measured, context.journal.points)
        window = measure_point(subject, point, hear)
        context.progress.measured(point, window)
        self._response_s = window.total.mean_ms / 1000 or self._response_s
        known = {check.name: check.outcome for check in window.checks}
        done = all(known.get(name) is Outcome.PASSED for name in ("drained", "audit"))
        # A queue of a server, or a log of two-phase commit, which a reset of the databases does not empty.
        if not done and (subject.target.queues or point.faults):
            self._deployment.stop()
        return window

    def _warm_up(self, subject: RunningSubject) -> None:
        context, progress = self._context, self._context.progress
        context.journal.deployed(self.combination, deployment_record(subject))
        progress.step("warming up", self.combination)
        folder = context.logs_of(self.combination.path, self._start) / "warm-up"
        record, response_s = warm_up(subject, context.chooser.warm(self.combination), self._start, folder)
        context.journal.warmed(record)
        progress.warmed(self.combination, record)
        if context.preparation.experiment.work and not context.preparation.faults:
            keep_work(subject)
        self._response_s = self._response_s or response_s

    def _point(self, place: tuple[Load, int], faults: PointFaults, *, searching: bool) -> PointSpec:
        context, (load, repeat) = self._context, place
        preparation, one = context.preparation, self.combination
        session, think = preparation.session_of(one), preparation.experiment.think
        return PointSpec(
            index=context.journal.next_index,
            combination=one,
            load=load,
            repeat=repeat,
            iteration_s=expected_cycle(session, think, mean_response_s=self._response_s),
            faults=faults,
            searching=searching,
            segment=len(context.journal.run.resumed),
        )


def _require_possible(combination: Combination, window: Window) -> None:
    """Raise TargetError for a condition that the next windows of these processes cannot meet either."""
    failed = next((one for one in window.checks if one.name in DECISIVE and one.outcome is Outcome.FAILED), None)
    if failed is not None:
        raise TargetError(
            f"no window of {combination.label} can be valid: {failed.text}",
            where=combination.label,
            todo="Correct it and run `middlemark verify`; --resume keeps what was measured",
        )


def measure_point(subject: RunningSubject, point: PointSpec, on_line: OnLine) -> Window:
    """Measure one point into its folder; TargetError when something dies or stays away, HostError without space."""
    context, target = subject.context, subject.target
    folder = point.folder(context.root)
    subject.reset()
    phases = point_phases(context.preparation.experiment.phases, point.iteration_s, searching=point.searching)
    plan = make_plan(subject.session, _point_settings(subject, point, phases))
    before = target.about()
    others = set(other_runs(runtime_folder()))
    with saving_under(folder):
        record = _write_point(folder, point, phases, plan, subject, before)
        injection = FaultInjection(point, phases, context.preparation.experiment.seed) if point.faults else None
        try:
            if record.soak is None:
                run_load(subject, folder, on_line, injection)
            else:
                standstill = Standstill(record.counted)
                run_load(subject, folder, standstill.counting(on_line), enough=standstill.enough)
        finally:
            if injection:
                write_json(folder / FAULTS, Faults(faults=injection.faults))
        work_left = subject.drained(after_crash=bool(injection))
        heard = ReportOfDriver()
        load = read_load(folder, record.counted, heard.hear, record.soak)
        write_clients(load.clients, folder / CLIENTS)
        others.update(other_runs(runtime_folder()))
        changes = [*target.differences_from_request(before), *compare_about(before, target.about())]
        with subject.auditing() as (connections, beside):
            audited = audit(connections, context.preparation.specification, heard.report, beside)
        write_json(folder / AUDIT, audited)
        evidence = Evidence(
            about_changes=tuple(changes),
            other_runs=tuple(sorted(others)),
            work_left=work_left,
            proofs=proofs_of(context.root, context.requested(point.combination)),
            replay=None if injection else _replayed(subject),
            affinity=observed_affinity(subject.placement, subject.tiers, load.cpu_sets),
        )
        write_json(folder / EVIDENCE, evidence)
        counted = read_record(folder / STATEMENTS, Statements)
    faults, statements = injection.faults if injection else (), tuple(counted.statements) if counted else ()
    raw = RawWindow(record, evidence, subject.placement, load, audited, faults, statements)
    parent, part = (SEARCH, Part.SEARCH) if point.searching else (POINTS, Part.ROUND)
    return judge_window(raw, folder.relative_to(context.root / parent).as_posix(), part)


def _point_settings(subject: RunningSubject, point: PointSpec, phases: Phases) -> LoadSettings:
    seconds = Duration.of_seconds
    lengths = PhaseLengths(seconds(phases.ramp), seconds(phases.settle), seconds(phases.measure), seconds(phases.drain))
    settings = load_settings(subject, point.load, lengths, point.run)
    if soak := _soak_of(subject, point):
        settings = dataclasses.replace(settings, interval=seconds(soak.slice_s))
    # The two sides of a block get the same requests; another load or block gets others.
    seed = settings.seed * 1_000_003 + round(point.load * 1_009) + point.repeat
    # Faults make answers fail, and then only by whose they were can a lost effect be told from a doubled one.
    faults, begin = bool(point.faults), _list_begin(seed)
    return dataclasses.replace(
        settings, seed=seed, spread=seconds(point.iteration_s), report_responses=faults, list_begin=begin
    )


def _soak_of(subject: RunningSubject, point: PointSpec) -> SoakPlan | None:
    """The plan of a soak; None of a point of a search, and of a run without one."""
    run, length = subject.context.journal.run, subject.context.preparation.experiment.soak
    if length is None or point.searching:
        return None
    limits = subject.context.preparation.experiment.loads.limits
    return SoakPlan(
        length_s=length.seconds,
        slice_s=slice_of(length).seconds,
        mean_ms=limits.mean.ms,
        errors=limits.errors,
        rate=run.specification.rate,
    )


def _list_begin(seed: int) -> float:
    """Where lists in sequence, which draw nothing, begin: 0 … 1, far apart for neighbouring seeds.

    Source: multiples of the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
    """
    return (seed * 0x9E3779B97F4A7C15 % 2**64 >> 11) / 2**53


def _write_point(  # noqa: PLR0913 (everything that is known of a point)
    folder: Path, point: PointSpec, phases: Phases, plan: Plan, subject: RunningSubject, about: Mapping[str, About]
) -> Point:
    loads = subject.context.preparation.experiment.loads
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "plan.json"
    write_plan(plan, file)
    record = Point(
        index=point.index,
        combination=point.combination.path,
        load=point.load,
        repeat=point.repeat,
        started=now(),
        seed=read_plan(file).seed,
        plan_sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
        expected_iteration_s=point.iteration_s,
        window_s=phases.measure,
        users=loads.users_at(point.load),
        open_model=not loads.whole,
        counted=subject.session.counted,
        about={name: one.model_dump(mode="json") for name, one in about.items()},
        segment=point.segment,
        soak=_soak_of(subject, point),
    )
    write_json(folder / POINT, record)
    return record


def _replayed(subject: RunningSubject) -> Replay | None:
    """Run some cases on what has just been loaded: at their own scale, on copies that the next reset replaces."""
    # Imported here: other commands need not wait for the libraries of every interface.
    from middlemark.conformance.execution.replay import ReplayRequest, replay  # noqa: PLC0415

    return replay(ReplayRequest(subject.target, subject.context.preparation.specification, subject.stores))
