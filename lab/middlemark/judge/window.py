"""Reads the raw files of a point, each once, and judges its window: figures, and whether they count."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.errors import InputError
from middlemark.judge.samples import SampleSums
from middlemark.judge.soak import soak_of
from middlemark.records.driver_lines import Client, DriverLines, FailedCheck, Line, SelfAudit
from middlemark.records.folder import ASIDE, FAULTS, POINTS, SEARCH, read_record
from middlemark.records.placement import DRIVER, Placement, is_platform
from middlemark.records.point import Audit, Evidence, Point
from middlemark.records.run import Run
from middlemark.records.run_parts import Fault, Faults
from middlemark.records.samples import STATEMENTS, Disturbance, Samples, Statement, Statements
from middlemark.records.soak import Soak, SoakPlan
from middlemark.records.window import Check, DatabaseFigures, Forbids, HostFigures, Part, Stretch, TierFigures, Window
from middlemark.verdict import conditions
from middlemark.verdict.drift import CpuCourse, cpu_cost_drift_check, throughput_drift_check, window_of
from middlemark.verdict.fairness import OPEN_MODEL, fairness_of
from middlemark.verdict.limit import Situation, limit_of, places
from middlemark.verdict.witnesses import disturbances, is_near_edge
from middlemark.workload.course import Course
from middlemark.workload.window import WindowFigures, driven
from middlemark.workload.window_sums import per

INTERVALS, MONITOR, EVIDENCE, AUDIT, POINT = (
    "intervals.ndjson",
    "monitor.ndjson",
    "evidence.json",
    "audit.json",
    "point.json",
)
ENDED_EARLY = "the run ended while it was measured"
# More stretches than this cannot be distinguished on paper.
MAX_STRETCHES = 240


@dataclass(frozen=True)
class LoadRead:
    """What the driver's lines and the monitor's samples of a load show.

    `cpu_sets` are the CPUs that processes of each tier could use, each set once, `cpus` those of a tier together.
    """

    window: WindowFigures
    self_audit: SelfAudit | None = None
    clients: Sequence[Client] | None = None
    failed_checks: Sequence[FailedCheck] = ()
    tiers: Mapping[str, TierFigures] = field(default_factory=dict)
    databases: Mapping[str, DatabaseFigures] = field(default_factory=dict)
    host: HostFigures | None = None
    cpus: Mapping[str, frozenset[int]] = field(default_factory=dict)
    cpu_sets: Mapping[str, frozenset[frozenset[int]]] = field(default_factory=dict)
    cpu: CpuCourse = field(default_factory=CpuCourse)
    disturbances: tuple[Disturbance, ...] = ()
    throughput_course: tuple[Stretch, ...] = ()
    cpu_course: tuple[Stretch, ...] = ()
    soak: Soak | None = None


@dataclass(frozen=True)
class RawWindow:
    """Everything a window is judged by; `load` is what was read of it. `audit` None: none was made."""

    point: Point
    evidence: Evidence
    placement: Placement
    load: LoadRead
    audit: Audit | None
    faults: tuple[Fault, ...] = ()
    statements: tuple[Statement, ...] = ()


def read_load(
    folder: Path,
    counted: Collection[str] = (),
    hear: Callable[[Line], None] = lambda _: None,
    soak: SoakPlan | None = None,
) -> LoadRead:
    """Read the driver's lines and the samples in the folder of a point; `hear` gets each line.

    Costs are per `counted` transaction, of all where none are named. With `soak` it is judged as one, as far as it is.

    Raises InputError for lines that are broken or contradict each other.
    """
    read = driven(DriverLines(folder / INTERVALS), counted=counted, hear=hear)
    window = read.whole
    count = window.counted(counted)
    span = (window.start_s, window.start_s + window.window_s)
    sums, looks = SampleSums(span), []
    for sample in Samples(folder / MONITOR):
        sums.add(sample)
        if is_near_edge(sample, span):
            looks.append(sample)
    inside = window_of(window.course)
    edges = [*(one.start_s for one in inside), *(one.end_s for one in inside[-1:])]
    end_s = max((one.end_s for one in window.course), default=0.0)
    return LoadRead(
        window=window,
        self_audit=read.self_audit,
        clients=read.clients,
        failed_checks=read.failed_checks,
        tiers=sums.tiers(count) | {DRIVER: _driver_tier(window, count)},
        databases=sums.databases(),
        host=sums.host(),
        cpus=sums.cpus,
        cpu_sets=sums.cpu_sets,
        cpu=CpuCourse(sums.cpu_between(edges), sums.cpu_step_s),
        disturbances=disturbances(looks, span),
        throughput_course=tuple(_throughput(window.course)),
        cpu_course=tuple(sums.cpu_course(MAX_STRETCHES, end_s)),
        soak=soak_of(window, sums, soak, ended=read.self_audit is not None) if soak else None,
    )


def read_soak(folder: Path) -> Soak | None:
    """The soak of a point that is under way or was killed, as far as it came; None of any other."""
    point = read_record(folder / POINT, Point)
    if point is None or point.soak is None:
        return None
    try:
        return read_load(folder, point.counted, soak=point.soak).soak
    except InputError:
        return None


def read_window(folder: Path, run: Run, path: str, part: Part) -> Window | str:
    """Judge the window in the folder of a point; why there is none, when it was not finished.

    After a loss of power a file may be on the disk, and one that was written before it not.
    """
    point, evidence = read_record(folder / POINT, Point), read_record(folder / EVIDENCE, Evidence)
    audit = read_record(folder / AUDIT, Audit)
    try:
        load = read_load(folder, point.counted if point else (), soak=point.soak if point else None)
    except InputError as error:
        return str(error)
    # The audit of the driver itself is the last of the lines from which figures follow.
    parts = {INTERVALS: load.self_audit, POINT: point, EVIDENCE: evidence, AUDIT: audit}
    missing = [name for name, part in parts.items() if part is None]
    if point is None or evidence is None or missing:
        return f"{ENDED_EARLY}: {' and '.join(missing)} missing or cut off"
    injected, counted = read_record(folder / FAULTS, Faults), read_record(folder / STATEMENTS, Statements)
    raw = RawWindow(
        point=point,
        evidence=evidence,
        placement=run.placement.get(point.combination, Placement()),
        load=load,
        audit=audit,
        faults=injected.faults if injected else (),
        statements=tuple(counted.statements) if counted else (),
    )
    return judge_window(raw, path, part)


def judge_window(raw: RawWindow, path: str, part: Part = Part.ROUND) -> Window:
    """Judge a window: it is valid when no check failed that forbids everything."""
    point, load = raw.point, raw.load
    window, checks = load.window, _checks(raw)
    if raw.faults:
        checks = [*map(conditions.not_applied, checks), conditions.faults_check(raw.faults, raw.audit)]
    situation = Situation(
        tiers=load.tiers,
        databases=load.databases,
        in_progress=window.total.tps * window.total.mean_ms / 1000,
        users=None if point.open_model else point.users,
    )
    limit = None if raw.faults else limit_of(situation, load.cpus)
    return Window(
        path=path,
        part=part,
        planned_s=point.window_s,
        valid=not any(check.keeps_from(Forbids.EVERYTHING) for check in checks),
        throughput_tps=per(window.counted(point.counted), window.window_s),
        little_tps=conditions.little_tps(load.self_audit),
        bytes_per_s=window.bytes_received_per_s,
        sent_bytes_per_s=window.bytes_sent_per_s,
        # The CPU time of a process that was killed is lost.
        tiers={} if raw.faults else dict(load.tiers),
        databases=dict(load.databases),
        compiler_share=compiler_share(load.tiers),
        checks=tuple(checks),
        limit=limit,
        places={place.value: mean for place, mean in places(situation).items()} if limit else {},
        fairness=fairness_of(load.clients, window.total, reason_against=OPEN_MODEL if point.open_model else ""),
        cpu_course=() if raw.faults else load.cpu_course,
        response_times=window.response_times.encode(),
        **{name: getattr(of, name) for of, names in ((window, _OF_FIGURES), (point, _OF_POINT)) for name in names},
        **{name: getattr(load, name) for name in ("host", "disturbances", "throughput_course", "soak")},
        **{name: getattr(raw, name) for name in ("audit", "faults", "statements")},
    )


_OF_POINT = (
    "combination", "load", "repeat", "index", "started", "segment", "seed", "plan_sha256", "about", "users",
)  # fmt: skip
_OF_FIGURES = (
    "start_s", "window_s", "transactions", "total", "errors_by_kind", "connections", "reconnected", "odd_responses",
    "responses", "sub_resources", "mean_body_bytes", "receive_lag", "tls", "first_byte", "page",
)  # fmt: skip


def compiler_share(tiers: Mapping[str, TierFigures]) -> float | None:
    """Share of compiler threads in the CPU time of the platform's tiers; None where no tier declares any."""
    platform = [figures for tier, figures in tiers.items() if is_platform(tier)]
    spent = [figures.compiler_s for figures in platform if figures.compiler_s is not None]
    cpu_s = sum(figures.cpu_s for figures in platform)
    return sum(spent) / cpu_s if spent and cpu_s > 0 else None


def _checks(raw: RawWindow) -> list[Check]:
    window, evidence = raw.load.window, raw.evidence
    return [
        conditions.errors_check(window.total, window.errors_by_kind, raw.load.failed_checks),
        *([conditions.arrivals_check(window)] if raw.point.open_model else []),
        conditions.audit_check(raw.audit),
        *conditions.driver_checks(raw.load.self_audit, shared_cpus=raw.placement.driver_shares),
        throughput_drift_check(window.course),
        cpu_cost_drift_check(window.course, raw.load.cpu),
        conditions.settings_check(evidence.about_changes),
        conditions.placement_check(raw.placement, evidence.affinity),
        conditions.drained_check(evidence.work_left),
        conditions.exclusive_check(evidence.other_runs),
        conditions.conformance_check(evidence.proofs, evidence.replay),
    ]


def _driver_tier(window: WindowFigures, count: int) -> TierFigures:
    """The driver's own account of the window: it ends so soon after it that the monitor may miss the end."""
    driver = window.driver
    return TierFigures(
        cpu_s=driver.cpu_s,
        cpu_share=driver.cpu_share,
        cpu_ms_per_transaction=driver.cpu_s * 1000 / count if count else 0.0,
        memory_mean_mib=driver.mean_rss_mib,
        memory_max_mib=driver.max_rss_mib,
    )


def _throughput(course: Iterable[Course]) -> Iterable[Stretch]:
    """At most MAX_STRETCHES stretches; several intervals become one by their sums, never by smoothing."""
    every = [one for one in course if one.end_s > one.start_s]
    together = max(1, -(-len(every) // MAX_STRETCHES))
    for begin in range(0, len(every), together):
        part = every[begin : begin + together]
        start_s, end_s = part[0].start_s, part[-1].end_s
        yield Stretch(start_s=start_s, end_s=end_s, rate=sum(one.count for one in part) / (end_s - start_s))


def set_aside(window: Window, part: str) -> Window:
    """A window of a round or a search whose folder was set aside as a `part`; another is measured in its place."""
    path = f"{ASIDE}/{part}/{SEARCH if window.part is Part.SEARCH else POINTS}/{window.path}"
    why = "; ".join(one.text for one in window.disturbances) or "its round was cut"
    return window.model_copy(update={"path": path, "part": Part.ASIDE, "aside": why, "place": window.path})
