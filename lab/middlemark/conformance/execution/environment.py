"""The test environment of cases: a subject in one configuration, with databases of its own that are put back."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from middlemark.conformance.cases.placed import Placed
from middlemark.conformance.execution.configuration import Configuration, PlannedExecution
from middlemark.conformance.execution.lost_connections import wait_until_noticed
from middlemark.conformance.execution.run_case import run_case
from middlemark.conformance.execution.state.case_databases import CaseDatabases, case_databases
from middlemark.conformance.execution.state.loaded import LeftBehindError
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.context import Context, addresses_of
from middlemark.conformance.execution.steps.database import is_settled
from middlemark.conformance.result import ExecutionOutcome, Failure, Observed
from middlemark.databases.database import CopyStrategy, create_database, drop_database
from middlemark.load.stores import Stores, urls_of
from middlemark.processes.watchdog import Watchdog
from middlemark.topology.deployment import Kept, deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Member, Target


@dataclass(frozen=True)
class EnvironmentSpec:
    """What to run. `settings` are a case file's own; each store's database is made from its template.

    `front_end` is another subject's, on the tiers behind of this one.
    """

    program: Program
    configuration: Configuration
    settings: Mapping[str, str]
    stores: Stores
    logs: Path
    front_end: Program | None = None

    @property
    def all_settings(self) -> dict[str, str]:
        """Return the settings of cases, those of the case file among them, that the application knows."""
        return self.configuration.offer.settings({**self.configuration.specification.case_settings, **self.settings})

    @property
    def tiers(self) -> dict[str, Program]:
        """Return the tiers that another subject runs."""
        entry = self.configuration.specification.description.entry
        return {} if self.front_end is None else {entry: self.front_end}

    @property
    def repeat_seconds(self) -> int:
        """Return how long the application may show again what it showed in an earlier case."""
        known = self.configuration.specification.description.settings
        return max((int(v) for name, v in self.all_settings.items() if known[name].caches), default=0)


class Environment:
    """A running subject. `on_start` hears of every running application."""

    def __init__(
        self, spec: EnvironmentSpec, watchdog: Watchdog, stop: threading.Event, on_start: Callable[[Target], None]
    ) -> None:
        self._spec = spec
        self._watchdog = watchdog
        self._stop = stop
        self._on_start = on_start
        self._made = ExitStack()
        self._behind = Kept()
        self._application = ExitStack()
        self._databases: CaseDatabases | None = None
        self._target: Target | None = None
        self._context: Context | None = None
        self._settings: dict[str, object] = {}
        self._start_seconds = 0.0

    def run(self, execution: PlannedExecution) -> Observed:
        """Run a case from the loaded state; afterwards the environment is ready for the next one.

        Raises InputError for a case that cannot be run, TargetError when the application cannot be started again.
        """
        context, placed = self._ready_context(), execution.placed
        observed = run_case(placed, execution.modes, execution.interface, context)
        fault = self._tidy(context, placed, observed)
        if fault:
            left = Failure(where=placed.where, step="", text=fault)
            failed = observed.execution.model_copy(
                update={"outcome": ExecutionOutcome.FAILED, "failures": (*observed.execution.failures, left)}
            )
            return replace(observed, execution=failed)
        return observed

    def change_front_end(self, spec: EnvironmentSpec, on_start: Callable[[Target], None]) -> None:
        """Have the cases that follow run on another front end, or on another way to call the tiers behind it.

        These stay as they are: only the configuration's way to call them and the subject of the front end may differ.
        """
        self._end([member for member in self._members if member.name not in self._behind.members])
        self._spec, self._on_start = spec, on_start

    def close(self) -> None:
        """Stop the application and drop the databases."""
        try:
            self._stop_application()
        finally:
            self._made.close()

    def _ready_context(self) -> Context:
        if self._context is None:
            self._context = self._start()
        return self._context

    def _tidy(self, context: Context, placed: Placed, observed: Observed) -> str | None:
        """Put everything back; say what the case or the application left that could not be."""
        fault = None
        died = self._target.died() if self._target else None
        if died:
            fault = f"the application ended while the case ran: {died}"
        messages_left = self._may_have_left_messages(context, placed, observed)
        if died or messages_left or not self._is_as_started(context.client, placed):
            self._stop_application()
        try:
            if self._databases is not None:
                self._databases.put_back()
        except LeftBehindError as left:
            self._stop_application()
            self._made.close()
            return fault or f"after the case: {left}"
        return fault

    def _may_have_left_messages(self, context: Context, placed: Placed, observed: Observed) -> bool:
        """Say whether messages may be left in queues, which are not put back with the databases.

        There are none when all work is done: the audit has found that, or the queries for unfinished work do.
        """
        if self._target is None or not self._target.queues:
            return False
        failed = observed.execution.outcome is ExecutionOutcome.FAILED
        return failed or not (placed.case.audited or is_settled(context))

    def _is_as_started(self, client: httpx.Client, placed: Placed) -> bool:
        """Say whether the application is as it was before the case: starting it again may take longer than a case."""
        target, spec = self._target, self._spec
        if target is None or self._settings_of(client) != self._settings:
            return False
        if placed.ends_connections and not wait_until_noticed(target, client, spec.stores):
            return False
        if spec.repeat_seconds >= self._start_seconds:
            return not spec.repeat_seconds
        time.sleep(spec.repeat_seconds)
        return True

    def _start(self) -> Context:
        spec = self._spec
        specification = spec.configuration.specification
        databases = self._own_databases()
        request = DeploymentRequest(
            program=spec.program,
            modes=spec.configuration.started_with,
            databases=urls_of(spec.stores),
            logs=spec.logs,
            settings=spec.all_settings,
            all_interfaces=True,
            tiers=spec.tiers,
            in_cases=True,
        )
        started = time.monotonic()
        target = self._target = self._application.enter_context(deployed(request, self._watchdog, self._behind))
        self._start_seconds = time.monotonic() - started
        self._on_start(target)
        client = self._application.enter_context(open_client(target.addresses[0]))
        context = Context(
            specification, addresses_of(target), target.modes, databases, self._stop, client, target.wrong_settings
        )
        self._application.callback(context.close)
        self._settings = self._settings_of(client)
        return context

    def _own_databases(self) -> CaseDatabases:
        """Return the databases; made from the templates when there are none."""
        if self._databases is None:
            stores = self._spec.stores.values()
            for store in stores:
                drop_database(store.server, store.database)
                create_database(store.server, store.database, store.template, CopyStrategy.LOG)
                self._made.callback(drop_database, store.server, store.database)
            in_use = {store.name: (store.server, store.database) for store in stores}
            specification = self._spec.configuration.specification
            self._databases = self._made.enter_context(case_databases(specification, in_use))
            self._made.callback(self._forget_databases)
        return self._databases

    def _forget_databases(self) -> None:
        self._databases = None

    @property
    def _members(self) -> tuple[Member, ...]:
        return self._target.members if self._target else ()

    def _stop_application(self) -> None:
        members = {member.name: member for member in self._members} | self._behind.members
        self._end(members.values())
        self._behind.close()

    def _end(self, members: Iterable[Member]) -> None:
        """End the front end, or all processes: nothing is asked of them any more, so how they end does not matter."""
        for member in members:
            if member.process.alive():
                member.process.signal(signal.SIGKILL)
        self._context = self._target = None
        self._application.close()

    def _settings_of(self, client: httpx.Client) -> dict[str, object]:
        """Return what every process says of its settings, which a case may change."""
        settings: dict[str, object] = {}
        for member in self._members:
            try:
                settings[member.name] = client.get(f"{member.address}/about").json()["settings"]
            except (httpx.HTTPError, ValueError, KeyError):
                settings[member.name] = None
        return settings


@contextmanager
def environment(
    spec: EnvironmentSpec, watchdog: Watchdog, stop: threading.Event, on_start: Callable[[Target], None]
) -> Iterator[Environment]:
    """Give an environment; what it has started and made is gone when the context ends."""
    one = Environment(spec, watchdog, stop, on_start)
    try:
        yield one
    finally:
        one.close()
