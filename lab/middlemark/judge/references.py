"""What a combination is relative to another one that is no rival: the reference of an efficiency, published ratios."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from middlemark.judge.comparisons import NO_ROUND, Comparing, finding, without
from middlemark.judge.levels import best
from middlemark.judge.sides import Pair, pairs_with, value_of
from middlemark.judge.spread import AtLoad
from middlemark.records.choices import SESSION
from middlemark.records.figures import RESPONSE_TIME, THROUGHPUT, Figure
from middlemark.records.findings import Comparison, Counterpart, Level, Measured, Peak, Use
from middlemark.records.naming import choice_text, label
from middlemark.records.run import Combination, Load, Run
from middlemark.records.side_files import PublishedRatio, RatioOf
from middlemark.records.window import Window
from middlemark.verdict import estimate
from middlemark.verdict.estimate import MIN_ROUNDS

NO_PEAK = "a peak is not known"
MAX_SIZE_APART = 0.01
"""How far two mean answers may be apart, besides what chance adds (requirement)."""
MAX_CHANCE = 0.04
"""No more than that is ever put down to chance."""


class Relating:
    """Sets combinations beside what they are relative to; `levels` and `peaks` are by the path of a combination."""

    def __init__(
        self,
        measured: Measured,
        comparing: Comparing,
        levels: Mapping[str, Sequence[Level]],
        peaks: Mapping[str, Peak],
    ) -> None:
        self._measured, self._run, self._comparing = measured, measured.run, comparing
        self._levels, self._peaks = levels, peaks

    def efficiencies(self) -> Iterator[Comparison]:
        """Compare each combination with the reference of its efficiency, at the peaks and at the highest common load.

        Rates are those of the combination ÷ the reference's, times the other way round: a higher efficiency is better.
        Source: Mindcraft, SPICE (2000).
        """
        for one in self._run.combinations if self._run.specification.efficiency else ():
            if not is_reference(self._run, one):
                yield from self._with_reference(one)

    def _with_reference(self, one: Combination) -> Iterator[Comparison]:
        reference, reason = _reference_of(self._run, one)
        if reference is None:
            yield without(Use.REFERENCE_AT_PEAK, one, one, reason)
            return
        own, others = self._levels[one.path], self._levels[reference.path]
        peak, other = best(own), best(others)
        if peak is None or other is None:
            which = "" if peak is None else f" of {reference_name(self._run)}"
            yield without(Use.REFERENCE_AT_PEAK, reference, one, f"no point{which} counts")
        elif sizes := reason_against_sizes(self._measured, reference, one):
            yield without(Use.REFERENCE_AT_PEAK, reference, one, sizes)
        else:
            if hidden := self._hidden(one) or self._hidden(reference):
                yield without(Use.REFERENCE_AT_PEAK, reference, one, hidden)
            else:
                yield from self._efficiency(Use.REFERENCE_AT_PEAK, (one, peak.load), (reference, other.load))
            highest = _highest_of_both(own, others)
            if highest is not None:
                yield from self._efficiency(Use.REFERENCE, (one, highest), (reference, highest))

    def _efficiency(self, use: Use, own: AtLoad, reference: AtLoad) -> Iterator[Comparison]:
        for figure, a, b in ((THROUGHPUT, reference, own), (RESPONSE_TIME, own, reference)):
            yield finding(use, figure.name, (a, b), self._comparing.compare(a, b, figure))

    def _hidden(self, one: Combination) -> str:
        hidden = self._peaks[one.path].hidden
        which = f" of {reference_name(self._run)}" if is_reference(self._run, one) else ""
        return f"the peak{which} is not known: {hidden}" if hidden else ""

    def _published_pairs(self, ratio: PublishedRatio) -> list[Pair]:
        if ratio.upper_here is None or ratio.lower_here is None:
            return []
        return pairs_with(self._run, ratio.upper_here, ratio.lower_here)

    def _published(self, ratio: PublishedRatio, upper: Combination, lower: Combination) -> Comparison:
        loads = [self._load_of(ratio.of, one) for one in (upper, lower)]
        if loads[0] is None or loads[1] is None:
            return without(Use.PUBLISHED, lower, upper, NO_PEAK)
        places = (lower, loads[1]), (upper, loads[0])
        if reason := reason_against_sizes(self._measured, upper, lower):
            found = estimate.compare([])
        else:
            found = self._comparing.compare(*places, _figure_of(ratio))
        one = finding(Use.PUBLISHED, ratio.of.value, places, found)
        return one if found.rounds else one.model_copy(update={"reason": reason or NO_ROUND})

    def _load_of(self, of: RatioOf, one: Combination) -> Load | None:
        """The load at which a side of a published ratio is looked at."""
        if of is RatioOf.COST:
            return self._run.top_load(one)
        top = best(self._levels[one.path])
        return None if top is None or self._hidden(one) else top.load

    def counterparts(self) -> tuple[Counterpart, ...]:
        """The published ratios with those of the run beside them: shown, never ranked."""
        found = []
        for source in self._measured.published.sources if self._measured.published else ():
            for ratio in source.ratios:
                pairs = self._published_pairs(ratio)
                found += [
                    Counterpart(
                        source=source.source,
                        ratio=ratio,
                        comparison=self._published(ratio, *pair),
                        same=_same(ratio, pair),
                    )
                    for pair in pairs
                ] or [Counterpart(source=source.source, ratio=ratio)]
        return tuple(found)


def is_reference(run: Run, combination: Combination) -> bool:
    """Whether a combination is one that others are relative to."""
    named = _reference_choices(run)
    return bool(named) and all(value_of(run, combination, choice) == value for choice, value in named.items())


def reference_name(run: Run) -> str:
    """The values of the references in words: `static`."""
    return " ".join(_reference_choices(run).values())


def _reference_choices(run: Run) -> dict[str, str]:
    return run.specification.efficiency.reference if run.specification.efficiency else {}


def reason_against_sizes(measured: Measured, one: Combination, other: Combination) -> str:
    """Why two sides are not compared whose answers are not of the same size; empty when they agree.

    Chance is allowed two standard errors of the ratio. Reports of calls have no size that counts.
    """
    sides = {one.path, other.path}
    if any(window.reports_calls for window in measured.rounds if window.combination in sides):
        return ""
    first, second = _response_size(measured, one), _response_size(measured, other)
    if first is None or second is None:
        return "the bytes of the answers were not counted"
    (mean, error), (mean_2, error_2) = first, second
    apart = f"mean answers of {mean:,.0f} and {mean_2:,.0f} B differ"
    if not (mean and mean_2):
        return "" if mean == mean_2 else apart
    chance = 2 * math.hypot(error / mean, error_2 / mean_2)
    return "" if max(mean, mean_2) / min(mean, mean_2) - 1 <= MAX_SIZE_APART + min(chance, MAX_CHANCE) else apart


def _response_size(measured: Measured, combination: Combination) -> tuple[float, float] | None:
    """Mean bytes of a body over all windows that count, with its standard error; a session decides it, and no load.

    The windows of a session that draws its requests differ by chance.
    """
    windows = [one for one in measured.rounds if one.combination == combination.path and one.valid]
    found = [(w.mean_body_bytes, w.total.count) for w in windows if w.mean_body_bytes is not None and w.total.count]
    responses = sum(count for _, count in found)
    if not responses:
        return None
    mean = sum(size * count for size, count in found) / responses
    squares = sum(count * (size - mean) ** 2 for size, count in found)
    variance = squares / (len(found) - 1) if len(found) > 1 else 0.0
    return mean, math.sqrt(variance / responses)


def _highest_of_both(own: Sequence[Level], others: Sequence[Level]) -> Load | None:
    """The highest load at which both sides count in enough rounds; in as many as at any load, at most three."""
    by_load = {level.load: set(level.repeats) for level in others}
    rounds = {level.load: len(by_load[level.load] & set(level.repeats)) for level in own if level.load in by_load}
    needed = min(MIN_ROUNDS, max(rounds.values(), default=0))
    return max((load for load, counting in rounds.items() if counting >= needed), default=None)


def _reference_of(run: Run, combination: Combination) -> tuple[Combination | None, str]:
    """The reference that agrees in everything else, or why there is none."""
    name = reference_name(run)
    references = [one for one in run.combinations if one.subject == combination.subject and is_reference(run, one)]
    if not references:
        return None, _why_left_out(run, combination.subject) or f"{name} was not run"
    differing = [_differences(run, combination, one) for one in references]
    nearest = min(differing, key=len)
    if not nearest:
        return references[differing.index(nearest)], ""
    return None, f"{name} was not run with {', '.join(nearest)}"


def _differences(run: Run, combination: Combination, reference: Combination) -> list[str]:
    """What else the combination chose otherwise than a reference, in words."""
    values = {one: combination.modes.get(one) for one in dict.fromkeys([*combination.modes, *reference.modes])}
    return [
        f"the default of {choice}" if value is None else choice_text(choice, value)
        for choice, value in values.items()
        if choice not in _reference_choices(run) and value != reference.modes.get(choice)
    ]


def _why_left_out(run: Run, subject: str) -> str:
    for one in run.left_out:
        values = {**one.modes, SESSION: one.modes.get(SESSION, run.session)}
        if one.subject == subject and _reference_choices(run).items() <= values.items():
            return f"no {reference_name(run)}: {one.reason}"
    return ""


def _figure_of(ratio: PublishedRatio) -> Figure:
    figures = {RatioOf.THROUGHPUT: THROUGHPUT, RatioOf.RESPONSE_TIME: RESPONSE_TIME}
    return figures.get(ratio.of) or Figure("cost", "cost", "ms", _cost_of(ratio.tiers))


def _cost_of(tiers: tuple[str, ...]) -> Callable[[Window], float]:
    """CPU-ms per transaction of these tiers together, NaN where none of them was watched."""

    def cost(window: Window) -> float:
        watched = [window.tiers[tier].cpu_ms_per_transaction for tier in tiers if tier in window.tiers]
        return sum(watched) if watched else math.nan

    return cost


def _same(ratio: PublishedRatio, pair: Pair) -> str:
    """The subject and what both sides have in common, be it chosen or by the ratio."""
    sides = (pair[0].modes | (ratio.upper_here or {}), pair[1].modes | (ratio.lower_here or {}))
    return label(pair[0].subject, {key: value for key, value in sides[0].items() if sides[1].get(key) == value})
