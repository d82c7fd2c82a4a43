"""Injects faults into a running subject while the driver loads it, and brings their targets back."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from middlemark.audit.rules import read_rules
from middlemark.errors import LabError
from middlemark.experiment.fault_targets import target_of
from middlemark.experiment.faults_definition import Action, FaultKind, RequestedFault, fault_kind
from middlemark.experiment.in_doubt import follow, transactions_in_doubt
from middlemark.experiment.run_context import RunningSubject
from middlemark.experiment.schedule import PointSpec
from middlemark.records.run import Phases
from middlemark.records.run_parts import Fault, InDoubt

FREEZE_SECONDS = 5.0
# Where in the window a seeded fault is injected: after its first answers, and early enough to see the load go on.
EARLIEST, LATEST = 0.05, 0.7
# Mean time between two freezes. After a freeze all requests that have waited continue at once: soon afterwards many
# transactions are under way. How soon depends on the application.
PAUSE_SECONDS = 0.03


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
        try:
            target = target_of(kind, subject, self._chance)
            with self._frozen(kind.during, subject, clock) as in_doubt:
                if kind.during and not in_doubt:
                    self._note(index, problem=f"no transaction was in doubt during {kind.during}")
                    return
                target.inject()
                self._note(index, target=target.name, injected_s=clock(), in_doubt=in_doubt)
            if kind.action is Action.FREEZE:
                time.sleep(FREEZE_SECONDS)  # this is the fault
            target.bring_back()
            subject.target.wait_until_ready()
        except LabError as error:
            self._note(index, problem=str(error))
            raise
        self._note(index, ready_s=clock())
        if in_doubt:
            rules = read_rules(subject.context.preparation.specification)
            limit_s = max((rule.recovery_s for rule in rules), default=0.0)
            self._note(index, in_doubt=follow(in_doubt, subject.stores, limit_s, clock))

    @contextmanager
    def _frozen(
        self, during: FaultKind | None, subject: RunningSubject, clock: Callable[[], float]
    ) -> Iterator[tuple[InDoubt, ...]]:
        """Hold a freeze that has left transactions in doubt, and yield these.

        Yields none without a freeze, or when no freeze has left any until the load ends. An application is between
        prepare and commit for some milliseconds. So a freeze may come too early or too late: then it ends, and another
        one follows.
        """
        if during is None:
            yield ()
            return
        with ExitStack() as stack:
            databases = [(store, stack.enter_context(store.connected())) for store in subject.stores.values()]
            # A frozen server still says what is prepared in it: a platform may commit in its other database first.
            spared = {connection.info.backend_pid for _, connection in databases}
            freeze = target_of(during, subject, self._chance, spared)
            while clock() < self._end_s:
                try:
                    freeze.inject()
                    if in_doubt := transactions_in_doubt(databases, freeze.bring_back):
                        yield in_doubt
                        return
                finally:
                    freeze.bring_back()
                if self._load_is_over.wait(self._chance.expovariate(1 / PAUSE_SECONDS)):
                    break
            yield ()

    def _note(self, index: int, **changes: object) -> None:
        self._faults[index] = self._faults[index].model_copy(update=changes)
