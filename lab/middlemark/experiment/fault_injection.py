"""Injects faults into a running subject while the driver loads it, and brings their targets back."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from middlemark.databases.database import DatabaseServer
from middlemark.databases.watched_database import restart_watched
from middlemark.errors import HostError, LabError, TargetError
from middlemark.experiment.faults_definition import Action, FaultKind, RequestedFault, fault_kind
from middlemark.experiment.run_context import RunContext, RunningSubject
from middlemark.experiment.schedule import PointSpec
from middlemark.processes.process import Process
from middlemark.records.run import Phases
from middlemark.records.run_parts import Fault
from middlemark.topology.target import Target

FREEZE_SECONDS = 5.0
# Where in the window a seeded fault is injected: after its first answers, and early enough to see the load go on.
EARLIEST, LATEST = 0.05, 0.7

Injected = Callable[[str], None]
"""Is given the name of the target as soon as the fault is injected."""


class FaultInjection:
    """The faults of one point, injected by a thread of their own."""

    def __init__(self, point: PointSpec, phases: Phases, seed: int) -> None:
        """Plan the faults: those without a time get a seeded one inside the window."""
        self._chance = random.Random(f"{seed} {point.combination.path} {point.load} {point.repeat}")  # noqa: S311 (repeatable)
        begin = phases.ramp + phases.settle
        self._end_s = begin + phases.measure
        planned = [(self._moment(fault, begin, phases.measure), str(fault.kind)) for fault in point.faults]
        self._faults = [Fault(kind=kind, planned_s=at) for at, kind in sorted(planned)]
        self._load_is_over = threading.Event()
        self._thread: threading.Thread | None = None
        self._failures: list[Exception] = []

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is known of each fault."""
        return tuple(self._faults)

    def on_start(self, subject: RunningSubject, clock: Callable[[], float]) -> None:
        """Begin to wait for the first fault, and return at once; `clock`: seconds since the driver's hello."""
        self._thread = threading.Thread(target=self._inject_all, args=(subject, clock), name="faults")
        self._thread.start()

    def finish(self) -> None:
        """Wait for the last fault and until everything runs again; TargetError when it could not be brought back."""
        self._load_is_over.set()
        if self._thread is not None:
            self._thread.join()
        for failure in self._failures:
            raise failure

    def _moment(self, fault: RequestedFault, begin: float, length: float) -> float:
        if fault.at is not None:
            return fault.at.seconds
        return begin + length * self._chance.uniform(EARLIEST, LATEST)

    def _inject_all(self, subject: RunningSubject, clock: Callable[[], float]) -> None:
        try:
            for index, fault in enumerate(self._faults):
                # A fault of something that has no work to do would prove nothing.
                if self._comes_too_late(fault, clock):
                    problem = f"the load had ended (at {self._end_s:.1f} s) before it could be injected"
                    self._faults[index] = fault.model_copy(update={"problem": problem})
                else:
                    self._inject(index, subject, clock)
        except Exception as failure:  # noqa: BLE001 (raised by `finish`, in the thread that waits for it)
            self._failures.append(failure)

    def _comes_too_late(self, fault: Fault, clock: Callable[[], float]) -> bool:
        """Wait until the fault is due; return whether the load has ended by then, by its plan or by the clock."""
        if fault.planned_s >= self._end_s:
            return True
        # An earlier fault may have taken so long that this one's moment lies far back.
        return self._load_is_over.wait(max(0.0, fault.planned_s - clock())) or clock() >= self._end_s

    def _inject(self, index: int, subject: RunningSubject, clock: Callable[[], float]) -> None:
        kind = fault_kind(self._faults[index].kind)

        def injected(name: str) -> None:
            self._note(index, target=name, injected_s=clock())

        try:
            if kind.of_database:
                _inject_into_database(kind, subject.context, injected)
            else:
                _inject_into_process(kind.action, self._process(subject.target, kind), injected)
            subject.target.wait_until_ready()
        except LabError as error:
            self._note(index, problem=str(error))
            raise
        self._note(index, ready_s=clock())

    def _process(self, target: Target, kind: FaultKind) -> Process:
        """The target process: of several that have the role, one by chance."""
        processes = target.carrying(kind.role)
        if not processes:
            raise HostError(f"{kind}: no process has the role {kind.role}")
        chosen = self._chance.choice(processes)
        if died := chosen.died():  # by itself: to restart it would hide that
            raise TargetError(str(died))
        return chosen

    def _note(self, index: int, **changes: object) -> None:
        self._faults[index] = self._faults[index].model_copy(update=changes)


def _inject_into_process(action: Action, process: Process, injected: Injected) -> None:
    if action is Action.KILL:
        process.signal(signal.SIGKILL)
        injected(process.spec.name)
        process.restart()
        return
    try:
        process.signal(signal.SIGSTOP)
        injected(process.spec.name)
        time.sleep(FREEZE_SECONDS)
    finally:
        process.signal(signal.SIGCONT)


def _inject_into_database(kind: FaultKind, context: RunContext, injected: Injected) -> None:
    database = context.servers[kind.role]
    server = database.server
    if server is None:
        raise HostError("this PostgreSQL is not Middlemark's own", where=database.address)
    name = "PostgreSQL" if len(context.servers) == 1 else kind.role
    if kind.action is Action.KILL:
        # The postmaster first: it would begin to recover from the death of the others.
        _signal(server, signal.SIGKILL)
        injected(name)
        restart_watched(server, context.watchdog)
        return
    try:
        _signal(server, signal.SIGSTOP)
        injected(name)
        time.sleep(FREEZE_SECONDS)
    finally:
        _signal(server, signal.SIGCONT)


def _signal(server: DatabaseServer, what: signal.Signals) -> None:
    for pid in server.pids():
        with suppress(ProcessLookupError):
            os.kill(pid, what)
