"""Verifies subjects: plays every case in every cell of each, on benches that work side by side."""

from __future__ import annotations

import datetime
import itertools
import queue
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from middlemark.checkout import commit_of
from middlemark.conformance.bench import BenchOrder, bench
from middlemark.conformance.cell import not_offered
from middlemark.conformance.comparing import differences
from middlemark.conformance.failure import Stopped
from middlemark.conformance.known import KnownFailure, missed, read_known, tell_apart
from middlemark.conformance.pages.canonical import page_cases
from middlemark.conformance.play import Played
from middlemark.conformance.progress import Listener
from middlemark.conformance.result import ConformanceResult, PlayOutcome, SubjectResult
from middlemark.conformance.suite import Placed, read_cases
from middlemark.conformance.summary import cell_results
from middlemark.conformance.unit import Unit, units_of
from middlemark.dataset.definition import read_dataset
from middlemark.dataset.loading import load_dataset
from middlemark.errors import InputError, Interrupted
from middlemark.target.build import build
from middlemark.target.database import PREFIX, Database, drop_database
from middlemark.target.guard import Guard, guard
from middlemark.target.guarded_database import guarded_database
from middlemark.target.subject import Subject
from middlemark.target.topology import Target

SCALE = "tiny"


@dataclass(frozen=True)
class LoadedServer:
    """A running PostgreSQL that somebody else stops, and the name of a database in it with the data set at SCALE."""

    server: Database
    template: str


@dataclass(frozen=True)
class VerifyOrder:
    """What to verify.

    `only` keeps cases whose name or topic holds one of the words; `names` plays exactly these cases, in this order.
    `artifact` is used instead of building. `loaded` is used instead of starting and loading a database, `database` (a
    URL) instead of starting one. `jobs` benches work side by side; `fail_fast` ends everything with the first failure.
    `logs` is where applications log.
    """

    home: Path
    spec_folder: Path
    subjects: tuple[Subject, ...]
    logs: Path
    only: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    artifact: Path | None = None
    loaded: LoadedServer | None = None
    database: str | None = None
    jobs: int = 1
    fail_fast: bool = False


def verify(order: VerifyOrder, listener: Listener | None = None) -> ConformanceResult:
    """Play everything and return what came of it; nothing that was started is left.

    Raises InputError for a wrong case file or a selection without cases, MissingToolError, HostError or TargetError
    when the subject cannot be built or started, Interrupted after Ctrl-C.
    """
    listener = listener or Listener()
    all_cases = (*page_cases(order.spec_folder), *read_cases(order.spec_folder))
    cases = _chosen(order, all_cases)
    known = read_known(order.spec_folder, all_cases)
    units = [
        unit for number, subject in enumerate(order.subjects) for unit in units_of(number, subject, cases, order.jobs)
    ]
    if not units:
        raise InputError("nothing of the chosen cases can be played on these subjects")
    listener.begins(sum(len(unit.plays) for unit in units), len(cases))
    began = time.monotonic()
    started = datetime.datetime.now(datetime.UTC)
    run = _Run(order, listener, known)
    with guard() as watch, ExitStack() as stack:
        artifacts = _artifacts(order, watch, listener)
        place = stack.enter_context(_loaded_server(order, watch, listener))
        run.play(units, artifacts, place)
    return _result(order, run, (started, time.monotonic() - began), known)


def _chosen(order: VerifyOrder, cases: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return the cases of an order; InputError for an unknown name, or when none is left."""
    if order.names:
        by_name = {placed.case.name: placed for placed in cases}
        unknown = [name for name in order.names if name not in by_name]
        if unknown:
            raise InputError(f"there is no case '{unknown[0]}'", where=str(order.spec_folder / "cases"))
        return tuple(by_name[name] for name in order.names)
    words = [word.lower() for word in order.only]
    chosen = tuple(
        placed
        for placed in cases
        if not words or any(word in f"{placed.topic} {placed.case.name}".lower() for word in words)
    )
    if not chosen:
        raise InputError(
            f"no case holds {' or '.join(order.only) or 'anything'}", where=str(order.spec_folder / "cases")
        )
    return chosen


@dataclass
class _Run:
    """The plays under way and done; several threads add to it."""

    order: VerifyOrder
    listener: Listener
    known: Sequence[KnownFailure]
    done: list[list[Played]] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    stopped: str = ""
    _targets: list[Target] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def play(self, units: Sequence[Unit], artifacts: Sequence[Path], place: LoadedServer) -> None:
        """Play all units on as many benches as there are jobs; the first error ends the others and is raised."""
        self.done = [[] for _ in self.order.subjects]
        waiting: queue.SimpleQueue[Unit] = queue.SimpleQueue()
        for unit in units:
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

    def _work(self, waiting: queue.SimpleQueue[Unit], artifacts: Sequence[Path], place: LoadedServer) -> None:
        # A guard for each worker: it knows processes by their names, which are the same on every bench.
        with guard() as watch:
            while not self.stop.is_set():
                try:
                    unit = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    self._play_unit(unit, artifacts[unit.subject], place, watch)
                except Exception:
                    if not self.stop.is_set():
                        raise

    def _play_unit(self, unit: Unit, artifact: Path, place: LoadedServer, watch: Guard) -> None:
        subject = self.order.subjects[unit.subject]
        with self._lock:
            number = next(self._numbers)
        order = BenchOrder(
            subject=subject,
            artifact=artifact,
            cell=unit.cell,
            settings=dict(unit.settings),
            server=place.server,
            template=place.template,
            name=f"{PREFIX}case_{watch.token.replace('-', '_')}_{number}",
            spec_folder=self.order.spec_folder,
            logs=self.order.logs / f"{number}",
        )
        with bench(order, watch, self.stop, self._started) as one:
            for placed, binding in unit.plays:
                if self.stop.is_set():
                    return
                try:
                    played = one.play(placed, binding)
                except Stopped:
                    return
                self._add(unit.subject, played)

    def _started(self, target: Target) -> None:
        with self._lock:
            self._targets.append(target)

    def _add(self, subject: int, played: Played) -> None:
        play = tell_apart(self.order.subjects[subject].name, played.play, self.known)
        with self._lock:
            self.done[subject].append(Played(play, played.notes, played.end_state))
            self.listener.played(self.order.subjects[subject].name, play)
            if self.order.fail_fast and play.outcome is PlayOutcome.FAILED and not self.stop.is_set():
                self.stopped = f"after the first failure ({play.label})"
                self.stop.set()


def _artifacts(order: VerifyOrder, watch: Guard, listener: Listener) -> list[Path]:
    if order.artifact is not None:
        return [order.artifact] * len(order.subjects)
    built: dict[str, Path] = {}
    for subject in order.subjects:
        if subject.name not in built:
            listener.step(f"building {subject.name}")
            built[subject.name] = build(subject, order.home, watch)
    return [built[subject.name] for subject in order.subjects]


@contextmanager
def _loaded_server(order: VerifyOrder, watch: Guard, listener: Listener) -> Iterator[LoadedServer]:
    """Give the server that is given, or one with the data set just loaded."""
    if order.loaded is not None:
        yield order.loaded
        return
    listener.step("starting the database")
    with guarded_database(order.database, watch, order.logs / "database.log") as server:
        if server.server is not None:
            _forget_durability(server)
        name = f"{PREFIX}cases_{watch.token.replace('-', '_')}"
        listener.step(f"loading {order.spec_folder.name} at scale {SCALE}")
        try:
            load_dataset(server, read_dataset(order.spec_folder, SCALE), name)
            yield LoadedServer(server, name)
        finally:
            drop_database(server, name)


def _forget_durability(server: Database) -> None:
    """Let a server of our own forget everything in a crash: nothing of it outlives the verification."""
    with server.admin() as admin:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            admin.execute(psycopg.sql.SQL("ALTER SYSTEM SET {} = off").format(psycopg.sql.Identifier(setting)))
        admin.execute("SELECT pg_reload_conf()")


def _result(
    order: VerifyOrder, run: _Run, when: tuple[datetime.datetime, float], known: Sequence[KnownFailure]
) -> ConformanceResult:
    started, seconds = when
    names = labels([subject.name for subject in order.subjects])
    subjects = []
    for subject, name, done in zip(order.subjects, names, run.done, strict=True):
        plays = tuple(sorted((one.play for one in done), key=lambda play: (play.cell, play.topic, play.where)))
        subjects.append(
            SubjectResult(
                subject=name,
                spec=order.spec_folder.name,
                spec_version=str(read_dataset(order.spec_folder, SCALE).version),
                commit=commit_of(order.home),
                started=started.isoformat(timespec="seconds"),
                seconds=round(seconds, 3),
                cells=cell_results(plays),
                not_offered=tuple(not_offered(subject)),
                missed=tuple(missed(subject.name, plays, known)),
                notes=(),
                plays=plays,
            )
        )
    return ConformanceResult(
        subjects=tuple(subjects), differences=tuple(differences(names, run.done)), stopped=run.stopped
    )


def labels(names: Sequence[str]) -> list[str]:
    """Return names that are all different: a subject named twice is `go` and `go-2`."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return found
