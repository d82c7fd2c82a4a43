"""Whether a program that compiles while it runs has finished, by the share of CPU time that its compiler takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# What is looked at, at the begin, before the end and at the end: shorter, a pause of the compiler looks like its end.
SPAN_S = 20.0
SHARE_LIMIT = 0.01
# A compiler thread may end and a new one start later: between the two the share is 0 while the cost still falls.
LEVEL_LIMIT = 0.10
# By how much the logarithm of the cost falls for each unit by which the share does: within these bounds. Open Liberty
# on one CPU had a share of 32 % at 17 times the cost of its end (8.9), of 26 % at 2.2 (3.1), of 11 % at 1.2 (1.3).
MIN_RHO, MAX_RHO = 3.0, 12.0
SAFETY = 1.5
# A smaller fall of the share is noise, and says nothing of what it is worth.
MIN_FALL = 0.02
# A virtual machine goes on compiling this and that for hours: half the limit of a warm-up is nothing to be awaited.
NEGLIGIBLE_SHARE = 0.005
# Some seconds of a span may not have been watched.
MIN_WATCHED = 0.9


@dataclass(frozen=True)
class Compiling:
    """A stretch of load: transactions, and CPU seconds of the platform's tiers and of the compiler threads in them."""

    start_s: float
    end_s: float
    count: int
    cpu_s: float
    compiler_s: float

    @property
    def share(self) -> float:
        """The compiler's share of the CPU time."""
        return self.compiler_s / self.cpu_s if self.cpu_s > 0 else 0.0

    @property
    def cost_s(self) -> float:
        """CPU seconds of a transaction."""
        return self.cpu_s / self.count if self.count else math.inf


def last_span(stretches: Sequence[Compiling], *, before: float = 0.0) -> Compiling | None:
    """The last 20 s, or those that end `before` that; None where so much was not watched."""
    if not stretches:
        return None
    end_s = stretches[-1].end_s - before
    return _together([one for one in stretches if end_s - SPAN_S <= _middle(one) <= end_s])


def first_span(stretches: Sequence[Compiling]) -> Compiling | None:
    """The first 20 s; None where so much was not watched."""
    return _together([one for one in stretches if stretches and _middle(one) <= stretches[0].start_s + SPAN_S])


def is_done(stretches: Sequence[Compiling]) -> bool:
    """Whether the compiler takes at most 1 % over 20 s in which transactions became no cheaper by more than 10 %."""
    last, before = last_span(stretches), last_span(stretches, before=SPAN_S)
    if last is None or before is None or not last.count:
        return False
    return last.share <= SHARE_LIMIT and last.cost_s >= (1 - LEVEL_LIMIT) * before.cost_s


def rho_of(stretches: Sequence[Compiling]) -> float:
    """What a share of the compiler may still be worth: its part of the cost, as a factor.

    1.5 × ln(cost of the first 20 s ÷ cost of the last 20 s) ÷ by how much the share fell between the two, within the
    bounds; the upper bound where the course does not show it.
    """
    first, last = first_span(stretches), last_span(stretches)
    if first is None or last is None or not (first.count and last.count) or last.start_s < first.end_s:
        return MAX_RHO
    fall = first.share - last.share
    if fall < MIN_FALL:
        return MAX_RHO
    return min(MAX_RHO, max(MIN_RHO, SAFETY * math.log(first.cost_s / last.cost_s) / fall))


def _middle(one: Compiling) -> float:
    return (one.start_s + one.end_s) / 2


def _together(stretches: Sequence[Compiling]) -> Compiling | None:
    if not stretches or sum(one.end_s - one.start_s for one in stretches) < MIN_WATCHED * SPAN_S:
        return None
    return Compiling(
        start_s=stretches[0].start_s,
        end_s=stretches[-1].end_s,
        count=sum(one.count for one in stretches),
        cpu_s=sum(one.cpu_s for one in stretches),
        compiler_s=sum(one.compiler_s for one in stretches),
    )


def rest(rho: float, share: float) -> float:
    """By how much the logarithm of the cost may still fall while the compiler has this share of the CPU time."""
    return rho * share if share >= NEGLIGIBLE_SHARE else 0.0
