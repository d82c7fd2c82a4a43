"""Lengths of a point's phases from the least lengths and the expected iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence

from middlemark.experiment.definition import LeastPhases
from middlemark.experiment.schedule import Serving
from middlemark.records.run import Phases

# Two whole iterations let every step of the session fall into the window of every user.
LEAST_ITERATIONS = 2


def point_phases(least: LeastPhases, iteration_s: float) -> Phases:
    """Return the phases for an expected iteration of `iteration_s` seconds."""
    iterations = max(LEAST_ITERATIONS, math.ceil(least.measure.seconds / iteration_s))
    return Phases(
        warm=least.warm.seconds,
        warm_by_subject={subject: warm.seconds for subject, warm in least.warm_by_subject.items()},
        ramp=max(least.ramp.seconds, iteration_s),
        settle=least.settle.seconds,
        measure=iterations * iteration_s,
        drain=least.drain.seconds,
    )


def budget_s(phases: Phases, points: int, servings: Sequence[Serving]) -> float:
    """Return the expected length of a run in seconds: the phases of all points, warm-ups, resets and starts.

    A drain usually ends at once and is not counted; a reset with audit and replay takes about 4 s, a start about 3 s.
    """
    starts = sum(phases.warm_of(serving.combination.subject) + 3 for serving in servings)
    return points * (phases.ramp + phases.settle + phases.measure + 4) + starts


def time_said(seconds: float) -> str:
    """Return a length for people: minutes, or hours from two of them on."""
    return f"{seconds / 60:.1f} minutes" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} hours"
