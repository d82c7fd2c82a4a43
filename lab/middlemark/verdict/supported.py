"""Users supported: the number of users at which the response crosses its limit, interpolated in each round.

Each round has a window at two loads on both sides of the limit. The rounds together give the line between their mean
responses, which crosses the limit at the load θ. The response of a single round at θ, weighted from its two windows,
differs from the limit; divided by the slope of the line that difference is how far its own crossing lies from θ. The
mean of these values is θ, and their spread includes the uncertainty of the slope: they are θ and its influence values
(the delta method; F. R. Hampel, The influence curve and its role in robust estimation, Journal of the American
Statistical Association 69, 1974). Dividing each round by a slope of its own would let single windows throw it far off.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

Strains = tuple[float, float]
"""Response ÷ limit in the windows of a round, at the lower load and at the higher one."""
# A crossing is not measured but guessed when it is further from the loads than twice the distance between them.
MAX_BEYOND = 2.0


def crossings(loads: tuple[float, float], rounds: Sequence[Strains]) -> list[float] | None:
    """The load at which each round crosses the limit; None where the rounds together show no crossing near the loads.

    The response of a server in front of thinking users rises along a line once throughput stays
    (users ÷ throughput - think time); below that it rises ever faster, and a line finds a little too few users.
    """
    if not rounds:
        return None
    low, high = (fmean(each) for each in zip(*rounds, strict=True))
    if high <= low:
        return None
    part, width = (1 - low) / (high - low), loads[1] - loads[0]
    if not -MAX_BEYOND <= part <= 1 + MAX_BEYOND:
        return None
    crossed = loads[0] + part * width
    return [crossed - width * ((1 - part) * a + part * b - 1) / (high - low) for a, b in rounds]
