"""Where cases run: verify's environments, one for each configuration and settings, with databases that stay."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from checks.mutation.tasks import WorkerSpec
from middlemark.conformance.cases.known import KnownFailure, read_known
from middlemark.conformance.cases.suite import CASES, Placed
from middlemark.conformance.comparison.known import mark_known
from middlemark.conformance.execution.configuration import Configuration, PlannedExecution, configurations
from middlemark.conformance.execution.environment import Environment, EnvironmentSpec
from middlemark.conformance.execution.loaded_stores import loaded_stores, stores_of_environment
from middlemark.conformance.execution.request import every_case
from middlemark.conformance.execution.steps.context import Context
from middlemark.conformance.result import ExecutionOutcome, Observed, configuration_label
from middlemark.errors import InputError, TargetError
from middlemark.load.stores import Stores
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.subject import Subject
from middlemark.topology.request import Program
from middlemark.topology.target import Target

Count = Callable[[tuple[int, ...], bool], None]
"""Hears of the processes of an application, after it has started (True) and after each execution (False)."""


@dataclass(frozen=True)
class Ended:
    """An execution that has ended: its name, case and configuration, how long it took, and why it failed if it did."""

    name: str
    case: str
    configuration: str
    seconds: float
    failure: str = ""


@dataclass(frozen=True)
class _Unit:
    """What one application is started for; `key` is the same for equal ones."""

    configuration: Configuration
    settings: Mapping[str, str]

    @property
    def key(self) -> str:
        return f"{self.configuration.name} {sorted(self.settings.items())}"


@dataclass(frozen=True)
class _Planned:
    """An execution to come, and what its application is started for."""

    unit: _Unit
    execution: PlannedExecution

    @property
    def case(self) -> str:
        return self.execution.placed.case.name

    @property
    def configuration(self) -> str:
        return configuration_label(self.execution.modes)

    @property
    def name(self) -> str:
        over = f", over {self.execution.interface}" if self.execution.interface else ""
        return f"{self.case} [{self.configuration}{over}]"


class _Environment(Environment):
    """One whose application can be ended, to be started from another program, and whose processes are counted."""

    def __init__(self, spec: EnvironmentSpec, watchdog: Watchdog, count: Callable[[], Count | None]) -> None:
        super().__init__(spec, watchdog, threading.Event(), self._take)
        self._count = count
        self._pids: tuple[int, ...] = ()

    def get_ready(self) -> None:
        """Start the application unless it runs. Raises what running a case raises."""
        self._ready_context()

    def end_application(self) -> None:
        """End the application; the database stays."""
        self._stop_application()

    def start_over(self) -> None:
        """End the application and drop the databases; the next execution makes both anew."""
        self.close()

    def _take(self, target: Target) -> None:
        self._pids = tuple(member.process.pid for member in target.members)

    def _start(self) -> Context:
        context = super()._start()
        self._report_to_count(at_start=True)
        return context

    def _tidy(self, context: Context, placed: Placed, observed: Observed) -> str | None:
        self._report_to_count(at_start=False)
        return super()._tidy(context, placed, observed)

    def _report_to_count(self, *, at_start: bool) -> None:
        count = self._count()
        if count is not None:
            count(self._pids, at_start)


@dataclass(frozen=True)
class _Place:
    """Running servers with the data sets just loaded, and who watches what is started."""

    loaded: Stores
    watch: Watchdog


class Environments:
    """All environments of a worker. `known` are failures that do not count."""

    known: tuple[KnownFailure, ...] = ()

    def __init__(self, subject: Subject, place: _Place, planned: list[_Planned]) -> None:
        self._subject = subject
        self._place = place
        self._planned = {one.name: one for one in planned}
        self._stack = ExitStack()
        self._environments: dict[str, _Environment] = {}
        self._count: Count | None = None

    @property
    def executions(self) -> tuple[str, ...]:
        """Return the names of all executions, in verify's order."""
        return tuple(self._planned)

    def run(self, program: Path, executions: Iterable[str], count: Count | None = None) -> Iterator[Ended]:
        """Yield each execution as soon as it has ended; those of one application follow each other.

        The applications are in the order of their first executions.
        """
        self._count = count
        for planned in self._by_unit(executions):
            environment = self._environment(planned[0].unit, program)
            try:
                for one in planned:
                    yield self._ended(environment, one)
            finally:
                environment.end_application()

    def _by_unit(self, executions: Iterable[str]) -> list[list[_Planned]]:
        units: dict[str, list[_Planned]] = {}
        for name in executions:
            units.setdefault(self._planned[name].unit.key, []).append(self._planned[name])
        return list(units.values())

    def close(self) -> None:
        """Stop what runs and drop the databases."""
        self._stack.close()

    def _environment(self, unit: _Unit, program: Path) -> _Environment:
        """Return the environment of a unit. Its program is always in the same place, whatever was built there."""
        if unit.key not in self._environments:
            number = len(self._environments) + 1
            spec = EnvironmentSpec(
                program=Program(self._subject, program),
                configuration=unit.configuration,
                settings=unit.settings,
                stores=stores_of_environment(self._place.loaded, number),
                logs=program.parent / "logs" / str(number),
            )
            self._environments[unit.key] = _Environment(spec, self._place.watch, lambda: self._count)
            self._stack.callback(self._environments[unit.key].close)
        return self._environments[unit.key]

    def _ended(self, environment: _Environment, planned: _Planned) -> Ended:
        begin = time.monotonic()
        failure = self._unready(environment)
        if not failure:
            begin = time.monotonic()  # how long it took to start says nothing about the execution
            failure = self._failure(environment, planned)
        seconds = round(time.monotonic() - begin, 3)
        return Ended(planned.name, planned.case, planned.configuration, seconds, failure)

    def _unready(self, environment: _Environment) -> str:
        """Return why an application does not start, nothing when it runs."""
        try:
            environment.get_ready()
        except (InputError, TargetError, psycopg.Error) as error:
            environment.start_over()
            return f"it cannot be started: {error}"
        return ""

    def _failure(self, environment: _Environment, planned: _Planned) -> str:
        """Return why an execution failed, nothing when it passed or failed as it is known to."""
        try:
            observed = environment.run(planned.execution)
        except (InputError, TargetError, psycopg.Error) as error:
            # Verify would end here. Nobody knows what was put back, and the next execution must not suffer from it.
            environment.start_over()
            return f"it cannot be run: {error}"
        execution = mark_known(observed.execution, self.known)
        if execution.outcome is not ExecutionOutcome.FAILED:
            return ""
        return "; ".join(f"{failure.step}: {failure.text}" for failure in execution.failures if not failure.known)


@contextmanager
def running_environments(spec: WorkerSpec, subject: Subject) -> Iterator[Environments]:
    """Give environments with database servers; everything they have started is gone when the context ends."""
    specification = subject.specification
    every = every_case(specification)
    cases = [one for one in every if not spec.words or any(word in one.case.name for word in spec.words)]
    if not cases:
        raise InputError(f"no case's name holds '{spec.words[0]}'", where=str(specification.folder / CASES))
    with watchdog() as watch, loaded_stores(specification, {}, watch, spec.home / "logs") as loaded:
        environments = Environments(subject, _Place(loaded, watch), _planned(subject, cases))
        environments.known = read_known(subject, every)
        try:
            yield environments
        finally:
            environments.close()


def _planned(subject: Subject, cases: Iterable[Placed]) -> list[_Planned]:
    """Return every execution, configuration by configuration, as verify runs them."""
    listed = tuple(cases)
    return [
        _Planned(_Unit(configuration, execution.placed.settings), execution)
        for configuration in configurations(subject)
        for execution in configuration.executions(listed)
    ]
