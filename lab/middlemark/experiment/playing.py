"""Has the driver play a plan under the monitor's eyes, and notices what dies meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Protocol

from middlemark.errors import TargetError
from middlemark.experiment.bench import Bench
from middlemark.monitor.database import DatabaseWatch, watching
from middlemark.monitor.sampler import monitoring
from middlemark.processes.ending import Part
from middlemark.records.driver_lines import Line, read_lines
from middlemark.records.folder import check_writable, write_json
from middlemark.records.samples import STATEMENTS, Statements
from middlemark.topology.topology import Target
from middlemark.workload.driver import Drive, driving
from middlemark.workload.plan import read_plan

Tell = Callable[[Line], None]
Clock = Callable[[], float]


class Disturbance(Protocol):
    """What happens to the target besides the load, for instance faults; it looks after what it kills by itself."""

    def on_start(self, target: Target, bench: Bench, clock: Clock) -> None:
        """Begin, and return at once. `clock` gives the seconds since the driver's hello, where its ramp begins."""
        ...

    def finish(self) -> None:
        """Return when all has been done and everything runs again; called once, also after a driver that failed.

        Raises TargetError for what could not be done.
        """
        ...


def play(
    bench: Bench, target: Target, folder: Path, tell: Tell = lambda _: None, disturbance: Disturbance | None = None
) -> list[Line]:
    """Play the folder's plan; return every line of the driver.

    Raises TargetError when the driver dies or, without a disturbance, anything that is measured.
    """
    log = folder / "logs" / "driver.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    mark = bench.guard.mark(Part.DRIVER, "driver")
    # A database that faults freeze or kill would hold the monitor up.
    watched = watching(bench.database, bench.name) if disturbance is None else nullcontext()
    with (
        watched as watch,
        driving(folder / "plan.json", folder / "intervals.ndjson", log=log, environment=mark) as drive,
    ):
        bench.guard.watch(drive.pid, Part.DRIVER, "driver")
        try:
            hello = drive.wait_for_hello()
            tiers, out = {**tiers_of(bench, target), "driver": (drive.pid,)}, folder / "monitor.ndjson"
            with monitoring(tiers, out, hello.monotonic_ns, _edges(folder), watch):
                if disturbance is None:
                    _listen(bench, target, drive, tell)
                else:
                    _disturb(disturbance, (bench, target, drive), tell, hello.monotonic_ns)
            _keep_slowest(watch, folder)
        except TargetError:
            # A driver that cannot write its lines ends without a word; the full disk is the news.
            check_writable(folder)
            raise
        finally:
            drive.close()
            bench.guard.forget(drive.pid)
    return read_lines(folder / "intervals.ndjson")


def _keep_slowest(watch: DatabaseWatch | None, folder: Path) -> None:
    """Write the slowest statements, where the server counts them."""
    slowest = watch.slowest() if watch else []
    if slowest:
        write_json(folder / STATEMENTS, Statements(statements=slowest))


def _listen(bench: Bench, target: Target, drive: Drive, tell: Tell) -> None:
    def hear(line: Line) -> None:
        _check_alive(bench, target)
        tell(line)

    drive.wait(hear)


def _disturb(disturbance: Disturbance, scene: tuple[Bench, Target, Drive], tell: Tell, origin_ns: int) -> None:
    bench, target, drive = scene
    disturbance.on_start(target, bench, lambda: (time.monotonic_ns() - origin_ns) / 1e9)
    try:
        drive.wait(tell)
    finally:
        disturbance.finish()
    _check_alive(bench, target)


def tiers_of(bench: Bench, target: Target) -> dict[str, tuple[int, ...]]:
    """Return the processes of every tier but the driver; of a database of the user's own nothing is seen."""
    server = bench.database.server
    database = {} if server is None else {"database": (server.pid,)}
    return {**target.tiers, **database}


def _edges(folder: Path) -> tuple[float, float]:
    """Return where the window of the folder's plan begins and ends, in seconds since the driver's hello."""
    return read_plan(folder / "plan.json").windows[0]


def _check_alive(bench: Bench, target: Target) -> None:
    """Raise TargetError as soon as something that is measured has died."""
    died = target.died()
    if died:
        raise TargetError(f"{died} in the middle of a point", where=str(died.log), todo="Read its last lines there")
    server = bench.database.server
    if server is not None and not server.alive():
        log = bench.root / "logs" / "database.log"
        raise TargetError(
            "PostgreSQL has died in the middle of a point", where=str(log), todo="Read its last lines there"
        )
