"""How warm-ups ended, in words: flat, or at their limit."""

from __future__ import annotations

from statistics import fmean

from middlemark.records.folder import Result
from middlemark.records.placement import is_platform
from middlemark.records.point import Verdict
from middlemark.records.run import Combination, Load, Run
from middlemark.records.warm_up import WarmUp
from middlemark.verdict.naming import short_names
from middlemark.wording import counted

# By how much cost may still fall, for each share of its CPU time that a program's compiler has: the least and the most.
MIN_RHO, MAX_RHO = 3.0, 12.0
# A compiler that has less has nothing left to do.
DONE_SHARE = 0.005


def rest(rho: float, share: float) -> float:
    """Return the logarithm by which cost may still fall while the compiler has this share of the CPU time."""
    return rho * share if share >= DONE_SHARE else 0.0


def remaining_change(result: Result, combination: Combination, load: Load) -> float:
    """Return the logarithm by which the cost of a combination may still fall after its windows at a load.

    That is rho of its warm-ups, the largest, times the mean share of compiler threads in its CPU time in the windows.
    """
    rhos = [one.rho for one in result.run.warm_ups if one.combination == combination.path]
    verdicts = [point.verdict for point in result.of(combination, load) if point.verdict and point.valid]
    shares = [share for share in map(_compiler_share, verdicts) if share is not None]
    return rest(max(rhos, default=0.0), fmean(shares)) if shares else 0.0


def _compiler_share(verdict: Verdict) -> float | None:
    """Return the share of compiler threads in the CPU time of the platform; None where no tier has any."""
    tiers = [figures for tier, figures in verdict.tiers.items() if is_platform(tier)]
    if all(one.compiler_s is None for one in tiers):
        return None
    total = sum(one.cpu_s for one in tiers)
    return sum(one.compiler_s or 0.0 for one in tiers) / total if total > 0 else None


def ending_text(warm_up: WarmUp) -> str:
    """Return what ended a warm-up."""
    if warm_up.flat is None:
        return "fixed length"
    return f"{'flat' if warm_up.flat else f'not flat, limit of {warm_up.limit_s:g} s'}, {change_text(warm_up)}"


def change_text(warm_up: WarmUp) -> str:
    """Return how CPU time per transaction changed at the end of a warm-up."""
    if warm_up.change is None or warm_up.uncertainty is None or warm_up.change_s is None:
        return "CPU time per transaction unavailable"
    change = f"{100 * warm_up.change:+.1f} % (± {100 * warm_up.uncertainty:.1f} %)"
    return f"CPU time per transaction {change} in {warm_up.change_s:.0f} s"


def warm_up_reservation(run: Run) -> str:
    """Return how many warm-ups ended at their limit, and the first of them; empty when all were flat or fixed."""
    ended = [one for one in run.warm_ups if one.flat is False]
    if not ended:
        return ""
    first, names = ended[0], short_names(run.combinations)
    where = f"{names.get(first.combination, first.combination)}, {before_text(first)}"
    of = f"{len(ended)} of {counted(len(run.warm_ups), 'warm-up')}"
    return f"{of} reached the limit and not a flat CPU time per transaction, the first: {where}, {change_text(first)}"


def before_text(warm_up: WarmUp) -> str:
    """Return what a warm-up came before."""
    return "search" if warm_up.repeat is None else f"round {warm_up.repeat + 1}"
