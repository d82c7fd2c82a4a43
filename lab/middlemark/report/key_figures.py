"""The figures in large type below the headline: a ratio, the metrics with which the report leads, and what counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.point import Verdict
from middlemark.report.figure import rounded
from middlemark.report.load_curves import MEGABYTE
from middlemark.report.samples import lines
from middlemark.verdict.comparability import comparability_groups
from middlemark.verdict.metrics import BYTES_PER_SECOND, cpu_ms_per_transaction, leading, throughput_tps
from middlemark.verdict.naming import short_names
from middlemark.verdict.pairwise import pairwise_comparisons
from middlemark.verdict.searches import peak_doubt
from middlemark.verdict.sharing import times_not_ranked
from middlemark.wording import TIMES


@dataclass(frozen=True)
class Value:
    """A figure in large type; `series` gives the marker of the combination it belongs to."""

    text: str
    series: int | None = None


@dataclass(frozen=True)
class KeyFigure:
    """A figure in large type (or one for each combination), what it is, and what to know about it."""

    values: tuple[Value, ...]
    label: str
    note: str


def key_figures(result: Result) -> list[KeyFigure]:
    """Return the ratio, where there are several combinations, the metrics of the specification, and what counts."""
    found = [_ratio(result)] if len(result.run.combinations) > 1 else []
    led = (_METRICS[name](result) for name in result.run.specification.leads_with if name in _METRICS)
    return [*found, *(figure for figure in led if figure is not None), _counted(result)]


def _ratio(result: Result) -> KeyFigure:
    """Return the ratios of what is ranked; of the others only where nothing is."""
    names = short_names(result.run.combinations)
    metric = leading(result.run.specification)
    title = metric.title(result.run.specification)
    every = pairwise_comparisons(result, metric)
    found = [one for one in every if not one.not_ranked] or every
    ratios = [one.comparison.ratio for one in found if one.comparison.ratio is not None]
    if result.run.references:
        against = f"{title} against the reference of each"
    elif len(found) == 1:
        against = f"{title}, {names[found[0].b.path]} ÷ {names[found[0].a.path]}"
    else:
        first = next(iter(names.values()))
        one_group = len(comparability_groups(result)) == 1
        against = f"{title} against {first if one_group else 'the first of the same comparability group'}"
    if not ratios:
        return KeyFigure((Value("none"),), against, "no round in which both count")
    text = f"{min(ratios):.2f} … {max(ratios):.2f}" if len(found) > 1 else f"{ratios[0]:.2f}"
    note = f"{len(found)} combinations" if len(found) > 1 else found[0].verdict
    more = len(every) - len(found)
    return KeyFigure((Value(f"{text} {TIMES}"),), against, f"{note}; {more} not ranked" if more else note)


def _cpu(result: Result) -> KeyFigure:
    label = f"CPU-ms per {result.run.specification.unit}"
    return KeyFigure(_values(result, cpu_ms_per_transaction), label, _at(result))


def _throughput(result: Result) -> KeyFigure:
    return KeyFigure(_values(result, throughput_tps), result.run.specification.rate, _at(result))


def _response_time(result: Result) -> KeyFigure:
    reason = times_not_ranked(result)
    note = f"{reason}: shown, not ranked" if reason else _at(result)
    return KeyFigure(_values(result, lambda v: v.total.mean_ms), "mean response time in ms", note)


def _bytes_per_second(result: Result) -> KeyFigure:
    return KeyFigure(_values(result, lambda v: v.bytes_per_s / MEGABYTE), "MB per second received", _at(result))


def _users_at_peak(result: Result) -> KeyFigure | None:
    """Return the load with the highest throughput of each combination; None for a run that searched nothing."""
    run = result.run
    if not run.searched:
        return None
    peaks = [run.searched[one.path].peak if one.path in run.searched else None for one in run.combinations]
    values = _each_or_range([None if peak is None else float(peak) for peak in peaks], "{:,g}".format)
    doubtful = sum(bool(peak_doubt(found)) for found in run.searched.values())
    note = f"as the search found it; {doubtful} of {len(peaks)} not known to be the peak" if doubtful else ""
    return KeyFigure(values, f"{run.load_unit} at the highest throughput", note or "as the search found it")


_METRICS: dict[str, Callable[[Result], KeyFigure | None]] = {
    "cpu_ms_per_transaction": _cpu,
    "throughput": _throughput,
    "response_time": _response_time,
    BYTES_PER_SECOND: _bytes_per_second,
    "users_at_peak": _users_at_peak,
}


def _counted(result: Result) -> KeyFigure:
    valid = sum(p.valid for p in result.points)
    invalid = sum(p.verdict is not None and not p.valid for p in result.points)
    missing = result.expected_points - valid - invalid
    notes = [f"{n} {word}" for n, word in ((invalid, "INVALID"), (missing, "not finished")) if n > 0]
    return KeyFigure(
        (Value(f"{valid} of {result.expected_points}"),), "points count", ", ".join(notes) or "none INVALID"
    )


def _at(result: Result) -> str:
    return f"at {result.run.top_name}, mean of the rounds"


def _values(result: Result, figure: Callable[[Verdict], float]) -> tuple[Value, ...]:
    """Return the mean of each combination at the load at which it is compared."""
    run = result.run
    compared = zip(lines(result, figure), map(run.top_load, run.combinations), strict=True)
    levels = [line.at(load) for line, load in compared]
    return _each_or_range([level.mean if level else None for level in levels], rounded)


def _each_or_range(values: list[float | None], text: Callable[[float], str]) -> tuple[Value, ...]:
    """Return each value with the marker of its combination; of many, the range."""
    known = [value for value in values if value is not None]
    if not known:
        return (Value("none"),)
    if len(values) == 1:
        return (Value(text(known[0])),)
    if len(values) > 2:
        return (Value(f"{text(min(known))} … {text(max(known))}"),)
    return tuple(Value("none" if value is None else text(value), series) for series, value in enumerate(values))
