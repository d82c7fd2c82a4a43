"""The headline of a run: the sentence on top of the report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from middlemark.records.clearing import read_clearing
from middlemark.records.folder import PointResult, Result
from middlemark.records.point import Outcome, Verdict
from middlemark.records.run import Combination, RunStatus
from middlemark.verdict.comparison import Comparison
from middlemark.verdict.contests import Contest, contests
from middlemark.verdict.faults import faults_sentence
from middlemark.verdict.kinds import kind_name, kinds
from middlemark.verdict.naming import short_names
from middlemark.verdict.sharing import shared_said
from middlemark.verdict.yardsticks import CPU_TIME, cpu_ms_per_transaction
from middlemark.wording import TIMES, counted

# More ratios than this make a sentence nobody reads: then only the ends are said, the rest stands in the report.
MOST_NAMED = 3


def verdict_sentence(result: Result) -> str:
    """Return the verdict in one sentence; every word of it comes from the result's files."""
    finding = faults_sentence(result) if result.run.faults else _finding(result)
    marks = [shared_said(result.run), _sittings(result), _invalid(result), _conformance(result)]
    return "; ".join(part for part in [_status(result), _peaks(result), finding, *marks] if part)


def counts(result: Result) -> bool:
    """Whether the run finished with every point valid and every peak found: the condition of exit status 0.

    A point above the load of the comparison may be INVALID where it is outside the limits: that is how its load was
    found to be too high.
    """
    if any(found.peak is None for found in result.run.searched.values()):
        return False
    if result.run.status is not RunStatus.FINISHED:
        return False
    complete = sum(p.finished for p in result.points) >= result.expected_points
    return complete and all(p.valid or _too_high(result, p) for p in result.points)


def _too_high(result: Result, point: PointResult) -> bool:
    """Whether a point is outside the limits of its combination, and not what is compared."""
    run, combination = result.run, point.combination
    if combination is None or point.load == run.top_load(combination):
        return False
    return run.is_outside(combination, point.load)


def _status(result: Result) -> str:
    finished = sum(p.finished for p in result.points)
    so_far = _so_far(result)
    cleared = read_clearing(result.folder)
    if result.run.status is RunStatus.RUNNING and cleared:
        return f"not finished: {cleared.cause}, {so_far} ({cleared.outcome})"
    if result.run.status is RunStatus.INTERRUPTED:
        return f"interrupted {so_far}"
    if result.run.status is RunStatus.FAILED:
        return f"failed {so_far}" + (f" ({result.run.message})" if result.run.message else "")
    if result.run.status is RunStatus.RUNNING:
        return f"not finished (still running or killed) {so_far}"
    return (
        ""
        if finished >= result.expected_points
        else f"incomplete: {finished} of {counted(result.expected_points, 'point')}"
    )


def _so_far(result: Result) -> str:
    """Say after how many points a run ended early; blocks begin when all searches have ended."""
    run = result.run
    if any(map(run.is_searching, run.combinations)):
        spent = sum(len(found.points) for found in run.searched.values())
        return f"while searching, after {counted(spent, 'point')} of the searches"
    return f"after {sum(p.finished for p in result.points)} of {counted(result.expected_points, 'point')}"


def _peaks(result: Result) -> str:
    """Say where each search found the highest throughput, and what the blocks measured there."""
    names = short_names(result.run.combinations)
    every = result.run.searched
    begun = {path for path, found in every.items() if found.ended or found.points}
    said = [f"{names[one.path]} {_peak(result, one)}" for one in result.run.combinations if one.path in begun]
    return f"highest throughput: {', '.join(said)}" if said else ""


def _peak(result: Result, combination: Combination) -> str:
    found = result.run.searched[combination.path]
    if found.peak is None:
        return "none that counts"
    verdicts = [p.verdict for p in result.of(combination, found.peak) if p.verdict and p.valid]
    # The best of several points has luck in it: the search's own figure only where no block tells.
    figure = f"about {found.throughput_tps:,.0f}/s in the search"
    if verdicts:
        figure = f"{_range([verdict.throughput_tps for verdict in verdicts], 1)}/s"
    said = f"{figure} at {result.run.load_name(found.peak)}{_limited(verdicts)}"
    return said if found.peak_known else f"{said} (not narrowed down)"


def _limited(verdicts: Sequence[Verdict]) -> str:
    """Say which CPUs were full that are not the platform's alone: then it is no peak of the platform."""
    limits = [verdict.limit for verdict in verdicts if verdict.limit]
    others = sorted({limit.by for limit in limits if limit.by and not limit.platform_peak})
    return f", limited by {' or '.join(others)}, no peak of the platform" if others else ""


def _finding(result: Result) -> str:
    found = contests(result, CPU_TIME)
    if len(found) == 1:
        return _duel(result, found[0])
    if found:
        return _table(result, found)
    return _single(result)


def _duel(result: Result, contest: Contest) -> str:
    names = short_names(result.run.combinations)
    a, b, comparison = names[contest.a.path], names[contest.b.path], contest.comparison
    users = contest.at
    if comparison.ratio is None:
        return f"{b} and {a} cannot be compared at {users}: no block in which both count and were watched"
    figure = f"{comparison.ratio:.2f} {TIMES} the CPU time per transaction of {a}"
    # Only what is decided may be asserted.
    said = f"{b} costs {figure} at {users}" if contest.decided else f"{b}: {figure} measured at {users}"
    return f"{said} ({_spread(comparison)}): {contest.said}"


def _table(result: Result, found: Sequence[Contest]) -> str:
    """Say every ratio; of many only the lowest and the highest of each kind."""
    names = short_names(result.run.combinations)
    groups = kinds(result)
    users = found[0].at
    if len(groups) == 1 and len(found) <= MOST_NAMED:
        rows = "; ".join(_row(names, c) for c in found)
        return f"CPU time per transaction against {names[found[0].a.path]} at {users}: {rows}"
    parts = [_row(names, c, against=True) for c in found if c.label and len(found) <= MOST_NAMED]
    for group in groups:
        ranked = [c for c in found if not c.label and c.a == group[0]]
        if len(ranked) > MOST_NAMED:
            parts.append(_ends(group, ranked))
        else:
            parts += [_row(names, c, against=True) for c in ranked]
    return f"CPU time per transaction at {users}: " + "; ".join(parts)


def _row(names: Mapping[str, str], contest: Contest, *, against: bool = False) -> str:
    comparison = contest.comparison
    what = f"{names[contest.b.path]} " + (f"against {names[contest.a.path]} " if against else "")
    if comparison.ratio is None:
        return f"{what}no block, {contest.verdict}"
    return f"{what}{comparison.ratio:.2f} {TIMES} ({_spread(comparison)}), {contest.verdict}"


def _ends(group: Sequence[Combination], ranked: Sequence[Contest]) -> str:
    """Say the lowest and the highest of many ratios to the first of a kind, and how often each word was said."""
    names = short_names(group)
    kind = kind_name(group[0])
    first = f"{kind}, against {names[group[0].path]}" if kind else f"against {names[group[0].path]}"
    known = sorted((c.comparison.ratio, names[c.b.path]) for c in ranked if c.comparison.ratio is not None)
    if not known:
        return f"{first} no block"
    words = Counter(c.verdict for c in ranked)
    ends = " to ".join(f"{ratio:.2f} {TIMES} ({name})" for ratio, name in (known[0], known[-1]))
    return f"{first} from {ends}, " + ", ".join(f"{n} of {len(ranked)}: {word}" for word, n in words.items())


def _single(result: Result) -> str:
    if not result.run.combinations:
        return "no combination was run"
    only = result.run.combinations[0]
    at = result.run.top_name
    verdicts = [p.verdict for p in result.compared(only) if p.verdict and p.valid]
    if not verdicts:
        return f"{only.label} has no valid point at {at}"
    cpu = _range([cpu_ms_per_transaction(v) for v in verdicts], 2)
    tps = _range([v.throughput_tps for v in verdicts], 1)
    at = f"at {at} ({counted(len(verdicts), 'point')})"
    return f"{only.label}: {cpu} CPU-ms per transaction, {tps} transactions per second {at}"


def _spread(comparison: Comparison) -> str:
    if len(comparison.blocks) == 1:
        return f"block: {comparison.least:.2f}"
    return f"blocks: {comparison.least:.2f} … {comparison.greatest:.2f}"


def _range(values: Sequence[float], digits: int) -> str:
    if any(math.isnan(value) for value in values):
        return "unknown"
    low, high = f"{min(values):,.{digits}f}", f"{max(values):,.{digits}f}"
    return low if low == high else f"{low} … {high}"


def _sittings(result: Result) -> str:
    """Say that the run was interrupted: what was measured before and after is less alike than what was in one go."""
    resumed = len(result.run.resumed)
    return f"measured in {resumed + 1} sittings" if resumed else ""


def _invalid(result: Result) -> str:
    every = [p for p in result.points if p.verdict and not p.valid]
    if not every:
        return ""
    judged = counted(sum(p.finished for p in result.points), "point")
    invalid = [p for p in every if not _too_high(result, p)]
    if not invalid:
        return f"{len(every)} of {judged} INVALID, each at a load outside the limits"
    first = invalid[0]
    said = f"{len(every)} of {judged} INVALID, the first ({point_name(result, first)}) by {_reason(first)}"
    outside = len(every) - len(invalid)
    return f"{said}; {outside} of them at a load outside the limits" if outside else said


def _reason(point: PointResult) -> str:
    reasons = point.verdict.invalid if point.verdict else []
    return reasons[0] if reasons else "no reason was written"


def point_name(result: Result, point: PointResult) -> str:
    """Return a point's name for people: combination, users, block (counted from 1); with faults it is no block."""
    names = short_names(result.run.combinations)
    name = names[point.combination.path] if point.combination else point.path
    number = f"point {point.repeat + 1}" if result.run.faults else f"block {point.repeat + 1}"
    return f"{name}, {result.run.load_name(point.load)}, {number}"


def _conformance(result: Result) -> str:
    """Say that conformance was not checked, unless every point says that it was."""
    verdicts = [p.verdict for p in result.points if p.verdict]
    outcomes = [check.outcome for v in verdicts for check in v.checks if check.name == "conformance"]
    checked = len(outcomes) == len(verdicts) > 0 and Outcome.NOT_CHECKED not in outcomes
    return "" if checked else "conformance not checked"
