"""What a point is judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from middlemark.records.disturbance import Disturbance
from middlemark.records.driver_lines import SelfAudit
from middlemark.records.faults import Fault
from middlemark.records.placement import ObservedAffinity, Placement
from middlemark.records.point import Audit, DatabaseFigures, Fairness, HostFigures, TierFigures
from middlemark.records.proof import Proof, Replay
from middlemark.records.work_left import WorkLeft
from middlemark.verdict.drift import CpuCourse
from middlemark.workload.window import WindowFigures


@dataclass(frozen=True)
class PointEvidence:
    """Everything a point is judged by.

    `self_audit`: how the driver judges itself; None when it did not. `about_changes`: a text for each setting that was
    not as requested before the point, or different after it; None when /about was not compared. `audit` None: none was
    made. `other_runs`: process ids of labs of the same user that measured at the same time. `work_left` None: no one
    waited until no work was left. `faults`: those injected while it was loaded. `proofs`: of every subject that takes
    part, None for one that was never verified completely; `replay` None: no case was run after the load. `cpus`: the
    numbers of the CPUs that each tier could use; `observed_affinity`: which were not on their own, and which were not
    observed. `databases` by name; `host` None: not watched. `open_model`: arrivals by a timetable, by at most so many
    `users`. `cpu_course`: CPU time of the platform's tiers in each interval of the window. `fairness` None: the figures
    of each user were not asked for. `disturbances`: what the witnesses saw.
    """

    users: int
    self_audit: SelfAudit | None
    window: WindowFigures
    tiers: Mapping[str, TierFigures]
    audit: Audit | None
    about_changes: tuple[str, ...] | None
    placement: Placement
    observed_affinity: ObservedAffinity = field(default_factory=ObservedAffinity)
    other_runs: tuple[int, ...] = ()
    faults: tuple[Fault, ...] = ()
    work_left: WorkLeft | None = None
    proofs: Mapping[str, Proof | None] = field(default_factory=dict)
    replay: Replay | None = None
    databases: Mapping[str, DatabaseFigures] = field(default_factory=dict)
    host: HostFigures | None = None
    cpus: Mapping[str, frozenset[int]] = field(default_factory=dict)
    open_model: bool = False
    cpu_course: CpuCourse = field(default_factory=CpuCourse)
    fairness: Fairness | None = None
    disturbances: tuple[Disturbance, ...] = ()
