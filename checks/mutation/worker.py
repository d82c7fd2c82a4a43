"""A worker: builds mutants in its own copy of the sources and runs cases on its own database."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from checks.mutation.environments import Ended, Environments, running_environments
from checks.mutation.reach import Block, Counters, Reach
from checks.mutation.results_log import Judgement, Outcome, judged
from checks.mutation.tasks import Baseline, Broken, Count, Judge, Ready, Reply, Task, Unchanged, WorkerSpec
from checks.mutation.workshop import NotCompilingError, Workshop
from middlemark.errors import LabError
from middlemark.subject.subject import find_subject

PACKAGE = "brokerage"
COMMAND = "brokerage/cmd/brokerage"
_SLOW_SECONDS = 8.0
_SLOW_FACTOR = 5.0
_TRIES = 3
_TEXT = 400


def work(connection: Connection, spec: WorkerSpec) -> None:
    """Do each task until the runner is gone or sends None: what a worker's process runs."""
    try:
        os.chdir(spec.home)
        artifacts = spec.home / "artifacts"
        artifacts.mkdir(exist_ok=True)
        subject = find_subject(spec.home, spec.subject, spec.specification)
        with running_environments(spec, subject) as environments:
            worker = _Worker(Workshop(subject, artifacts), environments)
            connection.send(Ready(environments.executions))
            while (task := connection.recv()) is not None:
                connection.send(worker.do(task))
    except (EOFError, KeyboardInterrupt):
        return
    except LabError as error:
        _report(connection, str(error))
    except Exception:  # noqa: BLE001 (the runner reports it: nobody else sees this process)
        _report(connection, traceback.format_exc())


def _report(connection: Connection, text: str) -> None:
    with suppress(OSError):  # a runner that is gone has removed what the worker works on
        connection.send(Broken(text))


class _Worker:
    def __init__(self, shop: Workshop, environments: Environments) -> None:
        self._shop = shop
        self._environments = environments
        self._usual: dict[str, float] = {}

    def do(self, task: Task) -> Reply:
        """Return the reply to a task."""
        match task:
            case Judge():
                return self._judge(task)
            case Unchanged():
                return self._unchanged(task)
            case Count():
                return self._count(task)

    def _judge(self, task: Judge) -> Judgement:
        begin = time.monotonic()
        mutant = task.mutant
        numbers: dict[str, str | float] = {"reaching": len(task.executions)}
        try:
            program = self._shop.build(mutant)
        except NotCompilingError as error:
            return judged(mutant, Outcome.NOT_COMPILING, text=str(error)[:_TEXT], seconds=_since(begin), **numbers)
        for number, ended in enumerate(self._tried(program, task), start=1):
            numbers |= {"executions": number, "seconds": _since(begin)}
            if ended.failure and self._fails_again(program, ended):
                outcome = Outcome.TIME_OUT if self._hung(ended) else Outcome.KILLED
                kill = {
                    "execution": ended.name,
                    "case": ended.case,
                    "configuration": ended.configuration,
                    "text": ended.failure[:_TEXT],
                }
                return judged(mutant, outcome, **kill, **numbers)
            if ended.failure:
                numbers["doubted"] = ended.name
        return judged(mutant, Outcome.SURVIVED, **(numbers | {"seconds": _since(begin)}))

    def _fails_again(self, program: Path, ended: Ended) -> bool:
        """Run once more what has failed, several times if need be: what fails once in many times kills nothing.

        A mutant may fail by chance too, as one without a lock does, so it need not fail each time. One that hangs does
        so each time, and is slow: once more is enough.
        """
        tries = 1 if self._hung(ended) else _TRIES
        return any(again.failure for again in self._environments.run(program, [ended.name] * tries))

    def _tried(self, program: Path, task: Judge) -> Iterator[Ended]:
        yield from self._environments.run(program, task.first)
        yield from self._environments.run(program, task.others)

    def _hung(self, ended: Ended) -> bool:
        return ended.seconds > max(_SLOW_SECONDS, _SLOW_FACTOR * self._usual.get(ended.name, 0.0))

    def _unchanged(self, task: Unchanged) -> Baseline:
        program = self._shop.build()
        every = list(self._environments.run(program, task.executions))
        self._usual = {one.name: one.seconds for one in every}
        return Baseline(self._usual, {one.name: one.failure for one in every if one.failure})

    def _count(self, task: Count) -> Reach:
        counters = Counters(self._shop, COMMAND)
        found = Reach()
        since: set[Block] = set()

        def count(pids: tuple[int, ...], at_start: bool) -> None:  # noqa: FBT001 (a callback's second argument)
            known, reached = counters.read(pids)
            found.blocks.update(known)
            (found.at_start if at_start else since).update(reached)

        for ended in self._environments.run(counters.build(), task.executions, count):
            found.by_execution[ended.name] = set(since)
            since.clear()
        return found


def _since(begin: float) -> float:
    return round(time.monotonic() - begin, 2)
