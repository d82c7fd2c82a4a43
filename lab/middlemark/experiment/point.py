"""Measures one point: reset, load, audit, verdict; everything is written as it becomes known."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path

from middlemark.audit.auditing import audit
from middlemark.audit.driver_report import DriverReport, ReportOfDriver
from middlemark.duration import Duration
from middlemark.experiment.disclosure import now
from middlemark.experiment.fault_injection import FaultInjection
from middlemark.experiment.load_run import OnLine, run_load
from middlemark.experiment.load_settings import load_settings
from middlemark.experiment.phases import point_phases
from middlemark.experiment.point_spec import PointSpec
from middlemark.experiment.proofs import proofs_of
from middlemark.experiment.running_subject import RunningSubject
from middlemark.judge.window import AUDIT, EVIDENCE, POINT, RawWindow, judge_window, read_load
from middlemark.monitor.affinity import observed_affinity
from middlemark.processes.runtime import other_runs, runtime_folder
from middlemark.records.folder import FAULTS, POINTS, SEARCH, read_record, saving_under, write_json
from middlemark.records.point import Audit, Evidence, Point, Replay
from middlemark.records.run import Phases
from middlemark.records.run_parts import Faults
from middlemark.records.samples import STATEMENTS, Statements
from middlemark.records.window import Part, Window
from middlemark.topology.about import About, compare_about
from middlemark.workload.clients import CLIENTS, write_clients
from middlemark.workload.plan import Plan, read_plan, write_plan
from middlemark.workload.planning import LoadSettings, PhaseLengths, make_plan


def measure_point(subject: RunningSubject, point: PointSpec, on_line: OnLine) -> Window:
    """Measure one point from the loaded state to its judged window; the folder holds all of it.

    Raises TargetError when an application, a database or the driver dies or the target of a fault does not come back,
    HostError when there is no space left.
    """
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
            run_load(subject, folder, on_line, injection)
        finally:
            if injection:
                write_json(folder / FAULTS, Faults(faults=injection.faults))
        work_left = subject.drained(after_crash=bool(injection))
        heard = ReportOfDriver()
        load = read_load(folder, heard.hear)
        write_clients(load.clients, folder / CLIENTS)
        others.update(other_runs(runtime_folder()))
        changes = [*target.differences_from_request(before), *compare_about(before, target.about())]
        audited = _audited(subject, folder, heard.report)
        evidence = Evidence(
            about_changes=tuple(changes),
            other_runs=tuple(sorted(others)),
            work_left=work_left,
            proofs=proofs_of(subject),
            replay=None if injection else _replayed(subject),
            affinity=observed_affinity(subject.placement, subject.tiers, load.cpu_sets),
        )
        write_json(folder / EVIDENCE, evidence)
        counted = read_record(folder / STATEMENTS, Statements)
    raw = RawWindow(
        record,
        evidence,
        subject.placement,
        load,
        audited,
        injection.faults if injection else (),
        tuple(counted.statements) if counted else (),
    )
    parent, part = (SEARCH, Part.SEARCH) if point.searching else (POINTS, Part.ROUND)
    return judge_window(raw, folder.relative_to(context.root / parent).as_posix(), part)


def _audited(subject: RunningSubject, folder: Path, report: DriverReport | None) -> Audit:
    with subject.auditing() as (connections, beside):
        audited = audit(connections, subject.context.preparation.specification, report, beside)
    write_json(folder / AUDIT, audited)
    return audited


def _point_settings(subject: RunningSubject, point: PointSpec, phases: Phases) -> LoadSettings:
    lengths = PhaseLengths(
        Duration.of_seconds(phases.ramp),
        Duration.of_seconds(phases.settle),
        Duration.of_seconds(phases.measure),
        Duration.of_seconds(phases.drain),
    )
    settings = load_settings(subject, point.load, lengths, point.run)
    spread = Duration.of_seconds(point.iteration_s)
    # The two sides of a block get the same requests; another load or block gets others.
    seed = settings.seed * 1_000_003 + round(point.load * 1_009) + point.repeat
    # Faults make answers fail, and then only by whose they were can a lost effect be told from a doubled one.
    faults, begin = bool(point.faults), _list_begin(seed)
    return dataclasses.replace(settings, seed=seed, spread=spread, report_responses=faults, list_begin=begin)


def _list_begin(seed: int) -> float:
    """Return where lists in sequence, which draw nothing, begin: 0 … 1, far apart for neighbouring seeds.

    Source: multiples of the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
    """
    return (seed * 0x9E3779B97F4A7C15 % 2**64 >> 11) / 2**53


def _write_point(  # noqa: PLR0913 (everything that is known of a point)
    folder: Path, point: PointSpec, phases: Phases, plan: Plan, subject: RunningSubject, about: Mapping[str, About]
) -> Point:
    """Write what is known of a point before it is loaded."""
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
        about={name: one.model_dump(mode="json") for name, one in about.items()},
        segment=point.segment,
    )
    write_json(folder / POINT, record)
    return record


def _replayed(subject: RunningSubject) -> Replay | None:
    """Run some cases on what has just been loaded: at their own scale, on copies that the next reset replaces."""
    # Imported here: other commands need not wait for the libraries of every interface.
    from middlemark.conformance.execution.replay import ReplayRequest, replay  # noqa: PLC0415

    return replay(ReplayRequest(subject.target, subject.context.preparation.specification, subject.stores))
