"""Runs a plan of the driver under the monitor's eyes, and notices what dies meanwhile."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

from middlemark.errors import TargetError
from middlemark.experiment.choice_values import transport_of
from middlemark.experiment.fault_injection import FaultInjection
from middlemark.experiment.placing import wake_of
from middlemark.experiment.run_context import RunningSubject
from middlemark.monitor.clients import PoolOwner
from middlemark.monitor.database import WatchedDatabase
from middlemark.monitor.sampler import Schedule, monitoring
from middlemark.monitor.watches import Watches, watches
from middlemark.processes.affinity import usable_cpus
from middlemark.processes.ending import Part
from middlemark.records.choices import THREADS
from middlemark.records.driver_lines import DriverLines, Interval, Line, PhaseName
from middlemark.records.folder import write_json
from middlemark.records.run import Load
from middlemark.records.samples import STATEMENTS, Statements
from middlemark.saving import check_writable
from middlemark.specification.files_on_disk import request_lists
from middlemark.specification.resources import DatabaseDefinition
from middlemark.specification.tiers import Protocol
from middlemark.topology.target import Member
from middlemark.verdict.soak import LOST_SLICES, MIN_EXPECTED
from middlemark.workload.driver import Drive, driving
from middlemark.workload.plan import read_plan
from middlemark.workload.planning import Arrivals, LoadSettings, PhaseLengths

OnLine = Callable[[Line], None]


def run_load(
    subject: RunningSubject,
    folder: Path,
    on_line: OnLine = lambda _: None,
    faults: FaultInjection | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> DriverLines:
    """Run the folder's plan until it ends or is `enough`; TargetError when driver or, without faults, subject dies."""
    log = folder / "logs" / "driver.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    watchdog = subject.context.watchdog
    with (
        watches_of(subject, with_databases=faults is None) as watch,
        driving(
            folder / "plan.json", folder / "intervals.ndjson", log=log, environment=watchdog.mark(Part.DRIVER, "driver")
        ) as drive,
    ):
        watchdog.watch(drive.pid, Part.DRIVER, "driver")
        try:
            hello = drive.wait_for_hello()
            tiers = {**subject.tiers, "driver": (drive.pid,)}
            # At the begin and end of the window, and beside the driver's lines.
            begin, end = (hello.start_ns / 1e9 + one for one in read_plan(folder / "plan.json").windows[0])
            when = Schedule.beside((begin, end), hello.interval_ms / 1000)
            with monitoring(tiers, folder / "monitor.ndjson", hello.monotonic_ns, when, watch):
                if faults is None:
                    # Lines may be a minute apart.
                    drive.wait(on_line, partial(_look, subject, drive, enough))
                else:
                    faults.on_start(subject, lambda: (time.monotonic_ns() - hello.monotonic_ns) / 1e9)
                    try:
                        drive.wait(on_line)
                    finally:
                        faults.finish()
                    subject.check_alive()
            if slowest := watch.databases.slowest():
                write_json(folder / STATEMENTS, Statements(statements=slowest))
        except TargetError:
            # A driver that cannot write its lines ends without a word; the full disk is the news.
            check_writable(folder)
            raise
        finally:
            drive.close()
            watchdog.forget(drive.pid)
    return DriverLines(folder / "intervals.ndjson")


class Standstill:
    """Ends a soak in which throughput was lost: no `counted` transaction in `LOST_SLICES`, though some were expected.

    The rest of the soak would show nothing new, and each request without a response would be a line.
    """

    def __init__(self, counted: Collection[str]) -> None:
        self._counted = counted
        self._seconds = self._done = 0.0
        self._empty, self._empty_s = 0, 0.0

    def counting(self, on_line: OnLine) -> OnLine:
        """A listener that counts the transactions of each line, and hands it to `on_line`."""

        def hear(line: Line) -> None:
            if isinstance(line, Interval):
                self._add(line)
            on_line(line)

        return hear

    def enough(self) -> bool:
        """Whether the soak is to end."""
        expected = self._done / self._seconds * self._empty_s if self._seconds else 0.0
        return self._empty >= LOST_SLICES and expected >= MIN_EXPECTED

    def _add(self, line: Interval) -> None:
        done = sum(one.count for name, one in line.transactions.items() if name in self._counted or not self._counted)
        if done or line.phase is not PhaseName.MEASURE:
            self._empty, self._empty_s = 0, 0.0
            self._seconds, self._done = self._seconds + line.seconds, self._done + done
        else:
            self._empty, self._empty_s = self._empty + 1, self._empty_s + line.seconds


def _look(subject: RunningSubject, drive: Drive, enough: Callable[[], bool]) -> None:
    subject.check_alive()
    if enough():
        drive.stop()


@contextmanager
def watches_of(subject: RunningSubject, *, with_databases: bool) -> Iterator[Watches]:
    """Watch a subject's connections, compiler threads, CPUs and neighbours; databases unless faults may hit them."""
    # Where nothing is pinned, what is measured may run wherever the lab may.
    pinned = frozenset(chain.from_iterable(subject.placement.cpus.values()))
    with _connections_of(subject, with_databases=with_databases) as found:
        yield dataclasses.replace(
            found,
            compilers=subject.target.compiler_threads,
            neighbours=subject.neighbours,
            cpus=pinned or frozenset(usable_cpus()),
        )


def _connections_of(subject: RunningSubject, *, with_databases: bool) -> AbstractContextManager[Watches]:
    members = subject.target.members
    # What comes and goes where users call the driver counts by itself, exactly, and on thousands of connections.
    called = subject.target.tiers_called(subject.session.target_names)
    counted = [member.tier for member in members if member.tier not in called]
    ports: dict[str, tuple[int, ...]] = {}
    for member in members:
        ports[member.tier] = (*ports.get(member.tier, ()), *member.places.ports.values())
    if not with_databases:
        return watches({}, ports, {}, counted)
    for store in subject.stores.values():
        port = store.server.tcp_port
        if port is not None and not store.is_users:
            ports[store.tier] = (port,)
            counted.append(store.tier)
    definitions = subject.target.subject.specification.description.databases
    addresses: dict[str, tuple[str, ...]] = {}
    for member in members:
        if any(one.variable in member.process.spec.settings for one in definitions.values()):
            addresses[member.tier] = (*addresses.get(member.tier, ()), member.address)
    databases = {
        name: WatchedDatabase(store.server, store.database, _owners(members, definitions[name]))
        for name, store in subject.stores.items()
    }
    return watches(databases, ports, addresses, counted)


def _owners(members: tuple[Member, ...], database: DatabaseDefinition) -> dict[str, PoolOwner]:
    """The tiers that work on a database, with the sizes of their pools; none without a setting for these."""
    owners: dict[str, PoolOwner] = {}
    for member in members:
        settings = member.process.spec.settings
        if database.pool and database.variable in settings:
            default = member.subject.specification.description.settings[database.pool].default_text
            before = owners.get(member.tier, PoolOwner((), 0))
            size = int(settings.get(database.pool) or default)
            owners[member.tier] = PoolOwner((*before.pids, member.process.pid), before.size + size)
    return owners


def load_settings(subject: RunningSubject, load: Load, phases: PhaseLengths, run: str) -> LoadSettings:
    """The settings of a load of a subject that runs, a point's or the warm-up's; `run` makes users new."""
    preparation, choices = subject.context.preparation, subject.combination.modes
    experiment = preparation.experiment
    loads = experiment.loads
    authority = subject.target.authority if Protocol.HTTPS in subject.session.target_names else None
    return LoadSettings(
        targets=subject.target.addresses,
        named_targets=subject.listeners,
        users=loads.users_at(load),
        phases=phases,
        run=run,
        seed=experiment.seed,
        think=experiment.think,
        numbers=preparation.specification.numbers(preparation.scale_of(subject.combination)),
        lists=request_lists(preparation.specification),
        threads=int(choices.get(THREADS, "1")),
        wake=wake_of(experiment.wake, preparation.placements.values()),
        transport=transport_of(
            choices, sources=experiment.sources, receive_stamps=experiment.receive_stamps, authority=authority
        ),
        per_client=experiment.per_client,
        interval=experiment.interval,
        split_times=experiment.split_times,
        arrivals=None if loads.whole else Arrivals((load,), loads.arrivals, loads.of),
    )
