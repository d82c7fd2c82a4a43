"""A worker: builds mutants in its own copy of the sources and plays on its own database."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from checks.mutation.benches import Benches, Played, standing_benches
from checks.mutation.ledger import Judgement, Outcome, judged
from checks.mutation.reach import Block, Counters, Reach
from checks.mutation.tasks import Answer, Broken, Count, Judge, Ready, Steady, Task, Unchanged, WorkerOrder
from checks.mutation.workshop import NotCompilingError, Workshop
from middlemark.errors import LabError
from middlemark.subject.subject import find_subject

PACKAGE = "brokerage"
COMMAND = "brokerage/cmd/brokerage"
_SLOW_SECONDS = 8.0
_SLOW_FACTOR = 5.0
_TRIES = 3
_TEXT = 400


def work(connection: Connection, order: WorkerOrder) -> None:
    """Do what is asked until the asker is gone or says None: what a worker's process runs."""
    try:
        os.chdir(order.home)
        artifacts = order.home / "artifacts"
        artifacts.mkdir(exist_ok=True)
        subject = find_subject(order.home, order.subject, order.spec)
        with standing_benches(order, subject) as benches:
            worker = _Worker(Workshop(subject, artifacts), benches)
            connection.send(Ready(benches.plays))
            while (task := connection.recv()) is not None:
                connection.send(worker.do(task))
    except (EOFError, KeyboardInterrupt):
        return
    except LabError as error:
        _complain(connection, str(error))
    except Exception:  # noqa: BLE001 (the asker reports it: nobody else sees this process)
        _complain(connection, traceback.format_exc())


def _complain(connection: Connection, text: str) -> None:
    with suppress(OSError):  # an asker that is gone has removed what the worker works on
        connection.send(Broken(text))


class _Worker:
    def __init__(self, shop: Workshop, benches: Benches) -> None:
        self._shop = shop
        self._benches = benches
        self._usual: dict[str, float] = {}

    def do(self, task: Task) -> Answer:
        """Return the answer to a task."""
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
        numbers: dict[str, str | float] = {"reaching": len(task.plays)}
        try:
            program = self._shop.build(mutant)
        except NotCompilingError as error:
            return judged(mutant, Outcome.NOT_COMPILING, text=str(error)[:_TEXT], seconds=_since(begin), **numbers)
        for number, played in enumerate(self._tried(program, task), start=1):
            numbers |= {"plays": number, "seconds": _since(begin)}
            if played.failure and self._fails_again(program, played):
                outcome = Outcome.TIME_OUT if self._hung(played) else Outcome.KILLED
                told = {"play": played.name, "case": played.case, "cell": played.cell, "text": played.failure[:_TEXT]}
                return judged(mutant, outcome, **told, **numbers)
            if played.failure:
                numbers["doubted"] = played.name
        return judged(mutant, Outcome.SURVIVED, **(numbers | {"seconds": _since(begin)}))

    def _fails_again(self, program: Path, played: Played) -> bool:
        """Play once more what has failed, several times if need be: what fails once in many plays kills nothing.

        A mutant may fail by chance too, as one without a lock does, so it need not fail each time. One that hangs does
        so each time, and is slow: once more is enough.
        """
        tries = 1 if self._hung(played) else _TRIES
        return any(again.failure for again in self._benches.play(program, [played.name] * tries))

    def _tried(self, program: Path, task: Judge) -> Iterator[Played]:
        yield from self._benches.play(program, task.first)
        yield from self._benches.play(program, task.others)

    def _hung(self, played: Played) -> bool:
        return played.seconds > max(_SLOW_SECONDS, _SLOW_FACTOR * self._usual.get(played.name, 0.0))

    def _unchanged(self, task: Unchanged) -> Steady:
        program = self._shop.build()
        played = list(self._benches.play(program, task.plays))
        self._usual = {one.name: one.seconds for one in played}
        return Steady(self._usual, {one.name: one.failure for one in played if one.failure})

    def _count(self, task: Count) -> Reach:
        counters = Counters(self._shop, PACKAGE, COMMAND)
        found = Reach()
        since: set[Block] = set()

        def count(pids: tuple[int, ...], at_start: bool) -> None:  # noqa: FBT001 (a callback's second argument)
            known, reached = counters.read(pids)
            found.blocks.update(known)
            (found.at_start if at_start else since).update(reached)

        for played in self._benches.play(counters.build(), task.plays, count):
            found.by_play[played.name] = set(since)
            since.clear()
        return found


def _since(begin: float) -> float:
    return round(time.monotonic() - begin, 2)
