"""The comparisons of a run: who is compared with whom, by every metric, and what may be concluded of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.point import Verdict
from middlemark.records.run import Combination, Load
from middlemark.verdict.comparability import comparability_groups, reason_not_to_rank
from middlemark.verdict.comparison import Block, Comparison, compare
from middlemark.verdict.judgement import DECIDED, Judgement, Terms, Word, judge
from middlemark.verdict.metrics import METRICS, Metric
from middlemark.wording import counted

Pair = tuple[Combination, Combination]
Place = tuple[Combination, Load]
"""A combination at one of its loads."""
# Of what is not ranked, nothing is concluded.
UNJUDGED = Judgement(Word.NO_BLOCKS, 0)


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
        """The word with the number of blocks, or why the two are not ranked."""
        if self.not_ranked and self.comparison.blocks:
            return f"not ranked: {self.not_ranked} ({counted(len(self.comparison.blocks), 'block')})"
        return self.judgement.verdict

    @property
    def text(self) -> str:
        """The verdict and, for those that are ranked, why it is no other one."""
        return self.verdict if self.not_ranked else self.judgement.text


def pairwise_comparisons(result: Result, metric: Metric) -> list[PairwiseComparison]:
    """Return the comparisons by `metric` at the highest load, over blocks that count.

    Where the run names references: each combination against its own. Else each against the first of its comparability
    group, and the first of a further group against the first of the run, not ranked unless those two may be. All ranked
    comparisons of the run, by every metric, are judged together.
    """
    return all_pairwise_comparisons(result)[metric.name]


def all_pairwise_comparisons(result: Result) -> dict[str, list[PairwiseComparison]]:
    """Return the comparisons by every metric, by its name."""
    every = [(metric, pair) for metric in METRICS for pair in _pairs(result)]
    comparisons = [compare(common_blocks(result, pair, metric.of)) for metric, pair in every]
    reasons = [reason_not_to_rank(result, *pair) for _, pair in every]
    ranked = [place for place, reason in enumerate(reasons) if not reason]
    terms = [Terms(metric.better, result.noise.floor(metric.name)) for metric, _ in every]
    judged = dict(zip(ranked, judge([(comparisons[place], terms[place]) for place in ranked]), strict=True))
    by_name: dict[str, list[PairwiseComparison]] = {metric.name: [] for metric in METRICS}
    for place, (metric, pair) in enumerate(every):
        judgement = judged.get(place, UNJUDGED)
        one = PairwiseComparison(*pair, result.run.top_name, comparisons[place], judgement, reasons[place])
        by_name[metric.name].append(one)
    return by_name


def common_blocks(result: Result, pair: Pair, figure: Callable[[Verdict], float]) -> list[Block]:
    """Return the blocks in which both points count and the figure is above zero on both sides."""
    a, b = ((one, result.run.top_load(one)) for one in pair)
    return blocks_at(result, a, b, figure)


def blocks_at(result: Result, a: Place, b: Place, figure: Callable[[Verdict], float]) -> list[Block]:
    """Return the blocks in which the points of both sides, each at its load, count and have a figure above zero."""
    sides = [{p.repeat: figure(p.verdict) for p in result.of(*side) if p.verdict and p.valid} for side in (a, b)]
    common = sorted(sides[0].keys() & sides[1].keys())
    blocks = [Block(repeat, sides[0][repeat], sides[1][repeat]) for repeat in common]
    return [block for block in blocks if block.a > 0 and block.b > 0]


def _pairs(result: Result) -> list[Pair]:
    run = result.run
    if run.references:
        pairs = [(run.reference_of(one), one) for one in run.combinations]
        return [(reference, one) for reference, one in pairs if reference is not None and reference != one]
    groups = comparability_groups(result)
    pairs_of_groups = [(group[0], other) for group in groups for other in group[1:]]
    pairs_of_groups += [(groups[0][0], group[0]) for group in groups[1:]]
    return sorted(pairs_of_groups, key=lambda pair: run.combinations.index(pair[1]))
