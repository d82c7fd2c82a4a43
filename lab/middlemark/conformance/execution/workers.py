"""Runs units in environments that work side by side, one thread each."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from middlemark.conformance.cases.known import KnownFailure
from middlemark.conformance.comparison.known import mark_known
from middlemark.conformance.execution.environment import Environment, EnvironmentSpec, environment
from middlemark.conformance.execution.loaded_stores import stores_of_environment
from middlemark.conformance.execution.pairing import Pairing
from middlemark.conformance.execution.request import VerifyRequest
from middlemark.conformance.execution.unit import Unit, chains_of
from middlemark.conformance.failure import Stopped
from middlemark.conformance.reporting.progress import Listener
from middlemark.conformance.result import ExecutionOutcome, Observed
from middlemark.errors import Interrupted, TargetError
from middlemark.load.stores import Stores
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.topology.about import About
from middlemark.topology.request import Program
from middlemark.topology.target import Target


@dataclass(frozen=True)
class RanOn:
    """What an application says of where it runs, in all of its configurations; `artifact` is the hash of its build."""

    platform: str = ""
    server: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    artifact: str = ""


@dataclass
class Workers:
    """The executions under way and done; several threads add to them.

    `names` are those of the pairings and then of the addresses, `known` the known failures of each.
    """

    request: VerifyRequest
    pairings: Sequence[Pairing]
    listener: Listener
    known: Sequence[Sequence[KnownFailure]]
    names: Sequence[str]
    done: list[list[Observed]] = field(init=False)
    stop: threading.Event = field(default_factory=threading.Event)
    stopped: str = ""
    ran_on: dict[int, RanOn] = field(default_factory=dict)
    _watchdogs: list[Watchdog] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        """Begin with nothing done."""
        self.done = [[] for _ in self.names]

    def run(self, units: Sequence[Unit], artifacts: Mapping[str, Path], loaded: Stores) -> None:
        """Run all units in as many environments as there are jobs; the first error ends the others and is raised.

        The largest come first, so that the environments end together. `artifacts` are what was built, by the names of
        subjects.
        """
        waiting: queue.SimpleQueue[Sequence[Unit]] = queue.SimpleQueue()
        chains = chains_of(units, self.pairings)
        for chain in sorted(chains, key=lambda chain: -sum(len(unit.executions) for unit in chain)):
            waiting.put(chain)
        with ThreadPoolExecutor(self.request.jobs) as pool:
            workers = [
                pool.submit(self._work, waiting, artifacts, loaded) for _ in range(min(self.request.jobs, len(chains)))
            ]
            try:
                self._wait_for(workers)
            except BaseException as error:
                self._end_everything(workers)
                if isinstance(error, KeyboardInterrupt):
                    raise Interrupted("interrupted") from error
                raise

    def is_mixed(self, number: int) -> bool:
        """Say whether the front end is another subject's: whose tiers show a known failure of either is not known."""
        return number < len(self.pairings) and self.pairings[number].front_end is not None

    def _wait_for(self, workers: Sequence[Future[None]]) -> None:
        left = set(workers)
        while left:
            # With a time limit: Python hears of Ctrl-C only between two waits of its own.
            ended, left = wait(left, timeout=0.2, return_when=FIRST_COMPLETED)
            for worker in ended:
                worker.result()

    def _end_everything(self, workers: Sequence[Future[None]]) -> None:
        """Have every worker return soon: what is gone answers nobody, and nobody waits until it is ready."""
        self.stop.set()
        left = set(workers)
        while left:
            with self._lock:
                watchdogs = tuple(self._watchdogs)
            # Again and again: a worker may be about to start something.
            for one in watchdogs:
                one.kill()
            _, left = wait(left, timeout=0.2)

    def _work(self, waiting: queue.SimpleQueue[Sequence[Unit]], artifacts: Mapping[str, Path], loaded: Stores) -> None:
        # A watchdog for each worker: it knows processes by their names, which are the same in every environment.
        with watchdog() as watch:
            with self._lock:
                self._watchdogs.append(watch)
            while not self.stop.is_set():
                try:
                    chain = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    self._run_chain(chain, artifacts, loaded, watch)
                except Exception:
                    if not self.stop.is_set():
                        raise

    def _run_chain(self, chain: Sequence[Unit], artifacts: Mapping[str, Path], loaded: Stores, watch: Watchdog) -> None:
        """Run units one after the other, the same processes behind the front end of each."""
        with self._lock:
            numbers = [next(self._numbers) for _ in chain]
        stores = stores_of_environment(loaded, numbers[0])
        specs = [
            self._spec(unit, artifacts, stores, self.request.logs / f"{number}")
            for unit, number in zip(chain, numbers, strict=True)
        ]
        with environment(specs[0], watch, self.stop, partial(self._started, chain[0].pairing)) as one:
            for unit, spec in zip(chain, specs, strict=True):
                one.change_front_end(spec, partial(self._started, unit.pairing))
                if not self._run_unit(unit, one):
                    return

    def _run_unit(self, unit: Unit, one: Environment) -> bool:
        """Run the executions of a unit; say whether all of them ran."""
        for execution in unit.executions:
            if self.stop.is_set():
                return False
            try:
                observed = one.run(execution)
            except Stopped:
                return False
            self.add(unit.pairing, observed)
        return True

    def _spec(self, unit: Unit, artifacts: Mapping[str, Path], stores: Stores, logs: Path) -> EnvironmentSpec:
        pairing = self.pairings[unit.pairing]
        front_end = pairing.front_end
        return EnvironmentSpec(
            program=Program(pairing.subject, artifacts[pairing.subject.name]),
            configuration=unit.configuration,
            settings=dict(unit.settings),
            stores=stores,
            logs=logs,
            front_end=Program(front_end, artifacts[front_end.name]) if front_end else None,
        )

    def _started(self, number: int, target: Target) -> None:
        # What does not say what it is fails cases for that.
        with suppress(TargetError):
            about = next(iter(target.about().values()))
            self.hear_of(number, about)

    def hear_of(self, number: int, about: About) -> None:
        """Keep what an application of the pairing or address of that number says of where it runs."""
        with self._lock:
            known = self.ran_on.get(number, RanOn())
            versions = {**about.versions, **known.versions}
            self.ran_on[number] = RanOn(about.platform, about.server, versions)

    def add(self, number: int, observed: Observed) -> bool:
        """Keep an execution of the pairing or address of that number; say whether it was the last one wanted."""
        name = self.names[number]
        execution = mark_known(observed.execution, self.known[number])
        with self._lock:
            self.done[number].append(replace(observed, execution=execution))
            self.listener.executed(name, execution)
            failed = execution.outcome is ExecutionOutcome.FAILED
            if self.request.fail_fast and failed and not self.stop.is_set():
                self.stopped = f"after the first failure ({execution.label})"
                self.stop.set()
            return self.stop.is_set()
