"""The plan the driver executes: the JSON of docs/reference/driver.md, typed."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import Field

from middlemark.records.record import Record
from middlemark.steps.request import Method
from middlemark.workload.brief import Brief
from middlemark.workload.plan_feeds import PlanFeed
from middlemark.workload.session import Renewal
from middlemark.workload.sub_resources import CacheLife


class Unit(StrEnum):
    """What arrives in the open model."""

    SESSIONS = "sessions"
    REQUESTS = "requests"


class Spacing(StrEnum):
    """How arrivals lie on the timetable: equally far apart, or as a Poisson process."""

    CONSTANT = "constant"
    POISSON = "poisson"


class WakeUps(StrEnum):
    """How the driver wakes for what is due: once for each 1.6 ms in which something is, or for each deadline."""

    COALESCED = "coalesced"
    EXACT = "exact"


class ClosedLoad(Brief):
    """`users` virtual users; user i starts at i · `spread_ms` / `users`. With levels these have both."""

    MAY_BE_ABSENT = frozenset({"users", "spread_ms"})

    model: Literal["closed"] = "closed"
    users: int | None
    spread_ms: float | None


class OpenLoad(Brief):
    """`rate` arrivals per second, at most `users` of them active. With levels these have the rates."""

    MAY_BE_ABSENT = frozenset({"rate"})

    model: Literal["open"] = "open"
    arrivals: Spacing
    unit: Unit
    rate: float | None = None
    users: int


class ConstantThink(Record):
    """Always this long."""

    constant_ms: float


class UniformThink(Record):
    """Shortest and longest."""

    uniform_ms: tuple[float, float]


class ExponentialThink(Record):
    """Exponentially distributed with this mean."""

    exponential_ms: float


PlanThink = ConstantThink | UniformThink | ExponentialThink


class PlanPhases(Brief):
    """Lengths of the phases; with levels of the drain alone."""

    MAY_BE_ABSENT = frozenset({"ramp_ms", "settle_ms", "measure_ms"})

    ramp_ms: float | None = None
    settle_ms: float | None = None
    measure_ms: float | None = None
    drain_ms: float


class PlanLevel(Brief):
    """One of several loads: `users` in the closed model, `rate` in the open one."""

    MAY_BE_ABSENT = frozenset({"users", "rate"})

    users: int | None = None
    rate: float | None = None
    ramp_ms: float
    settle_ms: float
    measure_ms: float


class TimeOuts(Brief):
    """How long a connection and a response may take: milliseconds."""

    MAY_BE_ABSENT = frozenset({"first_byte"})

    connect: float = 5_000
    first_byte: float | None = None
    response: float = 60_000


class ConnectionPolicy(StrEnum):
    """How long a connection is used."""

    KEEP = "keep"
    PER_ITERATION = "per-iteration"
    PER_REQUEST = "per-request"


class Resumption(StrEnum):
    """For how long a user remembers its sessions of TLS, to resume them."""

    USER = "user"
    ITERATION = "iteration"
    NONE = "none"


class PlanTls(Brief):
    """How connections to `https` targets are encrypted; `ca`, `certificate` and `key` are files."""

    MAY_BE_ABSENT = frozenset({"ca", "certificate", "key", "minimum", "maximum", "insecure"})

    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    minimum: Literal["1.2", "1.3"] | None = None
    maximum: Literal["1.2", "1.3"] | None = None
    resumption: Resumption = Resumption.USER
    insecure: bool = False


class PlanSubResources(Record):
    """How the sub-resources of a page are fetched."""

    connections: int
    cache: CacheLife


class BasicAuthentication(Record):
    """User and password."""

    basic: tuple[str, str]


class BearerAuthentication(Record):
    """A token."""

    bearer: str


PlanAuthentication = BasicAuthentication | BearerAuthentication


class ResponseLimits(Record):
    """What a response may hold at most."""

    header_bytes: int = 262_144
    body_bytes: int = 16_777_216


class PlanExpect(Brief):
    """What the last response must be."""

    MAY_BE_ABSENT = frozenset({"length"})

    status: int
    marker: str | tuple[str, ...] | None
    path: str | None
    length: int | str | None = None


class RegexCapture(Record):
    """The first group of a regular expression."""

    name: str
    regex: str


class BetweenCapture(Record):
    """What stands between two texts."""

    name: str
    between: tuple[str, str]


class JsonCapture(Record):
    """What a JSON pointer points to."""

    name: str
    pointer: str = Field(alias="json")


class HeaderCapture(Record):
    """A header's value."""

    name: str
    header: str


class CookieCapture(Record):
    """The value of a cookie that the user has after the response."""

    name: str
    cookie: str


PlanCapture = RegexCapture | BetweenCapture | JsonCapture | HeaderCapture | CookieCapture


class FileBody(Record):
    """A body that is the bytes of a file."""

    file: str


class PlanCalls(Brief):
    """Names of the outcomes and of the ids of calls that a response reports."""

    MAY_BE_ABSENT = frozenset({"identify"})

    outcomes: list[str]
    identify: str | None = None


class PlanStep(Brief):
    """One request."""

    MAY_BE_ABSENT = frozenset({"target", "authentication", "abandon", "calls"})

    id: str
    transaction: str
    method: Method
    target: str | None = None
    path: str
    form: list[tuple[str, str]] | None
    body: str | FileBody | None
    headers: list[tuple[str, str]]
    authentication: PlanAuthentication | None = None
    expect: PlanExpect
    capture: list[PlanCapture]
    think: PlanThink | None
    probability: float
    repeat: int
    abandon: float | None = None
    identify: list[str]
    calls: PlanCalls | None = None


class PlanGroup(Record):
    """Steps and groups that run, are left out and are repeated together."""

    group: list[PlanPart]
    probability: float
    repeat: int


PlanPart = PlanStep | PlanGroup
PlanGroup.model_rebuild()


class PlanScript(Brief):
    """One of the sessions of a mix."""

    MAY_BE_ABSENT = frozenset({"think"})

    name: str
    weight: float
    think: PlanThink | None = None
    steps: list[PlanPart]


class PlanShare(Record):
    """Which part of a load a driver runs, where several share it: share `index` of `of`, from 0."""

    index: int = Field(ge=0)
    of: int = Field(ge=1)


class Plan(Brief):
    """Everything the driver needs for one point. All durations are milliseconds."""

    MAY_BE_ABSENT = frozenset(
        {
            "levels", "http", "gzip", "sources", "tls", "sub_resources", "authentication", "records", "per_client",
            "split_times", "steps", "named_targets", "mix", "pacing", "wake", "receive_stamps", "interval_ms", "share",
            "start", "clock_offset_ms",
        }
    )  # fmt: skip

    v: Literal[1] = 1
    name: str
    run: str
    seed: int = Field(ge=0, lt=2**64)
    targets: list[str]
    named_targets: dict[str, list[str]] = Field({})
    load: ClosedLoad | OpenLoad
    wake: WakeUps | None = None
    think: PlanThink
    phases: PlanPhases
    levels: list[PlanLevel] = Field([])
    interval_ms: float | None = Field(None, ge=1_000, le=60_000)
    share: PlanShare | None = None
    start: str | None = None
    clock_offset_ms: float | None = None
    connections: ConnectionPolicy | Renewal
    http: Literal["1.0"] | None = None
    gzip: bool = False
    sources: list[str] = Field([])
    tls: PlanTls | None = None
    receive_stamps: bool = False
    cookies: Renewal
    sub_resources: PlanSubResources | None = None
    authentication: PlanAuthentication | None = None
    threads: int = Field(ge=1)
    timeouts_ms: TimeOuts
    limits: ResponseLimits
    report_responses: bool = False
    records: str | None = None
    per_client: bool = False
    split_times: bool = False
    feeds: list[PlanFeed]
    steps: list[PlanPart] = Field([])
    mix: list[PlanScript] = Field([])
    pacing: PlanThink | None = None

    @property
    def addresses(self) -> list[str]:
        """Return all targets, those without a name first."""
        return [*self.targets, *(address for some in self.named_targets.values() for address in some)]

    @property
    def windows(self) -> list[tuple[float, float]]:
        """Return where each level's measured window begins and ends, in seconds since the first ramp-up began."""
        windows: list[tuple[float, float]] = []
        end_ms = 0.0
        stretches: Sequence[PlanLevel | PlanPhases] = self.levels or [self.phases]
        for level in stretches:
            start_ms = end_ms + (level.ramp_ms or 0) + (level.settle_ms or 0)
            end_ms = start_ms + (level.measure_ms or 0)
            windows.append((start_ms / 1000, end_ms / 1000))
        return windows


def write_plan(plan: Plan, path: Path) -> None:
    """Write the plan as the driver reads it."""
    path.write_text(plan.model_dump_json(by_alias=True, indent=1) + "\n", encoding="utf-8")


def read_plan(path: Path) -> Plan:
    """Read a plan again that was written by `write_plan`."""
    return Plan.model_validate_json(path.read_bytes())
