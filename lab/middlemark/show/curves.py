"""The charts over a load, over time, over percentages, and over the places in the run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from middlemark.records.figures import BYTES, CPU_TIME, P95, RESPONSE_TIME, RESPONSES, THROUGHPUT, Figure
from middlemark.records.findings import CombinationFinding, Findings
from middlemark.records.naming import choices_in_words
from middlemark.records.run import Combination
from middlemark.records.window import Stretch, Window
from middlemark.show.bars import Dot, window_dot
from middlemark.show.chart import FULL, HALF, ON_PHONE, PANEL, SMALL, STRIP, STRIP_ON_PHONE, Size
from middlemark.show.places import tier_names
from middlemark.show.tables import Cell, Heading, Picture, Row, Table, Text, fold, table
from middlemark.show.xy import Chart, Line
from middlemark.wording import rounded, sentence

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
    shown = [THROUGHPUT, RESPONSES, *([BYTES] if BYTES.leads_as in leads else []), CPU_TIME, RESPONSE_TIME, P95]
    alike: dict[frozenset[tuple[str, str]], list[Combination]] = {}
    for one in findings.run.combinations:
        alike.setdefault(frozenset(one.modes.items()), []).append(one)
    groups = list(alike.values())
    if len(findings.combinations) <= MAX_LINES or len(groups) == 1:
        found = [_over_loads(findings, figure, findings.run.combinations).figure((HALF, ON_PHONE)) for figure in shown]
        if any(found):
            yield Row(tuple(filter(None, found)), "pair")
        return
    subjects = list(dict.fromkeys(one.subject for one in findings.run.combinations))
    for figure in shown:
        charts = [_over_loads(findings, figure, group, subjects) for group in groups]
        small = tuple(filter(None, (chart.figure((PANEL, ON_PHONE), legend=False) for chart in charts)))
        if small:
            yield Heading(_title(findings, figure))
            yield Text("Each chart has a scale of its own. " + _note(findings, figure))
            yield Row(small, legend=tuple(enumerate(subjects)))
            yield fold("Numbers", _numbers(findings, figure, findings.run.combinations))


def tier_curves(findings: Findings) -> Row | None:
    """CPU use of each tier over the loads in small charts, in % of one CPU."""

    def share(tier: str, window: Window) -> float:
        # Not a number where the tier was not watched, so that nothing is drawn there.
        return 100 * window.tiers[tier].cpu_share if tier in window.tiers else math.nan

    charts = []
    for tier in tier_names(findings.rounds):
        figure = Figure(tier, tier.replace("+", " + "), "% of one CPU", partial(share, tier))
        chart = _over_loads(findings, figure, findings.run.combinations)
        charts.append(replace(chart, note="", table=None).figure((SMALL, SMALL), legend=False))
    found = tuple(filter(None, charts))
    return Row(found, legend=tuple(enumerate(one.name for one in findings.combinations))) if found else None


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
    yield Text("Strips have the same scales. The shaded part is the measured window, the number at the right its mean.")
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
            "combination: name | #responses: responses",
            *((f"#p{NINES[one]} ms", lambda row, one=one: row.percentiles.get(one)) for one in ticks),
        ),
    ).figure((FULL, ON_PHONE))


def run_sequence(findings: Findings) -> object | None:
    """The cost of every window by its place in the run: whether the machine drifted."""
    spec = findings.run.specification
    dots: dict[str, list[tuple[float, Dot]]] = {one.path: [] for one in findings.combinations}
    for place, window in enumerate(findings.rounds, 1):
        if math.isfinite(value := CPU_TIME.of(window)) and window.combination in dots:
            dots[window.combination].append((float(place), window_dot(findings, window, value, CPU_TIME)))
    return Chart(
        "Cost by place in the run",
        tuple(Line(number, findings.name(path), tuple(own)) for number, (path, own) in enumerate(dots.items())),
        f"ms of CPU per {spec.unit}",
        "place in the run",
        f"{CPU_TIME.titled(spec)} of the platform's tiers at every window, valid (filled) or not.",
    ).figure((WIDE_SEQUENCE, SEQUENCE_ON_PHONE))


def _over_loads(
    findings: Findings, figure: Figure, combinations: Sequence[Combination], subjects: Sequence[str] = ()
) -> Chart:
    run = findings.run
    places = [one.path for one in run.combinations]
    lines = []
    for one in combinations:
        series = (
            (subjects.index(one.subject), one.subject)
            if subjects
            else (places.index(one.path), findings.name(one.path))
        )
        lines.append(_line(findings, figure, one, series))
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
        limit=(run.limits.mean_ms, "limit") if run.limits and figure is RESPONSE_TIME else None,
        table=None if subjects else _numbers(findings, figure, combinations),
    )


def _line(findings: Findings, figure: Figure, combination: Combination, series: tuple[int, str]) -> Line:
    dots: list[tuple[float, Dot]] = []
    means: list[tuple[float, float, float | None, float | None]] = []
    by_round: dict[int, list[tuple[float, float]]] = {}
    for level in findings.by_path[combination.path].levels:
        load, known = float(level.load), level.figures.get(figure.name)
        windows = [(one, value) for one in findings.of(combination, load) if math.isfinite(value := figure.of(one))]
        dots += [(load, window_dot(findings, window, value, figure)) for window, value in windows]
        counted = [(window.repeat, value) for window, value in windows if window.valid]
        for repeat, value in counted:
            by_round.setdefault(repeat, []).append((load, value))
        if counted:
            # A figure that no level has, as that of a single tier, has no interval.
            ends = (known.low, known.high) if known and known.is_interval else (None, None)
            means.append((load, known.mean if known else fmean(value for _, value in counted), *ends))
    if figure.averaged:
        return Line(*series, tuple(dots), means=tuple(means))
    return Line(*series, tuple(dots), tuple(map(tuple, by_round.values())), thin=True)


def _title(findings: Findings, figure: Figure) -> str:
    title = figure.titled(findings.run.specification)
    return sentence(title)


def _note(findings: Findings, figure: Figure) -> str:
    hollow = any(not window.valid for window in findings.rounds)
    note = "A dot is a round, a hollow one does not count" if hollow else "A dot is a round"
    if not figure.averaged:
        return f"{note}; each round has its own line, because percentiles are never averaged."
    estimates = [level.figures.get(figure.name) for one in findings.combinations for level in one.levels]
    if any(one is not None and one.is_interval for one in estimates):
        return f"{note}; lines or bars are means, bands or whiskers their 95 % intervals."
    return f"{note}. No interval is drawn below 3 rounds."


def _numbers(findings: Findings, figure: Figure, combinations: Sequence[Combination]) -> Table | None:
    rows = [(one, load) for one in combinations for load in sorted(findings.run.loads_of(one))]
    rounds = range(max((window.repeat + 1 for window in findings.rounds), default=0))

    def at(row: tuple[Combination, float], number: int) -> Cell | float | None:
        window = next((one for one in findings.of(*row) if one.repeat == number), None)
        if window is None or window.valid:
            return figure.of(window) if window else None
        return Cell(f"{rounded(figure.of(window))} INVALID", exact=figure.of(window))

    def mean(row: tuple[Combination, float]) -> object:
        known = findings.by_path[row[0].path].at_load(row[1]).figures.get(figure.name)
        return known and known.mean

    return table(
        rows,
        ("combination", lambda row: findings.name(row[0].path)),
        (f"#{findings.run.load_unit}", lambda row: f"{row[1]:g}"),
        *((f"#round {number + 1}", lambda row, number=number: at(row, number)) for number in rounds),
        ("#mean", mean),
    )


def _strips(findings: Findings, window: Window, longest: float, highest: tuple[float, float]) -> Iterator[Picture]:
    series = [one.path for one in findings.combinations].index(window.combination)
    name = findings.window_name(window)
    drifts = [f"{check.name}: {check.message}" for check in window.checks if check.name in DRIFTS]
    used = sum(tier.cpu_share for tier in window.tiers.values()) * 100
    both = (
        (findings.run.specification.rate, "per s", window.throughput_course, highest[0], window.throughput_tps),
        ("CPU of all tiers, % of one CPU", "%", window.cpu_course, highest[1], used),
    )
    for what, unit, course, most, mean in both:
        chart = Chart(
            f"{name}: {what}",
            (Line(series, name, lines=_steps(_drawn(course, longest)), thin=True),),
            note=" · ".join(([] if window.valid else ["INVALID"]) + drifts) if unit != "%" else "",
            strip=True,
            highest=most,
            longest=longest,
            shade=(window.start_s, window.start_s + window.window_s) if window.window_s else None,
            moments=tuple((one.injected_s, one.kind) for one in window.faults if one.injected_s is not None),
            aside=(mean, unit),
        )
        if (figure := chart.figure((STRIP, STRIP_ON_PHONE), legend=False)) is not None:
            yield figure


def _drawn(course: Sequence[Stretch], longest: float) -> list[Stretch]:
    """Leave out stretches of a few milliseconds, as at the last responses: spikes."""
    return [one for one in course if one.end_s - one.start_s > MIN_SHARE * longest]


def _steps(course: Sequence[Stretch]) -> tuple[tuple[tuple[float, float], ...], ...]:
    """The steps of stretches, in a line for those that follow each other without a gap."""
    lines: list[tuple[tuple[float, float], ...]] = []
    for one in course:
        step = ((one.start_s, one.rate), (one.end_s, one.rate))
        if lines and one.start_s - lines[-1][-1][0] < 1e-6:
            lines[-1] += step
        else:
            lines.append(step)
    return tuple(lines)


def _percentiles(series: int, one: CombinationFinding, ticks: Sequence[float]) -> Line:
    points = [(percent, ms) for percent, ms in one.percentiles.items() if ms > 0]
    dots = tuple(
        (_nines(percent), Dot(ms, f"{one.name}: {percent:g} % ≤ {ms:.2f} ms"))
        for percent, ms in points
        if percent in ticks
    )
    return Line(series, one.name, dots, (tuple((_nines(percent), ms) for percent, ms in points),))


def _nines(percent: float) -> float:
    return -math.log10(1 - percent / 100)
