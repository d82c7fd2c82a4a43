"""Judges a result folder: from its raw files to `findings.json`, which can be made again at any time."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from middlemark import __version__
from middlemark.errors import InputError
from middlemark.judge.answer import answer_of, basis_of
from middlemark.judge.comparisons import Comparing
from middlemark.judge.groups import Comparability
from middlemark.judge.levels import levels_of, peak_of, useful_peak
from middlemark.judge.marks import is_too_high, marks_of, shared_text, status_of, times_not_ranked, work_differences
from middlemark.judge.references import Relating
from middlemark.judge.spread import compiles, expected_spread, remaining_change
from middlemark.judge.supported import with_users_supported
from middlemark.judge.window import read_soak, read_window, set_aside
from middlemark.records.figures import THROUGHPUT, leading
from middlemark.records.findings import (
    CombinationFinding,
    Comparison,
    Cost,
    Findings,
    Level,
    Measured,
    Peak,
    Round,
    Spread,
    Starts,
    Use,
)
from middlemark.records.folder import (
    ASIDE,
    FINDINGS,
    POINTS,
    SEARCH,
    point_folders,
    read_record,
    read_run,
    result_folder,
    write_json,
)
from middlemark.records.point import Outcome
from middlemark.records.record import Record
from middlemark.records.run import Combination, Run, RunStatus
from middlemark.records.side_files import (
    LEDGER,
    PRICES,
    PUBLISHED,
    STOPPED,
    Clearing,
    Ledger,
    PricePer,
    PriceSheet,
    Published,
    Work,
    work_file,
)
from middlemark.records.window import Part, Window
from middlemark.verdict.estimate import needed_in_start
from middlemark.workload.latencies import Latencies

DATA = ("errors", "audit", "settings", "placement", "drained", "conformance")
"""Conditions that speak of the application, its data and its processes, and not of how it was measured."""
# The last nine beyond which ten responses must lie, and how many values of the curve lie in a factor of ten.
NINES = (50.0, 90.0, 99.0, 99.9, 99.99, 99.999)
MIN_BEYOND, STEPS_PER_NINE = 10, 30
ALL_PROCESSES = "all, one after the other"
TRANSACTIONS, SECONDS_OF_AN_HOUR = 1e6, 3600.0


def read_measured(path: Path) -> Measured:
    """Read every raw file of a result once and judge its windows.

    Raises InputError when the folder is not a result, or one of an earlier version.
    """
    folder, run = result_folder(path), read_run(path)
    windows, unfinished = [], {}
    for window, name in _windows(folder, run):
        if isinstance(window, str):
            unfinished[name] = window
        else:
            windows.append(window)
    return measured_of(folder, run, windows, unfinished)


def measured_of(
    folder: Path, run: Run, windows: Sequence[Window], unfinished: Mapping[str, str] | None = None
) -> Measured:
    """What a folder holds besides windows that were judged already."""
    place = {path: number for number, path in enumerate(run.points)}
    end = len(place)
    sequence = sorted(
        with_users_supported(run, windows),
        key=lambda one: (one.part is not Part.ROUND, place.get(one.path, end), one.started),
    )
    work = (read_record(work_file(folder, one), Work) for one in run.combinations)
    prices = folder / PRICES
    sheet = read_record(prices, PriceSheet)
    if sheet is None and prices.is_file():
        todo = "Give a sheet with `middlemark report --prices FILE`"
        raise InputError("cannot read these prices", where=str(prices), todo=todo)
    return Measured(
        folder=folder.resolve().name,
        run=run,
        windows=tuple(sequence),
        unfinished=dict(unfinished or {}),
        under_way={name: soak for name in unfinished or {} if (soak := read_soak(folder / POINTS / name))},
        cleared=read_record(folder / STOPPED, Clearing),
        ledger=read_record(folder / LEDGER, Ledger) or Ledger(),
        prices=sheet,
        published=read_record(folder / PUBLISHED, Published),
        work=tuple(one for one in work if one is not None),
    )


def judge(measured: Measured) -> Findings:
    """Judge a run by its windows: every figure, comparison and mark, once."""
    run = measured.run
    comparability = Comparability(measured)
    levels = {one.path: levels_of(measured, one) for one in run.combinations}
    peaks = {one.path: peak_of(measured, one, levels[one.path]) for one in run.combinations}
    comparing = Comparing(measured, comparability, levels)
    relating = Relating(measured, comparing, levels, peaks)
    comparisons = [*comparing.every(), *relating.efficiencies()]
    metric = leading(run.specification).name
    pairs = [one for one in comparisons if one.use is Use.PAIR and one.metric == metric]
    ranks = _ranks(comparisons)
    groups = {one.path: comparability.name_of(group) for group in comparability.groups for one in group}
    combinations = tuple(
        _combination(measured, one, (levels[one.path], peaks[one.path]), (groups[one.path], ranks.get(one.path)))
        for one in run.combinations
    )
    work = work_differences(measured, [[one.path for one in group] for group in comparability.groups])
    status = status_of(measured)
    return Findings(
        **{name: getattr(measured, name) for name in Measured.model_fields},
        lab=__version__,
        metric=metric,
        combinations=combinations,
        comparisons=tuple(comparisons),
        counterparts=relating.counterparts(),
        work_differences=tuple(work),
        marks=marks_of(measured, pairs, work),
        status=status,
        answer=answer_of(measured, combinations, pairs, status),
        basis=basis_of(measured, pairs),
        at=run.top_name,
        shared=shared_text(run),
        times_not_ranked=times_not_ranked(measured),
        run_is_valid=run_is_valid(measured),
    )


def judge_folder(path: Path) -> Findings:
    """Judge a result from its raw files; nothing is written."""
    return judge(read_measured(path))


def read_findings(path: Path) -> Findings:
    """The findings of a result as its folder has them, made from its raw files where it has none.

    Raises what `read_measured` raises.
    """
    return read_record(result_folder(path) / FINDINGS, Findings) or judge_folder(path)


def write_findings(folder: Path, findings: Findings) -> None:
    """Write `findings.json` into a result folder."""
    write_json(folder / FINDINGS, findings, indent=None)


def findings_differ(folder: Path, findings: Findings) -> str:
    """In what the `findings.json` of a folder differs from what its raw files show; empty where it does not."""
    kept = read_record(folder / FINDINGS, Findings)
    if kept is None:
        return "it is missing, or of another version"
    names = [name for name in Findings.model_fields if name != "lab"]
    differing = [name for name in names if not _alike(getattr(kept, name), getattr(findings, name))]
    return f"in {', '.join(differing)}" if differing else ""


def _alike(one: object, other: object) -> bool:
    """Whether values are equal but for the last digits, in which versions of Python add up differently."""
    if isinstance(one, Record) and isinstance(other, Record):
        return _alike(dict(one), dict(other))
    if isinstance(one, Round | Spread) and isinstance(other, Round | Spread):
        return _alike(vars(one), vars(other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9) or (math.isnan(one) and math.isnan(other))
    return one == other


def run_is_valid(measured: Measured) -> bool:
    """Whether the run finished with right data, every peak found and windows enough: the condition of exit status 0.

    A window that is INVALID because the driver was the limit, say, is no failure while enough others of its start
    count. One above the load of the comparison may be INVALID where it is outside the limits: that is how its load was
    found to be too high.
    """
    run = measured.run
    if any((found.inside if found.goal == "limit" else found.peak) is None for found in run.searched.values()):
        return False
    if run.status is not RunStatus.FINISHED or len(measured.rounds) < measured.expected_windows:
        return False
    if run.faults:
        return all(window.valid for window in measured.rounds)
    if any(has_wrong_data(window) and not is_too_high(measured, window) for window in measured.rounds):
        return False
    return all(_has_enough(measured, one) for one in run.combinations)


def has_wrong_data(window: Window) -> bool:
    """Whether the application, its data or its processes were not as they must be."""
    return any(check.name in DATA and check.outcome is Outcome.FAILED for check in window.checks)


def _has_enough(measured: Measured, combination: Combination) -> bool:
    run, valid, all_of = measured.run, Counter[int](), Counter[int]()
    for window in measured.compared(combination):
        valid[run.start_of(window.repeat)] += window.valid
        all_of[run.start_of(window.repeat)] += 1
    needed = needed_in_start(run.rounds)
    return all(valid[start] >= min(needed, count) for start, count in all_of.items())


def _windows(folder: Path, run: Run) -> Iterator[tuple[Window | str, str]]:
    """Yield the windows of rounds, of searches and those set aside with their folders; why of an unfinished one."""
    for part, kind in ((POINTS, Part.ROUND), (SEARCH, Part.SEARCH)):
        for place in point_folders(folder / part):
            name = place.relative_to(folder / part).as_posix()
            yield read_window(place, run, name, kind), name
    for aside in sorted((folder / ASIDE).glob("*/*")):
        for place in point_folders(aside):
            kind = Part.SEARCH if aside.name == SEARCH else Part.ROUND
            window = read_window(place, run, place.relative_to(aside).as_posix(), kind)
            if isinstance(window, Window):
                yield set_aside(window, aside.parent.name), ""


def _combination(
    measured: Measured,
    combination: Combination,
    of_loads: tuple[tuple[Level, ...], Peak],
    place: tuple[str, int | None],
) -> CombinationFinding:
    run, (levels, peak), (group, rank) = measured.run, of_loads, place
    load = run.top_load(combination)
    valid = measured.valid(combination, load)
    times = Latencies.merged(Latencies.decode(window.response_times) for window in valid if window.response_times)
    return CombinationFinding(
        path=combination.path,
        name=measured.name(combination.path),
        group=group,
        rank=rank,
        load=load,
        levels=levels,
        peak=peak,
        useful=useful_peak(measured, combination, levels),
        starts=tuple(_starts(run, combination)),
        cost=_cost(measured, combination, levels, peak),
        spread=expected_spread(measured.ledger, combination.subject, compiles=compiles(measured, combination)),
        remaining_change=remaining_change(measured, combination, load),
        percentiles=_percentiles(times),
        responses=times.count,
    )


def _ranks(comparisons: Sequence[Comparison]) -> dict[str, int]:
    """The rank of each combination in its group: that of the one it was compared with where it may share it."""
    ranks: dict[str, int] = {}
    place = 1
    for one in (each for each in comparisons if each.use is Use.RANK):
        if one.a not in ranks:
            ranks[one.a] = place = 1
        place += 1
        ranks[one.b] = ranks[one.a] if one.holds_one else place
    return ranks


def _starts(run: Run, combination: Combination) -> Iterator[Starts]:
    """Yield the start-up time of each process, of several also their sum."""
    seconds: dict[str, list[float]] = {}
    for start in run.starts:
        if start.combination == combination.deployment:
            whole = {ALL_PROCESSES: sum(start.seconds.values())} if len(start.seconds) > 1 else {}
            for process, spent in (start.seconds | whole).items():
                seconds.setdefault(process, []).append(spent)
    for process, every in seconds.items():
        median = statistics.median(every)
        yield Starts(process=process, number=len(every), median_s=median, min_s=min(every), max_s=max(every))


def _percentiles(times: Latencies) -> dict[float, float]:
    """Response times in ms from the median on, as far as ten responses lie beyond."""
    fitting = [percent for percent in NINES if times.count * (100 - percent) / 100 >= MIN_BEYOND]
    if len(fitting) < 2:
        return {}
    steps = round(-math.log10(1 - fitting[-1] / 100) * STEPS_PER_NINE)
    between = [100 * (1 - 10 ** (-step / STEPS_PER_NINE)) for step in range(steps)]
    return {percent: times.percentile_us(percent) / 1000 for percent in sorted({*between, *fitting})}


def _cost(measured: Measured, combination: Combination, levels: Sequence[Level], peak: Peak) -> Cost:
    """What the throughput at the peak costs: per transaction per second, at prices by the hour per million of them."""
    prices = measured.prices
    if prices is None:
        return Cost(reason="no price sheet")
    if reason := next((one.text for one in measured.soaks(combination) if not one.sustained), ""):
        return Cost(reason=reason)
    level = next((one for one in levels if one.load == peak.load and one.repeats), None)
    if level is None or peak.only_load or peak.hidden:
        # Few users who think make any platform expensive.
        return Cost(reason=peak.reason or "the throughput at the only load need not be the peak")
    priced = {subject for line in prices.lines for subject in line.subjects}
    missing = [subject for subject in combination.subjects if subject not in priced]
    if missing:
        return Cost(reason=f"the price sheet has no line for {' and '.join(missing)}")
    price = sum(line.total for line in prices.lines if {*line.subjects} & {*combination.subjects})
    per = 1.0 if prices.terms.per is PricePer.PURCHASE else TRANSACTIONS / SECONDS_OF_AN_HOUR
    throughput = level.figures[THROUGHPUT.name]
    if throughput.mean <= 0:
        return Cost(reason="nothing was done")
    value, low = price * per / throughput.mean, price * per / throughput.high
    # Where the interval of the throughput holds 0, that of the price has no end.
    return Cost(value=value, low=low, high=price * per / throughput.low if throughput.low > 0 else None)
