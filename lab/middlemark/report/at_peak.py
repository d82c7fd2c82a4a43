"""What the report leads with: what each combination reached at its peak, and what that took; an empty cell says why."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.placement import is_platform
from middlemark.records.point import Verdict
from middlemark.records.prices import PricePer, PriceSheet
from middlemark.records.specification import SpecificationRecord
from middlemark.report.bars import Bar, bar_figure
from middlemark.report.figure import Cell, Figure, Style, Table, count, number, rounded
from middlemark.verdict.at_peak import Peak, peaks
from middlemark.verdict.levels import Estimate, estimate
from middlemark.verdict.metrics import cpu_ms_per_transaction, throughput_tps
from middlemark.verdict.naming import short_names
from middlemark.verdict.price import cost_of, without_price

NOT_WATCHED = "no tier of the platform was watched"
NEXT_LOADS = "A line ends at the loads next to it that were measured: the peak lies between them."
STARTS = "Median of the starts; a line goes from the fastest start to the slowest."
# More combinations than this are folded away.
MAX_BARS = 12


@dataclass(frozen=True)
class AtPeak:
    """The part of the report: small charts, one table with all their numbers, and what the loads are."""

    title: str
    note: str
    figures: tuple[Figure, ...]
    table: Table
    folded: bool


@dataclass(frozen=True)
class _Value:
    """A value with its interval or spread, as `text` and what the table adds; without one its reason."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    text: str = ""
    detail: str = ""
    is_load: bool = False


@dataclass(frozen=True)
class _Quantity:
    """A column of the table; drawn as a chart where it has a `title`."""

    column: str
    of: Callable[[Peak], _Value]
    title: str = ""
    note: str = ""


def at_peak(result: Result, prices: PriceSheet | None) -> AtPeak | None:
    """Return the part; None for a run without combinations."""
    found = peaks(result)
    if not found:
        return None
    quantities = _quantities(result, found, prices)
    values = [[quantity.of(one) for quantity in quantities] for one in found]
    names = short_names(result.run.combinations)
    drawn = (
        bar_figure(quantity.title, quantity.note, _bars(names, found, [row[place] for row in values]))
        for place, quantity in enumerate(quantities)
        if quantity.title
    )
    return AtPeak(
        _title(result),
        _note(result, found),
        tuple(figure for figure in drawn if figure is not None),
        _table(result, found, quantities, values),
        folded=len(found) > MAX_BARS or result.run.specification.efficiency is not None,
    )


def _quantities(result: Result, found: Sequence[Peak], prices: PriceSheet | None) -> tuple[_Quantity, ...]:
    run, specification = result.run, result.run.specification
    beside = NEXT_LOADS if any(None not in one.beside for one in found) else ""
    cost = f"CPU-ms per {specification.unit}"
    price = _price_name(prices, specification)
    return (
        _Quantity(run.load_unit, _load, run.load_unit.capitalize(), beside),
        _Quantity(specification.rate, _throughput, specification.rate.capitalize()),
        _Quantity(cost, lambda one: _measured(one, cpu_ms_per_transaction), f"{cost}, platform's tiers"),
        _Quantity("memory MiB", lambda one: _measured(one, _memory_mib), "Memory in MiB, platform's tiers"),
        _Quantity("start-up s", lambda one: _start(result, one), "Start-up time in s, all processes", STARTS),
        _Quantity("lines of code", lambda one: _lines(result, one), "Lines of code"),
        _Quantity(price, lambda one: _price(prices, one), price if prices else ""),
    )


def _title(result: Result) -> str:
    run = result.run
    if run.searched:
        return "At the peak of each combination"
    if all(len(run.loads_of(one)) == 1 for one in run.combinations):
        return f"At {run.top_name}"
    return "At the highest throughput of each combination"


def _note(result: Result, found: Sequence[Peak]) -> str:
    rounds = [len(one.level.verdicts) for one in found if one.level]
    few = any(one.level and not one.level.estimate(throughput_tps).is_interval for one in found)
    note = "Means of the rounds that count; the line on a bar is the 95 % interval of the mean"
    if rounds and few:
        note += ", below three rounds from the lowest to the highest round"
    if not result.run.searched:
        note += ". The loads were given, not searched"
    return f"{note}."


def _load(one: Peak) -> _Value:
    if one.load is None:
        return _Value(reason=one.reason)
    below, above = one.beside
    if below is None or above is None:
        return _Value(float(one.load), text=f"{one.load:,g}")
    return _Value(float(one.load), float(below), float(above), text=f"{one.load:,g}", is_load=True)


def _measured(one: Peak, figure: Callable[[Verdict], float]) -> _Value:
    if one.level is None:
        return _Value(reason=one.reason)
    values = [figure(verdict) for verdict in one.level.verdicts.values()]
    return _Value(reason=NOT_WATCHED) if any(map(math.isnan, values)) else _estimated(estimate(values))


def _throughput(one: Peak) -> _Value:
    measured = _measured(one, throughput_tps)
    if measured.value is not None or one.searched_tps is None:
        return measured
    return _Value(reason=f"{measured.reason}; about {one.searched_tps:,.0f} in the search")


def _estimated(one: Estimate) -> _Value:
    low, high = (one.low, one.high) if one.rounds > 1 else (None, None)
    return _Value(one.mean, low, high, text=rounded(one.mean))


def _memory_mib(verdict: Verdict) -> float:
    found = [figures.memory_mean_mib for tier, figures in verdict.tiers.items() if is_platform(tier)]
    return sum(found) if found else math.nan


def _start(result: Result, one: Peak) -> _Value:
    """Return the median of the starts, all processes one after the other, from the fastest to the slowest."""
    seconds = [sum(s.seconds.values()) for s in result.run.starts if s.combination == one.combination.path]
    if not seconds:
        return _Value(reason="no start was recorded")
    median = statistics.median(seconds)
    return _Value(median, min(seconds), max(seconds), text=rounded(median))


def price_table(prices: PriceSheet) -> Table:
    """Return every line of a price sheet, with its source and date."""
    rows = [
        (
            Cell(line.item),
            Cell(", ".join(line.subjects)),
            number(line.price),
            count(line.quantity),
            Cell(f"{line.currency} per {line.per}" + (f" for {line.years:g} years" if line.years else "")),
            Cell(line.scope),
            Cell(line.date),
            Cell(line.source),
        )
        for line in prices.lines
    ]
    columns = ("item", "subjects", "#price", "#quantity", "currency", "scope", "date", "source")
    return Table(columns, tuple(rows))


def _lines(result: Result, one: Peak) -> _Value:
    counted = [code for code in result.run.code if one.combination.path in code.combinations]
    if not counted:
        return _Value(reason="no code was counted")
    platforms = dict.fromkeys(code.platform for code in counted)
    if len(platforms) > 1:
        # Each runs a part of its code alone, which no count of files tells.
        return _Value(reason=f"parts of {' and '.join(platforms)}, whose lines are below Platforms")
    tiers: dict[str, int] = {}
    for code in counted:
        for tier, lines in code.tiers.items():
            tiers[tier] = tiers.get(tier, 0) + lines
    detail = ", ".join(f"{tier} {lines:,}" for tier, lines in tiers.items()) if len(tiers) > 1 else ""
    return _Value(float(sum(tiers.values())), text=f"{sum(tiers.values()):,}", detail=detail)


def _price_name(prices: PriceSheet | None, specification: SpecificationRecord) -> str:
    if prices is None:
        return f"price per {specification.unit} per second"
    per = (
        f"per {specification.unit} per second"
        if prices.per is PricePer.PURCHASE
        else f"per million {specification.units}"
    )
    return f"{prices.currency} {per}"


def _price(prices: PriceSheet | None, one: Peak) -> _Value:
    if prices is None:
        return _Value(reason="no price sheet")
    if one.level is None or one.only_load:
        # Few users who think make any platform expensive.
        return _Value(reason=one.reason or "the throughput at the only load need not be the peak")
    throughput = one.level.estimate(throughput_tps)
    cost = cost_of(prices, one.combination, throughput)
    if cost is None:
        return _Value(reason=f"the price sheet has no line for {' and '.join(without_price(prices, one.combination))}")
    if math.isinf(cost.value):
        return _Value(reason="nothing was done")
    if math.isinf(cost.high):
        # The interval of the throughput holds 0, and that of the price has no end.
        return _Value(cost.value, text=rounded(cost.value), detail=f"{rounded(cost.low)} or more")
    low, high = (cost.low, cost.high) if throughput.rounds > 1 else (None, None)
    return _Value(cost.value, low, high, text=rounded(cost.value))


def _bars(names: dict[str, str], found: Sequence[Peak], values: Sequence[_Value]) -> list[Bar]:
    return [
        Bar(series, names[one.combination.path], value.text or value.reason, value.value, value.low, value.high)
        for series, (one, value) in enumerate(zip(found, values, strict=True))
    ]


def _table(
    result: Result, found: Sequence[Peak], quantities: Sequence[_Quantity], values: Sequence[Sequence[_Value]]
) -> Table:
    names = short_names(result.run.combinations)
    rows = [
        (Cell(names[one.combination.path]), *map(_cell, row), Cell(_remarks(result, one), style=Style.MUTED))
        for one, row in zip(found, values, strict=True)
    ]
    columns = (f"#{quantity.column}" for quantity in quantities)
    return Table(("combination", *columns, "remarks"), tuple(rows))


def _cell(one: _Value) -> Cell:
    if one.value is None:
        return Cell(one.reason, style=Style.MUTED)
    detail = one.detail
    if one.low is not None and one.high is not None and one.low < one.high:
        ends = (f"{end:,g}" if one.is_load else rounded(end) for end in (one.low, one.high))
        detail = " … ".join(ends)
    return Cell(f"{one.text} ({detail})" if detail else one.text, exact=one.value)


def _remarks(result: Result, one: Peak) -> str:
    """Return what is to be known of a peak: how it was found, and what limited it."""
    found = [verdict.limit for verdict in one.level.verdicts.values() if verdict.limit] if one.level else []
    limits = sorted({limit.text for limit in found if limit.by and not limit.platform_peak})
    limited = f"limited by {' or '.join(limits)}, no peak of the platform" if limits else ""
    searched = result.run.searched.get(one.combination.path)
    inside = searched.inside if searched else None
    within = f"within the limits up to {result.run.load_name(inside)}" if inside is not None else ""
    return "; ".join(part for part in (one.remark, limited, within) if part)
