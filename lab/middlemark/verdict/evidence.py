"""What a point is judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from middlemark.records.driver_lines import SelfAudit
from middlemark.records.faults import Fault
from middlemark.records.placement import Placement, Whereabouts
from middlemark.records.point import Audit, DatabaseFigures, HostFigures, TierFigures
from middlemark.records.proof import Proof, Replay
from middlemark.records.work_left import WorkLeft
from middlemark.verdict.steadiness import CpuCourse
from middlemark.workload.window import WindowFigures


@dataclass(frozen=True)
class PointEvidence:
    """Everything a point is judged by.

    `self_audit`: what the driver says of itself; None when it said nothing. `about_changes`: one text for each setting
    that was not as asked before the point, or different after it; None when it was not looked at. `audit` None: none
    was made. `other_runs`: process ids of labs of the same user that measured at the same time. `work_left` None:
    nobody waited until all orders were completed. `faults`: what was struck while it was loaded. `proof` None: what is
    measured was never verified completely; `replay` None: no case was played after the load.
    `cpus`: the numbers of the CPUs that each tier could use; `whereabouts`: which were not on their own, and of which
    nothing was seen. `database` and `host` None: nobody looked. `open_model`: arrivals by a timetable, by at most so
    many `users`. `cpu_course`: CPU time of the measured tiers in each interval of the window.
    """

    users: int
    self_audit: SelfAudit | None
    window: WindowFigures
    tiers: Mapping[str, TierFigures]
    audit: Audit | None
    about_changes: tuple[str, ...] | None
    placement: Placement
    whereabouts: Whereabouts = field(default_factory=Whereabouts)
    other_runs: tuple[int, ...] = ()
    faults: tuple[Fault, ...] = ()
    work_left: WorkLeft | None = None
    proof: Proof | None = None
    replay: Replay | None = None
    database: DatabaseFigures | None = None
    host: HostFigures | None = None
    cpus: Mapping[str, frozenset[int]] = field(default_factory=dict)
    open_model: bool = False
    cpu_course: CpuCourse = field(default_factory=CpuCourse)
