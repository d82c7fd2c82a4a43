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
    Better,
    Figure,
)
from middlemark.records.findings import CombinationFinding, Comparison, Estimate, Findings, Use
from middlemark.records.placement import DRIVER, is_platform
from middlemark.records.prices import PricePer
from middlemark.records.run import Combination
from middlemark.show.bars import Bar, BarChart, BarRow, Dot
from middlemark.show.tables import (
    UNKNOWN,
    Cell,
    Heading,
    Row,
    Style,
    Table,
    Text,
    Value,
    barred,
    fold,
    muted,
    rounded,
    span,
    table,
)
from middlemark.show.tables import Figure as Picture
from middlemark.wording import TIMES, counted

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
        heading = f"{title[0].upper()}{title[1:]}, {which}{f': {group}' if group else ''}"
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
    title = "At the peak of each combination" if run.searched else "At the highest throughput of each combination"
    title = f"At {run.top_name}" if single else title
    note = "Means of the rounds that count, with their 95 % intervals (below three rounds the lowest and the highest)."
    charts = [chart for one in every if one.chart and (chart := _bars(findings, one)) is not None]
    numbers = table(
        findings.combinations,
        ("combination", lambda one: one.name),
        *((f"#{one.column}", one.cell) for one in every),
        ("remarks", lambda one: muted(_remarks(findings, one))),
    )
    if len(findings.combinations) > MAX_BARS or run.specification.efficiency is not None:
        yield fold(f"{title}: load, rate, CPU time, times, memory, start-up, lines of code, price", Text(note), numbers)
        return
    yield Heading(title, id="peak")
    yield Text(note)
    yield Row(tuple(charts))
    yield fold("Numbers", numbers)


def ratios(findings: Findings) -> object | None:
    """The forest plot of all comparisons with words, the figure that leads first."""
    figures = sorted(COMPARED, key=lambda figure: figure.name != findings.metric)
    found = [(figure, one) for figure in figures for one in findings.compared_by(figure.name) if one.ratio is not None]
    if not found:
        return None
    several = len({(one.a, one.b) for _, one in found}) > 1
    series = {one.path: number for number, one in enumerate(findings.combinations)}
    rows = tuple(_ratio_row(findings, figure, one, series[one.b], several=several) for figure, one in found)
    first = found[0][1]
    title = "Ratios" if several else f"Ratios, {findings.name(first.b)} ÷ {findings.name(first.a)}"
    note = f"At {findings.at}. A small dot is a round, the large one their geometric mean; right of 1 is more."
    if not any(one.low is not None for _, one in found):
        note += " So few rounds have no interval, and nothing is decided."
    return BarChart(
        title, rows, note, f"ratio at {findings.at} (logarithmic)", ratio=True, table=_ratio_table(findings, found)
    ).figure()


def ranked_row(findings: Findings, figure: Figure, one: CombinationFinding) -> BarRow:
    """A row with a bar for each start of a combination and a dot for each window."""
    combination = next(each for each in findings.run.combinations if each.path == one.path)
    series = [each.path for each in findings.combinations].index(one.path)
    windows = [window for window in findings.compared(combination) if math.isfinite(figure.of(window))]
    starts: dict[int, list[float]] = {}
    for window in windows:
        if window.valid:
            starts.setdefault(findings.run.start_of(window.repeat), []).append(figure.of(window))
    bars = []
    for start, values in starts.items():
        dots = [
            Dot(
                figure.of(window),
                f"{findings.window_name(window)}: {rounded(figure.of(window))}{'' if window.valid else ', INVALID'}",
                hollow=not window.valid,
            )
            for window in windows
            if findings.run.start_of(window.repeat) == start
        ]
        mean = fmean(values)
        bars.append(Bar(mean, tuple(dots), title=f"{one.name}, start {start + 1}: {rounded(mean)}"))
    known = one.at.figures.get(figure.name)
    rank = f"{one.rank}. " if one.rank else ""
    if known is None:
        return BarRow(series, f"{rank}{one.name}", NOT_WATCHED, tuple(bars))
    text = f"{rounded(known.mean)} {figure.unit if len(figure.unit) < 4 else '/s'}"
    low, high = (known.low, known.high) if known.is_interval else (None, None)
    return BarRow(series, f"{rank}{one.name}", text, tuple(bars), low=low, high=high, more=_against(findings, one))


def _against(findings: Findings, one: CombinationFinding) -> str:
    pair = next((each for each in findings.compared_by(findings.metric) if each.b == one.path), None)
    if pair is None or pair.ratio is None:
        return ""
    return pair.verdict if not pair.not_ranked else "not ranked"


def _ranking_note(findings: Findings, figure: Figure) -> str:
    starts = findings.run.repeats // findings.run.rounds
    bar = "A bar is the mean of a start" if starts > 1 else "A bar is the mean"
    note = f"At {findings.at}. {bar}, a dot a window, the line the 95 % interval of the mean."
    if figure is CPU_TIME:
        note += " Reverse proxy, databases and driver are not in it."
    shared = f" {findings.shared}." if findings.shared else ""
    return f"{note} Equal ranks: the 95 % interval of the ratio of both holds 1.{shared}"


def _ranking_table(findings: Findings, figure: Figure, ranked: Sequence[CombinationFinding]) -> Table | None:
    most = max((one.at.figures[figure.name].mean for one in ranked if figure.name in one.at.figures), default=0.0)
    paths = {one.path: one for one in findings.run.combinations}
    tiers = dict.fromkeys(
        tier for one in ranked for window in findings.compared(paths[one.path]) for tier in window.tiers
    )
    ordered = sorted(tiers, key=lambda tier: (not is_platform(tier), tier == DRIVER))
    pairs = {one.b: one for one in findings.compared_by(figure.name)}
    return table(
        ranked,
        ("#rank", lambda one: one.rank),
        ("combination", lambda one: one.name),
        (f"#{_column(findings, figure)}", lambda one: barred(_mean(one, figure), most)),
        ("95 % interval", lambda one: _interval(one.at.figures.get(figure.name))),
        ("#rounds", lambda one: len(one.at.repeats)),
        ("against", lambda one: findings.name(pairs[one.path].a) if one.path in pairs else Cell("")),
        ("#ratio", lambda one: _ratio_text(pairs.get(one.path))),
        ("verdict", lambda one: _against(findings, one) or Cell("")),
        *(
            (f"#{tier.replace('+', ' + ')}", lambda one, tier=tier: _tier_mean(findings, paths[one.path], tier))
            for tier in (ordered if figure is CPU_TIME else ())
        ),
    )


def _column(findings: Findings, figure: Figure) -> str:
    if figure is CPU_TIME:
        return f"CPU ms per {findings.run.specification.unit}"
    return figure.united(findings.run.specification)


def _mean(one: CombinationFinding, figure: Figure) -> float | None:
    known = one.at.figures.get(figure.name)
    return known.mean if known else None


def _interval(known: Estimate | None) -> Value:
    if known is None:
        return UNKNOWN
    return span(known.low, known.high) if known.is_interval else muted("needs 3 rounds")


def _ratio_text(pair: Comparison | None) -> Value:
    if pair is None or pair.ratio is None:
        return Cell("")
    ends = f" ({pair.low:.2f} … {pair.high:.2f})" if pair.low is not None and pair.high is not None else ""
    return Cell(f"{pair.ratio:.2f} {TIMES}{ends}", exact=pair.ratio)


def _tier_mean(findings: Findings, combination: Combination, tier: str) -> float | None:
    windows = findings.valid(combination, findings.run.top_load(combination))
    values = [window.tiers[tier].cpu_ms_per_transaction for window in windows if tier in window.tiers]
    return fmean(values) if values else None


def _ratio_row(findings: Findings, figure: Figure, one: Comparison, series: int, *, several: bool) -> BarRow:
    title = figure.titled(findings.run.specification)
    pair = f"{findings.name(one.b)} ÷ {findings.name(one.a)}"
    dots = tuple(
        Dot(ratio, f"{pair}, {title}, round {each.repeat + 1}: {ratio:.3f}")
        for each, ratio in zip(one.rounds, one.ratios, strict=True)
    )
    spread = f"{min(one.ratios):.2f} … {max(one.ratios):.2f}" if len(one.rounds) > 1 else "1 round"
    name = f"{pair}: {title}" if several else title
    return BarRow(
        series, name, f"{one.ratio or 0:.2f} {TIMES}", (), dots, one.low, one.high, mean=one.ratio, more=spread
    )


def _ratio_table(findings: Findings, found: Sequence[tuple[Figure, Comparison]]) -> Table | None:
    most = max(len(one.rounds) for _, one in found)
    return table(
        found,
        (
            "ratio",
            lambda row: f"{findings.name(row[1].b)} ÷ {findings.name(row[1].a)}: "
            f"{row[0].titled(findings.run.specification)}",
        ),
        *(
            (f"#round {n + 1}", lambda row, n=n: row[1].ratios[n] if n < len(row[1].rounds) else Cell(""))
            for n in range(most)
        ),
        ("#geometric mean", lambda row: row[1].ratio),
        (
            "95 % interval",
            lambda row: muted("too few rounds") if row[1].low is None else f"{row[1].low:.3f} … {row[1].high:.3f}",
        ),
        ("verdict", lambda row: row[1].text),
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


@dataclass(frozen=True)
class _Quantity:
    """A column of the table; drawn as a chart where it has a title."""

    column: str
    of: Callable[[CombinationFinding], _Amount]
    chart: str = ""
    note: str = ""

    def cell(self, one: CombinationFinding) -> Cell:
        """A combination's cell: the value with its ends, or why there is none."""
        amount = self.of(one)
        if amount.value is None:
            return Cell(amount.reason, style=Style.MUTED)
        text = amount.text or rounded(amount.value)
        ends = "" if amount.low is None or amount.high is None else f" ({amount.ends or span(amount.low, amount.high)})"
        return Cell(f"{text}{ends if amount.low != amount.high else ''}", exact=amount.value)


def _quantities(findings: Findings) -> list[_Quantity]:
    run, spec = findings.run, findings.run.specification
    cost = f"CPU-ms per {spec.unit}"
    beside = any(one.peak.below is not None and one.peak.above is not None for one in findings.combinations)
    next_loads = "A line ends at the loads next to it that were measured: the peak lies between them." if beside else ""
    price = _price_name(findings)
    alike = len({one.peak.load for one in findings.combinations}) == 1 and not run.searched
    shown = f" (shown, not ranked: {findings.times_not_ranked})" if findings.times_not_ranked else ""
    return [
        _Quantity(cost, _measured(CPU_TIME), f"{cost}, platform's tiers"),
        _Quantity(spec.rate, _throughput, spec.rate.capitalize()),
        _Quantity(run.load_unit, _load, "" if alike else run.load_unit.capitalize(), next_loads),
        _Quantity("mean response ms", _measured(RESPONSE_TIME), "Mean response time in ms", shown.strip()),
        _Quantity("memory MiB", _measured(MEMORY), "Memory in MiB, platform's tiers"),
        _Quantity("start-up s", _start, "Start-up time in s", "Median of the starts, from the fastest to the slowest."),
        _Quantity("lines of code", lambda one: _lines(findings, one), "Lines of code"),
        _Quantity(price, lambda one: _price(one), price if findings.prices else ""),
    ]


def _measured(figure: Figure) -> Callable[[CombinationFinding], _Amount]:
    def amount(one: CombinationFinding) -> _Amount:
        known = one.at_load(one.peak.load).figures.get(figure.name)
        if one.peak.load is None or not one.at_load(one.peak.load).repeats:
            return _Amount(reason=one.peak.reason or "not measured")
        if one.peak.hidden:
            return _Amount(reason="not known")
        if known is None:
            return _Amount(reason=NOT_WATCHED)
        ends = (known.low, known.high) if known.rounds > 1 else (None, None)
        return _Amount(known.mean, *ends)

    return amount


def _throughput(one: CombinationFinding) -> _Amount:
    measured = _measured(THROUGHPUT)(one)
    if measured.value is not None or one.peak.searched_tps is None:
        return measured
    return _Amount(reason=f"{measured.reason}; about {one.peak.searched_tps:,.0f} in the search")


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


def _price_name(findings: Findings) -> str:
    spec, prices = findings.run.specification, findings.prices
    if prices is None:
        return f"price per {spec.unit} per second"
    per = f"{spec.unit} per second" if prices.per is PricePer.PURCHASE else f"million {spec.units}"
    return f"{prices.currency} per {per}"


def _price(one: CombinationFinding) -> _Amount:
    cost = one.cost
    if cost.value is not None and cost.high is None:
        return _Amount(cost.value, text=f"{rounded(cost.value)} ({rounded(cost.low or 0.0)} or more)")
    return _Amount(cost.value, cost.low, cost.high, cost.reason)


def _bars(findings: Findings, quantity: _Quantity) -> Picture | None:
    rows = []
    for series, one in enumerate(findings.combinations):
        amount = quantity.of(one)
        text = amount.text or (amount.reason if amount.value is None else rounded(amount.value))
        bars = () if amount.value is None else (Bar(amount.value),)
        rows.append(BarRow(series, one.name, text, bars, low=amount.low, high=amount.high))
    return BarChart(quantity.chart, tuple(rows), quantity.note, small=True).figure()


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


def multiples_note(findings: Findings) -> str:
    """How many of the intervals of ratios by load can be expected to miss, and that no word follows from them."""
    intervals = sum(one.use is Use.LOAD and one.low is not None for one in findings.comparisons)
    note = "Where too few rounds count, their range stands in the place of an interval."
    if intervals:
        missing = max(1, round(intervals * 0.05))
        note = (
            f"Of {counted(intervals, 'interval')}, each by itself, about {missing} can be expected to miss by chance."
        )
    note += " No word follows from one of them: words stand at the comparisons on top, corrected for their number."
    ranked = findings.times_not_ranked
    return f"{note} Response times are shown, not ranked: {ranked}." if ranked else note
