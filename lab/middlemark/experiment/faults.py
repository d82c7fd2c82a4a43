"""Strikes a running subject with faults while the driver loads it, and brings the victims back."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from middlemark.databases.database import DatabaseServer
from middlemark.databases.guarded_database import restart_guarded
from middlemark.errors import HostError, LabError, TargetError
from middlemark.experiment.bench import Bench, PointOrder
from middlemark.experiment.faults_definition import FaultKind, WantedFault
from middlemark.experiment.playing import Clock
from middlemark.records.faults import Fault
from middlemark.records.run import Phases
from middlemark.topology.topology import Target

FREEZE_SECONDS = 5.0
# Where in the window a seeded fault strikes: after its first answers, and early enough to see the load go on.
EARLIEST, LATEST = 0.05, 0.7

Told = Callable[[str], None]


class Striking:
    """The faults of one point, struck in a thread of their own; a Disturbance for the player of the load."""

    def __init__(self, order: PointOrder, phases: Phases, seed: int) -> None:
        """Plan the faults: those without a time get a seeded one inside the window."""
        self._chance = random.Random(f"{seed} {order.combination.path} {order.load} {order.repeat}")  # noqa: S311 (repeatable)
        begin = phases.ramp + phases.settle
        self._end_s = begin + phases.measure
        planned = [(self._moment(fault, begin, phases.measure), fault.kind) for fault in order.faults]
        self._faults = [Fault(kind=kind.value, planned_s=at) for at, kind in sorted(planned)]
        self._load_is_over = threading.Event()
        self._thread: threading.Thread | None = None
        self._failures: list[Exception] = []

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Return what is known of each fault."""
        return tuple(self._faults)

    def on_start(self, target: Target, bench: Bench, clock: Clock) -> None:
        """Begin to wait for the first fault, and return at once."""
        self._thread = threading.Thread(target=self._strike_all, args=(target, bench, clock), name="faults")
        self._thread.start()

    def finish(self) -> None:
        """Return when every fault has struck and everything runs again, or the load had ended before it could.

        Raises TargetError when something could not be brought back.
        """
        self._load_is_over.set()
        if self._thread is not None:
            self._thread.join()
        for failure in self._failures:
            raise failure

    def _moment(self, fault: WantedFault, begin: float, length: float) -> float:
        if fault.at is not None:
            return fault.at.seconds
        return begin + length * self._chance.uniform(EARLIEST, LATEST)

    def _strike_all(self, target: Target, bench: Bench, clock: Clock) -> None:
        try:
            for index, fault in enumerate(self._faults):
                # A fault that struck nobody who works would prove nothing.
                if self._comes_too_late(fault, clock):
                    problem = f"the load had ended (at {self._end_s:.1f} s) before it could strike"
                    self._faults[index] = fault.model_copy(update={"problem": problem})
                else:
                    self._strike(index, target, bench, clock)
        except Exception as failure:  # noqa: BLE001 (told by `finish`, in the thread that waits for it)
            self._failures.append(failure)

    def _comes_too_late(self, fault: Fault, clock: Clock) -> bool:
        """Wait until the fault is due; say whether the load has ended by then, by its plan or by the clock."""
        if fault.planned_s >= self._end_s:
            return True
        # An earlier fault may have taken so long that this one's moment lies far back.
        return self._load_is_over.wait(max(0.0, fault.planned_s - clock())) or clock() >= self._end_s

    def _strike(self, index: int, target: Target, bench: Bench, clock: Clock) -> None:
        fault = self._faults[index]
        kind = FaultKind(fault.kind)

        def struck(victim: str) -> None:
            self._note(index, victim=victim, struck_s=clock())

        try:
            if kind is FaultKind.FREEZE_DATABASE:
                _freeze(_server(bench), struck)
            elif kind is FaultKind.KILL_DATABASE:
                _kill_database(bench, struck)
            else:
                self._kill_one(target, kind, struck)
            target.wait_until_ready()
        except LabError as error:
            self._note(index, problem=str(error))
            raise
        self._note(index, ready_s=clock())

    def _kill_one(self, target: Target, kind: FaultKind, struck: Told) -> None:
        carriers = target.carrying(kind.part)
        if not carriers:
            raise HostError(f"{kind} strikes nobody: no process carries {kind.part}")
        victim = self._chance.choice(carriers)
        died = victim.died()
        if died:  # by itself: to restart it would hide that
            raise TargetError(str(died))
        victim.signal(signal.SIGKILL)
        struck(victim.spec.name)
        victim.restart()

    def _note(self, index: int, **changes: object) -> None:
        self._faults[index] = self._faults[index].model_copy(update=changes)


def _kill_database(bench: Bench, struck: Told) -> None:
    server = _server(bench)
    # The postmaster first: it would begin to recover from the death of the others.
    _signal(server, signal.SIGKILL)
    struck("PostgreSQL")
    restart_guarded(server, bench.guard)


def _freeze(server: DatabaseServer, struck: Told) -> None:
    try:
        _signal(server, signal.SIGSTOP)
        struck("PostgreSQL")
        time.sleep(FREEZE_SECONDS)
    finally:
        _signal(server, signal.SIGCONT)


def _signal(server: DatabaseServer, what: signal.Signals) -> None:
    for pid in server.pids():
        with suppress(ProcessLookupError):
            os.kill(pid, what)


def _server(bench: Bench) -> DatabaseServer:
    if bench.database.server is None:
        raise HostError("this PostgreSQL is not Middlemark's own and is not struck", where=bench.database.address)
    return bench.database.server
