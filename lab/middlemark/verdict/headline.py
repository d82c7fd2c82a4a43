"""What a run found in words: the one line on top of the report, and the reasons and marks below it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from middlemark.records.clearing import read_clearing
from middlemark.records.folder import PointResult, Result
from middlemark.records.point import Outcome, Verdict
from middlemark.records.run import Combination, RunStatus
from middlemark.verdict.comparability import comparability_groups, group_name
from middlemark.verdict.estimate import Better, Comparison
from middlemark.verdict.faults import faults_sentence
from middlemark.verdict.metrics import Metric, cpu_ms_per_transaction, leading
from middlemark.verdict.naming import short_names
from middlemark.verdict.one_line import finding_lines, fitting
from middlemark.verdict.pairwise import PairwiseComparison, pairwise_comparisons
from middlemark.verdict.searches import NO_PEAK, peak_doubt, search_disagreement, search_reservation
from middlemark.verdict.sharing import shared_text
from middlemark.verdict.validity import is_too_high
from middlemark.verdict.warm_ups import warm_up_reservation
from middlemark.verdict.words import Word
from middlemark.verdict.work import work_reservation
from middlemark.wording import TIMES, counted

# More ratios than this make a sentence too long to read: then only the ends are named, the rest stands in the report.
MAX_NAMED = 3
# How words are written where they are counted, so that the line stays one.
SHORT = {Word.NO_ROUNDS: "without a round", Word.STILL_FASTER: "still getting faster"}


def verdict_sentence(result: Result) -> str:
    """Return the verdict in one sentence; every word of it comes from the result's files."""
    parts = [_status(result), _peaks(result), _sentence(result), *_marks(result)]
    return "; ".join(part for part in parts if part)


def headline(result: Result) -> str:
    """Return how the run ended and what it found in one line of at most 100 characters, without the reasons."""
    status, found = _status(result, short=True), finding_lines(result)
    if status:
        return fitting([*(f"{status}; {line}" for line in found), status])
    note = _peaks_note(result)
    return fitting(line if note in line else f"{line}; {note}" for line in found)


def reasons(result: Result) -> list[str]:
    """Return what belongs to the headline and is not in it: all figures, what was shared, INVALID or not checked."""
    line = headline(result)
    whole = [_status(result), _peaks(result), _sentence(result)]
    return [part for part in (*whole, *_marks(result)) if part and part not in line]


def _sentence(result: Result) -> str:
    return faults_sentence(result) if result.run.faults else _finding(result)


def _marks(result: Result) -> list[str]:
    """Return what is to be known beside the finding."""
    return [
        shared_text(result.run),
        _resumed(result),
        _invalid(result),
        _disturbed(result),
        search_reservation(result.run),
        search_disagreement(result),
        warm_up_reservation(result.run),
        work_reservation(result),
        _conformance(result),
    ]


def _status(result: Result, *, short: bool = False) -> str:
    """Return how a run ended that did not finish, empty for one that did; `short`: without what ended it."""
    finished = sum(p.finished for p in result.points)
    so_far = _so_far(result)
    cleared = read_clearing(result.folder)
    if result.run.status is RunStatus.RUNNING and short:
        return f"not finished {so_far}"
    if result.run.status is RunStatus.RUNNING and cleared:
        return f"not finished: {cleared.cause}, {so_far} ({cleared.outcome})"
    if result.run.status is RunStatus.INTERRUPTED:
        return f"interrupted {so_far}"
    if result.run.status is RunStatus.FAILED:
        return f"failed {so_far}" + (f" ({result.run.message})" if result.run.message and not short else "")
    if result.run.status is RunStatus.RUNNING:
        return f"not finished (still running or killed) {so_far}"
    return (
        ""
        if finished >= result.expected_points
        else f"incomplete: {finished} of {counted(result.expected_points, 'point')}"
    )


def _so_far(result: Result) -> str:
    """Return after how many points a run ended early; rounds begin when all searches have ended."""
    run = result.run
    if any(map(run.is_searching, run.combinations)):
        spent = sum(len(found.points) for found in run.searched.values())
        return f"while searching, after {counted(spent, 'point')} of the searches"
    return f"after {sum(p.finished for p in result.points)} of {counted(result.expected_points, 'point')}"


def _peaks(result: Result) -> str:
    """Return where each search found the highest throughput, and what the rounds measured there."""
    names = short_names(result.run.combinations)
    every = result.run.searched
    begun = {path for path, found in every.items() if found.ended or found.points}
    peaks = [f"{names[one.path]} {_peak(result, one)}" for one in result.run.combinations if one.path in begun]
    return f"highest throughput: {', '.join(peaks)}" if peaks else ""


def _peaks_note(result: Result) -> str:
    """Return of how many searches the peak is not known, in words that fit into the headline; empty for none."""
    found = [kind for one in result.run.searched.values() if (kind := peak_doubt(one))]
    if not found:
        return ""
    if len(result.run.searched) == 1:
        return found[0]
    kind = found[0].removeprefix("peak ") if len(set(found)) == 1 else "not known"
    kind = "not found" if kind == NO_PEAK else kind
    return f"{len(found)} of {len(result.run.searched):,} peaks {kind}"


def _peak(result: Result, combination: Combination) -> str:
    found = result.run.searched[combination.path]
    if found.peak is None:
        return "none that counts"
    verdicts = [p.verdict for p in result.of(combination, found.peak) if p.verdict and p.valid]
    # The best of several points has luck in it: the search's own figure only where no round has one.
    figure = f"about {found.throughput_tps:,.0f}/s in the search"
    if verdicts:
        figure = f"{_range([verdict.throughput_tps for verdict in verdicts], 1)}/s"
    peak = f"{figure} at {result.run.load_name(found.peak)}{_limited(verdicts)}"
    return peak if found.peak_known else f"{peak} (not narrowed down)"


def _limited(verdicts: Sequence[Verdict]) -> str:
    """Return which CPUs were full that are not the platform's alone: then it is no peak of the platform."""
    limits = [verdict.limit for verdict in verdicts if verdict.limit]
    others = sorted({limit.text for limit in limits if limit.by and not limit.platform_peak})
    return f", limited by {' or '.join(others)}, no peak of the platform" if others else ""


def _finding(result: Result) -> str:
    metric = leading(result.run.specification)
    found = pairwise_comparisons(result, metric)
    if len(found) == 1:
        return _pair(result, metric, found[0])
    if found:
        return _table(result, metric, found)
    return _single(result)


def _pair(result: Result, metric: Metric, one: PairwiseComparison) -> str:
    names = short_names(result.run.combinations)
    a, b, comparison = names[one.a.path], names[one.b.path], one.comparison
    if comparison.ratio is None:
        return f"{b} and {a} cannot be compared at {one.at}: no round in which both count and were watched"
    figure = f"{comparison.ratio:.2f} {TIMES} the {metric.title(result.run.specification)} of {a}"
    # Only what is decided may be asserted.
    verb = "costs" if metric.better is Better.LOWER else "reaches"
    ratio = f"{b} {verb} {figure} at {one.at}" if one.decided else f"{b}: {figure} measured at {one.at}"
    return f"{ratio} ({_spread(comparison)}): {one.text}"


def _table(result: Result, metric: Metric, found: Sequence[PairwiseComparison]) -> str:
    """Return every ratio; of many only the lowest and the highest of those to one combination."""
    names = short_names(result.run.combinations)
    title = metric.title(result.run.specification)
    title, at = title[0].upper() + title[1:], found[0].at
    firsts = list(dict.fromkeys(one.a.path for one in found))
    not_ranked = [one for one in found if one.not_ranked]
    if len({one.a.path for one in found if not one.not_ranked}) > MAX_NAMED:
        return f"{title} at {at}: {_summary([one for one in found if not one.not_ranked])}"
    few = len(found) <= MAX_NAMED
    if len(firsts) == 1 and not not_ranked and few:
        rows = "; ".join(_row(names, one) for one in found)
        return f"{title} against {names[firsts[0]]} at {at}: {rows}"
    parts = [_row(names, one, against=True) for one in not_ranked if few]
    for first in firsts:
        ranked = [one for one in found if not one.not_ranked and one.a.path == first]
        if len(ranked) > MAX_NAMED:
            parts.append(_ends(result, ranked))
        else:
            parts += [_row(names, one, against=True) for one in ranked]
    if not_ranked and not few and not parts:
        parts.append(f"{len(not_ranked)} ratios, none of them ranked")
    return f"{title} at {at}: " + "; ".join(parts)


def _row(names: Mapping[str, str], one: PairwiseComparison, *, against: bool = False) -> str:
    comparison = one.comparison
    what = f"{names[one.b.path]} " + (f"against {names[one.a.path]} " if against else "")
    if comparison.ratio is None:
        return f"{what}no round, {one.verdict}"
    return f"{what}{comparison.ratio:.2f} {TIMES} ({_spread(comparison)}), {one.verdict}"


def _ends(result: Result, ranked: Sequence[PairwiseComparison]) -> str:
    """Return the lowest and the highest of many ratios to one combination, and how often each word was found."""
    a = ranked[0].a
    several = not result.run.references and len(comparability_groups(result)) > 1
    # Within a group its name is common to all.
    names = short_names([a, *(one.b for one in ranked)])
    against = f"{group_name(result, a)}, against {names[a.path]}" if several else f"against {names[a.path]}"
    known = sorted((one.comparison.ratio, names[one.b.path]) for one in ranked if one.comparison.ratio is not None)
    if not known:
        return f"{against} no round"
    words = Counter(one.judgement.word for one in ranked)
    ends = " to ".join(f"{ratio:.2f} {TIMES} ({name})" for ratio, name in (known[0], known[-1]))
    return f"{against} from {ends}, " + ", ".join(f"{n} of {len(ranked)}: {word}" for word, n in words.items())


def _summary(ranked: Sequence[PairwiseComparison]) -> str:
    """Return in one line of how many groups there are ratios, the ends of all of these and how often each word is."""
    groups = len({one.a.path for one in ranked})
    ratios = [one.comparison.ratio for one in ranked if one.comparison.ratio is not None]
    if not ratios:
        return f"{len(ranked)} ratios in {groups} groups, no round in which both sides count"
    words = Counter(one.judgement.word for one in ranked)
    counts_of_words = ", ".join(f"{n} {SHORT.get(word, word)}" for word, n in words.most_common())
    ends = f"{min(ratios):.2f}" if len(ratios) == 1 else f"{min(ratios):.2f} … {max(ratios):.2f}"
    return f"{ends} {TIMES} in {groups} groups: {counts_of_words}"


def _single(result: Result) -> str:
    if not result.run.combinations:
        return "no combination was run"
    only = result.run.combinations[0]
    at = result.run.top_name
    verdicts = [p.verdict for p in result.compared(only) if p.verdict and p.valid]
    if not verdicts:
        return f"{only.label} has no valid point at {at}"
    specification = result.run.specification
    cpu = _range([cpu_ms_per_transaction(v) for v in verdicts], 2)
    tps = _range([v.throughput_tps for v in verdicts], 1)
    at = f"at {at} ({counted(len(verdicts), 'point')})"
    return f"{only.label}: {cpu} CPU-ms per {specification.unit}, {tps} {specification.rate} {at}"


def _spread(comparison: Comparison) -> str:
    if len(comparison.rounds) == 1:
        return f"round: {comparison.min_ratio:.2f}"
    return f"rounds: {comparison.min_ratio:.2f} … {comparison.max_ratio:.2f}"


def _range(values: Sequence[float], digits: int) -> str:
    if any(math.isnan(value) for value in values):
        return "unknown"
    low, high = f"{min(values):,.{digits}f}", f"{max(values):,.{digits}f}"
    return low if low == high else f"{low} … {high}"


def _resumed(result: Result) -> str:
    """Return how often the run was resumed: what was measured in several segments is less alike than in one."""
    times = len(result.run.resumed)
    return f"resumed {counted(times, 'time')}" if times else ""


def _invalid(result: Result) -> str:
    every = [p for p in result.points if p.verdict and not p.valid]
    if not every:
        return ""
    judged = counted(sum(p.finished for p in result.points), "point")
    invalid = [p for p in every if not is_too_high(result, p)]
    if not invalid:
        return f"{len(every)} of {judged} INVALID, each at a load outside the limits"
    first = invalid[0]
    text = f"{len(every)} of {judged} INVALID, the first ({point_name(result, first)}) by {_reason(first)}"
    outside = len(every) - len(invalid)
    return f"{text}; {outside} of them at a load outside the limits" if outside else text


def _disturbed(result: Result) -> str:
    """Return how many windows count although the machine disturbed them: what was measured again was no better."""
    disturbed = [p for p in result.points if p.verdict and p.verdict.disturbances]
    if not disturbed or result.run.faults:
        return ""
    first = disturbed[0]
    text = first.verdict.disturbances[0].text if first.verdict else ""
    of = counted(sum(p.finished for p in result.points), "window")
    return f"{len(disturbed)} of {of} disturbed, the first ({point_name(result, first)}): {text}"


def _reason(point: PointResult) -> str:
    reasons = point.verdict.reasons if point.verdict else []
    return reasons[0] if reasons else "no reason was written"


def point_name(result: Result, point: PointResult) -> str:
    """Return a point's name for people: combination, users, round (counted from 1); with faults it is no round."""
    names = short_names(result.run.combinations)
    name = names[point.combination.path] if point.combination else point.path
    number = f"point {point.repeat + 1}" if result.run.faults else f"round {point.repeat + 1}"
    return f"{name}, {result.run.load_name(point.load)}, {number}"


def _conformance(result: Result) -> str:
    """Return `conformance not checked`, unless it was checked at every point."""
    verdicts = [p.verdict for p in result.points if p.verdict]
    outcomes = [check.outcome for v in verdicts for check in v.checks if check.name == "conformance"]
    checked = len(outcomes) == len(verdicts) > 0 and Outcome.NOT_CHECKED not in outcomes
    return "" if checked else "conformance not checked"
