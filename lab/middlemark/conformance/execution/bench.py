"""The bench cases are played on: a subject running in one cell, with a database of its own that is put back again."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from middlemark.audit.rules import read_rules
from middlemark.conformance.cases.settings import SETTINGS
from middlemark.conformance.cases.step import Cut
from middlemark.conformance.cases.suite import Placed, all_steps
from middlemark.conformance.execution.cell import Cell
from middlemark.conformance.execution.lost_connections import wait_until_noticed
from middlemark.conformance.execution.play import play_case
from middlemark.conformance.execution.state.loaded import LeftBehindError, Loaded
from middlemark.conformance.execution.state.rules import Rules
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.stage import Addresses, CaseDatabase, Stage
from middlemark.conformance.result import Failure, Played, PlayOutcome
from middlemark.databases.database import CopyStrategy, Database, create_database, drop_database
from middlemark.processes.guard import Guard
from middlemark.subject.subject import Subject
from middlemark.topology.serving_order import Program, ServingOrder
from middlemark.topology.topology import Target, serving


@dataclass(frozen=True)
class BenchOrder:
    """What to run. `template` is the loaded database that is copied to `name`; `settings` are a case file's own.

    `web` is another subject whose web tier calls the services.
    """

    subject: Subject
    artifact: Path
    cell: Cell
    settings: Mapping[str, str]
    server: Database
    template: str
    name: str
    spec_folder: Path
    logs: Path
    web: Program | None = None

    @property
    def summary_seconds(self) -> int:
        """Return how long the application shows a market summary again, which a case would see of an earlier one."""
        return int(self.settings.get("MM_MARKET_SUMMARY_SECONDS", "0"))


class Bench:
    """A running subject. `tell` hears of every running application, so that it can be ended at once."""

    def __init__(self, order: BenchOrder, guard: Guard, stop: threading.Event, tell: Callable[[Target], None]) -> None:
        self._order = order
        self._guard = guard
        self._stop = stop
        self._tell = tell
        self._database = ExitStack()
        self._application = ExitStack()
        self._target: Target | None = None
        self._stage: Stage | None = None
        self._settings: dict[str, object] = {}
        self._start_seconds = 0.0

    def play(self, placed: Placed, binding: str) -> Played:
        """Play a case from the loaded state; afterwards the bench is ready for the next one.

        Raises InputError for a case that cannot be played, TargetError when the application cannot be started again.
        """
        stage = self._ready_stage()
        played = play_case(placed, self._order.cell.name, binding, stage)
        fault = self._tidy(stage, placed)
        if fault:
            left = Failure(where=placed.where, step="", text=fault)
            play = played.play.model_copy(
                update={"outcome": PlayOutcome.FAILED, "failures": (*played.play.failures, left)}
            )
            return Played(play, played.notes, played.end_state)
        return played

    def close(self) -> None:
        """Stop the application and drop the database."""
        try:
            self._stop_application()
        finally:
            self._database.close()

    def _ready_stage(self) -> Stage:
        if self._stage is None:
            self._stage = self._start()
        return self._stage

    def _tidy(self, stage: Stage, placed: Placed) -> str | None:
        """Put everything back; say what the case or the application left that could not be."""
        database = stage.database
        fault = None
        died = self._target.died() if self._target else None
        if died:
            fault = f"the application ended while the case was played: {died}"
        if died or not self._is_as_started(stage.client, placed):
            self._stop_application()
        try:
            if database is not None:
                database.loaded.put_back()
        except LeftBehindError as left:
            self._stop_application()
            self._database.close()
            return fault or f"after the case: {left}"
        return fault

    def _is_as_started(self, client: httpx.Client, placed: Placed) -> bool:
        """Say whether the application is as it was before the case: starting it again may take longer than a case."""
        target, order = self._target, self._order
        if target is None or self._settings_of(client) != self._settings:
            return False
        was_cut = any(isinstance(step, Cut) for step in all_steps(placed.case.steps))
        if was_cut and not wait_until_noticed(target, client, order.server.url(order.name)):
            return False
        if order.summary_seconds >= self._start_seconds:
            return not order.summary_seconds
        time.sleep(order.summary_seconds)
        return True

    def _start(self) -> Stage:
        order = self._order
        database = self._own_database()
        serving_order = ServingOrder(
            order.subject,
            order.artifact,
            order.cell.modes,
            order.server.url(order.name),
            order.logs,
            {**SETTINGS, **order.settings},
            offer_services=True,
            web=order.web,
        )
        started = time.monotonic()
        target = self._target = self._application.enter_context(serving(serving_order, self._guard))
        self._start_seconds = time.monotonic() - started
        self._tell(target)
        client = self._application.enter_context(open_client(target.addresses[0]))
        addresses = Addresses(target.addresses[0], target.services_address, target.grpc_address)
        stage = Stage(addresses, order.spec_folder, order.cell.orders, database, self._stop, client)
        self._application.callback(stage.close)
        self._settings = self._settings_of(client)
        return stage

    def _own_database(self) -> CaseDatabase:
        """Return the database; made from the template when there is none."""
        if self._case_database is None:
            order = self._order
            drop_database(order.server, order.name)
            create_database(order.server, order.name, order.template, CopyStrategy.LOG)
            self._database.callback(drop_database, order.server, order.name)
            connection = self._database.enter_context(order.server.connected(order.name))
            connection.execute("SET synchronous_commit = off")
            rules = Rules(connection, read_rules(order.spec_folder))
            self._case_database = CaseDatabase(order.server, order.name, connection, Loaded(connection), rules)
            self._database.callback(self._forget_database)
        return self._case_database

    _case_database: CaseDatabase | None = None

    def _forget_database(self) -> None:
        self._case_database = None

    def _stop_application(self) -> None:
        target, self._stage, self._target = self._target, None, None
        for member in target.members if target else ():
            # Nothing is asked of it any more: how it ends when it is told kindly does not matter here.
            if member.process.alive():
                member.process.signal(signal.SIGKILL)
        self._application.close()

    def _settings_of(self, client: httpx.Client) -> dict[str, object]:
        """Return what every process says of its settings, which the configuration page changes."""
        members = self._target.members if self._target else ()
        settings: dict[str, object] = {}
        for member in members:
            try:
                settings[member.name] = client.get(f"{member.address}/about").json()["settings"]
            except (httpx.HTTPError, ValueError, KeyError):
                settings[member.name] = None
        return settings


@contextmanager
def bench(order: BenchOrder, guard: Guard, stop: threading.Event, tell: Callable[[Target], None]) -> Iterator[Bench]:
    """Give a bench; what it has started and made is gone when the context ends."""
    one = Bench(order, guard, stop, tell)
    try:
        yield one
    finally:
        one.close()
