"""Runs a plan of the driver under the monitor's eyes, and notices what dies meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from middlemark.errors import TargetError
from middlemark.experiment.running_subject import RunningSubject
from middlemark.experiment.watched import watches_of
from middlemark.monitor.sampler import Schedule, monitoring
from middlemark.processes.ending import Part
from middlemark.records.driver_lines import DriverLines, Hello, Line
from middlemark.records.folder import check_writable, write_json
from middlemark.records.samples import STATEMENTS, Statements
from middlemark.workload.driver import Drive, driving
from middlemark.workload.plan import read_plan

OnLine = Callable[[Line], None]
Clock = Callable[[], float]


class Disturbance(Protocol):
    """What happens to a subject besides the load, for instance faults; it looks after what it kills by itself."""

    def on_start(self, subject: RunningSubject, clock: Clock) -> None:
        """Begin, and return at once. `clock` gives the seconds since the driver's hello, where its ramp begins."""
        ...

    def finish(self) -> None:
        """Return when all has been done and everything runs again; called once, also after a driver that failed.

        Raises TargetError for what could not be done.
        """
        ...


def run_load(
    subject: RunningSubject,
    folder: Path,
    on_line: OnLine = lambda _: None,
    disturbance: Disturbance | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> DriverLines:
    """Run the folder's plan; return the driver's lines. About once a second it ends there when that is `enough`.

    Raises TargetError when the driver dies or, without a disturbance, anything that is measured.
    """
    log = folder / "logs" / "driver.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    watchdog = subject.context.watchdog
    with (
        watches_of(subject, with_databases=disturbance is None) as watch,
        driving(
            folder / "plan.json", folder / "intervals.ndjson", log=log, environment=watchdog.mark(Part.DRIVER, "driver")
        ) as drive,
    ):
        watchdog.watch(drive.pid, Part.DRIVER, "driver")
        try:
            hello = drive.wait_for_hello()
            tiers = {**subject.tiers, "driver": (drive.pid,)}
            with monitoring(tiers, folder / "monitor.ndjson", hello.monotonic_ns, _schedule(folder, hello), watch):
                if disturbance is None:
                    _listen(subject, drive, on_line, enough)
                else:
                    _disturb(disturbance, subject, drive, on_line, hello.monotonic_ns)
            slowest = watch.databases.slowest()
            if slowest:
                write_json(folder / STATEMENTS, Statements(statements=slowest))
        except TargetError:
            # A driver that cannot write its lines ends without a word; the full disk is the news.
            check_writable(folder)
            raise
        finally:
            drive.close()
            watchdog.forget(drive.pid)
    return DriverLines(folder / "intervals.ndjson")


def _listen(subject: RunningSubject, drive: Drive, on_line: OnLine, enough: Callable[[], bool]) -> None:
    def each_second() -> None:
        subject.check_alive()
        if enough():
            drive.stop()

    # Lines may be a minute apart.
    drive.wait(on_line, each_second)


def _disturb(disturbance: Disturbance, subject: RunningSubject, drive: Drive, on_line: OnLine, origin_ns: int) -> None:
    disturbance.on_start(subject, lambda: (time.monotonic_ns() - origin_ns) / 1e9)
    try:
        drive.wait(on_line)
    finally:
        disturbance.finish()
    subject.check_alive()


def _schedule(folder: Path, hello: Hello) -> Schedule:
    """Return when to sample: at the begin and end of the window of the folder's plan, and beside the driver's lines."""
    begin, end = read_plan(folder / "plan.json").windows[0]
    start_s = hello.start_ns / 1e9
    return Schedule.beside((start_s + begin, start_s + end), hello.interval_ms / 1000)
