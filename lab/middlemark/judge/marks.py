"""What is to be known beside the answer: how a run ended, what does not count, what was shared, what is open."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Collection, Iterator, Sequence

from middlemark.judge.levels import doubt_text
from middlemark.judge.supported import limit_remark
from middlemark.records.findings import Comparison, Mark, Measured, WorkDifference
from middlemark.records.naming import short_names
from middlemark.records.point import Outcome
from middlemark.records.run import CONTROL, Run, RunStatus
from middlemark.records.side_files import WORK_FIGURES
from middlemark.records.soak import Quantity
from middlemark.records.window import Forbids, Window
from middlemark.verdict.estimate import LEVEL, MIN_ROUNDS
from middlemark.verdict.student import t_quantile
from middlemark.verdict.words import EQUAL_WITHIN
from middlemark.wording import counted, few_or_many, sentence

# By which share WAL may be larger: one application run twice splits other index pages and logs other sequences.
MAX_WAL_DEVIATION = 0.10
MAX_NAMED = 3
DRIVER_SHARES = "driver shares CPUs with the database"
NOT_CONFORMANT = (
    "conformance not checked: no complete `middlemark verify` of exactly this build was run, or no case after the load"
)


def status_of(measured: Measured) -> str:
    """How a run ended that did not finish; empty for one that did."""
    run, finished = measured.run, len(measured.rounds)
    so_far = f"after {finished} of {counted(measured.expected_windows, 'window')}"
    if any(map(run.is_searching, run.combinations)):
        spent = sum(len(found.points) for found in run.searched.values())
        so_far = f"while searching, after {counted(spent, 'window')} of the searches"
    if run.status is RunStatus.RUNNING and measured.cleared:
        return f"not finished: {measured.cleared.cause}, {so_far} ({measured.cleared.outcome})"
    if run.status is RunStatus.RUNNING:
        return f"not finished (still running or killed) {so_far}"
    if run.status is RunStatus.INTERRUPTED:
        return f"interrupted {so_far}"
    if run.status is RunStatus.FAILED:
        return f"failed {so_far}" + (f" ({run.message})" if run.message else "")
    return "" if finished >= measured.expected_windows else f"incomplete: {so_far.removeprefix('after ')}"


def marks_of(measured: Measured, pairs: Sequence[Comparison], work: Sequence[WorkDifference]) -> tuple[Mark, ...]:
    """Every mark that applies, the weightiest first."""
    run = measured.run
    texts = [
        ("conformance not checked", "" if _is_conformant(measured) else NOT_CONFORMANT),
        _shared_mark(run),
        ("peak not certain", _search_doubts(measured)),
        ("limit not certain", _limit_doubts(measured)),
        ("rounds unlike the search", "; ".join(_disagreements(measured))),
    ]
    rest = [
        ("unequal work", _work_text(measured, work)),
        ("not ranked", _not_ranked(measured, pairs)),
        ("resumed", f"the run was resumed {counted(len(run.resumed), 'time')}" if run.resumed else ""),
    ]
    first, further = ([Mark(kind=kind, text=text) for kind, text in some] for some in (texts, rest))
    found = [_invalid(measured), _disturbed(measured), *first, _warm_ups(measured), *_soaks(measured), *further]
    return tuple(mark.model_copy(update={"text": f"{sentence(mark.text)}."}) for mark in found if mark.text)


def _soaks(measured: Measured) -> Iterator[Mark]:
    """Yield what processes and databases did not hold level over a soak; its verdict names the throughput."""
    several = len(measured.run.combinations) > 1
    for one in measured.run.combinations:
        name = f"{measured.name(one.path)}: " if several else ""
        for series in (series for soak in measured.soaks(one) for series in soak.changes):
            if series.quantity not in {Quantity.THROUGHPUT, Quantity.ERRORS}:
                yield Mark(kind=series.quantity.value, text=f"{name}{series.text}")


def shared_text(run: Run) -> str:
    """Which combinations shared CPUs, or cores alone, with driver or database; empty when none did."""
    on_cpus = [path for path, one in run.placement.items() if one.shared]
    on_cores = [path for path, one in run.placement.items() if one.shared_cores and not one.shared]
    cpus = _named("shared CPUs", on_cpus, run) if run.shared_cpus else ""
    cores = _named("shared cores", on_cores, run) if on_cores else ""
    return "; ".join(part for part in (cpus, cores) if part)


def _shared_mark(run: Run) -> tuple[str, str]:
    """That roles shared CPUs or cores, and what that keeps from being ranked: the kind of the mark and its text."""
    shared = shared_text(run)
    kind = "shared CPUs" if run.shared_cpus else "shared cores" if shared else "driver shares CPUs"
    what = f"driver or database ran where the application ran ({shared})" if shared else DRIVER_SHARES
    if run.percentiles_ranked:
        return kind, what if shared else ""
    return kind, f"{what}; response times are shown, not ranked"


def times_not_ranked(measured: Measured) -> str:
    """Why response times are shown and not ranked; empty where they are ranked."""
    if not measured.run.percentiles_ranked:
        return shared_text(measured.run) or DRIVER_SHARES
    valid = [window for window in measured.rounds if window.valid]
    failed = [one for window in valid for one in window.checks if one.keeps_from(Forbids.RESPONSE_TIMES)]
    late = sum(not window.times_valid for window in valid)
    return f"{failed[0].name} over its limit in {late} of {counted(len(valid), 'window')}" if failed else ""


def is_too_high(measured: Measured, window: Window) -> bool:
    """Whether a window is outside the limits of its combination, and not one of those compared."""
    run = measured.run
    combination = next((one for one in run.combinations if one.path == window.combination), None)
    if combination is None or window.load == run.top_load(combination):
        return False
    return run.is_outside(combination, window.load)


def work_differences(measured: Measured, groups: Sequence[Sequence[str]]) -> list[WorkDifference]:
    """In what the work of combinations that are ranked together differs from that of the first of them, by paths."""
    work = {
        one.combination: {each.transaction: each for each in one.transactions} for one in measured.work if one.steps
    }
    found: list[WorkDifference] = []
    for group in groups:
        first, *others = [path for path in group if path in work] or [""]
        for path, transaction in itertools.product(others, work.get(first, {})):
            a, b = work[first][transaction], work[path].get(transaction)
            for figure, field in WORK_FIGURES.items() if b else ():
                values = getattr(a, field), getattr(b, field)
                tolerance = MAX_WAL_DEVIATION if field == "wal_bytes" else 0.0
                if max(values) > min(values) * (1 + tolerance) + 1e-9:
                    place = {"combination": path, "first": first, "transaction": transaction}
                    found.append(WorkDifference(**place, figure=figure, values=values))
    return found


def _warm_ups(measured: Measured) -> Mark:
    every = measured.run.warm_ups
    ended = [one for one in every if one.warm is False]
    text = f"{len(ended)} of {counted(len(every), 'warm-up')} reached the limit without being warm"
    if ended:
        where = f"{measured.name(ended[0].combination)}, start {ended[0].start + 1}"
        text += f", the first: {where}, {ended[0].still_going}"
    return Mark(kind="warm-ups not warm", text=text if ended else "", concerns=len(ended), of=len(every))


def _invalid(measured: Measured) -> Mark:
    every = [window for window in measured.rounds if not window.valid]
    invalid = [window for window in every if not is_too_high(measured, window)]
    is_one = len(every) == 1
    text = f"{len(every)} of {counted(len(measured.rounds), 'window')} {'is' if is_one else 'are'} INVALID"
    if not invalid:
        text += ", each at a load outside the limits"
    else:
        # Wrong data are worse than errors alone, also in a later window.
        broken = [window for window in invalid if window.is_audited_wrong]
        first = (broken or invalid)[0]
        which = "one" if broken and first is not invalid[0] else "the first"
        text += f", {which} ({measured.window_name(first)}) by {'; and by '.join(first.reasons[:2])}"
        outside = len(every) - len(invalid)
        text += f"; {outside} of them at a load outside the limits" if outside else ""
    return Mark(kind="INVALID", text=text if every else "", concerns=len(every), of=len(measured.rounds))


def _disturbed(measured: Measured) -> Mark:
    """Windows that count although the machine disturbed them: what was measured again was no better."""
    disturbed = [] if measured.run.faults else [window for window in measured.rounds if window.disturbances]
    text = ""
    for first in disturbed[:1]:
        of, name = counted(len(measured.rounds), "window"), measured.window_name(first)
        text = f"{len(disturbed)} of {of} disturbed, the first ({name}): {first.disturbances[0].text}"
    return Mark(kind="disturbed", text=text, concerns=len(disturbed), of=len(measured.rounds))


def _is_conformant(measured: Measured) -> bool:
    outcomes = [check.outcome for one in measured.rounds for check in one.checks if check.name == "conformance"]
    return len(outcomes) == len(measured.rounds) > 0 and Outcome.NOT_CHECKED not in outcomes


def _search_doubts(measured: Measured) -> str:
    searched = {path: found for path, found in measured.run.searched.items() if found.ended and found.goal == "peak"}
    doubts = {path: doubt_text(measured.run, found) for path, found in searched.items()}
    return "; ".join(f"the search of {measured.name(path)} ended {doubt}" for path, doubt in doubts.items() if doubt)


def _limit_doubts(measured: Measured) -> str:
    run = measured.run
    ended = [one for one in run.combinations if run.seeks_limit and run.searched[one.path].ended]
    remarks = {measured.name(one.path): limit_remark(measured, one) for one in ended}
    return "; ".join(f"{name}: {remark}" for name, remark in remarks.items() if remark)


def _disagreements(measured: Measured) -> Iterator[str]:
    for combination in measured.run.combinations:
        found = measured.run.searched.get(combination.path)
        if found is None or found.peak is None or found.goal == "limit":
            continue
        seen = [point.throughput_tps for point in found.points if point.load == found.peak and point.valid]
        rounds = [window.throughput_tps for window in measured.valid(combination, found.peak)]
        if seen and not agree(seen[-1], rounds):
            yield (
                f"the search of {measured.name(combination.path)} saw {seen[-1]:,.0f}/s at its peak, "
                f"the rounds {min(rounds):,.0f} … {max(rounds):,.0f}/s there"
            )


def agree(seen: float, rounds: Sequence[float]) -> bool:
    """Whether one more window like those of the rounds might have shown what was seen, or lies within 5 % of them.

    With too few rounds that is not known, and nothing is said. Source: the prediction interval of a further observation
    (G. J. Hahn, W. Q. Meeker, Statistical Intervals, 1991, section 4.7), of logarithms.
    """
    if len(rounds) < MIN_ROUNDS:
        return True
    logs = [math.log(one) for one in rounds]
    apart = abs(math.log(seen) - statistics.fmean(logs))
    half = t_quantile(1 - LEVEL, len(logs) - 1) * statistics.stdev(logs) * math.sqrt(1 + 1 / len(logs))
    return apart <= max(half, math.log1p(EQUAL_WITHIN))


def _not_ranked(measured: Measured, pairs: Sequence[Comparison]) -> str:
    """Which pairs are shown and not ranked, and why, where that is for more than what they choose."""
    found = [one for one in pairs if one.not_ranked and not one.b.endswith(CONTROL)]
    if not found:
        return ""
    b, a = measured.name(found[0].b), measured.name(found[0].a)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{b} and {a} are not ranked against each other: {found[0].not_ranked}{more}"


def _work_text(measured: Measured, found: Sequence[WorkDifference]) -> str:
    parts = [
        f"{one.transaction} {few_or_many(one.values[1])} {one.figure} on {measured.name(one.combination)}, "
        f"{few_or_many(one.values[0])} on {measured.name(one.first)}"
        for one in found[:MAX_NAMED]
    ]
    more = f"; and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
    return f"unequal work in the databases: {'; '.join(parts)}{more}" if parts else ""


def _named(what: str, paths: Collection[str], run: Run) -> str:
    """What is shared, and by which of several combinations when others do not."""
    names = short_names(run.combinations)
    named = [names[path] for path in paths if path in names]
    return what if len(named) in (0, len(names)) else f"{what}: {', '.join(named)}"
