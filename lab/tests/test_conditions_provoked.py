"""The conditions of a figure that counts, each provoked in a real point: the reason is in its verdict and the report.

A wrong page is provoked in `test_gate.py`. Two runs serve all the others: one at scale tiny with a point for each
provocation, one at scale demo whose application becomes slower and slower. On a machine so busy that a
provocation cannot work, its test is skipped and says so.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from conftest import ROOT
from middlemark.experiment.bench import PointOrder
from middlemark.experiment.definition import LeastPhases
from middlemark.experiment.options import RunOptions
from middlemark.experiment.phases import point_phases
from middlemark.experiment.preparation import Preparation, prepare
from middlemark.experiment.progress import Progress
from middlemark.experiment.running import run_experiment
from middlemark.load.lines import Confirmed, Line, PhaseLine, PhaseName
from middlemark.results.folder import REPORT, PointResult, Result, read_result
from middlemark.results.manifest import MANIFEST, inspect
from middlemark.results.point import Outcome, Verdict
from middlemark.results.run import RunStatus
from middlemark.verdict.equality import side, unequal
from middlemark.verdict.headline import counts, verdict_sentence

EXPERIMENT = """\
spec: brokerage
scale: {scale}
session: brokerage
subjects: [go]
modes: {{binding: [local]}}
loads: {{users: [{users}]}}
think: {{constant: {think}}}
phases: {{warm: 200ms, settle: 100ms, measure: {measure}, drain: 10s}}
repeats: 1
"""
# Users of the points in which something is provoked.
FAILED_ANSWERS, DAMAGED_ORDER, STARVED_DRIVER, SATURATED_DATABASE = 2, 3, 4, 5
DRIFT = 12
# So many sessions get nearly all of a CPU, also beside a few busy processes of somebody else.
BUSY_SESSIONS = 32
SATURATED, MOST_SECONDS_TO_SATURATE = 0.95, 60
BUSY = "DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$"
FREEZING_SECONDS = 0.1
# The drift that is provoked is larger than the mean; beside others that take the CPU for seconds it cannot be seen.
MOST_NOISE = 100
LOCK_LIMIT = "SET lock_timeout = '20s'"

Provocation = Callable[[Line], None]
Before = Callable[[float], None]


class Provoking(Progress):
    """Tells how far a run is, and provokes something in the points of these loads."""

    def __init__(self, provocations: Mapping[int, Provocation], before: Mapping[int, Before]) -> None:
        """Take by the load what to do at each line that is heard, and before a point with a window of so many s."""
        super().__init__()
        self.provocations = provocations
        self.before = before
        self.least = LeastPhases()

    def started(self, preparation: Preparation, root: Path) -> None:
        """Keep how long phases are at least."""
        super().started(preparation, root)
        self.least = preparation.experiment.phases

    def point(self, order: PointOrder, points: int) -> Callable[[Line], None]:
        """Return what shows a point and provokes something in it."""
        hear = super().point(order, points)
        begin, provoke = self.before.get(int(order.load)), self.provocations.get(int(order.load))
        if begin:
            begin(point_phases(self.least, order.iteration_s).measure)

        def both(line: Line) -> None:
            hear(line)
            if provoke:
                provoke(line)

        return both


def begins(line: Line, phase: PhaseName) -> bool:
    return isinstance(line, PhaseLine) and line.phase is phase


def child(name: str) -> psutil.Process:
    """Return the process that the run has started from a program of this name."""
    return next(p for p in psutil.Process().children(recursive=True) if _program(p) == name)


def _program(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return Path("".join(process.cmdline()[:1])).name
    return ""  # it has just ended


def application() -> psutil.Process:
    return child("artifact")


@contextmanager
def its_database() -> Iterator[psycopg.Connection]:
    """Give a connection to the database that the application works on."""
    with psycopg.connect(application().environ()["MM_DATABASE_URL"], autocommit=True) as connection:
        connection.execute(LOCK_LIMIT)
        yield connection


def fail_answers(line: Line) -> None:
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

    def expect(self, window_s: float) -> None:
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
    """Sessions of somebody else that keep the database's only CPU busy."""

    def __init__(self) -> None:
        self.sessions = ExitStack()

    def begin(self, _: float) -> None:
        """Begin, and wait until they have the CPU, as long as that is reasonable."""
        for _ in range(BUSY_SESSIONS):
            session = psycopg.connect(maintenance_url(), autocommit=True)
            self.sessions.callback(session.close)
            session.pgconn.send_query(BUSY.encode())
        server = psutil.Process(session.info.backend_pid).parent()
        assert server is not None
        deadline = time.monotonic() + MOST_SECONDS_TO_SATURATE
        while _use(server) < SATURATED and time.monotonic() < deadline:
            pass

    def hear(self, line: Line) -> None:
        """End with the window. A session that only computes does not notice that its client has gone."""
        if begins(line, PhaseName.DRAIN):
            with psycopg.connect(maintenance_url(), autocommit=True) as connection:
                end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = %s"
                assert len(connection.execute(end, [BUSY]).fetchall()) == BUSY_SESSIONS
            self.sessions.close()


def maintenance_url() -> str:
    """Return the address of a database that no point replaces, on the application's server."""
    return application().environ()["MM_DATABASE_URL"].rpartition("/")[0] + "/postgres"


def _use(server: psutil.Process) -> float:
    """Return which part of one CPU the server uses, over half a second."""

    def spent() -> float:
        return sum(map(_cpu_seconds, server.children()))

    before, began = spent(), time.monotonic()
    time.sleep(0.5)
    return (spent() - before) / (time.monotonic() - began)


def _cpu_seconds(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        return float(sum(process.cpu_times()[:2]))
    return 0.0  # it has just ended


def run(folder: Path, text: str, progress: Progress) -> Result:
    """Run an experiment in this checkout; it has finished."""
    (folder / "provoked.yaml").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("GOFLAGS", "-buildvcs=false")
        preparation = prepare(str(folder / "provoked.yaml"), RunOptions(out=folder / "results"))
        result = read_result(run_experiment(preparation, ["run", "provoked.yaml"], progress))
    assert result.run.status is RunStatus.FINISHED, result.run.message
    return result


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Result]:
    """Run once at scale tiny: a point for each provocation, with CPUs that only the database has, where there are."""
    saturation = Saturation()
    with saturation.sessions:
        provocations: dict[int, Provocation] = {
            FAILED_ANSWERS: fail_answers,
            DAMAGED_ORDER: damage_an_order,
            STARVED_DRIVER: Freezing(lambda: child("middlemark-driver"), 0.8, 0.8).hear,
        }
        before: dict[int, Before] = {}
        text = EXPERIMENT.format(scale="tiny", users="2, 3, 4, 5", think="20ms", measure="2s")
        usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        if len(usable) > 1:
            text += f'placement: {{driver: "{usable[0]}", database: "{usable[1]}", sut: "{usable[0]}"}}\n'
            provocations[SATURATED_DATABASE] = saturation.hear
            before[SATURATED_DATABASE] = saturation.begin
        yield run(tmp_path_factory.mktemp("provoked"), text, Provoking(provocations, before))


@pytest.fixture(scope="module")
def drifting(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Run once at scale demo with an application that has less and less of its time."""
    slower = Freezing(application, 0.0, 0.95)
    # Short think times do not hide it; twelve intervals tell a trend from the noise of a busy machine.
    text = EXPERIMENT.format(scale="demo", users=DRIFT, think="20ms", measure="12s")
    return run(tmp_path_factory.mktemp("drifting"), text, Provoking({DRIFT: slower.hear}, {DRIFT: slower.expect}))


def point_with(result: Result, users: int) -> PointResult:
    return next(point for point in result.points if point.load == users)


def verdict_of(point: PointResult) -> Verdict:
    """Return the verdict as it stands in the file."""
    return Verdict.model_validate_json((point.folder / "verdict.json").read_bytes())


def report_of(result: Result) -> str:
    return html.unescape((result.folder / REPORT).read_text(encoding="utf-8"))


def invalid_by(result: Result, users: int, *conditions: str) -> list[str]:
    """Return the reasons of a point that one of these conditions made INVALID; each is in the report."""
    point = point_with(result, users)
    verdict = verdict_of(point)
    assert not point.valid
    broken = [check for check in verdict.checks if check.name in conditions and check.outcome is Outcome.FAILED]
    reasons = [f"{check.name}: {check.value} (limit: {check.limit})" for check in broken]
    assert reasons, verdict.invalid
    assert set(reasons) <= set(verdict.invalid)
    assert all(check.value in report_of(result) for check in broken)
    assert "INVALID" in report_of(result)
    assert "INVALID" in verdict_sentence(result)
    assert not counts(result)
    return reasons


def test_failed_answers_make_a_point_invalid_with_their_kinds(result: Result) -> None:
    (reason,) = invalid_by(result, FAILED_ANSWERS, "errors")
    kinds = verdict_of(point_with(result, FAILED_ANSWERS)).errors_by_kind
    assert kinds
    assert reason.endswith(f": {', '.join(f'{kind} {count:,}' for kind, count in kinds.items())} (limit: < 0.01 %)")


def test_a_damaged_order_makes_a_point_invalid_with_the_rule_it_breaks(result: Result) -> None:
    (reason,) = invalid_by(result, DAMAGED_ORDER, "audit")
    point = point_with(result, DAMAGED_ORDER)
    assert point.audit is not None
    broken = [finding for finding in point.audit.findings if finding.outcome is Outcome.FAILED]
    assert f"the first: {broken[0].rule}: {broken[0].message}" in reason
    # A price that the symbol never had, and a balance and a holding that do not go with it.
    assert any(finding.rule.startswith("Every order of a run has a price its symbol has had") for finding in broken)
    assert all(finding.count == 1 for finding in broken)


def test_a_starved_driver_makes_a_point_invalid_with_how_late_it_was(result: Result) -> None:
    (reason,) = invalid_by(result, STARVED_DRIVER, "driver pace")
    assert "ms" in reason


def test_a_saturated_database_is_named_as_the_limit_and_its_point_is_no_peak_of_the_platform(result: Result) -> None:
    if not result.run.placement["go/binding=local"].cpus:
        pytest.skip("a database has no CPU of its own here")
    verdict = verdict_of(point_with(result, SATURATED_DATABASE))
    use = verdict.tiers["database"].cpu_share
    if use < 0.9:
        pytest.skip(f"others were given {100 * (1 - use):.0f} % of the database's CPU: it was not saturated")
    assert verdict.limit is not None
    assert verdict.limit.by == "database"
    assert not verdict.limit.platform_peak
    assert verdict.limit.says.startswith("limited by database, no peak of the platform: database used ")
    assert verdict.limit.says in report_of(result)
    others = [verdict_of(point_with(result, users)).limit for users in (FAILED_ANSWERS, DAMAGED_ORDER)]
    assert all(limit is not None and limit.by != "database" for limit in others)


def test_an_application_that_becomes_slower_makes_a_point_invalid_with_its_drift(drifting: Result) -> None:
    verdict = verdict_of(point_with(drifting, DRIFT))
    value = next(check.value for check in verdict.checks if check.name == "steady state")
    noise = re.search(r"± ([0-9.]+) %", value)
    assert noise, value
    if float(noise[1]) > MOST_NOISE:
        pytest.skip(f"on this machine nobody could tell a trend now: {value}")
    (reason,) = invalid_by(drifting, DRIFT, "steady state")
    assert reason.startswith("steady state: -")
    assert "% over the window" in reason


def test_a_run_at_another_scale_cannot_be_compared(result: Result, drifting: Result) -> None:
    sides = [side(one, one.run.combinations[0]) for one in (result, drifting)]
    assert "another scale (tiny, demo)" in unequal(*sides)
    assert unequal(sides[0], sides[0]) == ()


def test_one_edited_byte_of_any_file_of_a_real_result_is_named(result: Result, tmp_path: Path) -> None:
    folder = shutil.copytree(result.folder, tmp_path / "result")
    assert inspect(folder).deviants == ()
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in {REPORT, MANIFEST}]
    kinds = {path.name for path in files}
    assert {"run.json", "noise.json", "point.json", "plan.json", "intervals.ndjson", "latency.hlog"} <= kinds
    assert {"monitor.ndjson", "audit.json", "verdict.json", "driver.log", "database.log"} <= kinds
    for file in files:
        whole = file.read_bytes()
        middle = len(whole) // 2
        edited = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :] if whole else b"x"
        file.write_bytes(edited)
        assert [str(one) for one in inspect(folder).deviants] == [f"changed: {file.relative_to(folder)}"]
        file.write_bytes(whole)
    (folder / "run.json").write_bytes((folder / "run.json").read_bytes().replace(b"tiny", b"tinz", 1))
    command = [sys.executable, "-m", "middlemark", "check", str(folder)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "Check failed: changed: run.json."
