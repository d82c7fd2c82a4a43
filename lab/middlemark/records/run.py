"""`run.json`: what was run, where, and how it ended."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from middlemark.records.choices import SCALE, SESSION, is_mode, is_setting
from middlemark.records.placement import Placement
from middlemark.records.record import Record
from middlemark.records.run_parts import (
    CodeLines,
    DeploymentRecord,
    PlannedFault,
    Resumption,
    SpecificationRecord,
    Tuning,
    WarmUp,
)

Load = int | float
"""A number of users, or a rate of the open model."""

PointPath = Annotated[str, StringConstraints(pattern=r"^[^/]+/[^/]+/[0-9]+(\.[0-9]+)?/[0-9]+$")]
"""The folder of a point below `points/`: `<subject>/<choice=value,…>/<load>/<repeat>`."""


CONTROL = ",again"
"""Ends the path of a control, after that of the combination that it repeats."""


def load_name(load: Load, unit: str) -> str:
    """A load in words: `1 user`, `60 users`, `2.5 sessions per second`."""
    return "1 user" if load == 1 and unit == "users" else f"{load:,.10g} {unit}"


class RunStatus(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class Combination(Record):
    """One subject with one value of every mode and other choice that the experiment makes: what a point measures.

    `modes` has them all by name; the module `choices` tells modes of the subject from others. `path` is
    `<subject>/<mode=value,…>`, its folder under `points/`; `label` is its name in tables. `tiers` has the subject that
    runs each tier, of those that run at all. `runs_on` is the path of another one with the same processes, started once
    for both; empty for a combination with processes of its own.
    """

    subject: str
    modes: dict[str, str]
    label: str
    path: str
    tiers: dict[str, str] = Field(default_factory=dict)
    runs_on: str = ""

    @property
    def deployment(self) -> str:
        """Path of the combination under which its processes are started: its own, or another one's."""
        return self.runs_on or self.path

    @property
    def is_control(self) -> bool:
        """Whether it is another one once more, to show how far equal sides lie apart."""
        return self.path.endswith(CONTROL)

    def __hash__(self) -> int:
        """Hash of the path, by which a run names it."""
        return hash(self.path)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Every subject of which something is started, the compared one first."""
        others = (subject for subject in self.tiers.values() if subject != self.subject)
        return tuple(dict.fromkeys([self.subject, *others]))

    @property
    def own_modes(self) -> dict[str, str]:
        """The modes of the subject only."""
        return {mode: value for mode, value in self.modes.items() if is_mode(mode)}

    @property
    def settings(self) -> dict[str, str]:
        """The settings that the combination chooses."""
        return {name: value for name, value in self.modes.items() if is_setting(name)}


class LeftOut(Record):
    """A combination a subject cannot do, with the reason; `modes` are all its choices, as in a combination."""

    label: str
    reason: str
    subject: str = ""
    modes: dict[str, str] = Field(default_factory=dict)


class Phases(Record):
    """Lengths of a point's phases in seconds; `measure` is the window.

    `search` is the shortest window of the points of a search, where that has one of its own.

    `warm` is the length of the warm-up; with `warm_at_least` it is the longest, and that the shortest of one that ends
    when CPU time per transaction is flat.
    """

    warm: float
    warm_at_least: float | None = None
    ramp: float
    settle: float
    measure: float
    drain: float
    search: float | None = None

    @property
    def warm_text(self) -> str:
        """The lengths of the warm-ups for people: `10 … 180 s, until flat`, `5 s`."""
        if self.warm_at_least is not None:
            return f"{self.warm_at_least:g} … {self.warm:g} s, until warm"
        return f"{self.warm:g} s"


class SearchedPoint(Record):
    """One point of a search; `inside`: within the limits, `valid`: its figures count."""

    load: Load
    throughput_tps: float
    mean_ms: float
    inside: bool
    valid: bool


class LoadLimits(Record):
    """The limits of a load, over all transactions of a window: mean and 90th percentile of the response, failed share.

    `p90_ms` is None without a limit; `errors` is 0 … 1.
    """

    mean_ms: float
    p90_ms: float | None
    errors: float

    def strain(self, mean_ms: float, p90_ms: float) -> float:
        """The largest of measured response ÷ limit: 1 and more is outside the limits."""
        return max(part_of(mean_ms, self.mean_ms), 0.0 if self.p90_ms is None else part_of(p90_ms, self.p90_ms))

    @property
    def response_text(self) -> str:
        """The limits of the response in words: `a mean response of 3 s`."""
        p90 = "" if self.p90_ms is None else f" and a 90th percentile of {self.p90_ms / 1000:g} s"
        return f"a mean response of {self.mean_ms / 1000:g} s{p90}"

    @property
    def text(self) -> str:
        """The limits in words."""
        p90 = "" if self.p90_ms is None else f", p90 ≥ {self.p90_ms / 1000:g} s"
        return f"mean ≥ {self.mean_ms / 1000:g} s{p90}, errors ≥ {100 * self.errors:g} %"


def part_of(ms: float, limit_ms: float) -> float:
    """A time as a share of its limit."""
    return ms / limit_ms if limit_ms else math.inf


class Searched(Record):
    """What a search found for one combination: its points in order, under `search/` in the folder.

    `goal`: it looked for the peak and then the limit, or for the limit alone; then the rounds have two loads around it.
    `peak` is the load with the highest throughput of those that count, `throughput_tps` the mean over its plateau;
    `inside` the largest load within the limits, `outside` the smallest beyond them, by errors where it is `failing`.
    `peak_known`, `limit_known`: the
    search ended by itself and not for lack of points. Until it has `ended` all that is what was found so far.
    `at_edge`: the peak is at an end of the range, where throughput still rose; `doubtful` are loads next to it, or
    above its throughput, whose points stayed INVALID.
    """

    goal: Literal["peak", "limit"] = "peak"
    limits: LoadLimits
    peak: Load | None
    throughput_tps: float
    peak_known: bool
    inside: Load | None
    outside: Load | None
    failing: bool = False
    limit_known: bool
    points: list[SearchedPoint]
    ended: bool = True
    at_edge: bool = False
    doubtful: list[Load] = Field(default_factory=list)


class Host(Record):
    """The machine: what a reader needs to judge the figures.

    `cpus` are those that may be used. `fsync_ms` and `fsync_after_ms` are the median time of a small durable write in
    the database's folder before and after the points, None when that is out of reach or was not reached. `hardware`,
    `limits` and `kernel_settings` are for people: name and value as the system has them; what is unavailable is left
    out.
    """

    system: str
    kernel: str
    cpu: str
    cpus: int
    memory_mib: int
    open_files: int
    fsync_ms: float | None = None
    fsync_after_ms: float | None = None
    hardware: dict[str, str] = Field(default_factory=dict)
    limits: dict[str, str] = Field(default_factory=dict)
    kernel_settings: dict[str, str] = Field(default_factory=dict)


class Start(Record):
    """One `start`, from 0, of a deployment (`Combination.deployment`): for each process the seconds until it was ready.

    They begin where its program does, and end with the first 200 of its ready address, of which it is asked again after
    a twentieth of the time it has taken. A process starts when the one before it is ready.
    """

    combination: str
    start: int
    seconds: dict[str, float]


class Run(Record):
    """One execution of an experiment.

    `description` is the experiment's own. `command` holds the words after `middlemark`, a database's URL without its
    password. `changed` are files that differ from the commit. `points` are the folders below `points/` in the order
    they ran. Times are RFC 3339 in UTC. `specification` is what figures depend on of it. `scales` has the numbers of
    each scale, none for a specification without scales; `fingerprints` prove which rows were loaded, by scale.
    `databases` has version and settings of each database server, by its tier. `not_default` lists what differs from the
    defaults of specification, databases and reverse proxies: rows of `what`, `value`, `why`.

    By the path of a combination: `references` has the path of the one that it is shown relative to; `faults` a list of
    points, each a list of its faults; `placement` its CPUs; `chosen` its loads where a limit or a search decided them;
    `outside` the first load outside the limits of `until`; `deployments` how its processes ran.

    `rounds` are those of each start; the repeats, the last part of a point's path, count them over all starts. `cut`
    has the number of rounds, by the path of a combination, that its starts lack because they were cut. `kept_together`
    has the paths of the combinations that were kept running at the same time. `start_s`: about how long a start takes.
    `alphas` are the levels of the looks after each start, and one alone is that of the only look.

    `limits`: those of `until` or of a search, else the default ones: up to which a load is acceptable.

    `shared_cpus`: at least one combination shares its CPUs with driver or database. `profile` gave lengths and numbers,
    None: the experiment did. `requested` is the SHA-256 of the experiment as options have changed it. `resumed` has
    every moment at which a run that had ended early was resumed.
    """

    v: Literal[2] = 2
    name: str
    description: str = ""
    status: RunStatus
    message: str = ""
    started: str
    finished: str | None = None
    command: list[str]
    versions: dict[str, str]
    commit: str
    changed: list[str] = Field(default_factory=list)
    host: Host
    spec: str
    spec_version: str
    specification: SpecificationRecord
    scales: dict[str, dict[str, int]]
    fingerprints: dict[str, str]
    databases: dict[str, dict[str, str]]
    sessions: list[str]
    think: str
    loads: list[Load]
    repeats: int
    rounds: int = 1
    cut: dict[str, int] = Field(default_factory=dict)
    kept_together: list[list[str]] = Field(default_factory=list)
    start_s: float = 0.0
    phases: Phases
    shared_cpus: bool
    combinations: list[Combination]
    left_out: list[LeftOut]
    references: dict[str, str] = Field(default_factory=dict)
    not_default: list[dict[str, str]]
    inputs: dict[str, str]
    seed: int
    budget_s: float
    points: list[PointPath]
    tuning: list[Tuning] = Field(default_factory=list)
    faults: dict[str, list[list[PlannedFault]]] = Field(default_factory=dict)
    code: list[CodeLines] = Field(default_factory=list)
    starts: list[Start] = Field(default_factory=list)
    warm_ups: list[WarmUp] = Field(default_factory=list)
    placement: dict[str, Placement] = Field(default_factory=dict)
    deployments: dict[str, DeploymentRecord] = Field(default_factory=dict)
    profile: str | None = None
    load_unit: str = "users"
    chosen: dict[str, list[Load]] = Field(default_factory=dict)
    outside: dict[str, Load] = Field(default_factory=dict)
    limits: LoadLimits | None = None
    alphas: tuple[float, ...] = (0.05,)
    searched: dict[str, Searched] = Field(default_factory=dict)
    requested: str = ""
    resumed: list[Resumption] = Field(default_factory=list)

    def start_of(self, repeat: int) -> int:
        """Start, from 0, that a repeat is of."""
        return repeat // self.rounds

    def kept_at_once(self, a: Combination, b: Combination) -> bool:
        """Whether two combinations were kept running at the same time, so that their rounds share their moments."""
        groups = [paths for paths in self.kept_together if a.path in paths or b.path in paths]
        return not groups or any(a.path in paths and b.path in paths for paths in groups)

    @property
    def scale(self) -> str:
        """The scale, several joined by commas; empty for a specification without scales."""
        return ", ".join(self.scales)

    @property
    def session(self) -> str:
        """The session, several joined by commas."""
        return ", ".join(self.sessions)

    def scale_of(self, combination: Combination) -> str:
        """The scale of a combination."""
        return combination.modes.get(SCALE, self.scale)

    def session_of(self, combination: Combination) -> str:
        """The session of a combination."""
        return combination.modes.get(SESSION, self.session)

    def reference_of(self, combination: Combination) -> Combination | None:
        """The combination that this one is shown relative to; None without one."""
        path = self.references.get(combination.path)
        return next((one for one in self.combinations if one.path == path), None)

    @property
    def percentiles_ranked(self) -> bool:
        """Whether response times are ranked: the driver shared nothing with anybody, what was measured no CPUs.

        Else a time may be waiting for a CPU that driver or database had.
        """
        return not self.shared_cpus and not any(one.driver_shares for one in self.placement.values())

    def loads_of(self, combination: Combination) -> list[Load]:
        """The loads of a combination: its own, where a limit or a search decided them, else those of all.

        None as long as its search goes on.
        """
        return self.chosen.get(combination.path, [] if self.searched else self.loads)

    @property
    def seeks_limit(self) -> bool:
        """Whether it searches where the limits are crossed, and leads with the users supported there."""
        return any(one.goal == "limit" for one in self.searched.values())

    def is_searching(self, combination: Combination) -> bool:
        """Whether the search of a combination has not ended; it may not have begun."""
        return combination.path in self.searched and not self.searched[combination.path].ended

    def top_load(self, combination: Combination) -> Load:
        """The load at which a combination is compared; 0 for none.

        That is the highest one that all combinations have inside the limits, or what its own search found: the peak,
        or the lower of the loads around its limit. Where nothing is inside the limits of all, it is the highest that
        all have.
        """
        own, together = set(self.loads_of(combination)), [combination] if self.searched else self.combinations
        common = own.intersection(*map(self.loads_of, together))
        inside = {load for load in common if not any(self.is_outside(one, load) for one in together)}
        return max(inside or common or own, default=0)

    def is_outside(self, combination: Combination, load: Load) -> bool:
        """Whether a load lies outside the limits up to which a combination was to go."""
        return combination.path in self.outside and load >= self.outside[combination.path]

    def load_name(self, load: Load) -> str:
        """A load of this run in words."""
        return load_name(load, self.load_unit)

    @property
    def top_name(self) -> str:
        """In words at which load combinations are compared."""
        if self.searched:
            unfound = any(map(self.is_searching, self.combinations))
            place = "a load just inside the limit" if self.seeks_limit else "the peak"
            return f"{place} of each (the search has not ended)" if unfound else f"{place} of each"
        loads = {self.top_load(combination) for combination in self.combinations} or {0}
        return self.load_name(loads.pop()) if len(loads) == 1 else "the highest load of each, which differ"
