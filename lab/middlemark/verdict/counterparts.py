"""The ratios of a run that are the counterparts of published ones: shown, never ranked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from middlemark.records.choices import NO_PROXY, REVERSE_PROXY
from middlemark.records.folder import Result
from middlemark.records.point import Verdict
from middlemark.records.published import PublishedRatio
from middlemark.records.run import Combination
from middlemark.verdict.comparison import Comparison, compare
from middlemark.verdict.pairwise import common_blocks

DEFAULTS = {REVERSE_PROXY: NO_PROXY}


@dataclass(frozen=True)
class Counterpart:
    """A ratio of the run, upper ÷ lower, at the highest load; the two agree in everything the ratio does not name."""

    upper: Combination
    lower: Combination
    comparison: Comparison


def counterparts(result: Result, ratio: PublishedRatio) -> list[Counterpart]:
    """Return every pair of the run's combinations that is a counterpart of the published ratio."""
    if ratio.upper_here is None or ratio.lower_here is None:
        return []
    named = ratio.upper_here.keys() | ratio.lower_here.keys()
    figure = _cost_of(ratio.tiers)
    uppers, lowers = (
        [combination for combination in result.run.combinations if _has(combination, choices)]
        for choices in (ratio.upper_here, ratio.lower_here)
    )
    pairs = [(upper, lower) for upper in uppers for lower in lowers if _rest(upper, named) == _rest(lower, named)]
    return [Counterpart(b, a, compare(common_blocks(result, (a, b), figure))) for b, a in pairs]


def _has(combination: Combination, choices: Mapping[str, str]) -> bool:
    return all(combination.modes.get(key, DEFAULTS.get(key)) == value for key, value in choices.items())


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
