"""The useful peak: the highest load up to which all clients are still served equally and in acceptable time.

Source: Mindcraft, SPICE (2000), which keeps the figures of each client for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.records.folder import PointResult, Result
from middlemark.records.point import Fairness, Outcome
from middlemark.records.run import Combination, Load, Run
from middlemark.verdict.levels import Level, levels, needed_rounds
from middlemark.verdict.metrics import mean_response_ms
from middlemark.wording import counted

DEFAULT_MEAN_MS = 3000.0
"""Of runs that do not say up to which mean a response time is acceptable."""
NOT_KEPT = "the figures of each client were not kept (`per_client`)"


@dataclass(frozen=True)
class UsefulPeak:
    """Where the useful loads of a combination end.

    `level` is the last one, None for none; `next_load` the first that is not useful, with `why_not`; None where every
    load was.
    """

    combination: Combination
    level: Level | None
    next_load: Load | None
    why_not: str


def acceptable_mean_ms(run: Run, combination: Combination) -> float:
    """Return the mean response time that ends the useful loads: that of the experiment's limits."""
    searched = run.searched.get(combination.path)
    limits = searched.limits if searched else run.limits
    return limits.mean_ms if limits else DEFAULT_MEAN_MS


def useful_peak(result: Result, combination: Combination) -> UsefulPeak:
    """Return the useful peak of a combination, over all its rounds."""
    last: Level | None = None
    found = levels(result, combination)
    for level in found:
        reason = _why_not(result, combination, level, needed_rounds(found))
        if reason:
            return UsefulPeak(combination, last, level.load, reason)
        last = level
    return UsefulPeak(combination, last, None, "" if last else "no load was measured")


def _why_not(result: Result, combination: Combination, level: Level, needed: int) -> str:
    """Return why a load is not useful; empty when it is, which fewer rounds than `needed` cannot show."""
    points = result.of(combination, level.load)
    failed = [p for p in points if _has_errors(p)]
    if failed:
        return f"errors in {_rounds(len(failed), len(points))}"
    if not level.verdicts:
        reasons = [reason for p in points if p.verdict for reason in p.verdict.reasons]
        return f"no round counts: {reasons[0]}" if reasons else "not measured"
    limit = acceptable_mean_ms(result.run, combination)
    mean = level.estimate(mean_response_ms).mean
    if mean >= limit:
        return f"mean response of {mean:,.0f} ms, limit {limit:,g} ms"
    unfair = _unfair([verdict.fairness for verdict in level.verdicts.values()])
    few = f"counts in {len(level.verdicts)} of {counted(needed, 'round')} only" if len(level.verdicts) < needed else ""
    return unfair or few


def _unfair(found: Sequence[Fairness | None]) -> str:
    """Return why clients were not served equally, or why that is not known; empty when they were in every round."""
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return NOT_KEPT
    unequal = [one for one in known if one.equal is False]
    if unequal:
        counts, times = (max(part) for part in zip(*map(_variation, unequal), strict=True))
        spread = f"transactions vary by up to {100 * counts:.0f} %, response times by {100 * times:.0f} %"
        return f"{unequal[0].message} in {_rounds(len(unequal), len(known))}: {spread}"
    # A client alone is served like all others.
    return next((one.message for one in known if one.equal is None and one.clients > 1), "")


def _variation(fairness: Fairness) -> tuple[float, float]:
    return fairness.transactions_cv, fairness.response_cv or 0.0


def _has_errors(point: PointResult) -> bool:
    checks = point.verdict.checks if point.verdict else []
    return any(check.name == "errors" and check.outcome is Outcome.FAILED for check in checks)


def _rounds(some: int, every: int) -> str:
    return f"{some} of {counted(every, 'round')}"
