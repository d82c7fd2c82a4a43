"""The levels of a run's looks: after each start it is looked whether everything is decided, and the levels add up."""

from __future__ import annotations

from collections.abc import Sequence

# By the number of starts that a run is to have, as the profiles quick, laptop and publishable. The last level is that
# of the first start which `--resume` adds; each further one has half of the one before, so that all together stay at
# 5 % whatever ends the run: 0.04 + 0.005 + 0.0025 + … .
QUICK = (0.04, 0.005)
LAPTOP = (0.02, 0.02, 0.005)
PUBLISHABLE = (0.005, 0.005, 0.01, 0.025, 0.0025)
# The pairs by the metric that leads have this share of a look's level, all other metrics together the rest.
LEADING_SHARE = 0.8


def levels_for(starts: int) -> tuple[float, ...]:
    """Levels of a run that is to have so many starts; those beyond four share what the fourth has."""
    few = {1: QUICK, 2: LAPTOP, 3: (*PUBLISHABLE[:2], 0.035, 0.0025)}
    if starts in few:
        return few[starts]
    *first, last, added = PUBLISHABLE
    return (*first, *[last / (starts - 3)] * (starts - 3), added)


def level_of_look(alphas: Sequence[float], starts: int) -> float:
    """The level of the look after so many starts.

    With one level there is one look, after the last start. Source: Jennison and Turnbull, Group sequential methods
    (1999), repeated confidence intervals: whatever the rule by which a run ends, no more than the sum is false.
    """
    if len(alphas) == 1 or starts <= len(alphas):
        return alphas[0] if len(alphas) == 1 else alphas[max(starts, 1) - 1]
    return float(alphas[-1] / 2 ** (starts - len(alphas)))
