"""In which order plays are tried on a mutant: those that probably kill it soon come first.

The order changes no result: every play begins with the data as loaded and with no browser logged in.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from checks.mutation.mutant import Mutant

_SAME_FILE = 4
_SHORTEST = 0.02
_A_PAGE = 20  # only pages show a template
_TEMPLATES = (".html", ".jsp", ".tag")
_OVER_A_BINDING = ", over "


@dataclass
class Experience:
    """What earlier mutants taught. `seconds` is how long each play takes on the unchanged application."""

    seconds: Mapping[str, float]
    rng: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    kills_in_file: Counter[tuple[str, str]] = field(default_factory=Counter)

    def learn(self, mutant: Mutant, play: str) -> None:
        """Remember that a play has killed a mutant."""
        self.kills[play] += 1
        self.kills_in_file[mutant.file, play] += 1

    def ranked(self, mutant: Mutant, plays: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the plays to try first and the others, each with the most kills for their time first.

        The first ones have each case once; in another cell or over another binding it seldom says more. Equal ones are
        in a random order.
        """
        shuffled = sorted(plays)
        self.rng.shuffle(shuffled)
        first: list[str] = []
        others: list[str] = []
        seen: set[str] = set()
        for play in sorted(shuffled, key=lambda play: -self._promise(mutant, play)):
            case = play.rpartition(" [")[0]
            (others if case in seen else first).append(play)
            seen.add(case)
        return tuple(first), tuple(others)

    def _promise(self, mutant: Mutant, play: str) -> float:
        kills = 1 + self.kills[play] + _SAME_FILE * self.kills_in_file[mutant.file, play]
        if mutant.file.endswith(_TEMPLATES) and _OVER_A_BINDING not in play:
            kills *= _A_PAGE
        return kills / max(self.seconds.get(play, 1.0), _SHORTEST)
