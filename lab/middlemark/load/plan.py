"""The plan the driver plays: the JSON of docs/reference/driver.md, typed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from middlemark.load.feed import Per
from middlemark.load.session import Renewal
from middlemark.load.step import Method
from middlemark.results.run import Record


class ClosedLoad(Record):
    """`users` simulated users; user i starts at i · `spread_ms` / `users`."""

    model: Literal["closed"] = "closed"
    users: int
    spread_ms: float


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


class PlanPhases(Record):
    """Lengths of the phases."""

    ramp_ms: float
    settle_ms: float
    measure_ms: float
    drain_ms: float


class TimeOuts(Record):
    """How long connecting and answering may take."""

    connect: float = 5_000
    answer: float = 60_000


class AnswerLimits(Record):
    """What an answer may hold at most."""

    header_bytes: int = 65_536
    body_bytes: int = 16_777_216


class FromTo(Record):
    """A whole number n with `first` ≤ n < `to`, put into the {} of `format`; `own`: no two users ever have the same."""

    first: int = Field(alias="from")
    to: int
    format: str
    own: bool = False

    @model_serializer(mode="wrap")
    def _without_what_is_as_ever(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Leave `own` out unless it is true: the plan of a session that has none stays what it was, and so its hash."""
        written: dict[str, object] = write(self)
        if not self.own:
            del written["own"]
        return written


class Pick(Record):
    """`count` draws of the feed `source`, joined."""

    source: str = Field(alias="from")
    count: int
    distinct: bool
    join: str


class RangeFeed(Record):
    """A feed of numbers."""

    name: str
    per: Per
    range: FromTo


class PickFeed(Record):
    """A feed of several draws of another feed."""

    name: str
    per: Per
    pick: Pick


class UniqueFeed(Record):
    """A feed that never gives the same text twice."""

    name: str
    per: Per
    unique: str


PlanFeed = RangeFeed | PickFeed | UniqueFeed


class PlanExpect(Record):
    """What the last answer must be."""

    status: int
    marker: str | None
    path: str | None


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


PlanCapture = RegexCapture | BetweenCapture | JsonCapture | HeaderCapture


class PlanStep(Record):
    """One request."""

    id: str
    transaction: str
    method: Method
    path: str
    form: list[tuple[str, str]] | None
    body: str | None
    headers: list[tuple[str, str]]
    expect: PlanExpect
    capture: list[PlanCapture]
    think: PlanThink | None
    probability: float
    repeat: int
    identify: list[str]


class Plan(Record):
    """Everything the driver needs for one point. All durations are milliseconds."""

    v: Literal[1] = 1
    name: str
    run: str
    seed: int = Field(ge=0, lt=2**64)
    targets: list[str] = Field(min_length=1)
    load: ClosedLoad
    think: PlanThink
    phases: PlanPhases
    connections: Renewal
    cookies: Renewal
    threads: int = Field(ge=1)
    timeouts_ms: TimeOuts
    limits: AnswerLimits
    tell_answers: bool = False
    feeds: list[PlanFeed]
    steps: list[PlanStep] = Field(min_length=1)


def write_plan(plan: Plan, path: Path) -> None:
    """Write the plan as the driver reads it."""
    path.write_text(plan.model_dump_json(by_alias=True, indent=1) + "\n", encoding="utf-8")


def read_plan(path: Path) -> Plan:
    """Read a plan again that was written by `write_plan`."""
    return Plan.model_validate_json(path.read_bytes())
