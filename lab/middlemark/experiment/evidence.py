"""What a point is judged by, as far as the driver's lines and the monitor's samples show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from middlemark.experiment.point_spec import PointSpec
from middlemark.experiment.running_subject import RunningSubject
from middlemark.monitor.affinity import observed_affinity
from middlemark.monitor.figures import (
    cpu_between,
    cpu_step_s,
    database_figures,
    host_figures,
    tier_cpu_sets,
    tier_cpus,
    tier_figures,
)
from middlemark.records.lines_file import DriverLines
from middlemark.records.placement import ObservedAffinity, is_platform
from middlemark.records.point import TierFigures
from middlemark.records.samples import Sample, Samples
from middlemark.verdict.drift import CpuCourse, Stretch, window_of
from middlemark.verdict.driver import self_audit_of
from middlemark.verdict.evidence import PointEvidence
from middlemark.verdict.fairness import OPEN_MODEL, fairness_of
from middlemark.verdict.witnesses import disturbances
from middlemark.workload.window import WindowFigures, window_figures


def evidence_of_load(subject: RunningSubject, point: PointSpec, lines: DriverLines) -> PointEvidence:
    """Return the evidence without what is looked at after the load: audit, /about, cases."""
    loads = subject.context.preparation.experiment.loads
    window = window_figures(lines)
    edges = (window.start_s, window.window_s)
    samples = _samples(subject, point)
    return PointEvidence(
        users=loads.users_at(point.load),
        self_audit=self_audit_of(lines.few()),
        window=window,
        tiers=tier_figures(samples, *edges, window.total.count) | {"driver": _driver_tier(window)},
        audit=None,
        about_changes=None,
        placement=subject.placement,
        databases=database_figures(samples, *edges),
        host=host_figures(samples, *edges),
        cpus=tier_cpus(samples),
        open_model=not loads.whole,
        cpu_course=cpu_course(samples, window_of(window.course)),
        disturbances=disturbances(samples, *edges),
        fairness=fairness_of(lines.few(), window.total, reason_against="" if loads.whole else OPEN_MODEL),
    )


def observed_affinity_of(subject: RunningSubject, point: PointSpec) -> ObservedAffinity:
    """Return which tiers were on other CPUs than theirs, in the point or after it, and which were not observed."""
    return observed_affinity(subject.placement, subject.tiers, tier_cpu_sets(_samples(subject, point)))


def _samples(subject: RunningSubject, point: PointSpec) -> Samples:
    return Samples(point.folder(subject.context.root) / "monitor.ndjson")


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


def cpu_course(samples: Iterable[Sample], intervals: Sequence[Stretch]) -> CpuCourse:
    """Return the CPU time of the measured tiers in each of these intervals, which follow one another.

    `samples` are iterated over more than once.
    """
    tiers = _platform_tiers(samples)
    return CpuCourse(cpu_between(samples, tiers, _edges(intervals)), cpu_step_s(samples, tiers))


def compiler_course(samples: Iterable[Sample], intervals: Sequence[Stretch]) -> tuple[float, ...]:
    """CPU time of the compiler threads of the measured tiers in each interval, as `cpu_course`; () where unseen."""
    if all(tier.compiler_s is None for sample in samples for tier in sample.tiers.values()):
        return ()
    return cpu_between(samples, _platform_tiers(samples), _edges(intervals), lambda tier: tier.compiler_s or 0.0)


def _platform_tiers(samples: Iterable[Sample]) -> list[str]:
    return [tier for tier in dict.fromkeys(name for sample in samples for name in sample.tiers) if is_platform(tier)]


def _edges(intervals: Sequence[Stretch]) -> list[float]:
    return [*(one.start_s for one in intervals), *(one.end_s for one in intervals[-1:])]
