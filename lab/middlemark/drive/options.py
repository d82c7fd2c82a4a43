"""What is asked of a drive: the order, checked and made a plan before anything is sent."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.drive.address import check_answering, is_this_host, target_address
from middlemark.drive.thresholds import Thresholds
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.specification.dataset import read_dataset
from middlemark.workload.expected import expected_iteration
from middlemark.workload.plan import Plan, TimeOuts, Unit, WakeUps
from middlemark.workload.planning import Arrivals, LoadSettings, PhaseLengths, Transport, make_plan
from middlemark.workload.session import Session, read_session
from middlemark.workload.think import Think

LEAST_WINDOW_S = 10.0
LEAST_ITERATIONS = 2
LEAST_RAMP_S = 1.0
USERS = 10
# Users of the open model that nobody has numbered: as many as were at work if every answer took so long.
SLOW_RESPONSE_S = 1.0


@dataclass(frozen=True)
class DriveLoad:
    """The load of a drive: users, several levels of them, or arrivals of the open model.

    `users`: None is 10, and in the open model enough for answers that take a second. Several `levels` of users come one
    after the other, each with its ramp and window.
    """

    users: int | None = None
    levels: tuple[int, ...] = ()
    arrivals: Arrivals | None = None


@dataclass(frozen=True)
class DriveOrder:
    """What the user asks for. None: `duration` two expected iterations or 10 s, `ramp` one expected iteration.

    `records` and `per_client` ask for what each transaction and user saw. `wake`: how exactly the driver wakes for what
    is due; None is as the load model needs.
    """

    session: Path
    targets: tuple[str, ...]
    thresholds: Thresholds
    load: DriveLoad = DriveLoad()
    duration: Duration | None = None
    ramp: Duration | None = None
    think: Think | None = None
    seed: int = 1
    numbers: Mapping[str, int] | None = None
    scale: str = "demo"
    threads: int = 1
    transport: Transport = field(default_factory=Transport)
    timeouts: TimeOuts = field(default_factory=TimeOuts)
    records: bool = False
    per_client: bool = False
    wake: WakeUps | None = None

    @property
    def loads(self) -> tuple[str, ...]:
        """Say each level's load in words."""
        if self.load.arrivals is not None:
            return tuple(
                f"{rate:,g} {self.load.arrivals.unit} arriving per second" for rate in self.load.arrivals.rates
            )
        return tuple(f"{users:,} users" for users in self.load.levels or (self.load.users or USERS,))


@dataclass(frozen=True)
class PreparedDrive:
    """An order that was checked: its session, the plan, and the numbers that the session names."""

    order: DriveOrder
    session: Session
    plan: Plan
    numbers: Mapping[str, int]

    @property
    def seconds(self) -> float:
        """Return how long it takes without the drain."""
        return self.plan.windows[-1][1]

    @property
    def shares_cpus(self) -> bool:
        """Return whether a target is on the driver's own machine."""
        return any(is_this_host(target) for target in self.plan.targets)


def prepare(order: DriveOrder) -> PreparedDrive:
    """Read the session, make the plan and try the targets; InputError or HostError before anything is sent."""
    if order.duration == Duration(0):
        raise InputError("a window of 0s measures nothing", where="--duration", todo="Give it at least some seconds")
    if not order.session.exists():
        raise InputError(
            "there is no such session file", where=str(order.session), todo="`middlemark new session NAME` writes one"
        )
    numbers = {**_scale_numbers(order), **(order.numbers or {})}
    session = read_session(order.session, numbers)
    targets = tuple(target_address(target) for target in order.targets)
    if order.transport.tls is not None and not any(target.startswith("https:") for target in targets):
        raise InputError("no target is an https address", where="--tls", todo="Leave it out, or drive https://…")
    settings = LoadSettings(
        targets=targets,
        users=_users(order, session),
        phases=_phases(order, expected_iteration(session, order.think)),
        run=secrets.token_hex(4),
        seed=order.seed,
        think=order.think,
        numbers=numbers,
        threads=order.threads,
        levels=order.load.levels,
        arrivals=order.load.arrivals,
        transport=order.transport,
        timeouts=order.timeouts,
        per_client=order.per_client,
        wake=order.wake,
    )
    plan = make_plan(session, settings)
    check_answering(targets)
    return PreparedDrive(order, session, plan, numbers)


def _users(order: DriveOrder, session: Session) -> int:
    if order.load.arrivals is None or order.load.users is not None:
        return order.load.users or max(order.load.levels, default=USERS)
    each_s = SLOW_RESPONSE_S
    if order.load.arrivals.unit is Unit.SESSIONS:
        each_s = expected_iteration(session, order.think, mean_response_s=SLOW_RESPONSE_S)
    return max(USERS, math.ceil(max(order.load.arrivals.rates) * each_s))


def _scale_numbers(order: DriveOrder) -> Mapping[str, int]:
    """Return the numbers of the scale when the session lies in specs/<spec>/sessions/."""
    spec = order.session.resolve().parent.parent
    if order.session.resolve().parent.name == "sessions" and (spec / "dataset.toml").is_file():
        return read_dataset(spec, order.scale).numbers
    return {}


def _phases(order: DriveOrder, iteration_s: float) -> PhaseLengths:
    iterations = max(LEAST_ITERATIONS, math.ceil(LEAST_WINDOW_S / iteration_s))
    return PhaseLengths(
        ramp=order.ramp or Duration.of_seconds(max(LEAST_RAMP_S, iteration_s)),
        settle=Duration(0),
        measure=order.duration or Duration.of_seconds(iterations * iteration_s),
    )
