"""The order of a run: blocks of one point of each combination and load, the order of combinations alternating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.results.run import Combination


@dataclass(frozen=True)
class Serving:
    """One start of one subject: its loads in order, inside one block (`repeat`, from 0)."""

    combination: Combination
    repeat: int
    loads: tuple[int, ...]


def schedule(combinations: Sequence[Combination], loads: Sequence[int], repeats: int) -> list[Serving]:
    """Return the servings of a run: AB, BA, AB … so that a drift of the machine falls on both sides alike."""
    servings: list[Serving] = []
    for repeat in range(repeats):
        order = list(combinations) if repeat % 2 == 0 else list(reversed(combinations))
        servings.extend(Serving(combination, repeat, tuple(loads)) for combination in order)
    return servings
