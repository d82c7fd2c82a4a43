"""The driver is started, read and ended; its failures have messages."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from driven import SESSION, a_plan, hello_of, is_running
from other_server import Manners, misbehaving, not_ours

import middlemark
from middlemark.drive.drive import DriveOptions, drive, prepare
from middlemark.drive.options import DriveLoad
from middlemark.drive.thresholds import Thresholds
from middlemark.duration import Duration
from middlemark.errors import InputError, MissingToolError, TargetError
from middlemark.records.driver_lines import (
    DriverLines,
    End,
    EndReason,
    Hello,
    Interval,
    Line,
    PhaseName,
    Unanswered,
)
from middlemark.workload.driver import driver_path, driving
from middlemark.workload.plan import write_plan
from middlemark.workload.window import driven

EVERY_KIND = """\
name: all
think: {uniform: [1ms, 2ms]}
per_iteration: {connections: keep, cookies: keep}
feeds:
  item: {range: [3, 4], format: "a b{}"}
  two: {pick: 2, from: item, join: "+"}
  one: {unique: "{run}-{user}-{iteration}"}
steps:
  - id: look
    get: /look?i=${item}&$${x}
    headers: {X-Note: "note ${two}"}
    repeat: 2
    capture:
      token: {regex: 'token="([a-z0-9]+)"'}
      title: {between: ["<h1>", "</h1>"]}
      place: {header: X-Place}
  - id: never
    get: /never
    probability: 0
  - id: order
    post: /order
    form: {token: "${token}", title: "${title}", place: "${place}", one: "${one}"}
    think: {exponential: 1ms}
  - id: note
    post: /note
    body: '{"i": "${item}"}'
    think: {constant: 1ms}
    identify: [one]
"""


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "page.yaml"
    path.write_text(SESSION, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with not_ours(tmp_path_factory.mktemp("server")) as address:
        yield address


def test_a_killed_driver_is_told_and_its_lines_are_readable(session: Path, server: str, tmp_path: Path) -> None:
    heard: list[Line] = []

    def kill_in_the_window(line: Line) -> None:
        heard.append(line)
        if isinstance(line, Interval) and line.phase is PhaseName.MEASURE:
            os.killpg(hello_of(heard).pid, signal.SIGKILL)

    plan = a_plan(session, server, measure_ms=50_000)
    with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:
        with pytest.raises(TargetError, match="the driver ended with status -9"):
            run.wait(kill_in_the_window)
        assert not is_running(run.pid)
    assert driven(DriverLines(tmp_path / "lines")).whole.total.count > 0


def test_a_driver_that_is_ended_from_outside_is_an_error(session: Path, server: str, tmp_path: Path) -> None:
    plan = a_plan(session, server, measure_ms=50_000)
    with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:
        run.wait_for_hello()
        os.kill(run.pid, signal.SIGTERM)
        with pytest.raises(TargetError, match=r"was ended early from outside \(signal\)"):
            run.wait()


def test_a_driver_is_stopped_when_its_context_ends(session: Path, server: str, tmp_path: Path) -> None:
    plan = a_plan(session, server, measure_ms=50_000)
    with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:
        pid = run.wait_for_hello().pid
        assert (run.pid, run.pgid, os.getpgid(pid), os.getsid(pid)) == (pid, pid, pid, pid)
    assert not is_running(pid)
    assert isinstance(list(DriverLines(tmp_path / "lines"))[-1], End)


def test_whoever_waits_may_stop_the_driver_and_its_lines_are_whole(session: Path, server: str, tmp_path: Path) -> None:
    heard: list[Line] = []
    plan = a_plan(session, server, measure_ms=50_000)
    with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:

        def each_second() -> None:
            if any(isinstance(line, Interval) and line.count for line in heard):
                run.stop()

        end = run.wait(heard.append, each_second)

    assert end.reason is EndReason.SIGNAL
    assert heard == list(DriverLines(tmp_path / "lines"))
    assert driven(heard).whole.total.mean_ms > 0


def test_the_clock_of_the_lines_has_a_known_origin(session: Path, server: str, tmp_path: Path) -> None:
    plan = a_plan(session, server)
    before = time.monotonic_ns()
    with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:
        origin = run.wait_for_hello().monotonic_ns
        assert before < origin < time.monotonic_ns()
        assert run.wait().reason is EndReason.FINISHED


def test_a_plan_the_driver_refuses_is_wrong_input(session: Path, server: str, tmp_path: Path) -> None:
    # \Z is a regular expression for Python, not for the driver.
    session.write_text(SESSION + "    capture: {last: {regex: '(x)\\Z'}}\n", encoding="utf-8")
    with (
        pytest.raises(InputError, match=r"the driver refuses the plan: .*(?s:page.*last)"),
        driving(a_plan(session, server), tmp_path / "lines", log=tmp_path / "log") as run,
    ):
        run.wait()


def test_a_missing_driver_names_the_way_to_build_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(middlemark, "__file__", str(tmp_path / "a" / "b" / "c.py"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("MIDDLEMARK_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingToolError, match="Run `make setup`"):
        driver_path()
    built = tmp_path / "middlemark-driver"
    built.write_text("", encoding="utf-8")
    built.chmod(0o755)
    assert driver_path() == built


def test_every_kind_of_step_runs_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "all.yaml"
    path.write_text(EVERY_KIND, encoding="utf-8")
    manners = Manners(expect=5)
    with misbehaving(manners) as address:
        options = DriveOptions(
            path, (address,), Thresholds(0, None), DriveLoad(1), duration=Duration(60_000), ramp=Duration(0)
        )
        prepared = prepare(options)
        write_plan(prepared.plan, tmp_path / "plan.json")
        with driving(tmp_path / "plan.json", tmp_path / "lines", log=tmp_path / "log") as run:
            run.wait_for_hello()
            assert manners.enough.wait(60)
            run.stop()
    look = "/look?i=a%20b3&${x}"
    form = f"token=t{len(look)}&title=hello&place=here&one={prepared.plan.run}-0-0"
    assert manners.requests[:4] == [
        ("GET", look, "note a b3+a b3", ""),
        ("GET", look, "note a b3+a b3", ""),
        ("POST", "/order", "", form),
        ("POST", "/note", "", '{"i": "a b3"}'),
    ]
    assert not any(path == "/never" for _, path, _, _ in manners.requests)
    figures = driven(DriverLines(tmp_path / "lines")).whole
    assert set(figures.errors_by_kind) <= {"cut_off"}
    assert set(figures.transactions) >= {"look", "order", "note"}


def test_a_request_without_a_response_is_identified(tmp_path: Path) -> None:
    path = tmp_path / "stuck.yaml"
    path.write_text(
        "name: stuck\nthink: {constant: 1ms}\nfeeds:\n  who: {range: [7, 8]}\n"
        "steps:\n  - {id: wait, get: '/?${who}', identify: [who]}\n",
        encoding="utf-8",
    )
    manners = Manners(seconds=30)
    with misbehaving(manners) as address:
        plan = a_plan(path, address, measure_ms=50_000)
        with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:
            run.wait_for_hello()
            assert manners.enough.wait(20)
            run.stop()
    stuck = [line for line in DriverLines(tmp_path / "lines") if isinstance(line, Unanswered)]
    assert stuck
    assert all((line.step, line.variables) == ("wait", {"who": "7"}) for line in stuck)


def test_a_driver_that_cannot_keep_pace_casts_doubt_on_the_verdict(session: Path, server: str) -> None:
    options = DriveOptions(
        session, (server,), Thresholds(1, None), DriveLoad(20), duration=Duration(1500), ramp=Duration(0)
    )
    ended = threading.Event()

    def hinder(pid: int) -> None:
        while not ended.is_set():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.05)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.01)

    def on_line(line: Line) -> None:
        if isinstance(line, Hello):
            threading.Thread(target=hinder, args=(line.pid,), daemon=True).start()
        if isinstance(line, Interval) and line.phase is PhaseName.MEASURE:
            ended.set()

    result = drive(prepare(options), None, on_line)
    assert result.passed
    assert "The driver may have been the limit: see " in result.verdict
    assert "Little's law" in result.verdict
    assert result.throughput_tps < 0.9 * (result.little_tps or 0)
