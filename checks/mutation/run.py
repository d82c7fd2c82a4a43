"""A run of mutants: who judges which, in which order, and how often the unchanged application is played in between."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from checks.mutation.crew import Crew, Worker
from checks.mutation.ledger import KILLS, Judgement, Ledger, Outcome
from checks.mutation.mutant import Mutant
from checks.mutation.order import Experience
from checks.mutation.reach import Reach
from checks.mutation.tasks import Answer, Count, Judge, Steady, Task, Unchanged

CHECK_EVERY = 60
_PATIENCE = 4.0
_UNCHANGED_SECONDS = 3600.0

Tell = Callable[[str], None]


@dataclass
class Run:
    """The state of a run. `unsteady` holds the plays that failed on the unchanged application, with what they said.

    `start_seconds` is what building a mutant and starting it may take besides its plays. With `once` a mutant is tried
    with each case once only: quicker, and perhaps a survivor more, never a kill more.
    """

    crew: Crew
    ledger: Ledger
    rng: random.Random
    tell: Tell
    start_seconds: float
    once: bool = False
    reach: Reach = field(default_factory=Reach)
    unsteady: dict[str, str] = field(default_factory=dict)
    _plays: tuple[str, ...] = ()
    _seconds: dict[str, float] = field(default_factory=dict)
    _since_check: dict[int, list[Judgement]] = field(default_factory=dict)

    def judge(self, mutants: list[Mutant]) -> None:
        """Judge the mutants, seeded and shuffled, with the unchanged application before, in between and at the end.

        A play that fails on the unchanged application is not played any more, and what it has killed since the last
        check is judged again.
        """
        begin = time.monotonic()
        self._plays = tuple(play for play in self.crew.plays if any(one.is_tried_with(play) for one in mutants))
        self._begin(mutants)
        self.rng.shuffle(mutants)
        again = mutants
        while again:
            self._judge_each(again)
            self._check_unchanged()
            again = [mutant for mutant in mutants if mutant.name not in self.ledger.checked]
        self.tell(f"{len(mutants)} mutants in {(time.monotonic() - begin) / 60:.1f} minutes")

    def _begin(self, mutants: list[Mutant]) -> None:
        """Play everything on the unchanged application, and find out which plays reach which place, if need be."""
        counted = () if all(mutant.cases for mutant in mutants) else (Count(self._plays),)
        tasks: Iterator[Task] = iter([self._unchanged(), *counted])
        for worker, _, answer in self.crew.share(lambda _: next(tasks, None), self._limit):
            self._heard(worker, answer)

    def _check_unchanged(self) -> None:
        """Let every worker play everything on the unchanged application, each in an order of its own."""
        asked: set[int] = set()

        def task(worker: Worker) -> Task | None:
            if worker.number in asked:
                return None
            asked.add(worker.number)
            return self._unchanged()

        for worker, _, answer in self.crew.share(task, self._limit):
            self._heard(worker, answer)

    def _unchanged(self) -> Unchanged:
        plays = [play for play in self._plays if play not in self.unsteady]
        return Unchanged(tuple(self.rng.sample(plays, len(plays))))

    def _judge_each(self, mutants: list[Mutant]) -> None:
        experience = Experience(self._seconds, self.rng)
        waiting = iter(mutants)

        def task(worker: Worker) -> Task | None:
            if worker.done >= CHECK_EVERY:
                return self._unchanged()
            mutant = next(waiting, None)
            return None if mutant is None else self._judge(mutant, experience)

        for worker, asked, answer in self.crew.share(task, self._limit):
            self._heard(worker, answer)
            if isinstance(answer, Judgement) and isinstance(asked, Judge) and answer.outcome in KILLS:
                experience.learn(asked.mutant, answer.play)

    def _judge(self, mutant: Mutant, experience: Experience) -> Judge:
        known = self.reach.plays_for(mutant)
        plays = [
            play
            for play in self._plays
            if play not in self.unsteady and mutant.is_tried_with(play) and (known is None or play in known)
        ]
        first, others = experience.ranked(mutant, plays)
        return Judge(mutant, first, () if self.once else others)

    def _heard(self, worker: Worker, answer: Answer) -> None:
        match answer:
            case Judgement():
                worker.done += 1
                self._since_check.setdefault(worker.number, []).append(answer)
                self.ledger.add(answer)
                self.tell(_line(answer, len(self.ledger.judgements)))
            case Steady():
                self._learn(worker, answer)
            case Reach():
                self.reach = answer
            case _:
                pass

    def _learn(self, worker: Worker, steady: Steady) -> None:
        """Take the times, and what has failed: who was killed by that since the last check is judged again."""
        worker.done = 0
        for play, seconds in steady.seconds.items():
            self._seconds[play] = min(seconds, self._seconds.get(play, seconds))
        for play, text in steady.failed.items():
            self.unsteady[play] = text
            self.tell(f"fails on the unchanged application, and is not played any more: {play}: {text}")
        since = self._since_check.pop(worker.number, [])
        doubtful = [judgement for judgement in since if judgement.play in self.unsteady]
        for judgement in doubtful:
            self.ledger.take_back(judgement)
        if since:
            self.ledger.check(judgement.name for judgement in since if judgement not in doubtful)

    def _limit(self, task: Task) -> float:
        """Return how long a task may take: a hanging mutant is bounded by what all its plays usually need."""
        if not isinstance(task, Judge):
            return _UNCHANGED_SECONDS
        return self.start_seconds + _PATIENCE * sum(self._seconds.get(play, 1.0) for play in task.plays)


def _line(one: Judgement, number: int) -> str:
    how = f" by {one.case} [{one.cell}]: {one.text.splitlines()[0][:120]}" if one.case and one.text else ""
    mark = "" if one.outcome is not Outcome.SURVIVED else f" ({one.plays} of {one.reaching} plays)"
    return f"{number:>4}  {one.seconds:5.1f} s  {one.outcome.value}{mark}  {one.name}{how}"
