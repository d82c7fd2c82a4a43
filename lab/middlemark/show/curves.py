"""The charts over a load, over time, over percentages, and over the places in the run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from middlemark.records.figures import BYTES, CPU_TIME, P95, RESPONSE_TIME, THROUGHPUT, Figure
from middlemark.records.findings import CombinationFinding, Findings
from middlemark.records.naming import choices_in_words
from middlemark.records.placement import DRIVER, is_platform
from middlemark.records.run import Combination
from middlemark.records.window import Stretch, Window
from middlemark.show import tables
from middlemark.show.bars import Dot
from middlemark.show.chart import FULL, HALF, ON_PHONE, PANEL, SMALL, STRIP, STRIP_ON_PHONE, Size, legend_of
from middlemark.show.tables import Heading, Row, Text, fold, rounded, table
from middlemark.show.xy import Chart, Line

# More combinations than this are drawn in small charts, one for each set of other choices: lines would hide each other.
MAX_LINES = 6
# More strips than this are not drawn, but for those that do not count or were disturbed; more than so many are folded.
MAX_STRIPS, MAX_SHOWN = 60, 4
MIN_SHARE = 0.001
DRIFTS = ("throughput drift", "CPU-cost drift")
NINES = {50.0: "50", 90.0: "90", 99.0: "99", 99.9: "99.9", 99.99: "99.99", 99.999: "99.999"}
WIDE_SEQUENCE, SEQUENCE_ON_PHONE = Size(1140, 190), Size(344, 190)


def load_curves(findings: Findings) -> Iterator[object]:
    """Yield throughput, cost and times over the loads: side by side, of many combinations in small charts."""
    leads = findings.run.specification.leads_with
    shown = [THROUGHPUT, *([BYTES] if BYTES.leads_as in leads else []), CPU_TIME, RESPONSE_TIME, P95]
    groups = _alike(findings)
    if len(findings.combinations) <= MAX_LINES or len(groups) == 1:
        found = [_over_loads(findings, figure, findings.run.combinations) for figure in shown]
        charts = [chart.figure((HALF, ON_PHONE)) for chart in found]
        yield Row(tuple(one for one in charts if one is not None), "pair")
        return
    subjects = list(dict.fromkeys(one.subject for one in findings.run.combinations))
    for figure in shown:
        small = [
            _over_loads(findings, figure, alike, subjects).figure((PANEL, ON_PHONE), legend=False) for alike in groups
        ]
        if any(small):
            yield Heading(_title(findings, figure))
            yield Text("Each chart has a scale of its own. " + _note(findings, figure))
            yield Row(tuple(one for one in small if one is not None), legend=legend_of(subjects))
            yield fold("Numbers", _numbers(findings, figure, findings.run.combinations))


def tier_curves(findings: Findings) -> Row | None:
    """CPU use of each tier over the loads in small charts, in % of one CPU."""
    names = {tier for window in findings.rounds for tier in window.tiers}
    charts = []
    for tier in sorted(names, key=lambda name: (not is_platform(name), name == DRIVER, name)):
        figure = Figure(tier, tier.replace("+", " + "), "% of one CPU", _share_of(tier))
        charts.append(_over_loads(findings, figure, findings.run.combinations).figure((SMALL, SMALL), legend=False))
    found = tuple(tables.Figure(one.title, "", one.wide, one.narrow) for one in charts if one is not None)
    return Row(found, legend=legend_of([one.name for one in findings.combinations])) if found else None


def time_strips(findings: Findings) -> Iterator[object]:
    """Yield throughput and CPU use over time of the windows compared, all on the same scales."""
    compared = [window for one in findings.run.combinations for window in findings.compared(one)]
    compared = sorted((one for one in compared if one.throughput_course), key=lambda one: one.repeat)
    if not compared:
        yield Text(f"No window at {findings.at} was finished.", "none")
        return
    if len(compared) > MAX_STRIPS:
        first = [one for one in compared if one.repeat == 0]
        compared = first + [one for one in compared if one not in first and (one.disturbances or not one.valid)]
    yield Text(
        "All strips of throughput, and all of CPU use, have the same scales; the number at the right is the mean of "
        "the window. The shaded part is the measured window; nothing outside it counts."
    )
    longest = max(one.throughput_course[-1].end_s for one in compared)
    rates = max((s.rate for one in compared for s in _drawn(one.throughput_course, longest)), default=0.0)
    cpus = max((s.rate for one in compared for s in _drawn(one.cpu_course, longest)), default=0.0)
    strips = [list(_strips(findings, one, longest, (rates, cpus))) for one in compared]
    shown = max(MAX_SHOWN, len(findings.combinations))
    yield from (one for strip in strips[:shown] for one in strip)
    yield fold(f"{len(strips) - shown} more windows", *(one for strip in strips[shown:] for one in strip))


def percentile_curve(findings: Findings) -> object | None:
    """Response time by percentile at the load compared, all rounds that count together."""
    found = [(number, one) for number, one in enumerate(findings.combinations) if one.percentiles]
    if not found:
        return None
    last = max(percent for _, one in found for percent in one.percentiles)
    ticks = [percent for percent in NINES if percent <= last]
    ranked = f" Shown, not ranked ({findings.times_not_ranked})." if findings.times_not_ranked else ""
    return Chart(
        "Response time by percentile",
        tuple(_percentiles(number, one, ticks) for number, one in found),
        "ms (logarithmic)",
        "percentile",
        f"At {findings.at}, all rounds that count together; drawn while at least 10 responses were slower.{ranked}",
        ticks=tuple(map(_nines, ticks)),
        names=tuple(NINES[percent] for percent in ticks),
        log=True,
        table=table(
            [one for _, one in found],
            ("combination", lambda one: one.name),
            ("#responses", lambda one: one.responses),
            *(
                (f"#p{NINES[percent]} ms", lambda one, percent=percent: one.percentiles.get(percent))
                for percent in ticks
            ),
        ),
    ).figure((FULL, ON_PHONE))


def run_sequence(findings: Findings) -> object | None:
    """The cost of every window by its place in the run: whether the machine drifted."""
    series = {one.path: number for number, one in enumerate(findings.combinations)}
    lines = [Line(number, findings.name(path), tuple(_placed(findings, path))) for path, number in series.items()]
    title = CPU_TIME.titled(findings.run.specification)
    return Chart(
        "Cost by place in the run",
        tuple(lines),
        f"ms of CPU per {findings.run.specification.unit}",
        "place in the run",
        f"{title} of the platform's tiers at every window, valid (filled) or not.",
    ).figure((WIDE_SEQUENCE, SEQUENCE_ON_PHONE))


def _alike(findings: Findings) -> list[list[Combination]]:
    groups: dict[frozenset[tuple[str, str]], list[Combination]] = {}
    for one in findings.run.combinations:
        groups.setdefault(frozenset(one.modes.items()), []).append(one)
    return list(groups.values())


def _over_loads(
    findings: Findings, figure: Figure, combinations: Sequence[Combination], subjects: Sequence[str] = ()
) -> Chart:
    run = findings.run
    places = {one.path: number for number, one in enumerate(run.combinations)}
    lines = []
    for one in combinations:
        series = subjects.index(one.subject) if subjects else places[one.path]
        name = one.subject if subjects else findings.name(one.path)
        lines.append(_line(findings, figure, one, (series, name)))
    lines = [line for line in lines if line.dots]
    loads = sorted({x for line in lines for x in line.places})
    title = choices_in_words(combinations[0]) if subjects else _title(findings, figure)
    return Chart(
        title,
        tuple(lines),
        figure.united(run.specification),
        run.load_unit,
        "" if subjects else _note(findings, figure),
        ticks=tuple(loads),
        spread=True,
        table=None if subjects else _numbers(findings, figure, combinations),
    )


def _line(findings: Findings, figure: Figure, combination: Combination, series: tuple[int, str]) -> Line:
    found = findings.by_path[combination.path]
    dots, by_round = [], dict[int, list[tuple[float, float]]]()
    for level in found.levels:
        for window in findings.of(combination, level.load):
            value = figure.of(window)
            if math.isfinite(value):
                dots.append((float(level.load), _dot(findings, window, value, figure)))
                if window.valid:
                    by_round.setdefault(window.repeat, []).append((float(level.load), value))
    if not figure.averaged:
        return Line(*series, tuple(dots), tuple(map(tuple, by_round.values())), thin=True)
    means = []
    for level in found.levels:
        known = level.figures.get(figure.name) or _mean_of(figure, findings, combination, level.load)
        if known is not None and level.repeats:
            ends = (known.low, known.high) if known.is_interval else (None, None)
            means.append((float(level.load), known.mean, *ends))
    return Line(*series, tuple(dots), means=tuple(means))


def _mean_of(figure: Figure, findings: Findings, combination: Combination, load: float) -> tables.Mean | None:
    """The mean of a figure that no level has, as that of a single tier; without an interval."""
    values = [value for window in findings.valid(combination, load) if math.isfinite(value := figure.of(window))]
    return tables.Mean(sum(values) / len(values)) if values else None


def _dot(findings: Findings, window: Window, value: float, figure: Figure) -> Dot:
    status = "" if window.valid else ", INVALID"
    unit = figure.united(findings.run.specification)
    return Dot(value, f"{findings.window_name(window)}: {rounded(value)} {unit}{status}", hollow=not window.valid)


def _title(findings: Findings, figure: Figure) -> str:
    title = figure.titled(findings.run.specification)
    return title[0].upper() + title[1:]


def _note(findings: Findings, figure: Figure) -> str:
    hollow = any(not window.valid for window in findings.rounds)
    note = "A dot is a round, a hollow one does not count" if hollow else "A dot is a round"
    if not figure.averaged:
        return f"{note}; each round has its own line, because percentiles are never averaged."
    estimates = [level.figures.get(figure.name) for one in findings.combinations for level in one.levels]
    if any(one is not None and one.is_interval for one in estimates):
        return f"{note}; lines or bars are means, bands or whiskers their 95 % intervals."
    return f"{note}. No interval is drawn below 3 rounds."


def _numbers(findings: Findings, figure: Figure, combinations: Sequence[Combination]) -> tables.Table | None:
    rows = [(one, load) for one in combinations for load in sorted(findings.run.loads_of(one))]
    rounds = range(max((window.repeat + 1 for window in findings.rounds), default=0))

    def at(row: tuple[Combination, float], number: int) -> tables.Value:
        window = next((one for one in findings.of(*row) if one.repeat == number), None)
        if window is None:
            return tables.UNKNOWN
        value = figure.of(window)
        return value if window.valid else tables.Cell(f"{rounded(value)} INVALID", exact=value)

    return table(
        rows,
        ("combination", lambda row: findings.name(row[0].path)),
        (f"#{findings.run.load_unit}", lambda row: f"{row[1]:g}"),
        *((f"#round {number + 1}", lambda row, number=number: at(row, number)) for number in rounds),
        ("#mean", lambda row: _mean_cell(findings, figure, row)),
    )


def _mean_cell(findings: Findings, figure: Figure, row: tuple[Combination, float]) -> tables.Value:
    known = findings.by_path[row[0].path].at_load(row[1]).figures.get(figure.name)
    return known.mean if known else None


def _share_of(tier: str) -> Callable[[Window], float]:
    # Not a number where the tier was not watched, so that nothing is drawn there.
    return lambda window: 100 * window.tiers[tier].cpu_share if tier in window.tiers else math.nan


def _strips(
    findings: Findings, window: Window, longest: float, highest: tuple[float, float]
) -> Iterator[tables.Figure]:
    series = next((n for n, one in enumerate(findings.combinations) if one.path == window.combination), 0)
    name = findings.window_name(window)
    rate = findings.run.specification.rate
    drifts = [f"{check.name}: {check.message}" for check in window.checks if check.name in DRIFTS]
    invalid = [] if window.valid else ["INVALID"]
    used = sum(tier.cpu_share for tier in window.tiers.values()) * 100
    both = (
        (rate, "per s", window.throughput_course, highest[0], window.throughput_tps),
        ("CPU of all tiers, % of one CPU", "%", window.cpu_course, highest[1], used),
    )
    for number, (what, unit, course, most, mean) in enumerate(both):
        steps = tuple(tuple(run) for run in _unbroken(_drawn(course, longest)))
        moments = [(fault.injected_s, fault.kind) for fault in window.faults if fault.injected_s is not None]
        chart = Chart(
            f"{name}: {what}",
            (Line(series, name, lines=steps, thin=True),),
            note=" · ".join((*invalid, *drifts)) if number == 0 else "",
            strip=True,
            highest=most,
            longest=longest,
            shade=(window.start_s, window.start_s + window.window_s) if window.window_s else None,
            moments=tuple(moments),
            aside=(mean, unit),
        )
        if (figure := chart.figure((STRIP, STRIP_ON_PHONE), legend=False)) is not None:
            yield figure


def _drawn(course: Sequence[Stretch], longest: float) -> list[Stretch]:
    """Leave out stretches of a few milliseconds, as at the last responses: spikes."""
    return [one for one in course if one.end_s - one.start_s > MIN_SHARE * longest]


def _unbroken(course: Sequence[Stretch]) -> Iterator[list[tuple[float, float]]]:
    """Yield the steps of stretches that follow each other without a gap."""
    steps: list[tuple[float, float]] = []
    for one in course:
        if steps and one.start_s - steps[-1][0] >= 1e-6:
            yield steps
            steps = []
        steps += [(one.start_s, one.rate), (one.end_s, one.rate)]
    if steps:
        yield steps


def _percentiles(series: int, one: CombinationFinding, ticks: Sequence[float]) -> Line:
    points = tuple((_nines(percent), ms) for percent, ms in one.percentiles.items())
    known: Mapping[float, float] = one.percentiles
    dots = tuple(
        (_nines(percent), Dot(known[percent], f"{one.name}: {percent:g} % ≤ {known[percent]:.2f} ms"))
        for percent in ticks
        if known.get(percent, 0) > 0
    )
    return Line(series, one.name, dots, (points,))


def _placed(findings: Findings, path: str) -> Iterator[tuple[float, Dot]]:
    for place, window in enumerate(findings.rounds, 1):
        value = CPU_TIME.of(window)
        if window.combination == path and math.isfinite(value):
            yield float(place), _dot(findings, window, value, CPU_TIME)


def _nines(percent: float) -> float:
    return -math.log10(1 - percent / 100)
