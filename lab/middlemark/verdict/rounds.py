"""Which rounds two combinations have in common."""

from __future__ import annotations

from collections.abc import Callable

from middlemark.records.folder import Result
from middlemark.records.point import Verdict
from middlemark.records.run import Combination, Load
from middlemark.verdict.estimate import Round

Place = tuple[Combination, Load]
"""A combination at one of its loads."""


def rounds_at(result: Result, a: Place, b: Place, figure: Callable[[Verdict], float]) -> list[Round]:
    """The rounds in which the points of both sides, each at its load, count and have a figure above zero."""
    sides = [{p.repeat: figure(p.verdict) for p in result.of(*side) if p.verdict and p.valid} for side in (a, b)]
    common = sorted(sides[0].keys() & sides[1].keys())
    rounds = [Round(repeat, sides[0][repeat], sides[1][repeat], result.run.start_of(repeat)) for repeat in common]
    return [each for each in rounds if each.a > 0 and each.b > 0]
