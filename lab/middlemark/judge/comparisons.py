"""Every comparison of a run, each made once: who is compared with whom, by which figure, and what may be concluded."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

from middlemark.judge.groups import Comparability
from middlemark.judge.levels import why_none_counts
from middlemark.judge.sides import Pair, pairs_with
from middlemark.judge.spread import AtLoad, compiles, expected_spread, remaining_change, rounds_at, with_drift
from middlemark.records.figures import COMPARED, RESPONSE_TIME, THROUGHPUT, Better, Figure, leading
from middlemark.records.findings import Comparison, Level, Measured, Use
from middlemark.records.run import Combination, Load
from middlemark.records.run_parts import ContrastRecord
from middlemark.verdict import estimate
from middlemark.verdict.estimate import Prior, Terms, needed_in_start
from middlemark.verdict.words import DECIDED, LEADING_SHARE, Judgement, Word, judge, level_of_look, size_text

# Published figures need two starts. A difference below 10 % between two programs that compile while they run needs
# four: their compilers make other code of them in each start.
STARTS_TO_PUBLISH, STARTS_OF_SMALL = 2, 4
SMALL = math.log(1.1)
NO_ROUND = "no round in which both count"


class Comparing:
    """Compares combinations of a run; `levels` are by the path of a combination."""

    def __init__(self, measured: Measured, comparability: Comparability, levels: dict[str, tuple[Level, ...]]) -> None:
        self._measured, self._run = measured, measured.run
        self._comparability, self._levels = comparability, levels
        self._priors: dict[tuple[str, Load], Prior] = {}

    def every(self) -> list[Comparison]:
        """The comparisons of pairs and contrasts, for the ranking, and of loads."""
        return [*self.pairs(), *self._ranking(), *self._loads()]

    def pairs(self) -> list[Comparison]:
        """The comparisons with words, those of contrasts too, at the load at which combinations are compared.

        All that are ranked by the figure that leads share 4/5 of the look's level, and those by all others the rest.
        """
        first = leading(self._run.specification)
        level = level_of_look(self._run.alphas, looks(self._measured))
        others = [figure for figure in COMPARED if figure is not first]
        by_name = self._judged([first], LEADING_SHARE * level) | self._judged(others, (1 - LEADING_SHARE) * level)
        return [one for figure in COMPARED for one in by_name.get(figure.name, [])]

    def compare(self, a: AtLoad, b: AtLoad, figure: Figure) -> estimate.Ratio:
        """How two combinations, each at its load, compare by a figure."""
        priors = [self._prior(*places, warms=figure.warms) for places in ((a, b), (b, a))]
        terms = Terms(figure.better, priors[0], priors[1], needed_in_start(self._run.rounds))
        return estimate.compare(rounds_at(self._measured, a, b, figure), terms)

    def _prior(self, place: AtLoad, other: AtLoad, *, warms: bool) -> Prior:
        key = (place[0].path, place[1])
        if key not in self._priors:
            does = compiles(self._measured, place[0])
            spread = expected_spread(self._measured.ledger, place[0].subject, compiles=does)
            self._priors[key] = Prior(spread, remaining_change(self._measured, *place))
        known = self._priors[key]
        at_once = self._run.kept_at_once(place[0], other[0])
        return Prior(known.spread if at_once else with_drift(known.spread), known.rest if warms else 0.0)

    def _judged(self, figures: Sequence[Figure], level: float) -> dict[str, list[Comparison]]:
        every = [(figure, *one) for figure in figures for one in self._compared()]
        places = [self._top(pair) for _, _, pair, _ in every]
        found = [self.compare(*place, figure) for place, (figure, *_) in zip(places, every, strict=True)]
        ranked = [number for number, (*_, reason) in enumerate(every) if not reason]
        judgements = judge([found[number] for number in ranked], level, self._run.start_s / 60)
        judged = dict(zip(ranked, judgements, strict=True))
        contrasts = self._contrasts()
        by_name: dict[str, list[Comparison]] = {figure.name: [] for figure in figures}
        for number, (figure, use, pair, reason) in enumerate(every):
            one = finding(use, figure.name, places[number], found[number], judged.get(number))
            shown = use is Use.CONTRAST or not reason
            names = tuple(contrast.name for contrast in contrasts.get(pair, ()) if shown)
            by_name[figure.name].append(one.model_copy(update={"not_ranked": reason, "contrasts": names}))
        return by_name

    def _compared(self) -> list[tuple[Use, Pair, str]]:
        """Pairs, and the contrasts that no ranked pair shows, each with the reason why it is not ranked."""
        reason_against = self._comparability.reason_against
        pairs = [(Use.PAIR, pair, reason_against(*pair)) for pair in self._pairs()]
        ranked = {pair for _, pair, reason in pairs if not reason}
        return pairs + [
            (Use.CONTRAST, pair, reason_against(*pair, {choice for one in named for choice in one.upper}))
            for pair, named in self._contrasts().items()
            if pair not in ranked
        ]

    def _contrasts(self) -> dict[Pair, list[ContrastRecord]]:
        """The contrasts that each two combinations show."""
        found: dict[Pair, list[ContrastRecord]] = {}
        for contrast in self._run.specification.contrasts:
            for upper, lower in pairs_with(self._run, contrast.upper, contrast.lower):
                found.setdefault((lower, upper), []).append(contrast)
        return found

    def _top(self, pair: Pair) -> tuple[AtLoad, AtLoad]:
        return (pair[0], self._run.top_load(pair[0])), (pair[1], self._run.top_load(pair[1]))

    def _pairs(self) -> list[Pair]:
        """Who is compared with whom.

        Where the run names references: each combination with its own. Else each with the first of its group, and the
        first of a further group with the first of the run, not ranked unless those two may be.
        """
        run = self._run
        if run.references:
            # A control is compared with what it repeats, not once more with the reference of that.
            pairs = [
                (run.combinations[0] if one.is_control else run.reference_of(one), one) for one in run.combinations
            ]
            return [(reference, one) for reference, one in pairs if reference is not None and reference != one]
        groups = self._comparability.groups
        found = [(group[0], other) for group in groups for other in group[1:]]
        found += [(groups[0][0], group[0]) for group in groups[1:]]
        return sorted(found, key=lambda pair: run.combinations.index(pair[1]))

    def _ranking(self) -> Iterator[Comparison]:
        """Compare each combination of a group, best first, with the best of those whose rank it may share.

        By the figure that leads. Where the 95 % interval leaves 1 out, the next rank begins.
        """
        figure = leading(self._run.specification)
        for group in self._comparability.groups:
            known = [(self._leading_mean(one, figure), one) for one in group if not one.is_control]
            able = sorted(((mean, one) for mean, one in known if mean is not None), key=lambda both: both[0])
            if figure.better is Better.HIGHER:
                able.reverse()
            first = able[0][1] if able else None
            for _, other in able[1:]:
                places = self._top((first or other, other))
                one = finding(Use.RANK, figure.name, places, self.compare(*places, figure))
                first = first if one.holds_one else other
                yield one

    def _leading_mean(self, combination: Combination, figure: Figure) -> float | None:
        top = self._run.top_load(combination)
        level = next((one for one in self._levels[combination.path] if one.load == top), None)
        known = level.figures.get(figure.name) if level else None
        return known.mean if known else None

    def _loads(self) -> Iterator[Comparison]:
        """Compare subjects that differ in nothing else at each load that both have: how many times faster.

        None for a run with a single load, of searches, which have no loads in common, and with faults. The ratios have
        no words: of so many comparisons some differ by chance.
        """
        run = self._run
        if len(run.loads) < 2 or run.searched or run.faults:
            return
        groups: dict[frozenset[tuple[str, str]], list[Combination]] = {}
        for one in run.combinations:
            groups.setdefault(frozenset(one.modes.items()), []).append(one)
        for alike in groups.values():
            for a, b in itertools.combinations(alike, 2):
                reason = self._comparability.reason_against(a, b)
                loads = sorted({*run.loads_of(a)} & {*run.loads_of(b)})
                if reason:
                    yield without(Use.LOAD, a, b, "").model_copy(update={"not_ranked": reason})
                else:
                    yield from self._by_load(a, b, loads)

    def _by_load(self, a: Combination, b: Combination, loads: Sequence[Load]) -> Iterator[Comparison]:
        """Yield the ratios with that side as the upper one which has more throughput at most loads."""
        ratios = [self.compare((a, load), (b, load), THROUGHPUT).ratio for load in loads]
        known = [ratio for ratio in ratios if ratio is not None]
        if 2 * sum(ratio < 1 for ratio in known) > len(known):
            a, b = b, a
        for load, figure in itertools.product(loads, (THROUGHPUT, RESPONSE_TIME)):
            places = (a, load), (b, load)
            one = finding(Use.LOAD, figure.name, places, self.compare(*places, figure))
            invalid = [(side.subject, why_none_counts(self._measured.of(side, load))) for side in (a, b)]
            reason = ", ".join(f"{subject} {why}" for subject, why in invalid if why)
            yield one if one.rounds else one.model_copy(update={"reason": reason or NO_ROUND})


def looks(measured: Measured) -> int:
    """Number of looks there were: starts with rounds enough, of the combination that has most of them."""
    run, finished = measured.run, Counter[tuple[str, int]]()
    tops = {one.path: run.top_load(one) for one in run.combinations}
    for window in measured.rounds:
        if window.load == tops.get(window.combination):
            finished[window.combination, run.start_of(window.repeat)] += 1
    needed = needed_in_start(run.rounds)
    starts = Counter(path for (path, _), count in finished.items() if count >= needed)
    return max(starts.values(), default=1)


def is_decided(measured: Measured, comparisons: Sequence[Comparison], *, to_publish: bool = False) -> bool:
    """Whether every ranked pair has a word by the figure that leads; False without any.

    "Equal" is one; of a side that still gets faster a further start would tell more. `to_publish`: and has it from so
    many starts that it may be published.
    """
    metric = leading(measured.run.specification).name
    by_path = {one.path: one for one in measured.run.combinations}
    ranked = [one for one in comparisons if one.use is Use.PAIR and one.metric == metric and not one.not_ranked]

    def settled(one: Comparison) -> bool:
        if not (one.decided or one.word == Word.EQUAL) or one.ratio is None:
            return False
        both = all(compiles(measured, by_path[path]) for path in (one.a, one.b))
        return one.starts >= (starts_to_publish(math.log(one.ratio), both_compile=both) if to_publish else 1)

    return bool(ranked) and all(map(settled, ranked))


def starts_to_publish(log: float, *, both_compile: bool) -> int:
    """Starts on which a difference to be published has to rest, by its logarithm."""
    return STARTS_OF_SMALL if both_compile and abs(log) < SMALL else STARTS_TO_PUBLISH


def finding(
    use: Use,
    metric: str,
    places: tuple[AtLoad, AtLoad],
    found: estimate.Ratio,
    judgement: Judgement | None = None,
) -> Comparison:
    """A comparison as it is written, of places with what came of them and, of pairs, what may be concluded."""
    (a, load_a), (b, load_b) = places
    ends = {
        "": found.interval,
        "processes_": found.estimate.of_processes() if found.estimate else None,
        "word_": judgement.interval if judgement else None,
    }
    return Comparison(
        use=use,
        metric=metric,
        a=a.path,
        b=b.path,
        load_a=load_a,
        load_b=load_b,
        rounds=found.rounds,
        ratio=found.ratio,
        reason="" if found.rounds else NO_ROUND,
        word=judgement.word.value if judgement else "",
        p_value=judgement.p_value if judgement else None,
        decided=judgement is not None and judgement.word in DECIDED,
        verdict=judgement.verdict if judgement else Word.NO_ROUNDS.value if not found.rounds else "",
        basis=(judgement.size if judgement else "") or (size_text(found) if found.rounds else ""),
        more=judgement.reason if judgement else "",
        assumed=judgement.assumed if judgement else "",
        starts=found.estimate.starts if found.estimate else 0,
        **{f"{of}low": one.low for of, one in ends.items() if one},
        **{f"{of}high": one.high for of, one in ends.items() if one},
    )


def without(use: Use, a: Combination, b: Combination, reason: str) -> Comparison:
    """A comparison that was not made, for a reason."""
    return Comparison(use=use, metric="", a=a.path, b=b.path, load_a=None, load_b=None, reason=reason)
