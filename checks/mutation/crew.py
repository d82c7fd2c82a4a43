"""The workers: processes that stay, each with a database, a copy of the sources and applications of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Self

from checks.mutation.ledger import Outcome, judged
from checks.mutation.tasks import Answer, Broken, Judge, Ready, Task, WorkerOrder
from checks.mutation.worker import work
from middlemark.errors import HostError

_SPAWN = multiprocessing.get_context("spawn")
_START_SECONDS = 300.0
_END_SECONDS = 60.0


class Worker:
    """One process. `name` is its number; `done` counts the mutants it has judged since it was last checked."""

    def __init__(self, number: int, order: WorkerOrder) -> None:
        self.number = number
        self.done = 0
        self.task: Task | None = None
        self.deadline = 0.0
        self._order = order
        self.connection, self._process = self._started()

    def ask(self, task: Task, seconds: float) -> None:
        """Give a task that may take so many seconds."""
        self.task = task
        self.deadline = time.monotonic() + seconds
        self.connection.send(task)

    def answer(self) -> Answer:
        """Return what it says. Raises HostError when it cannot go on."""
        try:
            said: Answer = self.connection.recv()
        except EOFError as error:
            raise HostError(f"worker {self.number} ended with {self._process.exitcode}") from error
        if isinstance(said, Broken):
            raise HostError(f"worker {self.number} cannot go on: {said.text}")
        return said

    def ready(self) -> Ready:
        """Wait until it can begin. Raises HostError when it cannot."""
        said = self.answer() if self.connection.poll(_START_SECONDS) else None
        if not isinstance(said, Ready):
            raise HostError(f"worker {self.number} is not ready after {_START_SECONDS:.0f} s")
        return said

    def kill(self) -> None:
        """Kill the process, whose guard stops what it has started."""
        self._process.kill()
        self._process.join()

    def renew(self) -> None:
        """Kill the process and start another."""
        self.kill()
        self.connection.close()
        self.connection, self._process = self._started()
        self.ready()

    def end(self) -> None:
        """Let the process clear up and end."""
        with suppress(BrokenPipeError, OSError):
            self.connection.send(None)
            self.connection.close()
        self._process.join(_END_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _started(self) -> tuple[Connection, SpawnProcess]:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(theirs, self._order), name=f"mutants-{self.number}")
        process.start()
        theirs.close()
        return ours, process


class Crew:
    """All workers. `plays` are those they can play, the same for each."""

    def __init__(self, orders: list[WorkerOrder]) -> None:
        self._workers = [Worker(number, order) for number, order in enumerate(orders, start=1)]
        self.plays: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        """Wait until every worker is ready."""
        try:
            for worker in self._workers:
                self.plays = worker.ready().plays
        except BaseException:
            self._kill()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Let every worker end; after an error at once, because what they work on is removed next."""
        if kind is not None:
            self._kill()
        for worker in self._workers:
            worker.end()

    def _kill(self) -> None:
        for worker in self._workers:
            worker.kill()

    def share(
        self, tasks: Callable[[Worker], Task | None], seconds: Callable[[Task], float]
    ) -> Iterator[tuple[Worker, Task, Answer]]:
        """Give each idle worker what `tasks` has for it until that is None for all, and yield the answers.

        A worker that judges a mutant for longer than `seconds` is killed, and answers a time-out.
        """
        busy: list[Worker] = []
        while True:
            for worker in [one for one in self._workers if one not in busy]:
                task = tasks(worker)
                if task is not None:
                    worker.ask(task, seconds(task))
                    busy.append(worker)
            if not busy:
                return
            worker = _next(busy)
            busy.remove(worker)
            task = worker.task
            if task is not None:
                yield worker, task, self._answer(worker, task)

    @staticmethod
    def _answer(worker: Worker, task: Task) -> Answer:
        if worker.connection.poll():
            return worker.answer()
        worker.renew()
        if isinstance(task, Judge):
            return judged(task.mutant, Outcome.TIME_OUT, text="its worker did not answer in time")
        raise HostError(f"worker {worker.number} did not answer in time", where=type(task).__name__)


def _next(busy: list[Worker]) -> Worker:
    """Return the worker that has answered, or whose time is over."""
    while True:
        first = min(busy, key=lambda worker: worker.deadline)
        ready = wait([worker.connection for worker in busy], max(0.0, first.deadline - time.monotonic()))
        if not ready:
            return first
        return next(worker for worker in busy if worker.connection in ready)
