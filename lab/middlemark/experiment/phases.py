"""Lengths of a point's phases from the minimum lengths and the expected iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence

from middlemark.experiment.definition import MinPhases
from middlemark.experiment.schedule import Deployment
from middlemark.records.run import Phases

# Two whole iterations let every step of the session fall into the window of every user.
MIN_ITERATIONS = 2


def point_phases(minimum: MinPhases, iteration_s: float) -> Phases:
    """Return the phases for an expected iteration of `iteration_s` seconds."""
    iterations = max(MIN_ITERATIONS, math.ceil(minimum.measure.seconds / iteration_s))
    return Phases(
        warm=minimum.warm.seconds,
        warm_by_subject={subject: warm.seconds for subject, warm in minimum.warm_by_subject.items()},
        ramp=max(minimum.ramp.seconds, iteration_s),
        settle=minimum.settle.seconds,
        measure=iterations * iteration_s,
        drain=minimum.drain.seconds,
    )


def budget_s(phases: Phases, points: int, deployments: Sequence[Deployment]) -> float:
    """Return the expected length of a run in seconds: the phases of all points, warm-ups, resets and starts.

    A drain usually ends at once and is not counted; a reset with audit and replay takes about 4 s, a start about 3 s.
    """
    starts = sum(phases.warm_of(deployment.combination.subject) + 3 for deployment in deployments)
    return points * (phases.ramp + phases.settle + phases.measure + 4) + starts


def time_text(seconds: float) -> str:
    """Return a length for people: minutes, or hours from two of them on."""
    return f"{seconds / 60:.1f} minutes" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} hours"
