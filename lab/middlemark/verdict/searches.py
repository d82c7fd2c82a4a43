"""What is to be known of the searches of a run: on what one ended, and whether the rounds agree with it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from middlemark.records.folder import Result
from middlemark.records.run import Run, Searched
from middlemark.verdict.estimate import LEVEL, MIN_ROUNDS
from middlemark.verdict.naming import short_names
from middlemark.verdict.student import t_quantile
from middlemark.verdict.words import EQUAL_WITHIN

NO_PEAK = "no peak that counts"


def search_reservation(run: Run) -> str:
    """Return which searches may have missed the peak and why, one after the other; empty for none."""
    names = short_names(run.combinations)
    doubts = {path: doubt_text(run, found) for path, found in run.searched.items() if found.ended}
    return "; ".join(f"the search of {names.get(path, path)} ended {doubt}" for path, doubt in doubts.items() if doubt)


def search_disagreement(result: Result) -> str:
    """Return where a search saw another throughput at the peak than the rounds did; empty where they agree."""
    return "; ".join(_disagreements(result))


def _disagreements(result: Result) -> Iterator[str]:
    names = short_names(result.run.combinations)
    for combination in result.run.combinations:
        found = result.run.searched.get(combination.path)
        if found is None or found.peak is None:
            continue
        seen = [point.throughput_tps for point in found.points if point.load == found.peak and point.valid]
        rounds = [p.verdict.throughput_tps for p in result.of(combination, found.peak) if p.verdict and p.valid]
        if seen and not agree(seen[-1], rounds):
            yield (
                f"the search of {names[combination.path]} saw {seen[-1]:,.0f}/s at its peak, "
                f"the rounds {min(rounds):,.0f} … {max(rounds):,.0f}/s there"
            )


def agree(seen: float, rounds: Sequence[float]) -> bool:
    """Whether one more window like those of the rounds might have shown what was seen, or lies within 5 % of them.

    With too few rounds that is not known, and nothing is said. Source: the prediction interval of a further observation
    (G. J. Hahn, W. Q. Meeker, Statistical Intervals, 1991, section 4.7), of logarithms.
    """
    if len(rounds) < MIN_ROUNDS:
        return True
    logs = [math.log(one) for one in rounds]
    apart = abs(math.log(seen) - statistics.fmean(logs))
    half = t_quantile(1 - LEVEL, len(logs) - 1) * statistics.stdev(logs) * math.sqrt(1 + 1 / len(logs))
    return apart <= max(half, math.log1p(EQUAL_WITHIN))


def peak_doubt(found: Searched) -> str:
    """Return what keeps the peak of a search from being known, in a few words; empty for nothing."""
    if not found.ended:
        return ""
    if found.peak is None:
        return NO_PEAK
    if found.at_edge:
        return "peak at the edge of the range"
    if found.doubtful:
        return "peak beside loads that do not count"
    if may_lie_beyond(found):
        return "peak may lie beyond"
    return "" if found.peak_known else "peak not narrowed down"


def may_lie_beyond(found: Searched) -> bool:
    """Say whether a search ran out of points while its highest load still had the highest throughput."""
    loads = [point.load for point in found.points]
    return bool(loads) and found.peak == max(loads) and not found.peak_known and not found.at_edge


def doubt_text(run: Run, found: Searched) -> str:
    """Return on what a search ended that leaves open where the peak is; empty for nothing."""
    ends = []
    if found.peak is not None and found.at_edge:
        ends.append(f"at the edge of its range ({run.load_name(found.peak)})")
    loads = ", ".join(f"{load:,.10g}" for load in found.doubtful)
    if loads:
        ends.append(f"on INVALID points ({loads} {run.load_unit})")
    if found.peak is not None and may_lie_beyond(found):
        ends.append(f"at the highest load that it measured ({run.load_name(found.peak)}): the peak may lie beyond")
    return " and ".join(ends)
