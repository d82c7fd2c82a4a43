"""What a combination reached at each load, over the rounds that count, and at which load it reached most."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from middlemark.judge.supported import limit_of
from middlemark.records.figures import FIGURES, RESPONSE_TIME, THROUGHPUT, USERS_SUPPORTED
from middlemark.records.findings import Estimate, Level, Measured, Peak, UsefulPeak
from middlemark.records.run import Combination, Load, Run, Searched
from middlemark.records.window import Fairness, Forbids, Window
from middlemark.verdict.estimate import LEVEL, MIN_ROUNDS
from middlemark.verdict.student import t_quantile
from middlemark.wording import counted

DEFAULT_MEAN_MS = 3000.0
"""Of runs that do not say up to which mean a response time is acceptable."""
NOT_KEPT = "the figures of each client were not kept (`per_client`)"


def levels_of(measured: Measured, combination: Combination) -> tuple[Level, ...]:
    """Every load of a combination, rising."""
    return tuple(_level(measured, combination, load) for load in sorted(measured.run.loads_of(combination)))


def _level(measured: Measured, combination: Combination, load: Load) -> Level:
    windows = measured.valid(combination, load)
    figures = {}
    for figure in FIGURES:
        values = [figure.of(window) for window in windows]
        if figure is USERS_SUPPORTED:
            # A round whose window outside the limit does not count has none.
            values = [value for value in values if not math.isnan(value)]
        if values and figure.averaged and not any(map(math.isnan, values)):
            figures[figure.name] = estimate(values)
    return Level(load=load, repeats=tuple(window.repeat for window in windows), figures=figures)


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and interval, or spread, of a figure of some rounds.

    Values count or time something, so no true mean is below 0, and what the interval has there is cut off: it holds the
    true mean as often as before.
    """
    mean, low, high = statistics.fmean(values), min(values), max(values)
    if is_interval := len(values) >= MIN_ROUNDS:
        half = t_quantile(1 - LEVEL, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
        low, high = max(mean - half, 0.0), mean + half
    return Estimate(mean=mean, low=low, high=high, rounds=len(values), is_interval=is_interval)


def best(levels: Sequence[Level]) -> Level | None:
    """The level with the highest mean throughput; None when no window counts.

    It is one load for all rounds: the best of each round would have luck in it. For the same reason a load counts only
    with as many rounds as decide anything, or with as many as any load has.
    """
    able = [level for level in levels if level.repeats and len(level.repeats) >= _needed(levels)]
    return max(able, key=lambda level: level.figures[THROUGHPUT.name].mean, default=None)


def _needed(levels: Sequence[Level]) -> int:
    return min(MIN_ROUNDS, max((len(level.repeats) for level in levels), default=0))


def peak_of(measured: Measured, combination: Combination, levels: Sequence[Level]) -> Peak:
    """Where a combination has its highest throughput; of a search for the limit, the load just inside it."""
    searched = measured.run.searched.get(combination.path)
    if searched is None:
        return _of_list(measured, combination, levels)
    if searched.goal == "limit":
        return limit_of(measured, combination, searched, why_none_counts(measured.compared(combination)))
    return _of_search(measured, combination, searched)


def _of_search(measured: Measured, combination: Combination, found: Searched) -> Peak:
    if found.peak is None:
        return Peak(load=None, reason="no point of the search counts" if found.ended else "the search has not ended")
    doubt = doubt_text(measured.run, found)
    ended = ("" if found.peak_known else "not narrowed down", f"the search ended {doubt}" if doubt else "")
    below, above = _beside([point.load for point in found.points if point.valid], found.peak)
    return Peak(
        load=found.peak,
        reason=why_none_counts(measured.of(combination, found.peak)),
        searched_tps=found.throughput_tps,
        below=below,
        above=above,
        remark="; ".join(part for part in ended if part) if found.ended else "the search has not ended",
    )


def _of_list(measured: Measured, combination: Combination, levels: Sequence[Level]) -> Peak:
    top = best(levels)
    if top is None:
        every = [window for level in levels for window in measured.of(combination, level.load)]
        return Peak(load=None, reason=why_none_counts(every))
    if len(levels) == 1:
        return Peak(load=top.load, remark="the only load", only_load=True)
    loads = [level.load for level in levels if level.repeats]
    below, above = _beside(loads, top.load)
    hidden = _hidden(measured, combination, levels, top)
    remark = "the highest load: the peak may lie beyond" if top.load == max(loads) else ""
    remark = f"the peak is not known: at {hidden}" if hidden else remark
    return Peak(load=top.load, below=below, above=above, hidden=hidden, remark=remark)


def _hidden(measured: Measured, combination: Combination, levels: Sequence[Level], top: Level) -> str:
    """Which load next to the best one that counts may hide the true peak and why; empty where the best is the peak.

    Throughput rises up to its peak and not behind it, so the loads next to it decide: the one above first. One at which
    every window failed by errors is beyond what the subject can do; one that does not count for another reason, such as
    a driver that was the limit, hides what the subject can do there.
    """
    place, needed = levels.index(top), _needed(levels)
    for level in (*levels[place + 1 : place + 2], *levels[max(place - 1, 0) : place]):
        if reason := _why_unknown(measured.of(combination, level.load), len(level.repeats), needed):
            return f"{measured.run.load_name(level.load)} {reason}"
    return ""


def _why_unknown(windows: Sequence[Window], valid: int, needed: int) -> str:
    """Why it is not known what a load reached; empty when it counts, and when it failed by errors alone."""
    if valid >= needed:
        return ""
    checks = [check for window in windows if not window.valid for check in window.checks]
    failed = [check for check in checks if check.keeps_from(Forbids.EVERYTHING) and check.name != "errors"]
    if failed:
        return failed[0].text
    return "" if windows and not valid else f"counts in {valid} of {counted(needed, 'round')}"


def why_none_counts(windows: Sequence[Window]) -> str:
    """By which conditions the windows of a load do not count; empty where one does."""
    if any(window.valid for window in windows):
        return ""
    checks = [check for window in windows for check in window.checks]
    failed = dict.fromkeys(check.name for check in checks if check.keeps_from(Forbids.EVERYTHING))
    return f"INVALID by {' and '.join(failed)}" if windows else "not measured"


def _beside(loads: Sequence[Load], load: Load) -> tuple[Load | None, Load | None]:
    below, above = [one for one in loads if one < load], [one for one in loads if one > load]
    return max(below, default=None), min(above, default=None)


def doubt_text(run: Run, found: Searched) -> str:
    """On what a search ended that leaves open where the peak is; empty for nothing.

    It may have run out of points while its highest load still had the highest throughput.
    """
    ends, highest = [], max((point.load for point in found.points), default=None)
    if found.peak is not None and found.at_edge:
        ends.append(f"at the edge of its range ({run.load_name(found.peak)})")
    if found.doubtful:
        loads = ", ".join(f"{load:,.10g}" for load in found.doubtful)
        ends.append(f"on INVALID points ({loads} {run.load_unit})")
    if found.peak is not None and found.peak == highest and not found.peak_known and not found.at_edge:
        ends.append(f"at the highest load that it measured ({run.load_name(found.peak)}): the peak may lie beyond")
    return " and ".join(ends)


def useful_peak(measured: Measured, combination: Combination, levels: Sequence[Level]) -> UsefulPeak:
    """The highest load up to which all clients are still served equally and in acceptable time, over all rounds.

    Source: Mindcraft, SPICE (2000), which keeps the figures of each client for it.
    """
    last: Load | None = None
    for level in levels:
        if reason := _why_not_useful(measured, combination, level, _needed(levels)):
            return UsefulPeak(load=last, next_load=level.load, why_not=reason)
        last = level.load
    return UsefulPeak(load=last, next_load=None, why_not="" if last else "no load was measured")


def _why_not_useful(measured: Measured, combination: Combination, level: Level, needed: int) -> str:
    """Why a load is not useful; empty when it is, which fewer rounds than `needed` cannot show."""
    windows = measured.of(combination, level.load)
    failed = sum(window.failed("errors") for window in windows)
    if failed:
        return f"errors in {failed} of {counted(len(windows), 'round')}"
    if not level.repeats:
        reasons = [reason for window in windows for reason in window.reasons]
        return f"no round counts: {reasons[0]}" if reasons else "not measured"
    searched = measured.run.searched.get(combination.path)
    limits = searched.limits if searched else measured.run.limits
    limit, mean = limits.mean_ms if limits else DEFAULT_MEAN_MS, level.figures[RESPONSE_TIME.name].mean
    if mean >= limit:
        return f"mean response of {mean:,.0f} ms, limit {limit:,g} ms"
    few = f"counts in {len(level.repeats)} of {counted(needed, 'round')} only" if len(level.repeats) < needed else ""
    return _unfair([window.fairness for window in windows if window.valid]) or few


def _unfair(found: Sequence[Fairness | None]) -> str:
    """Why clients were not served equally, or why that is not known; empty when they were in every round."""
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return NOT_KEPT
    uneven = [one for one in known if one.equal is False]
    if uneven:
        counts = 100 * max(one.transactions_cv for one in uneven)
        times = 100 * max(one.response_cv or 0.0 for one in uneven)
        spread = f"transactions vary by up to {counts:.0f} %, response times by {times:.0f} %"
        return f"{uneven[0].message} in {len(uneven)} of {counted(len(known), 'round')}: {spread}"
    # A client alone is served like all others.
    return next((one.message for one in known if one.equal is None and one.clients > 1), "")
