"""Lengths of a point's phases from the minimum lengths and the expected iteration."""

from __future__ import annotations

import math
from collections.abc import Iterable

from middlemark.experiment.min_phases import MinPhases
from middlemark.records.run import Phases

# Two whole iterations let every step of the session fall into the window of every user.
MIN_ITERATIONS = 2
START_S = 3.0
AROUND_POINT_S = 1.5
"""About what starting the driver, the replay of some cases and the verdict take."""
RESET_S = 2.5
"""About what a reset of the databases takes with the audit."""


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


def deployment_s(phases: Phases, subjects: Iterable[str], points: int, *, databases: bool) -> float:
    """Return the expected length of a deployment in seconds: start and warm-up of its subjects, and so many points.

    A drain usually ends at once and is not counted.
    """
    around_s = AROUND_POINT_S + (RESET_S if databases else 0)
    return (
        START_S + phases.longest_warm_of(subjects) + points * (phases.ramp + phases.settle + phases.measure + around_s)
    )


def time_text(seconds: float) -> str:
    """Return a length for people: minutes, or hours from two of them on."""
    return f"{seconds / 60:.1f} minutes" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} hours"
