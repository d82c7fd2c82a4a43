"""The workers: processes that stay, each with a database, a copy of the sources and applications of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Self

from checks.mutation.results_log import Outcome, judged
from checks.mutation.tasks import Broken, Judge, Ready, Reply, Task, WorkerSpec
from checks.mutation.worker import work
from middlemark.errors import HostError

_SPAWN = multiprocessing.get_context("spawn")
_START_SECONDS = 300.0
_END_SECONDS = 60.0


class Worker:
    """One process. `done` counts the mutants it has judged since it was last checked."""

    def __init__(self, number: int, spec: WorkerSpec) -> None:
        self.number = number
        self.done = 0
        self.task: Task | None = None
        self.deadline = 0.0
        self._spec = spec
        self.connection, self._process = self._started()

    def begin(self, task: Task, seconds: float) -> None:
        """Give a task that may take so many seconds."""
        self.task = task
        self.deadline = time.monotonic() + seconds
        self.connection.send(task)

    def reply(self) -> Reply:
        """Return what comes back. Raises HostError when it cannot continue."""
        try:
            reply: Reply = self.connection.recv()
        except EOFError as error:
            raise HostError(f"worker {self.number} ended with {self._process.exitcode}") from error
        if isinstance(reply, Broken):
            raise HostError(f"worker {self.number} cannot continue: {reply.text}")
        return reply

    def ready(self) -> Ready:
        """Wait until it can begin. Raises HostError when it cannot."""
        reply = self.reply() if self.connection.poll(_START_SECONDS) else None
        if not isinstance(reply, Ready):
            raise HostError(f"worker {self.number} is not ready after {_START_SECONDS:.0f} s")
        return reply

    def kill(self) -> None:
        """Kill the process, whose watchdog stops what it has started."""
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
        process = _SPAWN.Process(target=work, args=(theirs, self._spec), name=f"mutants-{self.number}")
        process.start()
        theirs.close()
        return ours, process


class WorkerPool:
    """All workers. `executions` are those they can run, the same for each."""

    def __init__(self, specs: list[WorkerSpec]) -> None:
        self._workers = [Worker(number, spec) for number, spec in enumerate(specs, start=1)]
        self.executions: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        """Wait until every worker is ready."""
        try:
            for worker in self._workers:
                self.executions = worker.ready().executions
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
    ) -> Iterator[tuple[Worker, Task, Reply]]:
        """Give each idle worker what `tasks` has for it until that is None for all, and yield the replies.

        A worker that judges a mutant for longer than `seconds` is killed; the reply is a time-out.
        """
        busy: list[Worker] = []
        while True:
            for worker in [one for one in self._workers if one not in busy]:
                task = tasks(worker)
                if task is not None:
                    worker.begin(task, seconds(task))
                    busy.append(worker)
            if not busy:
                return
            worker = _next(busy)
            busy.remove(worker)
            task = worker.task
            if task is not None:
                yield worker, task, self._reply(worker, task)

    @staticmethod
    def _reply(worker: Worker, task: Task) -> Reply:
        if worker.connection.poll():
            return worker.reply()
        worker.renew()
        if isinstance(task, Judge):
            return judged(task.mutant, Outcome.TIME_OUT, text="its worker did not reply in time")
        raise HostError(f"worker {worker.number} did not reply in time", where=type(task).__name__)


def _next(busy: list[Worker]) -> Worker:
    """Return the worker that has replied, or whose time is over."""
    while True:
        first = min(busy, key=lambda worker: worker.deadline)
        ready = wait([worker.connection for worker in busy], max(0.0, first.deadline - time.monotonic()))
        if not ready:
            return first
        return next(worker for worker in busy if worker.connection in ready)
