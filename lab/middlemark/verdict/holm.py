"""Several comparisons at once: Holm's correction."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return each probability as it counts among the others, in the order given, at most 1.

    The probability that any of the comparisons of equal sides falls below a level is at most that level. Source:
    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
    """
    rising = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(rising):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted


def step_levels(p_values: Sequence[float], level: float) -> list[float]:
    """Return at which level each comparison is decided, in the order given.

    Those that Holm decides have the level of their step, all others that of the step at which he stops: an interval at
    that level excludes "equal" exactly where the adjusted probability is below `level`.
    """
    rising = sorted(range(len(p_values)), key=p_values.__getitem__)
    levels = [level] * len(p_values)
    stopped: float | None = None
    for rank, place in enumerate(rising):
        step = level / (len(p_values) - rank)
        if stopped is None and p_values[place] >= step:
            stopped = step
        levels[place] = stopped or step
    return levels
