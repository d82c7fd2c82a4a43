"""`middlemark drive` plays a session against servers that are not ours, with the real driver."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from other_server import Manners, misbehaving, not_ours

import middlemark
from middlemark.errors import HostError, InputError, MissingToolError, TargetError
from middlemark.load.drive import DriveOrder, prepare
from middlemark.load.driver import driver_path, driving
from middlemark.load.duration import Duration
from middlemark.load.lines import End, EndReason, Hello, Interval, Line, PhaseName, Unanswered, read_lines
from middlemark.load.plan import write_plan
from middlemark.load.think import Think
from middlemark.load.thresholds import Thresholds
from middlemark.load.window import window_figures

ROOT = Path(__file__).parents[2]
SESSION = """\
name: page
think: {constant: 20ms}
steps:
  - id: page
    get: /
    expect: {marker: "<h1>hello</h1>"}
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


def drive_words(session: Path, target: str, *more: str) -> list[str]:
    short = ["--ramp", "100ms", "--duration", "600ms", "--users", "4"]
    return [sys.executable, "-m", "middlemark", "drive", str(session), "--target", target, *short, *more]


def drive(session: Path, target: str, *more: str) -> subprocess.CompletedProcess[str]:
    words = drive_words(session, target, *more)
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=session.parent)


def a_plan(session: Path, target: str, measure_ms: float = 500) -> Path:
    order = DriveOrder(
        session, (target,), Thresholds(0, None), users=4, duration=Duration(measure_ms), ramp=Duration(100)
    )
    path = session.parent / "plan.json"
    write_plan(prepare(order).plan, path)
    return path


def test_a_server_that_is_not_ours_is_driven(session: Path, server: str, tmp_path: Path) -> None:
    done = drive(session, server, "--out", str(tmp_path / "results"))
    assert (done.returncode, done.stderr) == (0, "")
    *table, path, verdict = done.stdout.splitlines()
    assert verdict.startswith("PASS: ")
    assert "4 users" in verdict
    assert any("page" in line for line in table)
    assert sorted(file.name for file in Path(path).iterdir()) == [
        "drive.json",
        "driver.log",
        "intervals.ndjson",
        "latency.hlog",
        "plan.json",
        "session.yaml",
    ]


def test_json_is_exactly_one_object_that_agrees_with_the_lines(session: Path, server: str, tmp_path: Path) -> None:
    done = drive(session, server, "--json", "--out", str(tmp_path / "results"))
    result = json.loads(done.stdout)
    figures = window_figures(read_lines(Path(result["out"]) / "intervals.ndjson"))
    assert done.returncode == 0
    assert result["passed"] is True
    assert result["total"]["count"] == figures.total.count > 0
    assert result["transactions"]["page"]["p99_ms"] == figures.total.p99_ms
    assert result["window_s"] == pytest.approx(0.6, abs=0.2)
    assert json.loads((Path(result["out"]) / "drive.json").read_bytes()) == result


def test_nothing_is_left_without_out(session: Path, server: str, tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir()
    done = subprocess.run(
        drive_words(session, server), check=False, capture_output=True, env={**os.environ, "TMPDIR": str(private)}
    )
    assert done.returncode == 0
    assert list(private.iterdir()) == []


def test_too_many_errors_are_exit_1_and_say_by_how_much(session: Path) -> None:
    with misbehaving(Manners(status=500)) as address:
        done = drive(session, address, "--max-error-rate", "0.25")
    assert done.returncode == 1
    verdict = done.stdout.splitlines()[-1]
    assert verdict.startswith("FAIL: no valid transaction in the window (at least one); error rate 100 % (")
    assert "is 75 % above the limit (at most 25 %)" in verdict
    assert "error status: " in done.stdout


def test_the_error_limit_is_kept_when_it_is_high_enough(tmp_path: Path, server: str) -> None:
    path = tmp_path / "half.yaml"
    path.write_text(SESSION + "  - {id: gone, get: /gone}\n", encoding="utf-8")
    assert drive(path, server, "--max-error-rate", "0.9").returncode == 0
    assert drive(path, server).returncode == 1


def test_a_p99_that_is_too_long_is_exit_1_and_names_the_transaction(session: Path) -> None:
    with misbehaving(Manners(seconds=0.05)) as address:
        slow = drive(session, address, "--p99", "10ms")
        good = drive(session, address, "--p99", "30s")
    assert slow.returncode == 1
    assert "FAIL: p99 of page " in slow.stdout
    assert "ms above the limit (at most 10ms)" in slow.stdout.splitlines()[-1]
    assert good.returncode == 0


def test_a_target_where_nothing_answers_is_told_before_anything_starts(session: Path) -> None:
    done = drive(session, "http://127.0.0.1:9")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "nothing answers at http://127.0.0.1:9" in done.stderr
    assert "Start it or check the address" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--duration", "5"], "--duration: '5' is no duration"),
        (["--think", "fast"], "--think: 'fast' is no duration"),
        (["--number", "accounts"], "--number: 'accounts' is not NAME=N"),
        (["--target", "https://127.0.0.1"], "https://127.0.0.1: a target is an http address"),
        (["--duration", "0s"], "--duration: a window of 0s measures nothing"),
    ],
)
def test_a_wrong_option_is_exit_2(session: Path, server: str, words: list[str], says: str) -> None:
    done = drive(session, server, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("ramp", ["0s", "50s"])
def test_ctrl_c_ends_the_driver_and_prints_the_figures_so_far(session: Path, tmp_path: Path, ramp: str) -> None:
    manners = Manners(expect=30)
    with misbehaving(manners) as address:
        out = tmp_path / "results"
        words = drive_words(session, address, "--duration", "50s", "--ramp", ramp, "--out", str(out))
        lab = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert manners.enough.wait(20)
        lab.send_signal(signal.SIGINT)
        printed, _ = lab.communicate(timeout=20)
    lines = read_lines(next(out.iterdir()) / "intervals.ndjson")
    assert lab.returncode == 130
    assert isinstance(lines[-1], End)
    assert lines[-1].reason is EndReason.SIGNAL
    assert not is_running(hello_in(lines).pid)
    verdict = printed.splitlines()[-1]
    if ramp == "0s":
        assert verdict.startswith("INTERRUPTED: ")
        assert "transactions/s by 4 users" in verdict
        assert window_figures(lines).total.count > 0
    else:
        assert verdict == "INTERRUPTED before the measured window began: nothing was measured."


def test_a_killed_lab_takes_its_driver_with_it_and_the_lines_are_readable(session: Path, tmp_path: Path) -> None:
    manners = Manners(expect=30)
    with misbehaving(manners) as address:
        out = tmp_path / "results"
        words = drive_words(session, address, "--duration", "50s", "--ramp", "0s", "--out", str(out))
        lab = subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)
        assert manners.enough.wait(20)
        lab.kill()
        lab.wait()
        path = next(out.iterdir()) / "intervals.ndjson"
        wait_until_ended(hello_in(read_lines(path)).pid)
    lines = read_lines(path)
    assert isinstance(lines[-1], End)
    assert lines[-1].reason is EndReason.LEASE
    assert window_figures(lines).total.count > 0


def test_a_killed_driver_is_told_and_its_lines_are_readable(session: Path, server: str, tmp_path: Path) -> None:
    heard: list[Line] = []

    def kill_in_the_window(line: Line) -> None:
        heard.append(line)
        if isinstance(line, Interval) and line.phase is PhaseName.MEASURE:
            os.killpg(hello_in(heard).pid, signal.SIGKILL)

    plan = a_plan(session, server, measure_ms=50_000)
    with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:
        with pytest.raises(TargetError, match="the driver ended with status -9"):
            run.wait(kill_in_the_window)
        assert not is_running(run.pid)
    assert window_figures(read_lines(tmp_path / "lines")).total.count > 0


def test_a_driver_that_somebody_else_ends_is_told(session: Path, server: str, tmp_path: Path) -> None:
    plan = a_plan(session, server, measure_ms=50_000)
    with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:
        run.wait_for_hello()
        os.kill(run.pid, signal.SIGTERM)
        with pytest.raises(TargetError, match=r"was ended early by somebody else \(signal\)"):
            run.wait()


def test_a_driver_is_stopped_when_its_context_ends(session: Path, server: str, tmp_path: Path) -> None:
    plan = a_plan(session, server, measure_ms=50_000)
    with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:
        pid = run.wait_for_hello().pid
        assert (run.pid, run.pgid, os.getpgid(pid), os.getsid(pid)) == (pid, pid, pid, pid)
    assert not is_running(pid)
    assert isinstance(read_lines(tmp_path / "lines")[-1], End)


def test_the_clock_of_the_lines_has_a_known_origin(session: Path, server: str, tmp_path: Path) -> None:
    plan = a_plan(session, server)
    before = time.monotonic_ns()
    with driving(plan, tmp_path / "lines", log=tmp_path / "log") as run:
        origin = run.origin_ns
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


def test_every_kind_of_step_is_played_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "all.yaml"
    path.write_text(
        """\
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
""",
        encoding="utf-8",
    )
    manners = Manners()
    with misbehaving(manners) as address:
        order = DriveOrder(path, (address,), Thresholds(0, None), users=1, duration=Duration(300), ramp=Duration(0))
        prepared = prepare(order)
        write_plan(prepared.plan, tmp_path / "plan.json")
        with driving(tmp_path / "plan.json", tmp_path / "lines", log=tmp_path / "log") as run:
            run.wait()
    look = "/look?i=a%20b3&${x}"
    form = f"token=t{len(look)}&title=hello&place=here&one={prepared.plan.run}-0-0"
    assert manners.asked[:4] == [
        ("GET", look, "note a b3+a b3", ""),
        ("GET", look, "note a b3+a b3", ""),
        ("POST", "/order", "", form),
        ("POST", "/note", "", '{"i": "a b3"}'),
    ]
    assert not any(path == "/never" for _, path, _, _ in manners.asked)
    figures = window_figures(read_lines(tmp_path / "lines"))
    assert figures.total.errors == 0
    assert set(figures.transactions) >= {"look", "order", "note"}


def test_a_request_without_an_answer_is_identified(tmp_path: Path) -> None:
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
    stuck = [line for line in read_lines(tmp_path / "lines") if isinstance(line, Unanswered)]
    assert stuck
    assert all((line.step, line.variables) == ("wait", {"who": "7"}) for line in stuck)


@pytest.mark.parametrize(("scale", "accounts"), [("demo", 5000), ("tiny", 50)])
def test_a_session_of_a_specification_knows_the_numbers_of_its_scale(server: str, scale: str, accounts: int) -> None:
    session = ROOT / "specs" / "brokerage" / "sessions" / "brokerage.yaml"
    plan = prepare(DriveOrder(session, (server,), Thresholds(0, None), scale=scale)).plan
    assert json.loads(plan.model_dump_json(by_alias=True))["feeds"][0]["range"]["to"] == accounts
    # 19 steps of 1 s think time and 10 ms: one iteration is the ramp, two are the window.
    assert plan.phases.ramp_ms == pytest.approx(19_190)
    assert plan.phases.measure_ms == pytest.approx(2 * 19_190)


def test_a_think_time_of_zero_still_has_a_ramp_and_a_window(session: Path, server: str) -> None:
    plan = prepare(DriveOrder(session, (server,), Thresholds(0, None), think=Think.of(Duration(0)))).plan
    assert plan.phases.ramp_ms == 1000
    assert plan.phases.measure_ms >= 10_000


def test_a_host_nobody_knows_is_told(session: Path) -> None:
    with pytest.raises(HostError, match=r"nothing answers at http://no-such-host\.invalid:80"):
        prepare(DriveOrder(session, ("http://no-such-host.invalid",), Thresholds(0, None)))


def hello_in(lines: list[Line]) -> Hello:
    assert isinstance(lines[0], Hello)
    return lines[0]


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    # A process that has ended and that nobody has waited for is a zombie.
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until_ended(pid: int) -> None:
    deadline = time.monotonic() + 20
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} still runs"
        time.sleep(0.02)
