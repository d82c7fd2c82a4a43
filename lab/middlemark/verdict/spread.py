"""The spread between starts of a subject: what is assumed of it, what this machine knows, and what a run has shown.

Where a run keeps one subject twice, or has several starts, it shows how far equal starts lie apart. A ledger of the
machine collects that, and what is assumed counts the less the more it has.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from statistics import fmean

from middlemark.records.folder import Result
from middlemark.records.ledger import Ledger, SeenSpread
from middlemark.records.run import Combination
from middlemark.verdict.estimate import Spread, by_start, needed_in_start, window_variance
from middlemark.verdict.metrics import leading
from middlemark.verdict.rounds import rounds_at

# A compiler that works while a program does makes other code of it in each start.
ASSUMED = Spread(0.015, 6.0)
ASSUMED_COMPILED = Spread(0.03, 6.0)
# A ledger's sum may say that there is no spread at all; some is left, as placements in memory differ.
MIN_SIGMA = 0.005


def spread_of(result: Result, combination: Combination) -> Spread:
    """The spread between starts of a combination, from what is assumed and what the result's ledger knows."""
    return expected_spread(result.ledger, combination.subject, compiles=compiles(result, combination))


def mixed(assumed: Spread, squares: float, degrees: float, starts: int) -> Spread:
    """The spread from what is assumed and a sum of squares seen on this machine, by degrees of freedom."""
    total = assumed.degrees + degrees
    variance = (assumed.degrees * assumed.sigma**2 + squares) / total
    return Spread(math.sqrt(max(variance, MIN_SIGMA**2)), total, starts)


def seen_spreads(result: Result) -> list[SeenSpread]:
    """What a run has shown of the spread between starts of its subjects; none for one without two windows."""
    by_subject: dict[str, list[SeenSpread]] = {}
    for a, b in itertools.combinations(result.run.combinations, 2):
        if not result.run.kept_at_once(a, b):
            continue
        for seen in _seen(result, a, b):
            by_subject.setdefault(seen.subject, []).append(seen)
    return [_mean(subject, every) for subject, every in by_subject.items()]


def expected_spread(ledger: Ledger, subject: str, *, compiles: bool) -> Spread:
    """The spread between starts of a subject that has not run yet."""
    assumed, seen = ASSUMED_COMPILED if compiles else ASSUMED, ledger.of(subject)
    return assumed if seen is None else mixed(assumed, seen.squares, seen.degrees, seen.starts)


def compiles(result: Result, combination: Combination) -> bool:
    """Whether a combination's warm-ups had declared compiler threads."""
    return any(one.declares_compilers for one in result.run.warm_ups if one.combination == combination.path)


def _assumed(result: Result, combination: Combination) -> Spread:
    return ASSUMED_COMPILED if compiles(result, combination) else ASSUMED


def _seen(result: Result, a: Combination, b: Combination) -> Iterator[SeenSpread]:
    """What the starts of two combinations show of each.

    Kept at the same time, two of one subject differ by nothing but their starts, once in each start. Of others the
    starts show how the difference varies, and each has the part of it that is assumed of it. Windows vary too: their
    part is taken off, and leaves the fewer degrees of freedom the larger it is.
    """
    run = result.run
    figure = leading(run.specification).of
    rounds = rounds_at(result, (a, run.top_load(a)), (b, run.top_load(b)), figure)
    starts = by_start(rounds, needed_in_start(run.rounds))
    window = window_variance(starts) if starts else None
    if window is None:
        return
    is_control = (a.subject, a.modes) == (b.subject, b.modes)
    means = [fmean(logs) for logs in starts]
    middle, degrees = (0.0, len(means)) if is_control else (fmean(means), len(means) - 1)
    if not degrees:
        return
    variance = sum((mean - middle) ** 2 for mean in means) / degrees - window[0]
    parts = [_assumed(result, one).sigma ** 2 for one in (a, b)]
    known = degrees * (sum(parts) / (sum(parts) + window[0])) ** 2
    for one, part in zip((a, b), parts, strict=True):
        yield SeenSpread(
            subject=one.subject, squares=known * variance * part / sum(parts), degrees=known, starts=len(means)
        )


def _mean(subject: str, every: Sequence[SeenSpread]) -> SeenSpread:
    """The mean over the pairs of a subject: they share its starts, and so add no degrees of freedom."""
    return SeenSpread(
        subject=subject,
        squares=fmean(one.squares for one in every),
        degrees=fmean(one.degrees for one in every),
        starts=max(one.starts for one in every),
    )
