"""What is done to a real run so that its figures must not count: each is done while the run's points are measured."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import psutil
import psycopg

from middlemark.experiment.phases import MinPhases, point_phases
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.progress import Progress
from middlemark.experiment.schedule import PointSpec
from middlemark.records.driver_lines import Confirmed, DriverLines, Hello, Line, PhaseLine, PhaseName
from middlemark.records.samples import Samples
from middlemark.workload.plan import read_plan

# CPUs are full at 90 %: so many sessions leave a tenth of one only to eight busy processes of others, or more.
BUSY_SESSIONS = 64
MAX_SECONDS_TO_SAMPLE = 60
BUSY = "DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$"
FREEZING_SECONDS = 0.1
LOCK_LIMIT = "SET lock_timeout = '20s'"

Provocation = Callable[[Line], None]
Before = Callable[[Path, float], None]


class Provoking(Progress):
    """Shows how far a run is, and provokes something in the points of these loads."""

    def __init__(self, provocations: Mapping[int, Provocation], before: Mapping[int, Before]) -> None:
        """Take by the load what to do at each line, and before a point in this folder with a window of so many s."""
        super().__init__()
        self.provocations = provocations
        self.before = before
        self.minimum = MinPhases()
        self.root = Path()

    def started(self, preparation: Preparation, root: Path) -> None:
        """Keep how long phases are at least, and where the points are."""
        super().started(preparation, root)
        self.root = root
        self.minimum = preparation.experiment.phases

    def point(self, point: PointSpec, measured: int, points: int) -> Callable[[Line], None]:
        """Return what shows a point and provokes something in it."""
        hear = super().point(point, measured, points)
        begin, provoke = self.before.get(int(point.load)), self.provocations.get(int(point.load))
        if begin:
            begin(point.folder(self.root), point_phases(self.minimum, point.iteration_s).measure)

        def both(line: Line) -> None:
            hear(line)
            if provoke:
                provoke(line)

        return both


def begins(line: Line, phase: PhaseName) -> bool:
    """Return whether a phase begins with a line of the driver."""
    return isinstance(line, PhaseLine) and line.phase is phase


def child(name: str) -> psutil.Process:
    """Return the process that the run has started from a program of this name."""
    return next(p for p in psutil.Process().children(recursive=True) if _program(p) == name)


def _program(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return Path("".join(process.cmdline()[:1])).name
    return ""  # it has just ended


def application() -> psutil.Process:
    """Return the process that is measured."""
    return child("artifact")


@contextmanager
def its_database() -> Iterator[psycopg.Connection]:
    """Give a connection to the database that the application works on."""
    with psycopg.connect(application().environ()["MM_DATABASE_URL"], autocommit=True) as connection:
        connection.execute(LOCK_LIMIT)
        yield connection


def fail_responses(line: Line) -> None:
    """Take a table away for the time of the window, so that the application answers errors."""
    if begins(line, PhaseName.MEASURE):
        with its_database() as connection:
            connection.execute("ALTER TABLE quotes RENAME TO quotes_away")
    elif begins(line, PhaseName.DRAIN):
        with its_database() as connection:
            connection.execute("ALTER TABLE quotes_away RENAME TO quotes")


def damage_an_order(line: Line) -> None:
    """Take a cent off the price of an order that was confirmed."""
    if isinstance(line, Confirmed):
        assert line.transactions["buy"].valid
        with its_database() as connection:
            done = connection.execute(
                "UPDATE orders SET price = price - 0.01 WHERE order_id = (SELECT max(order_id) FROM orders)"
            )
            assert done.rowcount == 1


class Freezing:
    """Freezes a process again and again while the window lasts, for a `share` of the time; at its end for `last`."""

    def __init__(self, process: Callable[[], psutil.Process], share: float, last: float) -> None:
        """Take the process when it is there."""
        self.process = process
        self.share, self.more = share, last - share
        self.window_s = 1.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._freeze, daemon=True)

    def expect(self, _: Path, window_s: float) -> None:
        """Learn how long the window will be: on a busy machine it is long."""
        self.window_s = window_s

    def hear(self, line: Line) -> None:
        """Begin with the window, and end with it."""
        if begins(line, PhaseName.MEASURE):
            self.thread.start()
        elif begins(line, PhaseName.DRAIN):
            self.over.set()
            self.thread.join()

    def _freeze(self) -> None:
        pid, began = self.process().pid, time.monotonic()
        while not self.over.is_set():
            passed = min(1.0, (time.monotonic() - began) / self.window_s)
            still = FREEZING_SECONDS * (self.share + self.more * passed)
            try:
                os.kill(pid, signal.SIGSTOP)
                time.sleep(still)
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                return
            self.over.wait(FREEZING_SECONDS - still)


class Saturation:
    """Sessions of somebody else that keep the database's only CPU busy, from before the window to behind its end."""

    def __init__(self) -> None:
        self.sessions: list[psycopg.Connection] = []
        self.open = ExitStack()
        self.folder = Path()
        self.busy_from_ns = 0

    def begin(self, folder: Path, _: float) -> None:
        """Open the sessions while the database has time for it."""
        self.folder = folder
        opened = (psycopg.connect(maintenance_url(), autocommit=True) for _ in range(BUSY_SESSIONS))
        self.sessions = [self.open.enter_context(closing(session)) for session in opened]

    def hear(self, line: Line) -> None:
        """Begin with the first line, of the ramp or the settling; end when the monitor has seen the window's end."""
        if not self.busy_from_ns:
            for session in self.sessions:
                session.pgconn.send_query(BUSY.encode())
            self.busy_from_ns = time.monotonic_ns()
        if begins(line, PhaseName.DRAIN):
            self._wait_for_sample()
            with psycopg.connect(maintenance_url(), autocommit=True) as connection:
                pids = [session.info.backend_pid for session in self.sessions]
                done = connection.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) AS pid", [pids]).fetchall()
                assert done == [(True,)] * BUSY_SESSIONS
            self.open.close()

    def _wait_for_sample(self) -> None:
        """Wait for a sample after the window: what is used at its end lies on a line between two samples."""
        end_s = self._window_s()[1]
        deadline = time.monotonic() + MAX_SECONDS_TO_SAMPLE
        while not any(one.t_ns / 1e9 >= end_s for one in Samples(self.folder / "monitor.ndjson")):
            assert time.monotonic() < deadline, "the monitor has taken no sample since the end of the window"
            time.sleep(0.02)

    def _window_s(self) -> tuple[float, float]:
        return read_plan(self.folder / "plan.json").windows[0]

    def late_s(self) -> float:
        """Return how long after the window's begin the sessions began; negative when it was before."""
        hello = next(iter(DriverLines(self.folder / "intervals.ndjson")))
        assert isinstance(hello, Hello)
        return (self.busy_from_ns - hello.monotonic_ns) / 1e9 - self._window_s()[0]


def maintenance_url() -> str:
    """Return the address of a database that no point replaces, on the application's server."""
    return application().environ()["MM_DATABASE_URL"].rpartition("/")[0] + "/postgres"
