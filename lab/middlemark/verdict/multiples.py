"""Times faster: each subject's throughput and response time as a multiple of each other one's, load by load.

Compared are combinations that may be ranked with each other and differ in nothing but their subject, both at the same
load. The ratios have intervals and no words: of so many comparisons some differ by chance.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.records.folder import PointResult, Result
from middlemark.records.point import Forbids
from middlemark.records.run import Combination, Load, Run
from middlemark.verdict.comparability import reason_not_to_rank
from middlemark.verdict.estimate import Comparison
from middlemark.verdict.metrics import RESPONSE_TIME, THROUGHPUT, Metric
from middlemark.verdict.pairwise import compare_at


@dataclass(frozen=True)
class Multiple:
    """Both figures of `b` ÷ those of `a` at one load; `reason`: why there is none, empty when there is."""

    load: Load
    throughput: Comparison
    response_time: Comparison
    reason: str = ""


@dataclass(frozen=True)
class MultiplePair:
    """Two combinations with everything alike but their subject, `b` the one with more throughput at most loads.

    `not_compared` is why they are not compared, empty when they are; then they have no multiples.
    """

    a: Combination
    b: Combination
    multiples: tuple[Multiple, ...]
    not_compared: str = ""


@dataclass(frozen=True)
class MultipleGroup:
    """The pairs of combinations that agree in every other choice; `loads` are those of any of them."""

    loads: tuple[Load, ...]
    pairs: tuple[MultiplePair, ...]


def multiples(result: Result) -> list[MultipleGroup]:
    """Return a group for each set of choices that several subjects share.

    None for a run with a single load, which its other comparisons have, of searches, which have no loads in common, and
    with faults.
    """
    run = result.run
    if len(run.loads) < 2 or run.searched or run.faults:
        return []
    return [_group(result, some) for some in alike_but_subject(run) if len(some) > 1]


def alike_but_subject(run: Run) -> list[list[Combination]]:
    """Return the combinations in groups that differ in nothing but their subject."""
    groups: dict[frozenset[tuple[str, str]], list[Combination]] = {}
    for one in run.combinations:
        groups.setdefault(frozenset(one.modes.items()), []).append(one)
    return list(groups.values())


def _group(result: Result, alike: Sequence[Combination]) -> MultipleGroup:
    loads = sorted({load for one in alike for load in result.run.loads_of(one)})
    pairs = [_pair(result, *pair) for pair in itertools.combinations(alike, 2)]
    return MultipleGroup(tuple(loads), tuple(pairs))


def _pair(result: Result, a: Combination, b: Combination) -> MultiplePair:
    reason = reason_not_to_rank(result, a, b)
    if reason:
        return MultiplePair(a, b, (), reason)
    loads = sorted({*result.run.loads_of(a)} & {*result.run.loads_of(b)})
    found = [_multiple(result, a, b, load) for load in loads]
    rates = [one.throughput.ratio for one in found if one.throughput.ratio is not None]
    if sum(rate < 1 for rate in rates) * 2 > len(rates):
        a, b, found = b, a, [_multiple(result, b, a, load) for load in loads]
    return MultiplePair(a, b, tuple(found))


def _multiple(result: Result, a: Combination, b: Combination, load: Load) -> Multiple:
    def ratio(metric: Metric) -> Comparison:
        return compare_at(result, (a, load), (b, load), metric)

    throughput = ratio(THROUGHPUT)
    reason = "" if throughput.rounds else _why_none(result, (a, b), load)
    return Multiple(load, throughput, ratio(RESPONSE_TIME), reason)


def _why_none(result: Result, pair: Sequence[Combination], load: Load) -> str:
    """Return why no round counts on both sides: of each side without any that counts the first condition it failed."""
    reasons = [f"{one.subject} {why}" for one in pair if (why := why_none_counts(result.of(one, load)))]
    return ", ".join(reasons) or "no round in which both count"


def why_none_counts(points: Sequence[PointResult]) -> str:
    """Return by which conditions the points of a load do not count; empty where one does."""
    if any(point.valid for point in points):
        return ""
    judged = [point.verdict for point in points if point.verdict]
    if not judged:
        return "not measured"
    failed = dict.fromkeys(
        check.name for verdict in judged for check in verdict.checks if check.keeps_from(Forbids.EVERYTHING)
    )
    return f"INVALID by {' and '.join(failed)}"
