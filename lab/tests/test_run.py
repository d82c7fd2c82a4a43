"""Whole runs: the real driver against the real application on the real database, and everything that ends one early."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from run_command import finish, found_in
from small_platform import small_checkout

from middlemark.databases.database import Database
from middlemark.judge.window import ENDED_EARLY
from middlemark.processes.process_table import MARK
from middlemark.records.driver_lines import Confirmed, DriverLines, Interval
from middlemark.records.findings import Findings
from middlemark.records.point import Outcome
from middlemark.records.run import RunStatus
from middlemark.records.window import Window
from middlemark.workload.plan import ClosedLoad, ConstantThink, WakeUps, read_plan

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SECONDS_TO_CLEAR = 30
EXPERIMENT = """\
spec: brokerage
scale: tiny
sessions: brokerage
subjects: [go]
modes: {{binding: [{bindings}]}}
loads: {{users: [4]}}
think: {{constant: 50ms}}
phases: {{warm: 500ms, settle: 200ms, measure: {measure}, drain: 10s}}
rounds: 1
replacements: 0
work: false
"""
MORE = "wake: exact\nreceive_stamps: true\nsplit_times: true\nwarm_users: 3\n"
LOADS = [(3, ConstantThink(constant_ms=0)), (4, ConstantThink(constant_ms=50))]
NOT_DEFAULT = {"load of the warm-up": "3 users without think time", "wake-ups of the driver": "exact"}


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """Give a short experiment: one combination, one load."""
    path = tmp_path / "short.yaml"
    path.write_text(EXPERIMENT.format(bindings="local", measure="1s"), encoding="utf-8")
    return path


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """Give an experiment whose window lasts longer than any test."""
    path = tmp_path / "endless.yaml"
    path.write_text(EXPERIMENT.format(bindings="json", measure="1h"), encoding="utf-8")
    return path


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "middlemark", "run", *words]


def loads_of(root: Path, path: str) -> list[tuple[int | None, object]]:
    """Return users and think times of the warm-up before a point at 4 users in the first start, and of the point."""
    warm_up = root / "logs" / path.removesuffix("/4/0") / "0" / "warm-up"
    plans = [read_plan(folder / "plan.json") for folder in (warm_up, root / "points" / path)]
    return [(plan.load.users, plan.think) for plan in plans if isinstance(plan.load, ClosedLoad)]


def check_further_figures(window: Window) -> None:
    """Hold what MORE asks for against the response times."""
    assert window.receive_lag is not None
    # Forms are answered by redirects, so that there are more responses.
    assert window.receive_lag.responses >= window.total.count
    assert 0 < (window.receive_lag.server_mean_ms or 0) < window.total.mean_ms
    assert window.first_byte is not None
    # A page that comes in one piece has its first byte with its last.
    assert 0 < window.first_byte.mean_ms <= window.total.mean_ms
    assert (window.page, window.reconnected) == (None, 0)


def test_a_run_measures_audits_and_reports_every_combination(tmp_path: Path) -> None:
    experiment = tmp_path / "both.yaml"
    experiment.write_text(EXPERIMENT.format(bindings="local, json", measure="2s") + MORE, encoding="utf-8")

    done = finish(experiment, tmp_path)

    folder, result = the_folder(tmp_path), the_result(tmp_path)
    assert result.run.status is RunStatus.FINISHED, done.stderr
    assert done.stdout.splitlines()[-1] == str(folder / "report.html")
    assert result.answer in " ".join(done.stdout.split())
    assert sorted(one.path for one in result.windows) == ["go/binding=json/4/0", "go/binding=local/4/0"]
    assert done.returncode == (0 if all(one.valid for one in result.windows) else 1), done.stderr
    for window in result.windows:
        outcomes = {check.name: check.outcome for check in window.checks}
        assert {outcomes[name] for name in ("audit", "errors", "settings")} == {Outcome.PASSED}
        # Not checked unless somebody has verified this very content in this checkout.
        assert outcomes["conformance"] is not Outcome.FAILED
        assert window.total.count > 0
        assert set(window.tiers) >= {"driver", "database"}
        assert all(tier.cpu_s > 0 for tier in window.tiers.values())
        check_further_figures(window)
        assert read_plan(folder / "points" / window.path / "plan.json").wake is WakeUps.EXACT
        assert loads_of(folder, window.path) == LOADS
    disclosed = {row["what"]: row["value"] for row in result.run.not_default}
    assert disclosed.items() >= NOT_DEFAULT.items()
    assert [(start.combination, start.start, list(start.seconds)) for start in result.run.starts] == [
        ("go/binding=local", 0, ["web"]),
        ("go/binding=json", 0, ["services", "web"]),
    ]
    assert all(seconds > 0 for start in result.run.starts for seconds in start.seconds.values())
    assert [(one.combination, one.start, one.flat) for one in result.run.warm_ups] == [
        ("go/binding=local", 0, None),
        ("go/binding=json", 0, None),
    ]
    assert all(one.seconds == pytest.approx(0.5, abs=0.1) for one in result.run.warm_ups)
    assert [code.combinations for code in result.run.code] == [["go/binding=local", "go/binding=json"]]
    assert all(lines > 0 for code in result.run.code for lines in code.tiers.values())
    assert set(result.windows[0].tiers) == {"web+services", "driver", "database"}
    checked = subprocess.run(
        ["sha256sum", "--quiet", "-c", "manifest.sha256"],  # noqa: S607 (the tool the manifest is made for)
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_a_run_on_the_users_database_drops_what_it_made_and_never_shows_the_password(
    tmp_path: Path, experiment: Path, database_cluster: Database
) -> None:
    url = database_cluster.url("postgres")
    before = databases(database_cluster)

    done = finish(experiment, tmp_path, f"--database={url}")

    result = the_result(tmp_path)
    assert result.run.status is RunStatus.FINISHED, done.stderr
    assert f"--database=postgresql://{database_cluster.user}@{database_cluster.address}/postgres" in result.run.command
    assert databases(database_cluster) == before
    for file in (path for path in the_folder(tmp_path).rglob("*") if path.is_file()):
        assert database_cluster.password.encode() not in file.read_bytes(), file


def test_the_audit_counts_every_order_the_driver_was_told_of(tmp_path: Path, experiment: Path) -> None:
    finish(experiment, tmp_path)

    (window,) = the_result(tmp_path).windows
    lines = list(DriverLines(the_folder(tmp_path) / "points" / window.path / "intervals.ndjson"))
    counted = sum(
        line.transactions["buy"].count for line in lines if isinstance(line, Interval) and "buy" in line.transactions
    )
    confirmed = next(line for line in lines if isinstance(line, Confirmed)).transactions["buy"].valid

    assert window.audit is not None
    assert window.audit.passed
    assert confirmed == counted > 0
    assert any(str(confirmed) in finding.message for finding in window.audit.findings)


@pytest.mark.full
def test_a_run_without_think_time_and_without_warm_up_is_measured(tmp_path: Path) -> None:
    experiment = tmp_path / "at-once.yaml"
    text = EXPERIMENT.format(bindings="local", measure="1s").replace("50ms", "0ms").replace("warm: 500ms", "warm: 0s")
    experiment.write_text(text, encoding="utf-8")

    done = finish(experiment, tmp_path)

    result = the_result(tmp_path)
    assert result.run.status is RunStatus.FINISHED, done.stderr
    assert result.windows[0].total.count > 0


def test_a_build_that_fails_ends_the_run_with_a_result_that_says_so(tmp_path: Path) -> None:
    home = small_checkout(tmp_path / "home", build='["sh", "-c", "echo line 7: syntax error; exit 9"]')
    for name in ("specs", "databases"):
        shutil.rmtree(home / name, ignore_errors=True)
        (home / name).symlink_to(ROOT / name)
    experiment = tmp_path / "small.yaml"
    text = EXPERIMENT.format(bindings="local", measure="1s").replace("[go]", "[small]")
    experiment.write_text(text, encoding="utf-8")

    done = finish(experiment, tmp_path, home=home)

    assert done.returncode == 1
    assert "building small ended with 9" in done.stderr
    assert "Traceback" not in done.stderr
    result = the_result(tmp_path)
    assert result.run.status is RunStatus.FAILED
    assert "line 7: syntax error" in result.run.message
    assert "building small" in report_of(tmp_path)


@pytest.mark.full
def test_two_runs_at_once_do_not_count(tmp_path: Path, experiment: Path, endless: Path) -> None:
    out = tmp_path / "second"
    with lab(endless, tmp_path / "first"):
        wait_for_load(tmp_path / "first")
        done = finish(experiment, out)

    assert done.returncode == 1
    assert "is measuring on this machine" in done.stderr
    assert "1 of 1 window is INVALID, the first (go local, 4 users, round 1) by " in done.stdout
    (window,) = the_result(out).windows
    assert window.failed("exclusive")


def test_ctrl_c_stops_everything_and_leaves_a_report(tmp_path: Path, endless: Path) -> None:
    with lab(endless, tmp_path) as process:
        wait_for_load(tmp_path)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)

        assert process.returncode == 130
        assert "interrupted after 0 of 1 point." in errors
        assert str(the_folder(tmp_path) / "report.html") in errors
    assert_nothing_is_left(process.pid)
    result = the_result(tmp_path)
    assert result.run.status is RunStatus.INTERRUPTED
    assert (result.windows, list(result.unfinished)) == ((), ["go/binding=json/4/0"])
    assert result.unfinished["go/binding=json/4/0"].startswith(f"{ENDED_EARLY}: ")
    assert result.answer.startswith("Interrupted after 0 of 1 window.")
    assert "This run did not finish." in report_of(tmp_path)


def test_a_killed_lab_leaves_no_process_and_a_result_that_can_be_reported(tmp_path: Path, endless: Path) -> None:
    with lab(endless, tmp_path) as process:
        wait_for_load(tmp_path)
        ports = listening_ports(process.pid)
        process.kill()
        process.wait()
    assert ports
    assert_nothing_is_left(process.pid)
    assert not ports & listening_ports(None)

    folder = the_folder(tmp_path)
    wait_until((folder / "stopped.json").is_file, "stopped.json")
    stopped = json.loads((folder / "stopped.json").read_text(encoding="utf-8"))
    reported = subprocess.run(
        [sys.executable, "-m", "middlemark", "report", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert {(one["part"], one["name"]) for one in stopped["processes"]} == {
        ("driver", "driver"),
        ("application", "go web"),
        ("application", "go services"),
        ("database", "PostgreSQL"),
    }
    assert reported.returncode == 1
    assert "killed" in report_of(tmp_path)


@pytest.mark.parametrize("tier", ["services", "web"])
def test_a_server_that_dies_ends_the_run_and_is_named(tmp_path: Path, endless: Path, tier: str) -> None:
    with lab(endless, tmp_path) as process:
        wait_for_load(tmp_path)
        (dead,) = (p for p in marked(process.pid) if mark_of(p).endswith(f"/go {tier}"))
        dead.kill()
        _, errors = process.communicate(timeout=60)

        assert process.returncode == 1
        assert "was killed by SIGKILL in the middle of a point" in errors
        assert f"{tier}.log" in errors
        assert "Traceback" not in errors
    assert_nothing_is_left(process.pid)
    result = the_result(tmp_path)
    assert result.run.status is RunStatus.FAILED
    assert "SIGKILL" in report_of(tmp_path)


def test_a_database_that_dies_ends_the_run_and_is_named(tmp_path: Path, endless: Path) -> None:
    with lab(endless, tmp_path) as process:
        wait_for_load(tmp_path)
        postmaster = next(p for p in marked(process.pid) if mark_of(p).split("/")[1] == "database")
        postmaster.kill()
        _, errors = process.communicate(timeout=60)

        assert process.returncode == 1
        assert "PostgreSQL has died in the middle of a point" in errors
        assert "Traceback" not in errors
    assert_nothing_is_left(process.pid)
    assert the_result(tmp_path).run.status is RunStatus.FAILED


def test_a_full_disk_is_one_message(tmp_path: Path, endless: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    script = 'mount -t tmpfs -o size=88k none "$1" && shift && exec "$@"'
    private = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    words = [*private, "sh", "-c", script, "sh", str(small), *command(str(endless), "--out", str(small))]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        _, errors = process.communicate(timeout=120)
    finally:
        process.kill()

    assert process.returncode == 2, errors
    assert f"no space left under {small}" in errors
    assert "choose another place" in errors
    assert "Traceback" not in errors
    assert_nothing_is_left(process.pid)


@contextmanager
def lab(experiment: Path, out: Path) -> Iterator[subprocess.Popen[str]]:
    """Run the lab; whatever a failed test leaves of it ends with the context."""
    process = subprocess.Popen(
        command(str(experiment), "--out", str(out)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_load(out: Path) -> None:
    """Return as soon as answers are counted in a point."""

    def loaded() -> bool:
        files = list(out.glob("*/points/**/intervals.ndjson"))
        return bool(files) and any(isinstance(line, Interval) and line.count > 0 for line in DriverLines(files[0]))

    wait_until(loaded, "a point under load", seconds=120)


def the_folder(out: Path) -> Path:
    """The only result folder under `out`."""
    (run,) = out.glob("*/run.json")
    return run.parent


def the_result(out: Path) -> Findings:
    """What the only run under `out` has found."""
    return found_in(the_folder(out))


def report_of(out: Path) -> str:
    return (the_folder(out) / "report.html").read_text(encoding="utf-8")


def databases(cluster: Database) -> set[str]:
    with cluster.admin() as admin:
        return {str(name) for (name,) in admin.execute("SELECT datname FROM pg_database").fetchall()}


def marked(lab_pid: int) -> list[psutil.Process]:
    """Return the processes started by the lab that had this process id."""
    return [p for p in psutil.process_iter() if mark_of(p).startswith(f"{lab_pid}-")]


def mark_of(process: psutil.Process) -> str:
    try:
        return process.environ().get(MARK, "")
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return ""


def listening_ports(lab_pid: int | None) -> set[int]:
    """Return the TCP ports that processes of a lab (None: anybody) listen on."""
    processes = psutil.process_iter() if lab_pid is None else marked(lab_pid)
    ports: set[int] = set()
    for process in processes:
        try:
            ports |= {c.laddr.port for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return ports


def assert_nothing_is_left(lab_pid: int) -> None:
    wait_until(lambda: not marked(lab_pid), f"the end of all processes of lab {lab_pid}")


def wait_until(condition: Callable[[], bool], what: str, seconds: float = SECONDS_TO_CLEAR) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.05)
