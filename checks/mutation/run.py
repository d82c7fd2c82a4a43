"""A run of mutants: who judges which, in which order, with checks of the unchanged application in between."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from checks.mutation.mutant import Mutant
from checks.mutation.ranking import Experience
from checks.mutation.reach import Reach
from checks.mutation.results_log import KILLS, Judgement, Outcome, ResultsLog
from checks.mutation.tasks import Baseline, Count, Judge, Reply, Task, Unchanged
from checks.mutation.worker_pool import Worker, WorkerPool

CHECK_EVERY = 60
_PATIENCE = 4.0
_UNCHANGED_SECONDS = 3600.0

Show = Callable[[str], None]


@dataclass
class Run:
    """The state of a run. `unreliable` holds the executions that failed on the unchanged application, and why.

    `start_seconds` is what building a mutant and starting it may take besides its executions. With `once` a mutant is
    tried with each case once only: quicker, and perhaps a survivor more, never a kill more.
    """

    pool: WorkerPool
    log: ResultsLog
    rng: random.Random
    show: Show
    start_seconds: float
    once: bool = False
    reach: Reach = field(default_factory=Reach)
    unreliable: dict[str, str] = field(default_factory=dict)
    _executions: tuple[str, ...] = ()
    _seconds: dict[str, float] = field(default_factory=dict)
    _since_check: dict[int, list[Judgement]] = field(default_factory=dict)

    def judge(self, mutants: list[Mutant]) -> None:
        """Judge the mutants, seeded and shuffled, with the unchanged application before, in between and at the end.

        An execution that fails on the unchanged application is left out from then on, and what it has killed since the
        last check is judged again.
        """
        begin = time.monotonic()
        self._executions = tuple(one for one in self.pool.executions if any(it.is_tried_with(one) for it in mutants))
        self._begin(mutants)
        self.rng.shuffle(mutants)
        again = mutants
        while again:
            self._judge_each(again)
            self._check_unchanged()
            again = [mutant for mutant in mutants if mutant.name not in self.log.checked]
        self.show(f"{len(mutants)} mutants in {(time.monotonic() - begin) / 60:.1f} minutes")

    def _begin(self, mutants: list[Mutant]) -> None:
        """Run everything on the unchanged application, and find out what each execution reaches, if need be."""
        counted = () if all(mutant.cases for mutant in mutants) else (Count(self._executions),)
        tasks: Iterator[Task] = iter([self._unchanged(), *counted])
        for worker, _, reply in self.pool.share(lambda _: next(tasks, None), self._limit):
            self._take(worker, reply)

    def _check_unchanged(self) -> None:
        """Let every worker run everything on the unchanged application, each in an order of its own."""
        begun: set[int] = set()

        def task(worker: Worker) -> Task | None:
            if worker.number in begun:
                return None
            begun.add(worker.number)
            return self._unchanged()

        for worker, _, reply in self.pool.share(task, self._limit):
            self._take(worker, reply)

    def _unchanged(self) -> Unchanged:
        reliable = [execution for execution in self._executions if execution not in self.unreliable]
        return Unchanged(tuple(self.rng.sample(reliable, len(reliable))))

    def _judge_each(self, mutants: list[Mutant]) -> None:
        experience = Experience(self._seconds, self.rng)
        waiting = iter(mutants)

        def task(worker: Worker) -> Task | None:
            if worker.done >= CHECK_EVERY:
                return self._unchanged()
            mutant = next(waiting, None)
            return None if mutant is None else self._judge(mutant, experience)

        for worker, done, reply in self.pool.share(task, self._limit):
            self._take(worker, reply)
            if isinstance(reply, Judgement) and isinstance(done, Judge) and reply.outcome in KILLS:
                experience.learn(done.mutant, reply.execution)

    def _judge(self, mutant: Mutant, experience: Experience) -> Judge:
        known = self.reach.executions_for(mutant)
        tried = [
            one
            for one in self._executions
            if one not in self.unreliable and mutant.is_tried_with(one) and (known is None or one in known)
        ]
        first, others = experience.ranked(mutant, tried)
        return Judge(mutant, first, () if self.once else others)

    def _take(self, worker: Worker, reply: Reply) -> None:
        match reply:
            case Judgement():
                worker.done += 1
                self._since_check.setdefault(worker.number, []).append(reply)
                self.log.add(reply)
                self.show(_line(reply, len(self.log.judgements)))
            case Baseline():
                self._learn(worker, reply)
            case Reach():
                self.reach = reply
            case _:
                pass

    def _learn(self, worker: Worker, baseline: Baseline) -> None:
        """Take the times, and what has failed: who was killed by that since the last check is judged again."""
        worker.done = 0
        for execution, seconds in baseline.seconds.items():
            self._seconds[execution] = min(seconds, self._seconds.get(execution, seconds))
        for execution, text in baseline.failed.items():
            self.unreliable[execution] = text
            self.show(f"fails on the unchanged application, and is left out from now on: {execution}: {text}")
        since = self._since_check.pop(worker.number, [])
        doubtful = [judgement for judgement in since if judgement.execution in self.unreliable]
        for judgement in doubtful:
            self.log.take_back(judgement)
        if since:
            self.log.check(judgement.name for judgement in since if judgement not in doubtful)

    def _limit(self, task: Task) -> float:
        """Return how long a task may take: a hanging mutant is bounded by what all its executions usually need."""
        if not isinstance(task, Judge):
            return _UNCHANGED_SECONDS
        return self.start_seconds + _PATIENCE * sum(self._seconds.get(execution, 1.0) for execution in task.executions)


def _line(one: Judgement, number: int) -> str:
    how = f" by {one.case} [{one.configuration}]: {one.text.splitlines()[0][:120]}" if one.case and one.text else ""
    mark = "" if one.outcome is not Outcome.SURVIVED else f" ({one.executions} of {one.reaching} executions)"
    return f"{number:>4}  {one.seconds:5.1f} s  {one.outcome.value}{mark}  {one.name}{how}"
