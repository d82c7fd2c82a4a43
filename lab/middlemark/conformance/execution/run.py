"""Plays units on benches that work side by side, one thread each."""

from __future__ import annotations

import itertools
import queue
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.conformance.cases.known import KnownFailure, tell_apart
from middlemark.conformance.execution.bench import BenchOrder, bench
from middlemark.conformance.execution.order import LoadedServer, VerifyOrder
from middlemark.conformance.execution.party import Party
from middlemark.conformance.execution.unit import Unit
from middlemark.conformance.failure import Stopped
from middlemark.conformance.reporting.progress import Listener
from middlemark.conformance.result import Played, PlayOutcome
from middlemark.databases.database import PREFIX
from middlemark.errors import Interrupted
from middlemark.processes.guard import Guard, guard
from middlemark.topology.serving_order import Program
from middlemark.topology.topology import Target


@dataclass
class Run:
    """The plays under way and done; several threads add to it."""

    order: VerifyOrder
    parties: Sequence[Party]
    listener: Listener
    known: Sequence[KnownFailure]
    names: Sequence[str]
    done: list[list[Played]] = field(init=False)
    stop: threading.Event = field(default_factory=threading.Event)
    stopped: str = ""
    _targets: list[Target] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        """Begin with nothing done."""
        self.done = [[] for _ in self.names]

    def play(self, units: Sequence[Unit], artifacts: Mapping[str, Path], place: LoadedServer) -> None:
        """Play all units on as many benches as there are jobs; the first error ends the others and is raised.

        The largest come first, so that the benches end together. `artifacts` are what was built, by the names of
        subjects.
        """
        waiting: queue.SimpleQueue[Unit] = queue.SimpleQueue()
        for unit in sorted(units, key=lambda unit: -len(unit.plays)):
            waiting.put(unit)
        with ThreadPoolExecutor(self.order.jobs) as pool:
            workers = [
                pool.submit(self._work, waiting, artifacts, place) for _ in range(min(self.order.jobs, len(units)))
            ]
            try:
                self._wait_for(workers)
            except BaseException as error:
                self._end_everything()
                if isinstance(error, KeyboardInterrupt):
                    raise Interrupted("interrupted") from error
                raise

    def _wait_for(self, workers: Sequence[Future[None]]) -> None:
        left = set(workers)
        while left:
            # With a time limit: Python hears of Ctrl-C only between two waits of its own.
            ended, left = wait(left, timeout=0.2, return_when=FIRST_COMPLETED)
            for worker in ended:
                worker.result()

    def _end_everything(self) -> None:
        """Have every worker return soon: an application that is gone answers nobody."""
        self.stop.set()
        with self._lock:
            for target in self._targets:
                for member in target.members:
                    if member.process.alive():
                        member.process.signal(signal.SIGKILL)

    def _work(self, waiting: queue.SimpleQueue[Unit], artifacts: Mapping[str, Path], place: LoadedServer) -> None:
        # A guard for each worker: it knows processes by their names, which are the same on every bench.
        with guard() as watch:
            while not self.stop.is_set():
                try:
                    unit = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    self._play_unit(unit, artifacts, place, watch)
                except Exception:
                    if not self.stop.is_set():
                        raise

    def _play_unit(self, unit: Unit, artifacts: Mapping[str, Path], place: LoadedServer, watch: Guard) -> None:
        party = self.parties[unit.party]
        with self._lock:
            number = next(self._numbers)
        order = BenchOrder(
            subject=party.subject,
            artifact=artifacts[party.subject.name],
            cell=unit.cell,
            settings=dict(unit.settings),
            server=place.server,
            template=place.template,
            name=f"{PREFIX}case_{watch.name_part}_{number}",
            spec_folder=self.order.spec_folder,
            logs=self.order.logs / f"{number}",
            web=Program(party.web, artifacts[party.web.name]) if party.web else None,
        )
        with bench(order, watch, self.stop, self._started) as one:
            for placed, binding in unit.plays:
                if self.stop.is_set():
                    return
                try:
                    played = one.play(placed, binding)
                except Stopped:
                    return
                self.add(unit.party, played)

    def _started(self, target: Target) -> None:
        with self._lock:
            self._targets.append(target)

    def add(self, number: int, played: Played) -> bool:
        """Keep a play of the party or address of that number; say whether it was the last one that is wanted."""
        name = self.names[number]
        play = tell_apart(name, played.play, self.known)
        with self._lock:
            self.done[number].append(Played(play, played.notes, played.end_state))
            self.listener.played(name, play)
            if self.order.fail_fast and play.outcome is PlayOutcome.FAILED and not self.stop.is_set():
                self.stopped = f"after the first failure ({play.label})"
                self.stop.set()
            return self.stop.is_set()
