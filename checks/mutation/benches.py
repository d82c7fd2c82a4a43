"""Where plays are played: verify's benches, one for each cell and settings, with databases that stay."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from checks.mutation.tasks import WorkerOrder
from middlemark.conformance.cases.known import KnownFailure, read_known, tell_apart
from middlemark.conformance.cases.suite import Placed, read_cases
from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.execution.bench import Bench, BenchOrder
from middlemark.conformance.execution.cell import Cell, cells
from middlemark.conformance.execution.steps.stage import Stage
from middlemark.conformance.result import Played as Ended
from middlemark.conformance.result import PlayOutcome
from middlemark.databases.database import PREFIX, Database, drop_database
from middlemark.databases.guarded_database import guarded_database
from middlemark.errors import InputError, TargetError
from middlemark.load.loading import load_dataset
from middlemark.processes.guard import Guard, guard
from middlemark.specification.dataset import read_dataset
from middlemark.subject.subject import Subject
from middlemark.topology.topology import Target

_SCALE = "tiny"

Count = Callable[[tuple[int, ...], bool], None]
"""Hears of the processes of an application, after it has started (True) and after each play (False)."""


@dataclass(frozen=True)
class Played:
    """A play that has been played: its name, its case and cell, how long it took, and why it failed if it did."""

    name: str
    case: str
    cell: str
    seconds: float
    failure: str = ""


@dataclass(frozen=True)
class _Unit:
    """What one application is started for; `key` is the same for equal ones."""

    cell: Cell
    settings: Mapping[str, str]

    @property
    def key(self) -> str:
        return f"{self.cell.name} {sorted(self.settings.items())}"


@dataclass(frozen=True)
class _Order:
    """A play to be played: `binding` is that of its calls, empty without."""

    unit: _Unit
    placed: Placed
    binding: str

    @property
    def name(self) -> str:
        return f"{self.placed.case.name} [{self.unit.cell.name}{f', over {self.binding}' if self.binding else ''}]"


class _Bench(Bench):
    """A bench whose application can be ended, to be started from another program, and whose processes are counted."""

    def __init__(self, order: BenchOrder, guard: Guard, count: Callable[[], Count | None]) -> None:
        super().__init__(order, guard, threading.Event(), self._take)
        self._count = count
        self._pids: tuple[int, ...] = ()

    def get_ready(self) -> None:
        """Start the application unless it runs. Raises what playing raises."""
        self._ready_stage()

    def end_application(self) -> None:
        """End the application; the database stays."""
        self._stop_application()

    def start_over(self) -> None:
        """End the application and drop the database; the next play makes both anew."""
        self.close()

    def _take(self, target: Target) -> None:
        self._pids = tuple(member.process.pid for member in target.members)

    def _start(self) -> Stage:
        stage = super()._start()
        self._tell_count(at_start=True)
        return stage

    def _tidy(self, stage: Stage, placed: Placed) -> str | None:
        self._tell_count(at_start=False)
        return super()._tidy(stage, placed)

    def _tell_count(self, *, at_start: bool) -> None:
        count = self._count()
        if count is not None:
            count(self._pids, at_start)


@dataclass(frozen=True)
class _Place:
    """A running server, and the name of a database in it with the data set just loaded."""

    server: Database
    template: str
    watch: Guard


class Benches:
    """All benches of a worker. `known` are failures that do not count."""

    known: tuple[KnownFailure, ...] = ()

    def __init__(self, subject: Subject, place: _Place, orders: list[_Order]) -> None:
        self._subject = subject
        self._place = place
        self._orders = {order.name: order for order in orders}
        self._stack = ExitStack()
        self._benches: dict[str, _Bench] = {}
        self._count: Count | None = None

    @property
    def plays(self) -> tuple[str, ...]:
        """Return the names of all plays, in verify's order."""
        return tuple(self._orders)

    def play(self, program: Path, plays: Iterable[str], count: Count | None = None) -> Iterator[Played]:
        """Yield each play as soon as it is played; those of one application follow each other.

        The applications are in the order of their first plays.
        """
        self._count = count
        for orders in self._by_unit(plays):
            bench = self._bench(orders[0].unit, program)
            try:
                for order in orders:
                    yield self._played(bench, order)
            finally:
                bench.end_application()

    def _by_unit(self, plays: Iterable[str]) -> list[list[_Order]]:
        units: dict[str, list[_Order]] = {}
        for name in plays:
            units.setdefault(self._orders[name].unit.key, []).append(self._orders[name])
        return list(units.values())

    def close(self) -> None:
        """Stop what runs and drop the databases."""
        self._stack.close()

    def _bench(self, unit: _Unit, program: Path) -> _Bench:
        """Return the bench of a unit. Its program is always in the same place, whatever was built there."""
        if unit.key not in self._benches:
            number = len(self._benches) + 1
            order = BenchOrder(
                subject=self._subject,
                artifact=program,
                cell=unit.cell,
                settings=unit.settings,
                server=self._place.server,
                template=self._place.template,
                name=f"{PREFIX}mutants_{self._place.watch.token.replace('-', '_')}_{number}",
                spec_folder=_spec_folder(self._subject),
                logs=program.parent / "logs" / str(number),
            )
            self._benches[unit.key] = _Bench(order, self._place.watch, lambda: self._count)
            self._stack.callback(self._benches[unit.key].close)
        return self._benches[unit.key]

    def _played(self, bench: _Bench, order: _Order) -> Played:
        begin = time.monotonic()
        failure = self._unready(bench)
        if not failure:
            begin = time.monotonic()  # how long it took to start says nothing about the play
            failure = self._failure(bench, order)
        seconds = round(time.monotonic() - begin, 3)
        return Played(order.name, order.placed.case.name, order.unit.cell.name, seconds, failure)

    def _unready(self, bench: _Bench) -> str:
        """Return why an application does not start, nothing when it runs."""
        try:
            bench.get_ready()
        except (InputError, TargetError, psycopg.Error) as error:
            bench.start_over()
            return f"it cannot be started: {error}"
        return ""

    def _failure(self, bench: _Bench, order: _Order) -> str:
        """Return why a play failed, nothing when it passed or failed as it is known to."""
        try:
            ended: Ended = bench.play(order.placed, order.binding)
        except (InputError, TargetError, psycopg.Error) as error:
            # Verify would end here. Nobody knows what was put back, and the next play must not suffer from it.
            bench.start_over()
            return f"it cannot be played: {error}"
        play = tell_apart(self._subject.name, ended.play, self.known)
        if play.outcome is not PlayOutcome.FAILED:
            return ""
        return "; ".join(f"{failure.step}: {failure.text}" for failure in play.failures if not failure.known)


@contextmanager
def standing_benches(order: WorkerOrder, subject: Subject) -> Iterator[Benches]:
    """Give benches with a database server; everything they have started is gone when the context ends."""
    spec_folder = _spec_folder(subject)
    every = (*page_cases(spec_folder), *read_cases(spec_folder))
    cases = [one for one in every if not order.words or any(word in one.case.name for word in order.words)]
    if not cases:
        raise InputError(f"no case's name holds '{order.words[0]}'", where=str(spec_folder / "cases"))
    with guard() as watch, guarded_database(None, watch, order.home / "logs" / "database.log") as server:
        _forget_durability(server)
        template = f"{PREFIX}mutants_{watch.token.replace('-', '_')}"
        load_dataset(server, read_dataset(spec_folder, _SCALE), template)
        benches = Benches(subject, _Place(server, template, watch), _orders(subject, cases))
        benches.known = read_known(spec_folder, every)
        try:
            yield benches
        finally:
            benches.close()
            drop_database(server, template)


def _forget_durability(server: Database) -> None:
    """Let our own server forget everything in a crash, as verify does with its own: nothing outlives the run."""
    with server.admin() as admin:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            admin.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
        admin.execute("SELECT pg_reload_conf()")


def _orders(subject: Subject, cases: Iterable[Placed]) -> list[_Order]:
    """Return every play, cell by cell, as verify plays them."""
    listed = tuple(cases)
    return [
        _Order(_Unit(cell, placed.settings), placed, binding)
        for cell in cells(subject)
        for placed, binding in cell.plays(listed)
    ]


def _spec_folder(subject: Subject) -> Path:
    return subject.platform.folder.parent.parent / "specs" / subject.spec
