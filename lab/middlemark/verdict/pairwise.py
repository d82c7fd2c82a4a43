"""The comparisons of a run: who is compared with whom, by every metric, and what may be concluded of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from middlemark.records.folder import Result, read_result
from middlemark.records.run import Combination, Run
from middlemark.verdict.comparability import comparability_groups, reason_not_to_rank
from middlemark.verdict.estimate import Comparison, LogRatio, Side, Spread, Terms, compare, needed_in_start
from middlemark.verdict.looks import LEADING_SHARE, level_of_look
from middlemark.verdict.metrics import METRICS, Metric, leading
from middlemark.verdict.rounds import Place, rounds_at
from middlemark.verdict.spread import compiles, spread_of
from middlemark.verdict.warm_ups import remaining_change
from middlemark.verdict.words import DECIDED, Judgement, Word, judge, size_text

Pair = tuple[Combination, Combination]
# Standard deviation of the logarithm of the machine's speed; two groups see values of it that have nothing in common.
DRIFT = 0.05
# Published figures need two starts. A difference below 10 % between two programs that compile while they run needs
# four: their compilers make other code of them in each start.
STARTS_TO_PUBLISH, STARTS_OF_SMALL = 2, 4
SMALL = math.log(1.1)
# Of what is not ranked, nothing is concluded.
UNJUDGED = Judgement(Word.NO_ROUNDS)


@dataclass(frozen=True)
class PairwiseComparison:
    """A combination (`b`) against another one (`a`) by one metric, at the load `at` in words.

    `not_ranked` is why the two are not ranked, empty when they are.
    """

    a: Combination
    b: Combination
    at: str
    comparison: Comparison
    judgement: Judgement
    not_ranked: str = ""

    @property
    def decided(self) -> bool:
        """Whether the two differ for certain."""
        return not self.not_ranked and self.judgement.word in DECIDED

    @property
    def verdict(self) -> str:
        """The word, or why the two are not ranked."""
        if self.not_ranked and self.comparison.rounds:
            return f"not ranked: {self.not_ranked}"
        return self.judgement.verdict

    @property
    def text(self) -> str:
        """The verdict, what it was found over and, for those that are ranked, why it is no other one."""
        if self.not_ranked:
            size = size_text(self.comparison)
            return f"{self.verdict}, {size}" if size else self.verdict
        return self.judgement.text


def pairwise_comparisons(result: Result, metric: Metric) -> list[PairwiseComparison]:
    """Return the comparisons by `metric` at the highest load, over rounds that count.

    Where the run names references: each combination against its own. Else each against the first of its comparability
    group, and the first of a further group against the first of the run, not ranked unless those two may be. All ranked
    comparisons by the metric that leads are judged together, and so are those by all others.
    """
    return all_pairwise_comparisons(result)[metric.name]


def all_pairwise_comparisons(result: Result) -> dict[str, list[PairwiseComparison]]:
    """Return the comparisons by every metric, by its name."""
    first = leading(result.run.specification)
    others = [metric for metric in METRICS if metric is not first]
    level = level_of_look(result.run.alphas, looks(result))
    by_name = _judged(result, [first], LEADING_SHARE * level) | _judged(result, others, (1 - LEADING_SHARE) * level)
    return {metric.name: by_name[metric.name] for metric in METRICS}


def _judged(result: Result, metrics: Sequence[Metric], level: float) -> dict[str, list[PairwiseComparison]]:
    """Return the comparisons by some metrics, those that are ranked judged together at a level."""
    every = [(metric, pair) for metric in metrics for pair in _pairs(result)]
    comparisons = [_compared(result, pair, metric) for metric, pair in every]
    reasons = [reason_not_to_rank(result, *pair) for _, pair in every]
    ranked = [place for place, reason in enumerate(reasons) if not reason]
    judgements = judge([comparisons[place] for place in ranked], level, _minutes_of_start(result.run))
    judged = dict(zip(ranked, judgements, strict=True))
    by_name: dict[str, list[PairwiseComparison]] = {metric.name: [] for metric in metrics}
    for place, (metric, pair) in enumerate(every):
        judgement = judged.get(place, UNJUDGED)
        one = PairwiseComparison(*pair, result.run.top_name, comparisons[place], judgement, reasons[place])
        by_name[metric.name].append(one)
    return by_name


def is_decided(folder: Path, *, to_publish: bool = False) -> bool:
    """Whether every ranked pair of the run in a result folder has a word by the metric that leads; False without any.

    "Equal" is one; of a side that still gets faster a further start would tell more. `to_publish`: and has it from so
    many starts that it may be published.
    """
    result = read_result(folder)
    found = pairwise_comparisons(result, leading(result.run.specification))
    ranked = [one for one in found if not one.not_ranked]
    return bool(ranked) and all(_is_decided(result, one, to_publish=to_publish) for one in ranked)


def _is_decided(result: Result, one: PairwiseComparison, *, to_publish: bool) -> bool:
    if one.judgement.word not in DECIDED | {Word.EQUAL} or one.comparison.estimate is None:
        return False
    compiled = compiles(result, one.a) and compiles(result, one.b)
    needed = starts_to_publish(one.comparison.estimate, both_compile=compiled) if to_publish else 1
    return one.comparison.estimate.starts >= needed


def starts_to_publish(estimate: LogRatio, *, both_compile: bool) -> int:
    """Starts on which a difference to be published has to rest."""
    return STARTS_OF_SMALL if both_compile and abs(estimate.log) < SMALL else STARTS_TO_PUBLISH


def compare_at(result: Result, a: Place, b: Place, metric: Metric) -> Comparison:
    """Return how two combinations, each at its load, compare by a figure."""
    sides = [_side(result, *places, warms=metric.warms) for places in ((a, b), (b, a))]
    terms = Terms(metric.better, sides[0], sides[1], needed_in_start(result.run.rounds))
    return compare(rounds_at(result, a, b, metric.of), terms)


def _compared(result: Result, pair: Pair, metric: Metric) -> Comparison:
    a, b = ((one, result.run.top_load(one)) for one in pair)
    return compare_at(result, a, b, metric)


def _side(result: Result, place: Place, other: Place, *, warms: bool) -> Side:
    spread = spread_of(result, place[0])
    if not result.run.kept_at_once(place[0], other[0]):
        spread = with_drift(spread)
    return Side(spread, remaining_change(result, *place) if warms else 0.0)


def with_drift(spread: Spread) -> Spread:
    """Return the spread of a side that is not kept at the same time as the other one.

    Minutes lie between the windows of a round: what the machine has become slower meanwhile is in no other round.
    """
    return replace(spread, sigma=math.hypot(spread.sigma, DRIFT))


def looks(result: Result) -> int:
    """How many looks there were: starts with rounds enough, of the combination that has most of them."""
    run, finished = result.run, Counter[tuple[str, int]]()
    for point in result.points:
        if point.finished and point.combination and point.load == run.top_load(point.combination):
            finished[point.combination.path, run.start_of(point.repeat)] += 1
    needed = needed_in_start(run.rounds)
    starts = Counter(path for (path, _), count in finished.items() if count >= needed)
    return max(starts.values(), default=1)


def _minutes_of_start(run: Run) -> float:
    return run.start_s / 60


def _pairs(result: Result) -> list[Pair]:
    run = result.run
    if run.references:
        # A control is compared with what it repeats, not once more with the reference of that.
        pairs = [(run.combinations[0] if one.is_control else run.reference_of(one), one) for one in run.combinations]
        return [(reference, one) for reference, one in pairs if reference is not None and reference != one]
    groups = comparability_groups(result)
    pairs_of_groups = [(group[0], other) for group in groups for other in group[1:]]
    pairs_of_groups += [(groups[0][0], group[0]) for group in groups[1:]]
    return sorted(pairs_of_groups, key=lambda pair: run.combinations.index(pair[1]))
