"""Measures one point: reset, load, audit, verdict; everything is written as it becomes known."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from pathlib import Path

from middlemark.audit.answers import driver_report
from middlemark.audit.auditing import audit
from middlemark.audit.drained import wait_until_drained
from middlemark.conformance.execution.order import LoadedServer
from middlemark.conformance.reporting.proof import proof_in
from middlemark.duration import Duration
from middlemark.experiment.bench import Bench, PointOrder
from middlemark.experiment.disclosure import now
from middlemark.experiment.faults import Striking
from middlemark.experiment.phases import point_phases
from middlemark.experiment.playing import Tell, play, tiers_of
from middlemark.monitor.figures import (
    cpu_between,
    cpu_step_s,
    database_figures,
    host_figures,
    tier_cpu_sets,
    tier_cpus,
    tier_figures,
)
from middlemark.monitor.placed import whereabouts
from middlemark.processes.runtime import other_runs, runtime_folder
from middlemark.records.driver_lines import Line
from middlemark.records.faults import Fault, Faults
from middlemark.records.folder import FAULTS, saving_under, write_json
from middlemark.records.placement import Whereabouts
from middlemark.records.point import Audit, Point, TierFigures, Verdict
from middlemark.records.proof import Replay
from middlemark.records.run import Load, Phases
from middlemark.records.samples import Sample, read_samples
from middlemark.records.work_left import WorkLeft
from middlemark.topology.about import About, compare_about
from middlemark.topology.topology import Target
from middlemark.verdict.driver import self_audit_of
from middlemark.verdict.evidence import PointEvidence
from middlemark.verdict.judge import judge_point
from middlemark.verdict.steadiness import CpuCourse, window_of
from middlemark.verdict.yardsticks import is_measured
from middlemark.workload.driver import write_hlog
from middlemark.workload.expected import EXPECTED_RESPONSE_S
from middlemark.workload.plan import read_plan, write_plan
from middlemark.workload.planning import (
    Arrivals,
    LoadSettings,
    PhaseLengths,
    Transport,
    make_plan,
)
from middlemark.workload.think import Think
from middlemark.workload.window import WindowFigures, window_figures

__all__ = ["Bench", "PointOrder", "measure_point", "warm_up"]


@dataclass(frozen=True)
class Gathered:
    """What a point has brought to light: the driver's lines, the audit, what was not as asked, what was left to do."""

    lines: list[Line]
    audited: Audit
    changes: tuple[str, ...]
    other_runs: tuple[int, ...]
    work_left: WorkLeft
    faults: tuple[Fault, ...]
    whereabouts: Whereabouts
    replay: Replay | None


def warm_up(bench: Bench, target: Target, load: Load, folder: Path, subject: str) -> float:
    """Load the target before its first point, keeping nothing but the log; return the mean response in seconds.

    Where nothing was answered, or with `warm_users`, it is the response a session is expected to have. Raises what
    `measure_point` raises.
    """
    experiment, session = bench.preparation.experiment, bench.preparation.session
    bench.reset()
    target.wait_until_ready()
    none = Duration(0)
    warm = Duration.of_seconds(bench.preparation.phases.warm_of(subject))
    phases = PhaseLengths(none, none, warm, experiment.phases.drain)
    settings = _settings(bench, target, load, phases, "warm")
    if experiment.warm_users:
        never = Think.of(none)
        settings = dataclasses.replace(settings, users=experiment.warm_users, think=never, arrivals=None)
        session = session.model_copy(update={"pacing": None})
    plan = make_plan(session, settings)
    with saving_under(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_plan(plan, folder / "plan.json")
        lines = play(bench, target, folder)
    mean_s = 0.0 if experiment.warm_users else window_figures(lines).total.mean_ms / 1000
    return mean_s or EXPECTED_RESPONSE_S


def measure_point(bench: Bench, target: Target, order: PointOrder, tell: Tell) -> Verdict:
    """Measure one point from the loaded state to its verdict; the folder holds all of it.

    Raises TargetError when an application, the database or the driver dies or what a fault struck does not come back,
    HostError when there is no space left.
    """
    folder = order.folder(bench.root)
    bench.reset()
    target.wait_until_ready()
    phases = point_phases(bench.preparation.experiment.phases, order.iteration_s)
    plan = make_plan(bench.preparation.session, _point_settings(bench, target, order, phases))
    before = target.about()
    others = set(other_runs(runtime_folder()))
    with saving_under(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_plan(plan, folder / "plan.json")
        write_json(folder / "point.json", _point(order, phases, folder / "plan.json", before))
        striking = Striking(order, phases, bench.preparation.experiment.seed) if order.faults else None
        try:
            lines = play(bench, target, folder, tell, striking)
        finally:
            if striking:
                write_json(folder / FAULTS, Faults(faults=striking.faults))
        work_left = _drained(bench)
        write_hlog(folder / "intervals.ndjson", folder / "latency.hlog")
        unlike = target.unlike_asked(before, bench.preparation.spec_version)
        others.update(other_runs(runtime_folder()))
        changes = [*unlike, *compare_about(before, target.about())]
        audited = _audit(bench, lines)
        write_json(folder / "audit.json", audited)
        struck = striking.faults if striking else ()
        played = None if striking else _replayed(bench, target)
        where = _whereabouts(bench, target, order)
        seen = Gathered(lines, audited, tuple(changes), tuple(sorted(others)), work_left, struck, where, played)
        verdict = judge_point(_evidence(bench, order, seen))
        write_json(folder / "verdict.json", verdict)
    return verdict


def _settings(bench: Bench, target: Target, load: Load, phases: PhaseLengths, run: str) -> LoadSettings:
    preparation = bench.preparation
    loads = preparation.experiment.loads
    return LoadSettings(
        targets=target.addresses,
        users=loads.users_at(load),
        phases=phases,
        run=run,
        seed=preparation.experiment.seed,
        think=preparation.experiment.think,
        numbers=preparation.dataset.numbers,
        wake=preparation.experiment.wake,
        transport=Transport(receive_stamps=preparation.experiment.receive_stamps),
        arrivals=None if loads.whole else Arrivals((load,), loads.arrivals, loads.of),
    )


def _point_settings(bench: Bench, target: Target, order: PointOrder, phases: Phases) -> LoadSettings:
    lengths = PhaseLengths(
        Duration.of_seconds(phases.ramp),
        Duration.of_seconds(phases.settle),
        Duration.of_seconds(phases.measure),
        Duration.of_seconds(phases.drain),
    )
    settings = _settings(bench, target, order.load, lengths, order.run)
    spread = Duration.of_seconds(order.iteration_s)
    # The two sides of a block get the same requests; another load or block gets others.
    seed = bench.preparation.experiment.seed * 1_000_003 + round(order.load * 1_009) + order.repeat
    # Faults make answers fail, and then only whose they were tells one order lost from another doubled.
    return dataclasses.replace(settings, seed=seed, spread=spread, tell_answers=bool(order.faults))


def _point(order: PointOrder, phases: Phases, plan: Path, about: dict[str, About]) -> Point:
    return Point(
        index=order.index,
        combination=order.combination.path,
        load=order.load,
        repeat=order.repeat,
        started=now(),
        seed=read_plan(plan).seed,
        plan_sha256=hashlib.sha256(plan.read_bytes()).hexdigest(),
        expected_iteration_s=order.iteration_s,
        window_s=phases.measure,
        about={name: one.model_dump(mode="json") for name, one in about.items()},
        sitting=order.sitting,
    )


def _driver_tier(window: WindowFigures) -> TierFigures:
    """Return the driver's own account of the window: it ends so soon after it that the monitor may miss the end."""
    count = window.total.count
    return TierFigures(
        cpu_s=window.driver.cpu_s,
        cpu_share=window.driver.cpu_share,
        cpu_ms_per_transaction=window.driver.cpu_s * 1000 / count if count else 0.0,
        memory_mean_mib=window.driver.mean_rss_mib,
        memory_max_mib=window.driver.max_rss_mib,
    )


def _cpu_course(samples: list[Sample], window: WindowFigures) -> CpuCourse:
    """Return the CPU time of the measured tiers in each interval of the window."""
    intervals = window_of(window.course)
    tiers = [tier for tier in dict.fromkeys(name for sample in samples for name in sample.tiers) if is_measured(tier)]
    edges = [*(one.start_s for one in intervals), *(one.end_s for one in intervals[-1:])]
    return CpuCourse(cpu_between(samples, tiers, edges), cpu_step_s(samples, tiers))


def _whereabouts(bench: Bench, target: Target, order: PointOrder) -> Whereabouts:
    """Return which tiers were on other CPUs than their own, during the point or after it, and which nobody saw."""
    sampled = tier_cpu_sets(read_samples(order.folder(bench.root) / "monitor.ndjson"))
    return whereabouts(bench.preparation.places.of(order.combination), tiers_of(bench, target), sampled)


def _drained(bench: Bench) -> WorkLeft:
    with bench.database.connected(bench.name) as connection:
        return wait_until_drained(connection, bench.preparation.spec_folder)


def _replayed(bench: Bench, target: Target) -> Replay | None:
    """Play some cases on what has just been loaded: at their own scale, on a copy that the next reset replaces."""
    # Imported here: other commands need not wait for the libraries of every binding.
    from middlemark.conformance.execution.replay import ReplayOrder, replay  # noqa: PLC0415

    template = f"{bench.template}_cases"
    return replay(
        ReplayOrder(target, bench.preparation.spec_folder, LoadedServer(bench.database, template), bench.name)
    )


def _audit(bench: Bench, lines: list[Line]) -> Audit:
    with bench.database.connected(bench.name) as connection:
        return audit(connection, bench.preparation.spec_folder, driver_report(lines))


def _evidence(bench: Bench, order: PointOrder, seen: Gathered) -> PointEvidence:
    folder = order.folder(bench.root)
    loads = bench.preparation.experiment.loads
    window = window_figures(seen.lines)
    edges = (window.start_s, window.window_s)
    samples = read_samples(folder / "monitor.ndjson")
    return PointEvidence(
        users=loads.users_at(order.load),
        self_audit=self_audit_of(seen.lines),
        window=window,
        tiers=tier_figures(samples, *edges, window.total.count) | {"driver": _driver_tier(window)},
        audit=seen.audited,
        about_changes=seen.changes,
        placement=bench.preparation.places.of(order.combination),
        whereabouts=seen.whereabouts,
        other_runs=seen.other_runs,
        work_left=seen.work_left,
        faults=seen.faults,
        proof=proof_in(bench.root, order.combination.subject),
        replay=seen.replay,
        database=database_figures(samples, *edges),
        host=host_figures(samples, *edges),
        cpus=tier_cpus(samples),
        open_model=not loads.whole,
        cpu_course=_cpu_course(samples, window),
    )
