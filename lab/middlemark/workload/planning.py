"""Makes the driver's plan of a session."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.wording import counted
from middlemark.workload.expected import expected_cycle
from middlemark.workload.feed import Draw, Feed
from middlemark.workload.plan import (
    ClosedLoad,
    ConnectionPolicy,
    OpenLoad,
    Plan,
    PlanLevel,
    PlanPhases,
    PlanSubResources,
    PlanTls,
    ResponseLimits,
    Spacing,
    TimeOuts,
    Unit,
    WakeUps,
)
from middlemark.workload.plan_feeds import FileLines, FromTo, ListFeed, Pick, PickFeed, PlanFeed, RangeFeed, UniqueFeed
from middlemark.workload.plan_parts import plan_authentication, plan_parts, plan_scripts, plan_think
from middlemark.workload.session import Numbers, Session, number
from middlemark.workload.think import Think

SHORTEST_INTERVAL, LONGEST_INTERVAL = Duration.of_seconds(1), Duration.of_seconds(60)
"""In between the driver counts (docs/reference/driver.md)."""


@dataclass(frozen=True)
class PhaseLengths:
    """How long the phases of a point, or of each level, are. `drain` is the longest wait for what has been started.

    A response that reports calls is waited for as long as it is expected to take besides.
    """

    ramp: Duration
    settle: Duration
    measure: Duration
    drain: Duration = field(default_factory=lambda: Duration.of_seconds(10))


@dataclass(frozen=True)
class Arrivals:
    """The open model: so many arrivals per second, whatever the server does; several rates are levels."""

    rates: tuple[float, ...]
    spacing: Spacing = Spacing.CONSTANT
    unit: Unit = Unit.SESSIONS


@dataclass(frozen=True)
class Transport:
    """How requests travel.

    `connections` None: as in the session. `sources`: local addresses, none: any. `receive_stamps`: the kernel stamps
    what comes, which shows the driver's own part of response times.
    """

    connections: ConnectionPolicy | None = None
    http_1_0: bool = False
    gzip: bool = False
    sources: tuple[str, ...] = ()
    tls: PlanTls | None = None
    receive_stamps: bool = False


@dataclass(frozen=True)
class LoadSettings:
    """How a session runs: everything of a plan that is not in the session.

    `targets` are where steps go that name no target, `named_targets` where the others go, by that name. `lists` are
    files that feeds name instead of a path; those in sequence begin at the share `list_begin`.
    `users` are all there are; with `arrivals` the most active at the same time. `levels`: numbers of users, one after
    the other. `run` makes the `unique` values differ from any other run's. `think` replaces every think time of the
    session. `spread` is the time over which the users start: one expected iteration, at most the ramp-up, when None.
    With `report_responses` the driver reports every response to a step with `identify`, so that the audit can compare
    each of them. `records` is the file for a record of each transaction. `wake` None: as the load model needs.
    `split_times` asks for times to the first byte, and of pages without their sub-resources. `interval` is the length
    of the intervals in which the driver counts, a second when None.
    """

    targets: tuple[str, ...]
    users: int
    phases: PhaseLengths
    run: str
    seed: int = 1
    think: Think | None = None
    numbers: Numbers = field(default_factory=dict)
    threads: int = 1
    spread: Duration | None = None
    levels: tuple[int, ...] = ()
    arrivals: Arrivals | None = None
    transport: Transport = field(default_factory=Transport)
    timeouts: TimeOuts = field(default_factory=TimeOuts)
    limits: ResponseLimits = field(default_factory=ResponseLimits)
    report_responses: bool = False
    records: str | None = None
    per_client: bool = False
    split_times: bool = False
    wake: WakeUps | None = None
    interval: Duration | None = None
    named_targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lists: Mapping[str, Path] = field(default_factory=dict)
    list_begin: float = 0.0


def make_plan(session: Session, settings: LoadSettings) -> Plan:
    """Return the plan of `session` under `settings`.

    InputError when a range names an unknown number, when one has not enough numbers for every user's own, when a
    step goes to a target that has no address, and when parts of the times of reported calls are asked for.
    """
    _check_targets(session, settings)
    _check_calls(session, settings)
    think, transport, levels = settings.think, settings.transport, _levels(settings)
    fetched = session.sub_resources
    return Plan(
        name=session.name,
        run=settings.run,
        seed=settings.seed,
        # The driver expects a connection of each user to each target, so a target that no step names is left out.
        targets=list(settings.targets) if any(step.target is None for step in session.every_step) else [],
        named_targets={name: list(settings.named_targets[name]) for name in session.target_names},
        load=_load(session, settings),
        wake=settings.wake,
        think=plan_think(think or session.think),
        phases=_phases(session, settings.phases, levels=bool(levels)),
        levels=levels,
        interval_ms=None if settings.interval is None else settings.interval.ms,
        connections=transport.connections or session.per_iteration.connections,
        http="1.0" if transport.http_1_0 else None,
        gzip=transport.gzip,
        sources=list(transport.sources),
        tls=transport.tls,
        receive_stamps=transport.receive_stamps,
        cookies=session.per_iteration.cookies,
        sub_resources=PlanSubResources(connections=fetched.connections, cache=fetched.cache) if fetched else None,
        authentication=plan_authentication(session.authentication),
        threads=settings.threads,
        timeouts_ms=settings.timeouts,
        limits=settings.limits,
        report_responses=settings.report_responses,
        records=settings.records,
        per_client=settings.per_client,
        split_times=settings.split_times,
        feeds=[_feed(name, feed, session, settings) for name, feed in session.feeds.items()],
        steps=plan_parts(session.steps or (), session.folder, own_thinks=think is None),
        mix=plan_scripts(session.mix or (), session.folder, own_thinks=think is None),
        pacing=plan_think(session.pacing) if session.pacing else None,
    )


def checked_interval(interval: Duration) -> Duration:
    """Return a length of the driver's intervals; raise ValueError when the driver does not count in such."""
    if SHORTEST_INTERVAL.ms <= interval.ms <= LONGEST_INTERVAL.ms:
        return interval
    raise ValueError(f"{interval} is not a length of an interval, which goes from {SHORTEST_INTERVAL} to 60s")


def checked_address(text: str) -> str:
    """Return a local address to connect from; raise ValueError for anything but an IP address."""
    try:
        ipaddress.ip_address(text)
    except ValueError as error:
        raise ValueError(f"'{text}' is not an IP address") from error
    return text


def _check_targets(session: Session, settings: LoadSettings) -> None:
    for step in session.every_step:
        if step.target is None and not settings.targets:
            raise InputError(f"step '{step.id}' names no target, and all addresses have names", todo="Add --target URL")
        if step.target is not None and not settings.named_targets.get(step.target):
            raise InputError(
                f"step '{step.id}' goes to the target '{step.target}', which has no address",
                todo=f"Add --target {step.target}=URL",
            )


def _check_calls(session: Session, settings: LoadSettings) -> None:
    if session.calling_step is not None and (settings.transport.receive_stamps or settings.split_times):
        raise InputError(
            f"step '{session.calling_step.id}' reports calls, whose times the driver cannot split",
            todo="Leave out --receive-stamps and --split-times, or receive_stamps and split_times of the experiment",
        )


def _load(session: Session, settings: LoadSettings) -> ClosedLoad | OpenLoad:
    arrivals = settings.arrivals
    if arrivals is not None:
        if session.pacing is not None:
            raise InputError(
                f"the session '{session.name}' has a pacing, and in the open model the timetable sets when it begins",
                todo="Leave out `pacing`, or drive it with users instead of a rate",
            )
        one = arrivals.rates[0] if len(arrivals.rates) == 1 else None
        return OpenLoad(arrivals=arrivals.spacing, unit=arrivals.unit, rate=one, users=settings.users)
    if len(settings.levels) > 1:
        return ClosedLoad(users=None, spread_ms=None)
    iteration = Duration.of_seconds(expected_cycle(session, settings.think))
    spread = settings.spread or min(iteration, settings.phases.ramp)
    return ClosedLoad(users=settings.users, spread_ms=spread.ms)


def _levels(settings: LoadSettings) -> list[PlanLevel]:
    phases = settings.phases
    lengths = {"ramp_ms": phases.ramp.ms, "settle_ms": phases.settle.ms, "measure_ms": phases.measure.ms}
    if settings.arrivals is not None:
        rates = settings.arrivals.rates
        return [PlanLevel(rate=rate, **lengths) for rate in rates] if len(rates) > 1 else []
    return [PlanLevel(users=users, **lengths) for users in settings.levels] if len(settings.levels) > 1 else []


def _phases(session: Session, phases: PhaseLengths, *, levels: bool) -> PlanPhases:
    drain_ms = phases.drain.ms + session.longest_calls.ms
    if levels:
        return PlanPhases(drain_ms=drain_ms)
    return PlanPhases(
        ramp_ms=phases.ramp.ms,
        settle_ms=phases.settle.ms,
        measure_ms=phases.measure.ms,
        drain_ms=drain_ms,
    )


def _feed(name: str, feed: Feed, session: Session, settings: LoadSettings) -> PlanFeed:
    if feed.lines is not None:
        file = settings.lists.get(feed.lines, session.folder / feed.lines)
        if not file.is_file():
            todo = f"Write it, or name one: --list {feed.lines}=FILE"
            raise InputError(f"feed '{name}' draws from a file that does not exist", where=str(file), todo=todo)
        draw = feed.draw or Draw.RANDOM
        begin = settings.list_begin if draw is Draw.SEQUENCE else 0.0
        lines = FileLines(file=str(file), draw=draw, columns=list(feed.columns), as_path=feed.as_path, begin=begin)
        return ListFeed(list=lines, name=name, per=feed.per)
    if feed.range is not None:
        first, end = (_number(name, bound, settings.numbers) for bound in feed.range)
        if feed.own and end - first < settings.users:
            users = counted(settings.users, "user")
            raise InputError(
                f"feed '{name}' has {end - first:,} numbers for {users}; each needs one of its own",
                todo="Use fewer users or a larger range",
            )
        return RangeFeed(
            name=name, per=feed.per, range=FromTo(**{"from": first}, to=end, format=feed.format or "{}", own=feed.own)
        )
    if feed.pick is not None:
        join = "," if feed.join is None else feed.join
        pick = Pick(**{"from": feed.source or ""}, count=feed.pick, distinct=feed.distinct, join=join)
        return PickFeed(name=name, per=feed.per, pick=pick)
    return UniqueFeed(name=name, per=feed.per, unique=feed.unique or "")


def _number(name: str, bound: int | str, numbers: Numbers) -> int:
    try:
        return number(bound, numbers)
    except KeyError as error:
        raise InputError(f"feed '{name}' needs the number '{bound}'", todo=f"Add --number {bound}=N") from error
