"""Which executions are tried first on a mutant: those that probably kill it soon.

The order changes no result: every execution begins with the data as loaded and with no browser logged in.
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
_OVER_AN_INTERFACE = ", over "


@dataclass
class Experience:
    """What earlier mutants taught. `seconds` is how long each execution takes on the unchanged application."""

    seconds: Mapping[str, float]
    rng: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    kills_in_file: Counter[tuple[str, str]] = field(default_factory=Counter)

    def learn(self, mutant: Mutant, execution: str) -> None:
        """Remember that an execution has killed a mutant."""
        self.kills[execution] += 1
        self.kills_in_file[mutant.file, execution] += 1

    def ranked(self, mutant: Mutant, executions: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the executions to try first and the others, each with the most kills for their time first.

        The first ones have each case once; in another configuration or over another interface it seldom finds more.
        Equal ones are in a random order.
        """
        shuffled = sorted(executions)
        self.rng.shuffle(shuffled)
        first: list[str] = []
        others: list[str] = []
        seen: set[str] = set()
        for execution in sorted(shuffled, key=lambda one: -self._promise(mutant, one)):
            case = execution.rpartition(" [")[0]
            (others if case in seen else first).append(execution)
            seen.add(case)
        return tuple(first), tuple(others)

    def _promise(self, mutant: Mutant, execution: str) -> float:
        kills = 1 + self.kills[execution] + _SAME_FILE * self.kills_in_file[mutant.file, execution]
        if mutant.file.endswith(_TEMPLATES) and _OVER_AN_INTERFACE not in execution:
            kills *= _A_PAGE
        return kills / max(self.seconds.get(execution, 1.0), _SHORTEST)
