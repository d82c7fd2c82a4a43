"""Lengths of a point's phases from the minimum lengths and the expected iteration."""

from __future__ import annotations

import math

from middlemark.experiment.min_phases import MinPhases
from middlemark.records.run import Phases, load_name

# A whole iteration: every step of the session falls into the window of every user. Users are spread over their
# iterations, so that the mix is the session's with one as with two; the condition `mix` looks.
MIN_ITERATIONS = 1
START_S = 3.0
AROUND_POINT_S = 1.5
"""About what starting the driver, the replay of some cases and the verdict take."""
RESET_S = 2.5
"""About what a reset of the databases takes with the audit."""


def point_phases(minimum: MinPhases, iteration_s: float, *, searching: bool = False) -> Phases:
    """Lengths of the phases of a point, of a search or a round, for an expected iteration of `iteration_s` seconds."""
    # Of a search only where the peak is has to be seen.
    window = minimum.search if searching and minimum.search is not None else minimum.measure
    iterations = max(MIN_ITERATIONS, math.ceil(window.seconds / iteration_s))
    return Phases(
        warm=minimum.warm_at_most.seconds,
        warm_at_least=minimum.warm_at_least.seconds if minimum.warm_at_least < minimum.warm_at_most else None,
        ramp=max(minimum.ramp.seconds, iteration_s),
        settle=minimum.settle.seconds,
        measure=iterations * iteration_s,
        drain=minimum.drain.seconds,
        search=None if minimum.search is None else minimum.search.seconds,
    )


def begin_s(warm_s: float) -> float:
    """Expected seconds until a subject is started and warm, with a warm-up of so many."""
    return START_S + warm_s


def point_s(phases: Phases, *, databases: bool) -> float:
    """Expected seconds of a point. A drain usually ends at once and is not counted."""
    around_s = AROUND_POINT_S + (RESET_S if databases else 0)
    return phases.ramp + phases.settle + phases.measure + around_s


def time_text(seconds: float) -> str:
    """Return a length for people: minutes, or hours from two of them on."""
    return f"{seconds / 60:.1f} minutes" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} hours"


def warm_up_text(users: int) -> str:
    """Return the load of a warm-up with users of its own."""
    return f"{load_name(users, 'users')} without think time"
