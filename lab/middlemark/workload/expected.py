"""How long an iteration of a session is expected to be, before anything is measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from middlemark.workload.part import Group, Part, cycles_of
from middlemark.workload.session import Script, Session
from middlemark.workload.think import Think

EXPECTED_RESPONSE_S = 0.01
"""The mean response time a session is planned for before any has been measured."""


@dataclass(frozen=True)
class Pace:
    """How fast steps run: `think` of those that have none of their own, or of all; seconds for a response.

    A response that reports calls takes as long as its step names.
    """

    think: Think
    instead_of_all: bool
    response_s: float


def expected_iteration(
    session: Session, think: Think | None = None, *, mean_response_s: float = EXPECTED_RESPONSE_S
) -> float:
    """Return the expected length of an iteration in seconds: response and think time of every step that runs.

    `think` replaces every think time of the session. With pacing an iteration is at least as long as that.
    """
    seconds = _mean(session, [(script, script.steps) for _, script in session.scripts], think, mean_response_s)
    return max(seconds, session.pacing.mean_s if session.pacing else 0.0)


def expected_cycle(
    session: Session, think: Think | None = None, *, mean_response_s: float = EXPECTED_RESPONSE_S
) -> float:
    """Expected seconds of a session's cycle, else of its iteration; ramps and windows hold a whole number of them."""
    scripts = tuple(script for _, script in session.scripts)
    groups = tuple(next((group.group for _, group in cycles_of(script.steps)), None) for script in scripts)
    if not any(groups):
        return expected_iteration(session, think, mean_response_s=mean_response_s)
    return _mean(session, tuple(zip(scripts, groups, strict=True)), think, mean_response_s)


def _mean(
    session: Session, scripts: Iterable[tuple[Script, tuple[Part, ...] | None]], think: Think | None, response_s: float
) -> float:
    """Return the mean seconds of these parts of each script, or of all its steps, by the weights of the scripts."""
    whole = sum(script.weight for _, script in session.scripts)
    seconds = 0.0
    for script, parts in scripts:
        pace = Pace(think or script.think or session.think, think is not None, response_s)
        seconds += script.weight / whole * _expected(parts or script.steps, pace)[0]
    return seconds


def _expected(parts: tuple[Part, ...], pace: Pace) -> tuple[float, float]:
    """Return the expected seconds of parts that run in order, and how likely the user has not given up then."""
    seconds, there = 0.0, 1.0
    for part in parts:
        once, stays = _once(part, pace)
        # Each repetition is reached by those who have not given up before.
        seconds += there * part.probability * once * sum(stays**before for before in range(part.repeat))
        there *= 1 - part.probability + part.probability * stays**part.repeat
    return seconds, there


def _once(part: Part, pace: Pace) -> tuple[float, float]:
    """Return the seconds of a part that runs once, and how likely the user has not given up then."""
    if isinstance(part, Group):
        return _expected(part.group, pace)
    think = pace.think if pace.instead_of_all else part.think or pace.think
    response_s = pace.response_s if part.calls is None else part.calls.lasts.seconds
    return response_s + think.mean_s, 1 - part.abandon
