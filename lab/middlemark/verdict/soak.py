"""Whether a load was sustained for hours: by throughput, response times and errors.

A soak is sustained when its throughput at the end is within `PEAK_SHARE` of its best level, it never stalled, and
response times and errors are within their limits. A level is a median of slices, which one odd slice does not move.
Memory, connections and disk may grow without harm, or cause a loss that is still to come: their shape and slope are
stated, and do not decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from middlemark.records.soak import Quantity, Shape, Soak, SoakPlan, SoakSeries
from middlemark.verdict.drift import CONFIDENCE, Dot, Line
from middlemark.verdict.shapes import MIN_SLICES, Values, fit_shape
from middlemark.wording import few_or_many, moment

# How far below its best level throughput may be at the end.
PEAK_SHARE = 0.10
# Slices of a level: a twentieth of the soak, within bounds. A level of a day has 15 minutes.
LEVEL_SHARE, MIN_LEVEL, MAX_LEVEL = 0.05, 5, 15
# A stall has at least so many slices without a transaction, where at least so many transactions were to be expected.
MIN_STALL, MIN_EXPECTED = 2, 20.0
# A soak ends after so many slices without any transaction: the rest would show nothing new.
LOST_SLICES = 15
# By scatter alone a level may be so many of its standard errors below the limit.
SURE = 3.0
# Standard error of a median ÷ that of a mean, and standard deviation ÷ median absolute difference of neighbours, both
# of normally distributed values.
MEDIAN_ERROR, OF_DIFFERENCES = 1.2533, 1.4826 / 2**0.5
HOUR_S = 3600.0
# Smallest change that counts: of connections and transactions a whole one.
LEAST = {Quantity.CONNECTIONS: 1.0, Quantity.PREPARED: 1.0}
MAX_STALLS = 20


@dataclass(frozen=True)
class SliceFigure:
    """A figure in each slice, in `unit`; NaN where it is unknown. `of` is a process or a database, or empty."""

    quantity: Quantity
    of: str
    unit: str
    values: Values


@dataclass(frozen=True)
class Slices:
    """The slices of a soak: n + 1 edges in seconds since its window began, and n values of each figure.

    `transactions` are those that count, `tps` of them a second; `mean_ms` is NaN in a slice without a response.
    `error_share` (0 … 1) is that of all slices together.
    """

    edges_s: Values
    transactions: Values
    tps: Values
    mean_ms: Values
    error_share: float
    others: Sequence[SliceFigure] = ()

    @property
    def seen_s(self) -> float:
        """Length of all slices together."""
        return float(self.edges_s[-1]) if len(self.edges_s) else 0.0


def judge_soak(slices: Slices, plan: SoakPlan, *, ended: bool) -> Soak:
    """The verdict on a soak by its slices; `ended`: no more follow. Fewer than `MIN_SLICES` have none."""
    seen = [
        SliceFigure(Quantity.THROUGHPUT, "", plan.rate, slices.tps),
        SliceFigure(Quantity.RESPONSE_TIME, "", "ms", slices.mean_ms),
        *slices.others,
    ]
    series = tuple(_series(one, slices.edges_s) for one in seen)
    known = {"plan": plan, "seen_s": slices.seen_s, "ended": ended, "series": series}
    if len(slices.tps) < MIN_SLICES:
        few = f"{len(slices.tps)} slices of {plan.slice_s:g} s are too few for a verdict"
        return Soak(**known, sustained=None, text=few)
    levels = _levels(slices.tps)
    stalls = _stalls(slices)
    lost = _peak_lost(slices, levels)
    all_lost = stalls[-1][0] if stalls and stalls[-1][1] >= slices.seen_s else None
    known |= {
        "best_tps": float(levels.max()),
        "last_tps": float(levels[-1]),
        "level_s": _width(len(slices.tps)) * plan.slice_s,
        "peak_lost_s": lost,
        "all_lost_s": all_lost,
        "stalls": tuple(stalls[:MAX_STALLS]),
    }
    soak = Soak(**known, sustained=None, text="")
    reasons = tuple(_reasons(soak, slices))
    whole = slices.seen_s >= plan.length_s - plan.slice_s
    sustained = False if reasons else True if ended and whole else None
    found = soak.model_copy(update={"reasons": reasons, "sustained": sustained})
    return found.model_copy(update={"text": _text(found)})


def _series(seen: SliceFigure, edges_s: Values) -> SoakSeries:
    known = np.isfinite(seen.values)
    values = tuple(float(f"{one:.6g}") if there else None for one, there in zip(seen.values, known, strict=True))
    found = SoakSeries(quantity=seen.quantity, of=seen.of, unit=seen.unit, values=values)
    middles = (edges_s[:-1] + edges_s[1:]) / 2
    line = Line([Dot(float(at), 1.0, float(one)) for at, one in zip(middles[known], seen.values[known], strict=True)])
    fit = fit_shape(seen.values[known], LEAST.get(seen.quantity, 0.0))
    at_s = None if fit.place is None else float(edges_s[:-1][known][fit.place])
    changes: dict[str, object] = {"shape": fit.shape, "before": fit.before, "after": fit.after, "at_s": at_s}
    if not line.problem:
        mean = float(seen.values[known].mean())
        changes["per_hour"] = line.change(HOUR_S) * mean
        changes["uncertainty"] = line.uncertainty(HOUR_S, CONFIDENCE, alike=True) * mean
    found = found.model_copy(update=changes)
    return found.model_copy(update={"text": _series_text(found)})


def _series_text(one: SoakSeries) -> str:
    name = f"{one.quantity.value} of {one.of}" if one.of else one.quantity.value
    ends = f"from {few_or_many(one.before)} to {few_or_many(one.after)} {one.unit}"
    many, at = one.quantity in _PLURAL, moment(one.at_s or 0.0)
    now, then = _VERBS[one.after > one.before]
    now += "" if many else "s"
    match one.shape:
        case Shape.LEVEL:
            return f"{name}: level at {few_or_many(one.after)} {one.unit}"
        case Shape.LINE:
            return f"{name} {now}{f' by {one.slope_text}' if one.is_slope_certain else ''}, {ends}"
        case Shape.BEGINS:
            return f"{name} {now} since {at}, {ends}"
        case Shape.ENDS:
            return f"{name} {then} until {at}, {ends}, and {'are' if many else 'is'} level since"
        case Shape.STEP:
            return f"{name} {then} at {at} {ends}"


_PLURAL = {Quantity.CONNECTIONS, Quantity.PREPARED, Quantity.ERRORS}
_VERBS = {True: ("rise", "rose"), False: ("fall", "fell")}


def _width(count: int) -> int:
    return min(count, MAX_LEVEL, max(MIN_LEVEL, round(LEVEL_SHARE * count)))


def _levels(tps: Values) -> Values:
    """The level that begins with each slice: the median of `_width` neighbours."""
    found: Values = np.median(np.lib.stride_tricks.sliding_window_view(tps, _width(len(tps))), axis=1)
    return found


def _peak_lost(slices: Slices, levels: Values) -> float | None:
    """When the last slice near the best level ended, in seconds; None where the last level is near it.

    By scatter alone a level may be below the limit: by three standard errors of a median. A level that is only a little
    below may be a slow wave: the peak is lost when it stays there for a twentieth of the soak.
    """
    count, width = len(slices.tps), _width(len(slices.tps))
    scatter = OF_DIFFERENCES * float(np.median(np.abs(np.diff(slices.tps))))
    best, odd = float(levels.max()), SURE * MEDIAN_ERROR * scatter / width**0.5
    limit = (1 - PEAK_SHARE) * best - odd
    last = int(np.flatnonzero(levels >= limit)[-1])
    if last == len(levels) - 1:
        return None
    lost = int(np.flatnonzero(slices.tps[: last + width] >= limit)[-1]) + 1
    is_deep = levels[-1] < (1 - 2 * PEAK_SHARE) * best - odd
    return float(slices.edges_s[lost]) if is_deep or count - lost >= LEVEL_SHARE * count else None


def _stalls(slices: Slices) -> list[tuple[float, float]]:
    """Begin and end of each stall, in seconds: nothing was completed, though transactions were to be expected."""
    nothing = np.concatenate(([False], slices.transactions == 0, [False]))
    begins, ends = (np.flatnonzero(nothing[1:] & ~nothing[:-1]), np.flatnonzero(~nothing[1:] & nothing[:-1]))
    busy = slices.tps[slices.transactions > 0]
    usual = float(np.median(busy)) if len(busy) else 0.0
    found = []
    for begin, end in zip(begins, ends, strict=True):
        times = float(slices.edges_s[begin]), float(slices.edges_s[end])
        if end - begin >= MIN_STALL and (times[1] - times[0]) * usual >= MIN_EXPECTED:
            found.append(times)
    return found


def _reasons(soak: Soak, slices: Slices) -> list[str]:
    """Why the load was not sustained; none where it was."""
    plan, found = soak.plan, []
    if not slices.transactions.any():
        return ["nothing was completed"]
    if soak.peak_lost_s is not None:
        what = "all" if soak.peak_lost_s == soak.all_lost_s else "peak"
        ends = f"{few_or_many(soak.best_tps)} {plan.rate} at best, {few_or_many(soak.last_tps)} at the end"
        found.append(f"{what} throughput was lost after {moment(soak.peak_lost_s)} ({ends})")
    if soak.all_lost_s not in {None, soak.peak_lost_s}:
        found.append(f"all throughput was lost after {moment(soak.all_lost_s or 0.0)}")
    between = [one for one in soak.stalls if one[0] != soak.all_lost_s]
    if between:
        more = f", and {len(between) - 1} more times" if len(between) > 1 else ""
        found.append(f"nothing was completed from {moment(between[0][0])} to {moment(between[0][1])}{more}")
    mean_ms = float(np.median(slices.mean_ms[-_width(len(slices.tps)) :]))
    if mean_ms >= plan.mean_ms:
        found.append(f"the mean response at the end was {few_or_many(mean_ms)} ms (limit: {plan.mean_ms:g} ms)")
    if slices.error_share >= plan.errors:
        share = f"{100 * slices.error_share:.2g} %"
        found.append(f"{share} of the transactions failed (limit: {100 * plan.errors:g} %)")
    return found


def _text(soak: Soak) -> str:
    """The verdict as a clause: `sustained for 24 h (…)`."""
    plan, seen = soak.plan, moment(soak.seen_s)
    of = f"{seen} of {moment(plan.length_s)}"
    whole = soak.seen_s >= plan.length_s - plan.slice_s
    rates = f"{few_or_many(soak.last_tps)} {plan.rate} at the end, {few_or_many(soak.best_tps)} at best"
    if soak.sustained is False:
        so_far = "" if whole else f" after {of}" if soak.ended else f" so far, for {of}"
        return f"not sustained{so_far}, since {', '.join(soak.reasons)}"
    if soak.sustained:
        return f"sustained for {seen} ({rates})"
    return f"sustained {'until it ended after' if soak.ended else 'so far, for'} {of} ({rates})"
