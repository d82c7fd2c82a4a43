"""A side of a comparison: an address or a server that was started, its driver, and its CPU time."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from middlemark.ab.cpu import CpuMeter, Unseen, meter_of_address, meter_of_process, ports_of
from middlemark.ab.options import PORT, AbOptions, SideOptions, session_text
from middlemark.ab.sliced import SliceCounts, SlicedDriver, sliced_driver
from middlemark.drive.address import check_reachable
from middlemark.drive.drive import DriveOptions, prepare
from middlemark.drive.options import DriveLoad, NamedValues
from middlemark.drive.thresholds import Thresholds
from middlemark.duration import Duration
from middlemark.errors import HostError, InputError, TargetError
from middlemark.processes.affinity import usable_cpus
from middlemark.processes.ending import Part
from middlemark.processes.ports import LOOPBACK, free_port, is_free
from middlemark.processes.process import Process, ProcessSpec, last_lines, running
from middlemark.processes.process_table import MARK, cpu_clock_ns
from middlemark.processes.watchdog import Watchdog
from middlemark.workload.plan import ConnectionPolicy, write_plan
from middlemark.workload.planning import Transport
from middlemark.workload.think import Think

READY_SECONDS = 60.0
# Some listen for their administrators first.
OTHER_PORT_SECONDS = 5.0
PROBE_SECONDS = 10.0
ATTEMPT_PAUSE_S = 0.05
A_DAY = Duration.of_seconds(24 * 3600)
MINUTE = Duration.of_seconds(60)
# A server still ends what belongs to a response after its last byte: logs it, cleans up.
AFTER_SLICE_S = 0.01


@dataclass(frozen=True)
class MeasuredSlice:
    """A slice with the CPU time of its side, None where that cannot be seen."""

    counts: SliceCounts
    cpu_s: float | None


class Side:
    """A side that is ready to be let go. `cpu_while_held_s` is what it used while the other one worked."""

    def __init__(self, options: SideOptions, address: str, meter: CpuMeter | Unseen) -> None:
        self.options = options
        self.address = address
        self.meter = meter
        self.cpu_while_held_s = 0.0
        self._driver: SlicedDriver | None = None
        self._last_ns: int | None = None

    @property
    def letter(self) -> str:
        """A or B."""
        return self.options.letter

    def measure(self, seconds: float) -> MeasuredSlice:
        """Let the users work for so long, and return what that was; TargetError when the driver or the side ended."""
        driver = self._driver
        assert driver is not None  # noqa: S101 (for the type checker: `sides` has made it)
        before = self._read_ns()
        if before is not None and self._last_ns is not None:
            self.cpu_while_held_s += (before - self._last_ns) / 1e9
        driver.go()
        time.sleep(seconds)
        counts = driver.hold()
        time.sleep(AFTER_SLICE_S)
        after = self._last_ns = self._read_ns()
        return MeasuredSlice(counts, None if before is None or after is None else (after - before) / 1e9)

    def driven_by(self, driver: SlicedDriver) -> None:
        """Take the driver that sends its requests."""
        self._driver = driver

    def driver_cpu_s(self) -> float:
        """CPU time of its driver so far, in seconds."""
        return (cpu_clock_ns(self._driver.pid) or 0) / 1e9 if self._driver else 0.0

    def _read_ns(self) -> int | None:
        try:
            return self.meter.read_ns() if isinstance(self.meter, CpuMeter) else None
        except TargetError as error:
            raise TargetError(f"{self.letter} ended: {error.what}", where=self.options.name) from error


@dataclass(frozen=True)
class Placement:
    """CPUs of the drivers, and of servers that are started; empty: any."""

    driver: frozenset[int]
    servers: frozenset[int]


def placement() -> Placement:
    """Give the drivers a CPU of their own where there are two."""
    cpus = list(usable_cpus())
    if len(cpus) < 2:
        return Placement(frozenset(), frozenset())
    return Placement(frozenset(cpus[:1]), frozenset(cpus[1:]))


@contextmanager
def both_sides(options: AbOptions, watchdog: Watchdog, folder: Path) -> Iterator[tuple[Side, Side]]:
    """Start what is to be started, look at both sides, and hold a driver for each ready until the context ends.

    Raises HostError when an address does not answer, TargetError when a command does not serve, InputError for pages
    that cannot be compared.
    """
    place = placement()
    with ExitStack() as stack:
        first, second = (stack.enter_context(_served(one, watchdog, folder, place)) for one in options.sides)
        statuses = [_status(first), _status(second)] if options.session is None else [200, 200]
        _check_alike(first, second, statuses)
        for side, status in zip((first, second), statuses, strict=True):
            plan = _written_plan(side, options, folder, status)
            side.driven_by(stack.enter_context(sliced_driver(plan, place.driver)))
        yield first, second


def turns(seed: int) -> Iterator[bool]:
    """Yield for each pair whether A comes first, by chance."""
    chance = random.Random(seed)  # noqa: S311 (an order, no secret)
    while True:
        yield chance.random() < 0.5


@contextmanager
def _served(options: SideOptions, watchdog: Watchdog, folder: Path, place: Placement) -> Iterator[Side]:
    if not options.command:
        check_reachable([options.address])
        yield Side(options, options.address, meter_of_address(options.address))
        return
    port = free_port()
    spec = ProcessSpec(
        name=options.letter,
        part=Part.APPLICATION,
        command=tuple(word.replace(PORT, str(port)) for word in options.command),
        folder=Path.cwd(),
        log=folder / f"{options.letter}.server.log",
        settings={name: value for name, value in os.environ.items() if name != MARK},
        ports=(port,),
        cpus=place.servers,
    )
    with running(spec, watchdog) as process:
        _wait_until_it_listens(process, port)
        yield Side(options, f"http://{LOOPBACK}:{port}", meter_of_process(process.pid))


def _wait_until_it_listens(process: Process, port: int) -> None:
    """Return when the port is taken; TargetError with its last lines when the process ends or takes too long."""
    began = time.monotonic()
    while is_free(port):
        took_s = time.monotonic() - began
        others = ports_of(process.pid) if took_s > OTHER_PORT_SECONDS else set()
        if process.died() or others or took_s > READY_SECONDS:
            raise _not_listening(process, port, others)
        time.sleep(ATTEMPT_PAUSE_S)


def _not_listening(process: Process, port: int, others: set[int]) -> TargetError:
    spec = process.spec
    lines = "".join(f"\n    {line}" for line in last_lines(spec.log))
    what = f"{spec.name} does not listen on port {port} after {READY_SECONDS:.0f} s"
    if process.died():
        what = f"{process.died()} before it listened on port {port}"
    elif others:
        what = f"{spec.name} listens on port {', '.join(map(str, sorted(others)))}, and not on {port}"
    todo = f"Its command gets the port in place of {PORT} and stays in the foreground"
    if lines:
        todo += f". Its last lines:{lines}"
    return TargetError(what, where=" ".join(spec.command), todo=todo)


def _status(side: Side) -> int:
    """HTTP status of all paths of a side; HostError when it does not respond, InputError for pages that fail."""
    statuses = set()
    for path in side.options.paths:
        try:
            verify = side.address.startswith("https:")
            response = httpx.get(
                side.address + path, follow_redirects=True, timeout=PROBE_SECONDS, trust_env=False, verify=verify
            )
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise HostError(f"{side.letter} gives no response ({reason})", where=side.address + path) from error
        statuses.add(response.status_code)
    if len(statuses) > 1:
        raise InputError(f"{side.letter} answers its paths with different statuses: {_listed(statuses)}")
    return statuses.pop()


def _check_alike(first: Side, second: Side, statuses: list[int]) -> None:
    if statuses[0] != statuses[1]:
        raise TargetError(
            f"A answers {statuses[0]} and B {statuses[1]}: their work is not the same",
            where=f"{first.address}{first.options.paths[0]}, {second.address}{second.options.paths[0]}",
        )
    if statuses[0] >= 400:
        path = first.options.paths[0]
        raise InputError(
            f"both sides answer {statuses[0]} to GET {path}", where=first.address, todo="Name a page: --path /page"
        )


def _written_plan(side: Side, options: AbOptions, folder: Path, status: int) -> Path:
    session = options.session
    if session is None:
        session = folder / f"{side.letter}.session.yaml"
        session.write_text(session_text(side.options.paths, status), encoding="utf-8")
    drive = DriveOptions(
        session,
        (side.address,),
        Thresholds(0, None),
        DriveLoad(options.users),
        duration=A_DAY,
        ramp=Duration(0),
        think=Think.of(Duration(0)),
        seed=options.seed,
        named=NamedValues(options.numbers),
        transport=Transport(ConnectionPolicy.KEEP),
    )
    plan = prepare(drive).plan
    path = folder / f"{side.letter}.plan.json"
    write_plan(plan.model_copy(update={"pacing": None, "interval_ms": MINUTE.ms}), path)
    return path


def _listed(statuses: set[int]) -> str:
    return ", ".join(str(status) for status in sorted(statuses))
