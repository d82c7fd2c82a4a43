"""What a report leads with: the ranking with a dot for each window, then what each combination reached and took."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from middlemark.records.figures import (
    BY_NAME,
    COMPARED,
    CPU_TIME,
    MEMORY,
    RESPONSE_TIME,
    THROUGHPUT,
    USERS_SUPPORTED,
    Better,
    Figure,
)
from middlemark.records.findings import CombinationFinding, Comparison, Estimate, Findings
from middlemark.records.side_files import PricePer
from middlemark.records.window import Window
from middlemark.show.bars import Bar, BarChart, BarRow, Dot, window_dot
from middlemark.show.places import compared, tier_names, tier_of
from middlemark.show.tables import (
    Cell,
    Heading,
    Row,
    Table,
    Text,
    barred,
    ends_of,
    fold,
    muted,
    span,
    table,
)
from middlemark.wording import TIMES, rounded, sentence

# More combinations than this are folded away.
MAX_BARS = 12
NOT_WATCHED = "no tier of the platform was watched"


def ranking(findings: Findings) -> Iterator[object]:
    """Yield for each group the chart of the figure that leads, best first, and its table."""
    figure = BY_NAME[findings.metric]
    title = figure.titled(findings.run.specification)
    which = "lowest first" if figure.better is Better.LOWER else "highest first"
    several = len(findings.groups) > 1
    for number, group in enumerate(findings.groups):
        ranked = [one for one in findings.ranked(group) if one.at.repeats]
        if not ranked:
            continue
        heading = f"{sentence(title)}, {which}{f': {group}' if group else ''}"
        rows = tuple(ranked_row(findings, figure, one) for one in ranked)
        chart = BarChart(heading, rows, _ranking_note(findings, figure)).figure()
        inside = (chart, _ranking_table(findings, figure, ranked))
        if several and number > 1:
            yield fold(heading, *inside)
        else:
            yield from inside


def quantities(findings: Findings) -> Iterator[object]:
    """Yield small charts of what each combination reached and what that took, and a table with all of it."""
    every = _quantities(findings)
    run = findings.run
    single = all(len(run.loads_of(one)) == 1 for one in run.combinations) and not run.searched
    peak = "Just inside the limit of each combination" if run.seeks_limit else "At the peak of each combination"
    title = peak if run.searched else "At the highest throughput of each combination"
    title = f"At {run.top_name}" if single else title
    note = "Means of the rounds that count, with their 95 % intervals (below three rounds the lowest and the highest)."
    charts = []
    for each in every:
        amounts = [(number, one.name, each.of(one)) for number, one in enumerate(findings.combinations)]
        rows = tuple(
            BarRow(number, name, one.short, () if one.value is None else (Bar(one.value),), low=one.low, high=one.high)
            for number, name, one in amounts
        )
        charts.append(BarChart(each.chart, rows, each.note, small=True).figure() if each.chart else None)
    numbers = table(
        findings.combinations,
        "combination: name",
        *((f"#{each.column}", lambda one, each=each: each.of(one).cell) for each in every),
        ("remarks", lambda one: muted(_remarks(findings, one))),
    )
    if len(findings.combinations) > MAX_BARS or run.specification.efficiency is not None:
        yield fold(f"{title}: load, rate, CPU time, times, memory, start-up, lines of code, price", Text(note), numbers)
        return
    yield Heading(title, id="peak")
    yield Text(note)
    yield Row(tuple(filter(None, charts)))
    yield fold("Numbers", numbers)


def ratios(findings: Findings) -> object | None:
    """The forest plot of all comparisons with words, the figure that leads first."""
    spec = findings.run.specification
    figures = sorted(COMPARED, key=lambda figure: figure.name != findings.metric)
    titles = {figure.name: figure.titled(spec) for figure in figures}
    found = [one for name in titles for one in findings.compared_by(name) if one.ratio is not None]
    if not found:
        return None
    several = len({(one.a, one.b) for one in found}) > 1
    series = {one.path: number for number, one in enumerate(findings.combinations)}
    pairs = [f"{findings.name(one.b)} ÷ {findings.name(one.a)}" for one in found]
    named = list(zip(pairs, [titles[one.metric] for one in found], found, strict=True))
    rows = tuple(_ratio_row(pair, title, one, series[one.b], several=several) for pair, title, one in named)
    note = f"At {findings.at}. A small dot is a round, the large one their geometric mean; right of 1 is more. "
    note += "Beside it the lowest and the highest round; the line is the 95 % interval."
    if not any(one.low is not None for one in found):
        note += " So few rounds have no interval, and nothing is decided."
    numbers = _ratio_table(found, [f"{pair}: {title}" for pair, title, _ in named])
    axis, title = f"ratio at {findings.at} (logarithmic)", "Ratios" if several else f"Ratios, {pairs[0]}"
    return BarChart(title, rows, note, axis, ratio=True, table=numbers).figure()


def ranked_row(findings: Findings, figure: Figure, one: CombinationFinding) -> BarRow:
    """A row with a bar for each start of a combination and a dot for each window."""
    combination = next(each for each in findings.run.combinations if each.path == one.path)
    series = [each.path for each in findings.combinations].index(one.path)
    starts: dict[int, list[tuple[Window, float]]] = {}
    for window in findings.compared(combination):
        if math.isfinite(value := figure.of(window)):
            starts.setdefault(findings.run.start_of(window.repeat), []).append((window, value))
    bars = []
    for start, own in starts.items():
        values = [value for window, value in own if window.valid]
        dots = tuple(window_dot(findings, window, value, figure) for window, value in own)
        if values:
            bars.append(Bar(fmean(values), dots, title=f"{one.name}, start {start + 1}: {rounded(fmean(values))}"))
    known = one.at.figures.get(figure.name)
    rank = f"{one.rank}. " if one.rank else ""
    if known is None:
        return BarRow(series, f"{rank}{one.name}", NOT_WATCHED, tuple(bars))
    text = f"{rounded(known.mean)} {'/s' if figure.unit.endswith('per second') else figure.unit}"
    low, high = (known.low, known.high) if known.is_interval else (None, None)
    more = _verdict(_pairs(findings).get(one.path))
    return BarRow(series, f"{rank}{one.name}", text, tuple(bars), low=low, high=high, more=more)


def _pairs(findings: Findings) -> dict[str, Comparison]:
    """What each combination is compared with by the figure that leads."""
    return {one.b: one for one in reversed(findings.compared_by(findings.metric))}


def _verdict(pair: Comparison | None) -> str:
    if pair is None or pair.ratio is None:
        return ""
    return "not ranked" if pair.not_ranked else pair.verdict


def _ranking_note(findings: Findings, figure: Figure) -> str:
    starts = findings.run.repeats // findings.run.rounds
    bar = "A bar is the mean of a start" if starts > 1 else "A bar is the mean"
    note = f"At {findings.at}. {bar}, a dot a window, the line the 95 % interval of the mean."
    if figure is CPU_TIME:
        note += " Reverse proxy, databases and driver are not in it."
    shared = f" {findings.shared}." if findings.shared else ""
    return f"{note} Combinations share a rank where the 95 % interval of their ratio includes 1.{shared}"


def _ranking_table(findings: Findings, figure: Figure, ranked: Sequence[CombinationFinding]) -> Table | None:
    unit = findings.run.specification.unit
    title = f"CPU ms per {unit}" if figure is CPU_TIME else figure.united(findings.run.specification)
    pairs, own = _pairs(findings), {place.combination: place for place in compared(findings)}
    rows = [(one, one.at.figures.get(figure.name), pairs.get(one.path)) for one in ranked]
    most = max((known.mean for _, known, _ in rows if known), default=0.0)
    tiers = tier_names(window for place in own.values() for window in place.windows) if figure is CPU_TIME else []

    def interval(known: Estimate) -> Cell:
        return Cell(span(known.low, known.high)) if known.is_interval else muted("needs 3 rounds")

    def tier_mean(one: CombinationFinding, tier: str) -> float | None:
        parts = own[one.name].parts([tier], tier_of) if one.name in own else []
        return parts[0].mean("cpu_ms_per_transaction") if parts else None

    return table(
        rows,
        "#rank: 0.rank | combination: 0.name",
        (f"#{title}", lambda row: barred(row[1].mean, most) if row[1] else None),
        ("#95 % interval", lambda row: interval(row[1]) if row[1] else None),
        ("#rounds", lambda row: len(row[0].at.repeats)),
        ("against", lambda row: Cell(findings.name(row[2].a) if row[2] else "")),
        ("#ratio", lambda row: _ratio_cell(row[2])),
        ("verdict", lambda row: Cell(_verdict(row[2]))),
        *((f"#{tier.replace('+', ' + ')}", lambda row, tier=tier: tier_mean(row[0], tier)) for tier in tiers),
    )


def _ratio_cell(pair: Comparison | None) -> Cell:
    if pair is None or pair.ratio is None:
        return Cell("")
    ends = ends_of((pair.low, pair.high))
    return Cell(f"{pair.ratio:.2f} {TIMES}{f' ({ends})' if ends else ''}", exact=pair.ratio)


def _ratio_row(pair: str, title: str, one: Comparison, series: int, *, several: bool) -> BarRow:
    dots = tuple(
        Dot(ratio, f"{pair}, {title}, round {each.repeat + 1}: {ratio:.3f}")
        for each, ratio in zip(one.rounds, one.ratios, strict=True)
    )
    spread = ends_of(one.ratios) if len(one.rounds) > 1 else "1 round"
    name, text = f"{pair}: {title}" if several else title, f"{one.ratio or 0:.2f} {TIMES}"
    return BarRow(series, name, text, (), dots, one.low, one.high, mean=one.ratio, more=spread)


def _ratio_table(found: Sequence[Comparison], names: Sequence[str]) -> Table | None:
    most = max(len(one.rounds) for one in found)
    return table(
        [(name, one, dict(enumerate(one.ratios))) for name, one in zip(names, found, strict=True)],
        "ratio: 0",
        *((f"#round {n + 1}", lambda row, n=n: row[2].get(n, Cell(""))) for n in range(most)),
        "#geometric mean: 1.ratio",
        ("95 % interval", lambda row: ends_of((row[1].low, row[1].high), 3) or muted("too few rounds")),
        "verdict: 1.text",
    )


@dataclass(frozen=True)
class _Amount:
    """A value with its interval or spread, in the words of `ends` where these are given; without one its reason."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    text: str = ""
    ends: str = ""

    @property
    def short(self) -> str:
        """The value alone, or why there is none."""
        return self.reason if self.value is None else self.text or rounded(self.value)

    @property
    def cell(self) -> Cell:
        """The value with its ends, or why there is none."""
        if self.value is None:
            return muted(self.reason)
        if self.low is None or self.high is None or self.low == self.high:
            return Cell(self.short, exact=self.value)
        return Cell(f"{self.short} ({self.ends or span(self.low, self.high)})", exact=self.value)


@dataclass(frozen=True)
class _Quantity:
    """A column of the table; drawn as a chart where it has a title."""

    column: str
    of: Callable[[CombinationFinding], _Amount]
    chart: str = ""
    note: str = ""


def _quantities(findings: Findings) -> list[_Quantity]:
    run, spec, prices = findings.run, findings.run.specification, findings.prices
    cost = f"CPU-ms per {spec.unit}"
    beside = any(one.peak.below is not None and one.peak.above is not None for one in findings.combinations)
    next_loads = "A line ends at the loads next to it that were measured: the peak lies between them." if beside else ""
    price = f"price per {spec.unit} per second"
    if prices is not None:
        purchase = prices.terms.per is PricePer.PURCHASE
        price = f"{prices.terms.currency} per {f'{spec.unit} per second' if purchase else f'million {spec.units}'}"
    alike = len({one.peak.load for one in findings.combinations}) == 1 and not run.searched
    shown = f"(shown, not ranked: {findings.times_not_ranked})" if findings.times_not_ranked else ""
    return [
        _Quantity(cost, _measured(CPU_TIME), f"{cost}, platform's tiers"),
        _Quantity(spec.rate, _measured(THROUGHPUT), spec.rate.capitalize()),
        *([_Quantity("users supported", _measured(USERS_SUPPORTED), "Users supported")] if run.seeks_limit else []),
        _Quantity(run.load_unit, _load, "" if alike or run.seeks_limit else run.load_unit.capitalize(), next_loads),
        _Quantity("mean response ms", _measured(RESPONSE_TIME), "Mean response time in ms", shown),
        _Quantity("memory MiB", _measured(MEMORY), "Memory in MiB, platform's tiers"),
        _Quantity("start-up s", _start, "Start-up time in s", "Median of the starts, from the fastest to the slowest."),
        _Quantity("lines of code", lambda one: _lines(findings, one), "Lines of code"),
        _Quantity(price, _price, price if prices else ""),
    ]


def _measured(figure: Figure) -> Callable[[CombinationFinding], _Amount]:
    def amount(one: CombinationFinding) -> _Amount:
        known = one.at_load(one.peak.load).figures.get(figure.name)
        seen = one.peak.searched_tps if figure is THROUGHPUT else None
        more = "" if seen is None else f"; about {seen:,.0f} in the search"
        if one.peak.load is None or not one.at_load(one.peak.load).repeats:
            return _Amount(reason=f"{one.peak.reason or 'not measured'}{more}")
        if known is None or one.peak.hidden:
            unknown = NOT_WATCHED if figure is not USERS_SUPPORTED else "not known"
            return _Amount(reason=f"not known{more}" if one.peak.hidden else unknown)
        ends = (known.low, known.high) if known.rounds > 1 else (None, None)
        return _Amount(known.mean, *ends)

    return amount


def _load(one: CombinationFinding) -> _Amount:
    peak = one.peak
    if peak.load is None or peak.hidden:
        return _Amount(reason=peak.reason or "not known")
    load, text = float(peak.load), f"{peak.load:,g}"
    if peak.below is None or peak.above is None:
        return _Amount(load, text=text)
    ends = f"{peak.below:,g} … {peak.above:,g}"
    return _Amount(load, float(peak.below), float(peak.above), text=text, ends=ends)


def _start(one: CombinationFinding) -> _Amount:
    whole = one.starts[-1] if one.starts else None
    return _Amount(whole.median_s, whole.min_s, whole.max_s) if whole else _Amount(reason="no start was recorded")


def _lines(findings: Findings, one: CombinationFinding) -> _Amount:
    counts = [code for code in findings.run.code if one.path in code.combinations]
    platforms = dict.fromkeys(code.platform for code in counts)
    if len(platforms) > 1:
        # Each runs a part of its code alone, which no count of files tells.
        return _Amount(reason=f"parts of {' and '.join(platforms)}, whose lines are below Platforms")
    total = sum(lines for code in counts for lines in code.tiers.values())
    return _Amount(float(total), text=f"{total:,}") if counts else _Amount(reason="no code was counted")


def _price(one: CombinationFinding) -> _Amount:
    cost = one.cost
    if cost.value is not None and cost.high is None:
        return _Amount(cost.value, text=f"{rounded(cost.value)} ({rounded(cost.low or 0.0)} or more)")
    return _Amount(cost.value, cost.low, cost.high, cost.reason)


def _remarks(findings: Findings, one: CombinationFinding) -> str:
    """What is to be known of a peak: how it was found, and what limited it."""
    combination = next(each for each in findings.run.combinations if each.path == one.path)
    windows = findings.valid(combination, one.peak.load) if one.peak.load is not None else []
    limits = [window.limit for window in windows if window.limit]
    others = sorted({limit.text for limit in limits if limit.by and not limit.platform_peak})
    limited = f"limited by {' or '.join(others)}, no peak of the platform" if others else ""
    searched = findings.run.searched.get(one.path)
    inside = searched.inside if searched else None
    within = f"within the limits up to {findings.run.load_name(inside)}" if inside is not None else ""
    return "; ".join(part for part in (one.peak.remark, limited, within) if part)
