"""How warm-ups ended, in words, and what their compilers left undone."""

from __future__ import annotations

from statistics import fmean

from middlemark.records.folder import Result
from middlemark.records.placement import is_platform
from middlemark.records.point import Verdict
from middlemark.records.run import Combination, Load, Run
from middlemark.records.warm_up import WarmUp
from middlemark.verdict.compilation import MAX_RHO, rest
from middlemark.verdict.naming import short_names
from middlemark.wording import counted

# The logarithm of a factor of e, where nothing is known.
UNSEEN = 1.0


def remaining_change(result: Result, combination: Combination, load: Load) -> float:
    """By how much the logarithm of the cost of a transaction may still fall after the windows at a load.

    For a program with compiler threads: the compiler's mean share of the platform's CPU time in the windows that count,
    times the share's worth in the combination's warm-ups (their largest rho; the upper bound where none shows it). 0
    below a share of 0.5 %. For any other: the change that its warm-ups let expect, with the uncertainty, where one
    ended at its limit and not flat. 0 for a program that compiles nothing. A factor of e where declared threads were
    not seen.
    """
    warm_ups = [one for one in result.run.warm_ups if one.combination == combination.path]
    if any(one.compilers_unseen for one in warm_ups):
        return UNSEEN
    windows = [point.verdict for point in result.of(combination, load) if point.verdict and point.valid]
    shares = [share for share in map(compiler_share, windows) if share is not None]
    if not shares:
        return max((_still_falls(one) for one in warm_ups), default=0.0)
    return rest(max((one.rho for one in warm_ups if one.rho is not None), default=MAX_RHO), fmean(shares))


def _still_falls(warm_up: WarmUp) -> float:
    """By how much the logarithm of the cost may fall after a warm-up that ended without being flat."""
    if warm_up.flat is not False or warm_up.change is None or warm_up.uncertainty is None:
        return 0.0
    return max(0.0, warm_up.uncertainty - warm_up.change)


def compiler_share(verdict: Verdict) -> float | None:
    """Share of compiler threads in the CPU time of the platform's tiers; None where no tier declares any."""
    tiers = [figures for tier, figures in verdict.tiers.items() if is_platform(tier)]
    spent = [figures.compiler_s for figures in tiers if figures.compiler_s is not None]
    cpu_s = sum(figures.cpu_s for figures in tiers)
    return sum(spent) / cpu_s if spent and cpu_s > 0 else None


def ending_text(warm_up: WarmUp) -> str:
    """Return what ended a warm-up."""
    if warm_up.warm is None:
        return f"fixed length, {change_text(warm_up)}" if warm_up.compilers_unseen else "fixed length"
    if warm_up.compiled is None:
        return f"{'flat' if warm_up.warm else f'not flat, limit of {warm_up.limit_s:g} s'}, {change_text(warm_up)}"
    return f"{'compiled' if warm_up.warm else f'not compiled, limit of {warm_up.limit_s:g} s'}, {change_text(warm_up)}"


def change_text(warm_up: WarmUp) -> str:
    """Return what still went on at the end of a warm-up."""
    if warm_up.compilers_unseen:
        return "no thread with the name of a compiler's was seen"
    if warm_up.compiler_share is not None:
        return f"compiler {100 * warm_up.compiler_share:.1f} % of the CPU time"
    if warm_up.change is None or warm_up.uncertainty is None or warm_up.change_s is None:
        return "CPU time per transaction unavailable"
    change = f"{100 * warm_up.change:+.1f} % (± {100 * warm_up.uncertainty:.1f} %)"
    return f"CPU time per transaction {change} in {warm_up.change_s:.0f} s"


def warm_up_reservation(run: Run) -> str:
    """Return how many warm-ups ended at their limit, and the first of them; empty when all were warm or fixed."""
    ended = [one for one in run.warm_ups if one.warm is False]
    if not ended:
        return ""
    first, names = ended[0], short_names(run.combinations)
    where = f"{names.get(first.combination, first.combination)}, {start_text(first)}"
    of = f"{len(ended)} of {counted(len(run.warm_ups), 'warm-up')}"
    return f"{of} reached the limit without being warm, the first: {where}, {change_text(first)}"


def start_text(warm_up: WarmUp) -> str:
    """Start that a warm-up belongs to."""
    return f"start {warm_up.start + 1}"
