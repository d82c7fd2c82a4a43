"""The machine's A/A noise floor, from pairs of points of one and the same side."""

from __future__ import annotations

import math
from collections.abc import Sequence

from middlemark.verdict.comparison import CONFIDENCE, Block
from middlemark.verdict.judgement import MIN_BLOCKS
from middlemark.verdict.student import t_quantile


def noise_floor(pairs: Sequence[Block]) -> float:
    """Return the ratio, from 1 up, within which 95 % of comparisons of equal sides over four blocks lie.

    exp(t · r / √4): r is the root mean square of the pairs' log ratios, whose true mean is 0 for equal sides, and t
    Student's quantile with as many degrees of freedom as there are pairs. More blocks lower the spread of chance, but
    not what differs between two starts alike in all blocks: therefore the floor does not fall with them.

    Raises:
        ValueError: there are fewer than four pairs.
    """
    if len(pairs) < MIN_BLOCKS:
        raise ValueError(f"a noise floor needs {MIN_BLOCKS} pairs")
    square = math.fsum((math.log(pair.b) - math.log(pair.a)) ** 2 for pair in pairs) / len(pairs)
    return math.exp(t_quantile(CONFIDENCE, len(pairs)) * math.sqrt(square / MIN_BLOCKS))
