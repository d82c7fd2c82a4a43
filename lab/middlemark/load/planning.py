"""Makes the driver's plan of a session, and says what to expect of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from middlemark.errors import InputError
from middlemark.load.duration import Duration
from middlemark.load.feed import Feed
from middlemark.load.plan import (
    AnswerLimits,
    BetweenCapture,
    ClosedLoad,
    ConstantThink,
    ExponentialThink,
    FromTo,
    HeaderCapture,
    JsonCapture,
    Pick,
    PickFeed,
    Plan,
    PlanCapture,
    PlanExpect,
    PlanFeed,
    PlanPhases,
    PlanStep,
    PlanThink,
    RangeFeed,
    RegexCapture,
    TimeOuts,
    UniformThink,
    UniqueFeed,
)
from middlemark.load.session import Numbers, Session, number
from middlemark.load.step import Capture, Step
from middlemark.load.think import Think

EXPECTED_RESPONSE_S = 0.01
"""The mean response a session is planned for before any has been seen."""


@dataclass(frozen=True)
class PhaseLengths:
    """How long the phases of a point are. `drain` is the longest wait for what has been started."""

    ramp: Duration
    settle: Duration
    measure: Duration
    drain: Duration = field(default_factory=lambda: Duration.of_seconds(10))


@dataclass(frozen=True)
class LoadSettings:
    """How a session is played: everything of a plan that the session does not say.

    `run` makes the `unique` values differ from any other run's. `think` replaces every think time of the session.
    `spread` is the time over which the users start: one expected iteration, at most the ramp, when None. `tell_answers`
    has the driver tell every answer to a step that identifies somebody, so that the audit can compare each of them.
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
    timeouts: TimeOuts = field(default_factory=TimeOuts)
    limits: AnswerLimits = field(default_factory=AnswerLimits)
    tell_answers: bool = False


def make_plan(session: Session, settings: LoadSettings) -> Plan:
    """Return the plan of `session` under `settings`.

    InputError when a range names an unknown number, or when one has not enough numbers for every user's own.
    """
    iteration = Duration.of_seconds(expected_iteration(session, settings.think))
    spread = settings.spread or min(iteration, settings.phases.ramp)
    think = settings.think
    return Plan(
        name=session.name,
        run=settings.run,
        seed=settings.seed,
        targets=list(settings.targets),
        load=ClosedLoad(users=settings.users, spread_ms=spread.ms),
        think=_think(think or session.think),
        phases=_phases(settings.phases),
        connections=session.per_iteration.connections,
        cookies=session.per_iteration.cookies,
        threads=settings.threads,
        timeouts_ms=settings.timeouts,
        limits=settings.limits,
        tell_answers=settings.tell_answers,
        feeds=[_feed(name, feed, settings) for name, feed in session.feeds.items()],
        steps=[_step(step, None if think else step.think) for step in session.steps],
    )


def expected_iteration(
    session: Session, think: Think | None = None, *, mean_response_s: float = EXPECTED_RESPONSE_S
) -> float:
    """Return the expected length of an iteration in seconds: answer and think time of every step that is played.

    `think` replaces every think time of the session.
    """
    return sum(
        _plays(step) * (mean_response_s + (think or step.think or session.think).mean_s) for step in session.steps
    )


def mean_think_s(session: Session, think: Think | None = None) -> float:
    """Return the think time per transaction in seconds, over an iteration; `think` replaces the session's."""
    return expected_iteration(session, think, mean_response_s=0) / sum(_plays(step) for step in session.steps)


def expected_mix(session: Session) -> dict[str, float]:
    """Return how often each transaction is expected to complete in one iteration."""
    mix: dict[str, float] = {}
    for step in session.steps:
        mix[step.transaction] = mix.get(step.transaction, 0) + _plays(step)
    return mix


def _plays(step: Step) -> float:
    return step.probability * step.repeat


def _phases(phases: PhaseLengths) -> PlanPhases:
    return PlanPhases(
        ramp_ms=phases.ramp.ms,
        settle_ms=phases.settle.ms,
        measure_ms=phases.measure.ms,
        drain_ms=phases.drain.ms,
    )


def _think(think: Think) -> PlanThink:
    if think.uniform is not None:
        return UniformThink(uniform_ms=(think.uniform[0].ms, think.uniform[1].ms))
    if think.exponential is not None:
        return ExponentialThink(exponential_ms=think.exponential.ms)
    return ConstantThink(constant_ms=think.mean_s * 1000)


def _feed(name: str, feed: Feed, settings: LoadSettings) -> PlanFeed:
    if feed.range is not None:
        first, end = (_number(name, bound, settings.numbers) for bound in feed.range)
        if feed.own and end - first < settings.users:
            raise InputError(
                f"feed '{name}' has {end - first:,} numbers for {settings.users:,} users; each needs one of its own",
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
        raise InputError(f"feed '{name}' needs the number '{bound}'", todo=f"Say it: --number {bound}=N") from error


def _step(step: Step, think: Think | None) -> PlanStep:
    return PlanStep(
        id=step.id,
        transaction=step.transaction,
        method=step.method,
        path=step.path,
        form=None if step.form is None else list(step.form.items()),
        body=step.body,
        headers=list(step.headers.items()),
        expect=PlanExpect(status=step.expect.status, marker=step.expect.marker, path=step.expect.path),
        capture=_captures(step.capture),
        think=None if think is None else _think(think),
        probability=step.probability,
        repeat=step.repeat,
        identify=list(step.identify),
    )


def _captures(captures: Mapping[str, Capture]) -> list[PlanCapture]:
    plan: list[PlanCapture] = []
    for name, capture in captures.items():
        if capture.regex is not None:
            plan.append(RegexCapture(name=name, regex=capture.regex))
        elif capture.between is not None:
            plan.append(BetweenCapture(name=name, between=capture.between))
        elif capture.header is not None:
            plan.append(HeaderCapture(name=name, header=capture.header))
        else:
            plan.append(JsonCapture(name=name, json=capture.json_pointer or ""))
    return plan
