"""The spread between starts of a subject: what is assumed of it, what this machine knows, and what a run has shown.

Where a run keeps one subject twice, or has several starts, it shows how far equal starts lie apart. A ledger of the
machine collects that, and what is assumed counts the less the more it has.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from middlemark.records.figures import Figure, leading
from middlemark.records.findings import Measured, Round, Spread
from middlemark.records.run import Combination, Load
from middlemark.records.run_parts import WarmUp
from middlemark.records.side_files import Ledger, SeenSpread
from middlemark.verdict.compilation import MAX_RHO, rest
from middlemark.verdict.estimate import by_start, needed_in_start, window_variance

AtLoad = tuple[Combination, Load]
"""A combination at one of its loads."""

# A compiler that works while a program does makes other code of it in each start.
ASSUMED = Spread(0.015, 6.0)
ASSUMED_COMPILED = Spread(0.03, 6.0)
# A ledger's sum may say that there is no spread at all; some is left, as placements in memory differ.
MIN_SIGMA = 0.005
# Standard deviation of the logarithm of the machine's speed; two groups see values of it that have nothing in common.
DRIFT = 0.05
# The logarithm of a factor of e, where nothing is known.
UNSEEN = 1.0


def rounds_at(measured: Measured, a: AtLoad, b: AtLoad, figure: Figure) -> list[Round]:
    """The rounds in which the windows of both sides, each at its load, count and have a figure above zero."""
    sides = [{w.repeat: figure.of(w) for w in measured.valid(*place)} for place in (a, b)]
    common = sorted(sides[0].keys() & sides[1].keys())
    rounds = [Round(repeat, sides[0][repeat], sides[1][repeat], measured.run.start_of(repeat)) for repeat in common]
    return [each for each in rounds if each.a > 0 and each.b > 0]


def expected_spread(ledger: Ledger, subject: str, *, compiles: bool) -> Spread:
    """The spread between starts of a subject: what is assumed and what the ledger has, by degrees of freedom."""
    assumed, seen = _assumed(compiles=compiles), ledger.of(subject)
    if seen is None:
        return assumed
    degrees = assumed.degrees + seen.degrees
    variance = (assumed.degrees * assumed.sigma**2 + seen.squares) / degrees
    return Spread(math.sqrt(max(variance, MIN_SIGMA**2)), degrees, seen.starts)


def with_drift(spread: Spread) -> Spread:
    """The spread of a side that is not kept at the same time as the other one.

    Minutes lie between the windows of a round: what the machine has become slower meanwhile is in no other round.
    """
    return replace(spread, sigma=math.hypot(spread.sigma, DRIFT))


def compiles(measured: Measured, combination: Combination) -> bool:
    """Whether a combination's warm-ups had declared compiler threads."""
    return any(one.declares_compilers for one in measured.run.warm_ups if one.combination == combination.path)


def remaining_change(measured: Measured, combination: Combination, load: Load) -> float:
    """By how much the logarithm of the cost of a transaction may still fall after the windows at a load.

    For a program with compiler threads: the compiler's mean share of the platform's CPU time in the windows that count,
    times the share's worth in the combination's warm-ups (their largest rho; the upper bound where none shows it). 0
    below a share of 0.5 %. For any other: the change that its warm-ups let expect, with the uncertainty, where one
    ended at its limit and not flat. 0 for a program that compiles nothing. A factor of e where declared threads were
    not seen.
    """
    warm_ups = [one for one in measured.run.warm_ups if one.combination == combination.path]
    if any(one.compilers_unseen for one in warm_ups):
        return UNSEEN
    windows = measured.valid(combination, load)
    shares = [window.compiler_share for window in windows if window.compiler_share is not None]
    if not shares:
        return max(map(_still_falls, warm_ups), default=0.0)
    return rest(max((one.rho for one in warm_ups if one.rho is not None), default=MAX_RHO), fmean(shares))


def seen_spreads(measured: Measured) -> list[SeenSpread]:
    """What a run has shown of the spread between starts of its subjects; none for one without two windows."""
    by_subject: dict[str, list[SeenSpread]] = {}
    for a, b in itertools.combinations(measured.run.combinations, 2):
        # What differs between starts is the same for two that share them.
        if a.deployment != b.deployment and measured.run.kept_at_once(a, b):
            for seen in _seen(measured, a, b):
                by_subject.setdefault(seen.subject, []).append(seen)
    return [_mean(subject, every) for subject, every in by_subject.items()]


def _assumed(*, compiles: bool) -> Spread:
    return ASSUMED_COMPILED if compiles else ASSUMED


def _still_falls(warm_up: WarmUp) -> float:
    """By how much the logarithm of the cost may fall after a warm-up that ended without being flat."""
    if warm_up.flat is not False or warm_up.change is None or warm_up.uncertainty is None:
        return 0.0
    return max(0.0, warm_up.uncertainty - warm_up.change)


def _seen(measured: Measured, a: Combination, b: Combination) -> Iterator[SeenSpread]:
    """What the starts of two combinations show of each.

    Kept at the same time, two of one subject differ by nothing but their starts, once in each start. Of others the
    starts show how the difference varies, and each has the part of it that is assumed of it. Windows vary too: their
    part is taken off, and leaves the fewer degrees of freedom the larger it is.
    """
    run = measured.run
    places = (a, run.top_load(a)), (b, run.top_load(b))
    starts = by_start(rounds_at(measured, *places, leading(run.specification)), needed_in_start(run.rounds))
    window = window_variance(starts) if starts else None
    if window is None:
        return
    is_control = (a.subject, a.modes) == (b.subject, b.modes)
    means = [fmean(logs) for logs in starts]
    middle, degrees = (0.0, len(means)) if is_control else (fmean(means), len(means) - 1)
    if not degrees:
        return
    variance = sum((mean - middle) ** 2 for mean in means) / degrees - window[0]
    parts = [_assumed(compiles=compiles(measured, one)).sigma ** 2 for one in (a, b)]
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
