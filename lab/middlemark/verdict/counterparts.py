"""The ratios of a run that are the counterparts of published ones: shown, never ranked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from middlemark.records.choices import CPUS, HTTP, NO_PROXY, REVERSE_PROXY, SESSION
from middlemark.records.folder import Result
from middlemark.records.placement import SUT
from middlemark.records.point import Verdict
from middlemark.records.published import PublishedRatio, RatioOf
from middlemark.records.run import Combination, Load, Run
from middlemark.verdict.estimate import Better, Comparison, compare
from middlemark.verdict.levels import known_peak
from middlemark.verdict.metrics import RESPONSE_TIME, THROUGHPUT, Metric
from middlemark.verdict.pairwise import compare_at
from middlemark.verdict.response_size import reason_against, response_size

DEFAULTS = {REVERSE_PROXY: NO_PROXY, HTTP: "1.1"}


@dataclass(frozen=True)
class Counterpart:
    """A ratio of the run, upper ÷ lower; the two agree in everything the ratio does not name.

    `loads` are those of both sides, None where no point of one counts or its peak is not known. `reason`: why there is
    no ratio though both sides were run, as their answers are not of the same size; else empty.
    """

    upper: Combination
    lower: Combination
    loads: tuple[Load, Load] | None
    comparison: Comparison
    reason: str = ""


def counterparts(result: Result, ratio: PublishedRatio) -> list[Counterpart]:
    """Return every pair of the run's combinations that is a counterpart of the published ratio."""
    if ratio.upper_here is None or ratio.lower_here is None:
        return []
    named = ratio.upper_here.keys() | ratio.lower_here.keys()
    uppers, lowers = (
        [
            combination
            for combination in result.run.combinations
            if not combination.is_control and _has(result.run, combination, choices)
        ]
        for choices in (ratio.upper_here, ratio.lower_here)
    )
    pairs = [(upper, lower) for upper in uppers for lower in lowers if _rest(upper, named) == _rest(lower, named)]
    return [_counterpart(result, ratio, *pair) for pair in pairs]


def _counterpart(result: Result, ratio: PublishedRatio, upper: Combination, lower: Combination) -> Counterpart:
    found = [_load(result, ratio.of, one) for one in (upper, lower)]
    if found[0] is None or found[1] is None:
        return Counterpart(upper, lower, None, compare([]))
    reason = reason_against(response_size(result, upper), response_size(result, lower))
    if reason:
        return Counterpart(upper, lower, (found[0], found[1]), compare([]), reason)
    comparison = compare_at(result, (lower, found[1]), (upper, found[0]), _metric(ratio))
    return Counterpart(upper, lower, (found[0], found[1]), comparison)


def _load(result: Result, of: RatioOf, combination: Combination) -> Load | None:
    """Return at which load a side of a ratio stands."""
    if of is RatioOf.COST:
        return result.run.top_load(combination)
    found = known_peak(result, combination)
    return found.load if found else None


def _metric(ratio: PublishedRatio) -> Metric:
    metrics = {RatioOf.THROUGHPUT: THROUGHPUT, RatioOf.RESPONSE_TIME: RESPONSE_TIME}
    return metrics.get(ratio.of) or Metric("cost", "cost", _cost_of(ratio.tiers), Better.LOWER)


def _has(run: Run, combination: Combination, choices: Mapping[str, str]) -> bool:
    return all(_value(run, combination, key) == value for key, value in choices.items())


def _value(run: Run, combination: Combination, key: str) -> str | None:
    """Return what a combination chose, also where the run left it no choice."""
    if key == SESSION:
        return run.session_of(combination)
    if key == CPUS and key not in combination.modes and combination.path in run.placement:
        cpus = run.placement[combination.path].cpus.get(SUT)
        return str(len(cpus)) if cpus else None
    return combination.modes.get(key, DEFAULTS.get(key))


def _rest(combination: Combination, named: set[str]) -> dict[str, str]:
    """Return the subject and every choice that is not named."""
    rest = {key: value for key, value in combination.modes.items() if key not in named}
    return {"(subject)": combination.subject, **rest}


def _cost_of(tiers: tuple[str, ...]) -> Callable[[Verdict], float]:
    """Return the CPU-ms per transaction of these tiers together, NaN where none of them was watched."""

    def cost(verdict: Verdict) -> float:
        watched = [verdict.tiers[tier].cpu_ms_per_transaction for tier in tiers if tier in verdict.tiers]
        return sum(watched) if watched else math.nan

    return cost
