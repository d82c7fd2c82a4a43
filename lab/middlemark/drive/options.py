"""The options of a drive, checked and made a plan before any request."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.drive.address import check_reachable, is_this_host, targets_of
from middlemark.drive.thresholds import Thresholds
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.specification.files_on_disk import request_lists
from middlemark.specification.specification import FILE, Specification, read_specification
from middlemark.wording import counted
from middlemark.workload.expected import expected_cycle, expected_iteration
from middlemark.workload.plan import Plan, TimeOuts, Unit, WakeUps
from middlemark.workload.planning import Arrivals, LoadSettings, PhaseLengths, Transport, make_plan
from middlemark.workload.session import Session, read_session
from middlemark.workload.think import Think

MIN_WINDOW_S = 10.0
MIN_ITERATIONS = 2
MIN_RAMP_S = 1.0
USERS = 10
# Users of the open model without --users: as many as were active if every response took so long.
SLOW_RESPONSE_S = 1.0


@dataclass(frozen=True)
class DriveLoad:
    """The load of a drive: users, several levels of them, or arrivals of the open model.

    `users`: None is 10, and in the open model enough for responses that take a second. Several `levels` of users come
    one after the other, each with its ramp-up and window.
    """

    users: int | None = None
    levels: tuple[int, ...] = ()
    arrivals: Arrivals | None = None


@dataclass(frozen=True)
class NamedValues:
    """What a session names and does not hold: `numbers` of ranges, files of `lists`, and those of the `scale`.

    `modes` are values of those that requests carry; the first one of the specification where it is left out.
    """

    numbers: Mapping[str, int] = field(default_factory=dict)
    lists: Mapping[str, Path] = field(default_factory=dict)
    scale: str = ""
    modes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FurtherFigures:
    """What is reported on demand.

    `per_client`: the figures of each virtual user. `split_times`: the times to the first byte, and of pages without
    their sub-resources. `interval`: the length of the driver's intervals, None for a second. `records` keeps
    a record of each transaction.
    """

    per_client: bool = False
    split_times: bool = False
    interval: Duration | None = None
    records: bool = False


@dataclass(frozen=True)
class DriveOptions:
    """The options of a drive. None: `duration` two expected iterations or 10 s, `ramp` one expected iteration.

    `targets` are `URL`, or `NAME=URL` for steps that name one. `named` is what a session names, `further` is reported
    on demand. `wake`: how exactly the driver wakes for what is due; None is as the load model needs.
    """

    session: Path
    targets: tuple[str, ...]
    thresholds: Thresholds
    load: DriveLoad = DriveLoad()
    duration: Duration | None = None
    ramp: Duration | None = None
    think: Think | None = None
    seed: int = 1
    named: NamedValues = field(default_factory=NamedValues)
    threads: int = 1
    transport: Transport = field(default_factory=Transport)
    timeouts: TimeOuts = field(default_factory=TimeOuts)
    further: FurtherFigures = FurtherFigures()
    wake: WakeUps | None = None

    @property
    def loads(self) -> tuple[str, ...]:
        """Return each level's load in words."""
        if self.load.arrivals is not None:
            return tuple(
                f"{rate:,g} {self.load.arrivals.unit} arriving per second" for rate in self.load.arrivals.rates
            )
        return tuple(counted(users, "user") for users in self.load.levels or (self.load.users or USERS,))


@dataclass(frozen=True)
class PreparedDrive:
    """Options that were checked: its session, the plan, and the numbers that the session names."""

    options: DriveOptions
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
        return any(is_this_host(target) for target in self.plan.addresses)


def prepare(options: DriveOptions) -> PreparedDrive:
    """Read the session, make the plan and try the targets; InputError or HostError before anything is sent."""
    if options.duration == Duration(0):
        raise InputError("a window of 0s measures nothing", where="--duration", todo="Give it at least some seconds")
    if not options.session.exists():
        raise InputError(
            "this session file does not exist",
            where=str(options.session),
            todo="`middlemark new session NAME` writes one",
        )
    if options.session.suffix == ".har":
        raise InputError(
            "this is a browser's recording and not a session file",
            where=str(options.session),
            todo=f"`middlemark session import {options.session}` makes a session of it",
        )
    own = _specification_of(options.session)
    scale_numbers = {} if own is None else own.numbers(options.named.scale or own.default_scale)
    numbers = {**scale_numbers, **options.named.numbers}
    modes = _carried_modes(own, options.named.modes)
    session = read_session(options.session, numbers, modes).carrying(modes)
    targets = targets_of(options.targets, session.target_names)
    if options.transport.tls is not None and not any(one.startswith("https:") for one in targets.addresses):
        raise InputError("no target is an https address", where="--tls", todo="Leave it out, or drive https://…")
    settings = LoadSettings(
        targets=targets.unnamed,
        named_targets=targets.named,
        users=_users(options, session),
        phases=_phases(options, expected_cycle(session, options.think)),
        run=secrets.token_hex(4),
        seed=options.seed,
        think=options.think,
        numbers=numbers,
        lists={**({} if own is None else request_lists(own)), **options.named.lists},
        threads=options.threads,
        levels=options.load.levels,
        arrivals=options.load.arrivals,
        transport=options.transport,
        timeouts=options.timeouts,
        per_client=options.further.per_client,
        split_times=options.further.split_times,
        wake=options.wake,
        interval=options.further.interval,
    )
    plan = make_plan(session, settings)
    check_reachable(targets.addresses)
    return PreparedDrive(options, session, plan, numbers)


def _users(options: DriveOptions, session: Session) -> int:
    if options.load.arrivals is None or options.load.users is not None:
        return options.load.users or max(options.load.levels, default=USERS)
    each_s = max(SLOW_RESPONSE_S, session.longest_calls.seconds)
    if options.load.arrivals.unit is Unit.SESSIONS:
        each_s = expected_iteration(session, options.think, mean_response_s=SLOW_RESPONSE_S)
    return max(USERS, math.ceil(max(options.load.arrivals.rates) * each_s))


def _specification_of(session: Path) -> Specification | None:
    """Return the specification of a session that lies in specs/<spec>/sessions/; None for any other."""
    folder = session.resolve().parent
    if folder.name == "sessions" and (folder.parent / FILE).is_file():
        return read_specification(folder.parent)
    return None


def _carried_modes(own: Specification | None, requested: Mapping[str, str]) -> dict[str, str]:
    """Return the value of each mode that requests carry; InputError for one that the specification does not have."""
    if own is not None:
        return own.carried(requested)
    if requested:
        todo = "Leave it out, or write the value into the session"
        raise InputError("a session outside of specs/ knows no modes", where="--set", todo=todo)
    return {}


def _phases(options: DriveOptions, iteration_s: float) -> PhaseLengths:
    iterations = max(MIN_ITERATIONS, math.ceil(MIN_WINDOW_S / iteration_s))
    return PhaseLengths(
        ramp=options.ramp or Duration.of_seconds(max(MIN_RAMP_S, iteration_s)),
        settle=Duration(0),
        measure=options.duration or Duration.of_seconds(iterations * iteration_s),
    )
