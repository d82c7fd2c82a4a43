"""One start: its subjects start one after the other, search their loads, and are measured in rounds."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack

from middlemark.experiment.kept_subject import KeptSubject, Neighbours
from middlemark.experiment.run_context import RunContext
from middlemark.experiment.schedule import StartPlan, round_sequence
from middlemark.records.run import Combination, Load
from middlemark.records.window import Window
from middlemark.search.seen import Seen


class StartRun:
    """A start of a run that is under way."""

    def __init__(self, context: RunContext, plan: StartPlan) -> None:
        self._context = context
        self._plan = plan
        self._kept: dict[str, KeptSubject] = {}

    def run(self) -> None:
        """Run the start to its last round. Every subject has stopped when this returns or raises."""
        with ExitStack() as stack:
            for combination in self._plan.sequence:
                kept = KeptSubject(self._context, combination, self._plan.number)
                self._kept[combination.path] = kept
                stack.enter_context(kept)
                if self._context.chooser.is_searching(combination):
                    self._search(combination)
            for number in range(self._plan.rounds):
                self._round(self._plan.repeat(number))
                self._context.progress.judged(self._context.journal.judge())

    def run_faults(self) -> None:
        """Measure the points of a combination with faults, each once; those finished before stay."""
        (combination,) = self._plan.group
        load = self._context.preparation.experiment.loads.levels[-1]
        with ExitStack() as stack:
            for number, faults in enumerate(self._plan.faults):
                if self._context.earlier.has(combination, load, number):
                    continue
                if not self._kept:
                    kept = KeptSubject(self._context, combination, self._plan.number)
                    self._kept[combination.path] = stack.enter_context(kept)
                self._kept[combination.path].measure((load, number), self._neighbours_of(combination), faults=faults)

    def _search(self, combination: Combination) -> None:
        """Search the load of a combination in the process that is measured in the rounds."""
        chooser, journal = self._context.chooser, self._context.journal
        seen = list(self._context.earlier.seen.get(combination.path, ()))
        while (place := chooser.next_searched(seen)) is not None:
            seen.append(self._seen(self._measured(combination, place, searching=True)))
            chooser.learn_search(combination, seen, ended=False)
            journal.choose(chooser)
        chooser.learn_search(combination, seen, ended=True)
        journal.choose(chooser)

    def _round(self, repeat: int) -> None:
        chooser = self._context.chooser
        climbing = [one for one in self._plan.group if chooser.is_climbing(one)]
        if climbing:
            self._climb(tuple(climbing), repeat)
        rest = tuple(one for one in self._plan.group if one not in climbing)
        loads = {one.path: chooser.loads_of(one) for one in rest}
        sequence = list(round_sequence(rest, loads, self._seed, repeat))
        for place, (combination, load) in enumerate(sequence, 1):
            self._context.progress.following([one for one, _ in sequence[place:]])
            self._measured(combination, (load, repeat))

    def _climb(self, climbing: tuple[Combination, ...], repeat: int) -> None:
        """Go up through the loads; a combination is out of it after its first load outside the limits."""
        chooser = self._context.chooser
        seen: dict[str, list[Seen]] = {one.path: [] for one in climbing}
        levels: Mapping[str, tuple[Load, ...]] = dict.fromkeys(seen, self._context.preparation.experiment.loads.levels)
        for combination, load in round_sequence(climbing, levels, self._seed, 2 * repeat):
            if chooser.next_climbed(seen[combination.path]) is not None:
                seen[combination.path].append(self._seen(self._measured(combination, (load, repeat))))
        for combination in climbing:
            chooser.learn_climb(combination, seen[combination.path])
        self._context.journal.choose(chooser)

    def _measured(self, combination: Combination, place: tuple[Load, int], *, searching: bool = False) -> Window:
        kept = self._kept[combination.path]
        return kept.measure(place, self._neighbours_of(combination), searching=searching)

    def _neighbours_of(self, combination: Combination) -> Neighbours:
        def neighbours() -> dict[str, tuple[int, ...]]:
            return {path: one.roots for path, one in self._kept.items() if path != combination.path}

        return neighbours

    def _seen(self, window: Window) -> Seen:
        return self._context.preparation.experiment.loads.limits.seen(window)

    @property
    def _seed(self) -> int:
        return self._context.preparation.experiment.seed
