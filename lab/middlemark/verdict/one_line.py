"""The line on top of the report: what was found in at most a hundred characters; the reasons stand below it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from middlemark.records.folder import Result
from middlemark.records.run import Combination
from middlemark.verdict.estimate import Better, Comparison
from middlemark.verdict.faults import effect_totals
from middlemark.verdict.levels import Estimate, estimate
from middlemark.verdict.metrics import Metric, cpu_ms_per_transaction, leading, throughput_tps
from middlemark.verdict.naming import short_names
from middlemark.verdict.pairwise import PairwiseComparison, pairwise_comparisons
from middlemark.verdict.words import Word
from middlemark.wording import TIMES, counted

MAX_LENGTH = 100
NOT_RANKED, NO_ROUND = "not ranked", "nothing to compare"
# How words are written here; the reasons have them in full.
SHORT = {Word.NO_ROUNDS: NOT_RANKED, Word.STILL_FASTER: "still getting faster"}
COUNTED = {NO_ROUND: "without a round"}
# So many of the words of many comparisons are counted; a further one would hide them.
MAX_WORDS = 3


def finding_lines(result: Result) -> list[str]:
    """Return what a run found, from the line with most in it to the shortest; each can stand alone."""
    if result.run.faults:
        return list(_faults(result))
    metric = leading(result.run.specification)
    found = pairwise_comparisons(result, metric)
    if len(found) == 1:
        return list(_pair(result, metric, found[0]))
    if found:
        return [*_few(result, metric, found), *_many(result, metric, found)]
    return list(_single(result))


def fitting(lines: Iterable[str]) -> str:
    """Return the first line that is short enough; the last one is cut where none is."""
    last = ""
    for line in lines:
        last = " ".join(line.split())
        if len(last) <= MAX_LENGTH:
            return last
    return last[: MAX_LENGTH - 1].rstrip(" ,;:") + "…"


def _pair(result: Result, metric: Metric, one: PairwiseComparison) -> Iterator[str]:
    names = short_names(result.run.combinations)
    a, b, title = names[one.a.path], names[one.b.path], metric.title(result.run.specification)
    if one.comparison.ratio is None:
        yield f"{b} and {a} cannot be compared at {one.at}: no round in which both count"
        yield f"nothing to compare at {one.at}: no round in which both sides count"
        yield "nothing to compare: no round in which both sides count"
        return
    verb = " costs" if metric.better is Better.LOWER else " reaches"
    # Only what is decided may be asserted.
    begin = f"{b}{verb if one.decided else ':'}"
    figure = f"{one.comparison.ratio:.2f} {TIMES} ({_spread(one.comparison)}) the {title}"
    rounds = f" ({counted(len(one.comparison.rounds), 'round')})"
    for place, how_many in ((f" at {one.at}", rounds), (f" at {one.at}", ""), ("", rounds), ("", "")):
        yield f"{begin} {figure} of {a}{place}: {_word(one)}{how_many}"
    yield f"{figure} at {one.at}: {_word(one)}"
    yield f"{figure}: {_word(one)}"
    yield f"{one.comparison.ratio:.2f} {TIMES} ({_spread(one.comparison)}): {_word(one)}"


def _few(result: Result, metric: Metric, found: Sequence[PairwiseComparison]) -> Iterator[str]:
    """Yield a line with every ratio of a few to one combination."""
    names = short_names(result.run.combinations)
    firsts = {one.a.path for one in found}
    if len(firsts) > 1 or any(one.comparison.ratio is None for one in found):
        return
    title, against = _title(result, metric), names[found[0].a.path]
    rows = [f"{names[one.b.path]} {one.comparison.ratio:.2f} {TIMES}" for one in found]
    spreads = [f"({_spread(one.comparison)}) {_word(one)}" for one in found]
    whole = ", ".join(f"{row} {spread}" for row, spread in zip(rows, spreads, strict=True))
    yield f"{title} against {against} at {found[0].at}: {whole}"
    yield f"{title} against {against}: {whole}"
    yield f"{title} against {against}: {', '.join(rows)}: {_words(found)}"


def _many(result: Result, metric: Metric, found: Sequence[PairwiseComparison]) -> Iterator[str]:
    """Yield lines with the lowest and the highest of all ratios that are ranked, or of all where none is."""
    ranked = [one for one in found if not one.not_ranked] or found
    ratios = [one.comparison.ratio for one in ranked if one.comparison.ratio is not None]
    title, at = _title(result, metric), found[0].at
    if not ratios:
        yield f"{title} at {at}: {len(found)} ratios, no round in which both sides count"
        yield f"{len(found)} ratios, no round in which both sides count"
        return
    groups = len({one.a.path for one in ranked})
    ends = f"{min(ratios):.2f} {TIMES}" if len(ratios) == 1 else f"{min(ratios):.2f} … {max(ratios):.2f} {TIMES}"
    within = (
        f" in {groups} groups" if groups > 1 else f" that of {short_names(result.run.combinations)[ranked[0].a.path]}"
    )
    for place, where in ((f" at {at}", within), (f" at {at}", ""), ("", within), ("", "")):
        yield f"{title}{place}: {ends}{where}: {_words(ranked)}"
    yield f"{ends}: {_words(ranked)}"


def _single(result: Result) -> Iterator[str]:
    run = result.run
    if not run.combinations:
        yield "no combination was run"
        return
    only, at = run.combinations[0], run.top_name
    if only.path in run.searched:
        yield f"{only.label}: {_peak(result, only)}"
        yield _peak(result, only)
        return
    verdicts = [p.verdict for p in result.compared(only) if p.verdict and p.valid]
    if not verdicts:
        yield f"{only.label} has no valid point at {at}"
        yield f"no valid point at {at}"
        return
    specification = run.specification
    costs = [cpu_ms_per_transaction(one) for one in verdicts]
    watched = not any(map(math.isnan, costs))
    cpu = f"{_estimated(estimate(costs), 2)} CPU-ms per {specification.unit}, " if watched else ""
    tps = _estimated(estimate(list(map(throughput_tps, verdicts))), 1)
    points = f" ({counted(len(verdicts), 'point')})"
    yield f"{only.label}: {cpu}{tps} {specification.rate} at {at}{points}"
    yield f"{only.label}: {cpu}{tps}/s at {at}{points}"
    yield f"{cpu}{tps}/s at {at}{points}"
    yield f"{cpu}{tps}/s"


def _peak(result: Result, combination: Combination) -> str:
    """Return what the search of a combination reached, and where."""
    found = result.run.searched[combination.path]
    if found.peak is None:
        return "no peak that counts"
    verdicts = [p.verdict for p in result.of(combination, found.peak) if p.verdict and p.valid]
    at = f"at {result.run.load_name(found.peak)}"
    if not verdicts:
        return f"highest throughput about {found.throughput_tps:,.0f}/s {at}, in the search alone"
    return f"highest throughput {_estimated(estimate(list(map(throughput_tps, verdicts))), 1)}/s {at}"


def _faults(result: Result) -> Iterator[str]:
    plurals = result.run.specification.effects
    injected = sum(fault.done for p in result.points for fault in p.faults)
    audits = [p.audit for p in result.points if p.audit]
    passed = f"{sum(audit.passed for audit in audits)} of {len(audits)} audits passed"
    totals = effect_totals(result.points, plurals)
    every = [
        f"{one.confirmed:,} {plurals[name]} confirmed, {one.lost:,} lost, {one.doubled:,} doubled"
        for name, one in totals.items()
    ]
    lost, doubled = (sum(getattr(one, what) for one in totals.values()) for what in ("lost", "doubled"))
    begin = f"{counted(injected, 'fault')} under load"
    yield f"{begin}: {'; '.join([*every, passed])}"
    yield f"{begin}: {lost:,} lost, {doubled:,} doubled; {passed}" if totals else f"{begin}: {passed}"


def _title(result: Result, metric: Metric) -> str:
    title = metric.title(result.run.specification)
    return title[0].upper() + title[1:]


def _word(one: PairwiseComparison) -> str:
    if one.not_ranked:
        return NOT_RANKED
    return NO_ROUND if one.judgement.word is Word.NO_ROUNDS else SHORT.get(one.judgement.word, one.judgement.word)


def _words(found: Sequence[PairwiseComparison]) -> str:
    """Return how often each word was found, most often first."""
    words = Counter(_word(one) for one in found).most_common()
    texts = [f"{number} {COUNTED.get(word, word)}" for word, number in words]
    return ", ".join(texts[:MAX_WORDS]) + (", …" if len(texts) > MAX_WORDS else "")


def _spread(comparison: Comparison) -> str:
    """Return the 95 % interval; below the rounds that decide anything the lowest and the highest round."""
    if comparison.interval is not None:
        return f"{comparison.interval.low:.2f} … {comparison.interval.high:.2f}"
    if len(comparison.rounds) == 1:
        return "1 round"
    return f"rounds {comparison.min_ratio:.2f} … {comparison.max_ratio:.2f}"


def _estimated(one: Estimate, digits: int) -> str:
    """Return a mean with its 95 % interval, or with the lowest and the highest round."""
    mean = f"{one.mean:,.{digits}f}"
    if one.rounds == 1:
        return mean
    ends = f"{one.low:,.{digits}f} … {one.high:,.{digits}f}"
    return f"{mean} ({ends})" if one.is_interval else f"{mean} (rounds {ends})"
