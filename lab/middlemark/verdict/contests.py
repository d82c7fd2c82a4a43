"""The comparisons of a run: who is compared with whom, by every yardstick, and what may be said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.point import Verdict
from middlemark.records.run import Combination
from middlemark.verdict.comparison import Block, Comparison, compare
from middlemark.verdict.judgement import DECIDED, Judgement, Terms, Word, judge
from middlemark.verdict.kinds import kinds, not_ranked
from middlemark.verdict.yardsticks import YARDSTICKS, Yardstick
from middlemark.wording import counted

Pair = tuple[Combination, Combination]
# Of what is not ranked, nothing is said.
UNJUDGED = Judgement(Word.NO_BLOCKS, 0)


@dataclass(frozen=True)
class Contest:
    """A combination (`b`) against another one (`a`) by one yardstick, at the load `at` in words.

    `label` says why the two are not ranked, and is empty when they are.
    """

    a: Combination
    b: Combination
    at: str
    comparison: Comparison
    judgement: Judgement
    label: str = ""

    @property
    def decided(self) -> bool:
        """Whether it may be said that the two differ."""
        return not self.label and self.judgement.word in DECIDED

    @property
    def verdict(self) -> str:
        """The word with the number of blocks, or why the two are not ranked."""
        if self.label and self.comparison.blocks:
            return f"not ranked: {self.label} ({counted(len(self.comparison.blocks), 'block')})"
        return self.judgement.verdict

    @property
    def said(self) -> str:
        """The verdict and, for those that are ranked, why it is no other one."""
        return self.verdict if self.label else self.judgement.said


def contests(result: Result, yardstick: Yardstick) -> list[Contest]:
    """Return the comparisons by `yardstick` at the highest load, over blocks that count.

    Each combination against the first of its kind; the first of a further kind against the first of the run, labelled.
    All ranked comparisons of the run, by every yardstick, are judged together.
    """
    return all_contests(result)[yardstick.name]


def all_contests(result: Result) -> dict[str, list[Contest]]:
    """Return the comparisons by every yardstick, by its name."""
    every = [(yardstick, pair) for yardstick in YARDSTICKS for pair in _pairs(result)]
    comparisons = [compare(common_blocks(result, pair, yardstick.of)) for yardstick, pair in every]
    labels = [not_ranked(result, *pair) for _, pair in every]
    ranked = [place for place, label in enumerate(labels) if not label]
    terms = [Terms(yardstick.better, result.noise.floor(yardstick.name)) for yardstick, _ in every]
    judged = dict(zip(ranked, judge([(comparisons[place], terms[place]) for place in ranked]), strict=True))
    by_name: dict[str, list[Contest]] = {yardstick.name: [] for yardstick in YARDSTICKS}
    for place, (yardstick, pair) in enumerate(every):
        contest = Contest(*pair, result.run.top_name, comparisons[place], judged.get(place, UNJUDGED), labels[place])
        by_name[yardstick.name].append(contest)
    return by_name


def common_blocks(result: Result, pair: Pair, figure: Callable[[Verdict], float]) -> list[Block]:
    """Return the blocks in which both points count and the figure is above zero on both sides."""
    sides = [{p.repeat: figure(p.verdict) for p in result.compared(c) if p.verdict and p.valid} for c in pair]
    common = sorted(sides[0].keys() & sides[1].keys())
    blocks = [Block(repeat, sides[0][repeat], sides[1][repeat]) for repeat in common]
    return [block for block in blocks if block.a > 0 and block.b > 0]


def _pairs(result: Result) -> list[Pair]:
    groups = kinds(result)
    pairs = [(group[0], other) for group in groups for other in group[1:]]
    pairs += [(groups[0][0], group[0]) for group in groups[1:]]
    return sorted(pairs, key=lambda pair: result.run.combinations.index(pair[1]))
