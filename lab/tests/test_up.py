"""`middlemark up`: a real application on a real database, and nothing of it afterwards."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import psutil
import pytest
from up_command import ROOT, SECONDS, assert_nothing_is_left, run_printed, up

from middlemark.databases.database import Database
from middlemark.processes.ports import free_port, is_free

pytestmark = pytest.mark.long


def test_it_prints_the_commands_that_drive_and_audit_it_and_where_its_services_and_logs_are(tmp_path: Path) -> None:
    with up(tmp_path, "--set", "binding=soap") as one:
        pages = one.address()
        wsdl = one.wait_for("WSDL:").split()[-1]
        assert not wsdl.startswith(pages)
        assert "definitions" in httpx.get(wsdl).text
        services = one.wait_for("Services:").split()[-1].replace("<operation>", "ping")
        assert httpx.post(services, json={}).status_code == 200

        drive = one.wait_for("Drive it:").partition(": ")[2]
        assert f"--target {pages} --scale tiny" in drive
        assert "50 accounts" in one.wait_for("(scale tiny")
        driven = run_printed(f"{drive} --users 5 --duration 4s --think 100ms --max-error-rate 0")
        assert driven.returncode == 0, driven.stdout + driven.stderr
        audited = run_printed(one.wait_for("Audit it:").partition(": ")[2])
        assert "Audit passed:" in audited.stdout, audited.stdout + audited.stderr

        logs = Path(one.wait_for("Logs:").split()[1].rstrip(","))
        assert {"web.log", "services.log"} <= {log.name for log in logs.iterdir()}
        one.process.send_signal(signal.SIGINT)
        assert one.process.wait(SECONDS) == 0
        assert not logs.exists()


def test_the_password_of_the_users_own_database_is_not_printed(tmp_path: Path, database_cluster: Database) -> None:
    with up(tmp_path, "--database", database_cluster.url("postgres")) as one:
        audit = one.wait_for("Audit it:")
        assert re.search(rf"--database postgresql://{database_cluster.user}@127\.0\.0\.1:\d+/middlemark_up_", audit)
        assert "your password" in one.wait_for("(with")
        one.process.send_signal(signal.SIGINT)
        assert one.process.wait(SECONDS) == 0


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_ended_and_leaves_nothing(tmp_path: Path, ending: signal.Signals) -> None:
    with up(tmp_path) as one:
        address = one.address()
        login = httpx.post(f"{address}/login", data={"user_id": "uid:0", "password": "xxx"}, follow_redirects=True)
        assert '<strong id="user">uid:0</strong>' in login.text
        processes = one.everything()
        assert len(processes) > 5
        os.killpg(one.process.pid, ending)
        assert one.process.wait(SECONDS) == 0
    assert_nothing_is_left(processes, tmp_path)
    assert is_free(int(address.rpartition(":")[2]))


def test_impatient_ctrl_c_leaves_nothing_either(tmp_path: Path) -> None:
    with up(tmp_path, "--set", "binding=json") as one:
        one.address()
        processes = one.everything()
        while one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                one.process.wait(0.05)
        assert_nothing_is_left(processes, tmp_path)


@pytest.mark.parametrize("moment", ["starting the database", "loading", "starting go", "Open http"])
def test_killed_at_any_moment_it_leaves_nothing(tmp_path: Path, moment: str) -> None:
    with up(tmp_path, "--set", "binding=json") as one:
        one.wait_for(moment)
        processes = one.everything()
        one.process.kill()
        one.process.wait(SECONDS)
        processes += [p for p in psutil.process_iter() if str(tmp_path) in _environment(p)]
        assert_nothing_is_left(processes, tmp_path)


def _environment(process: psutil.Process) -> str:
    try:
        return str(process.environ())
    except psutil.Error:
        return ""


def test_a_busy_port_is_refused_in_one_line_before_anything_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with up(tmp_path, "--port", str(port)) as one:
            assert f"port {port} is taken by" in one.wait_for("middlemark: ")
            assert one.process.wait(SECONDS) == 2
    assert not (tmp_path / "middlemark").exists()


def test_the_port_is_the_users(tmp_path: Path) -> None:
    port = free_port()
    with up(tmp_path, "--port", str(port)) as one:
        assert one.address() == f"http://127.0.0.1:{port}"
        one.process.send_signal(signal.SIGINT)
        assert one.process.wait(SECONDS) == 0


def test_an_application_that_dies_ends_it_with_the_reason(tmp_path: Path) -> None:
    with up(tmp_path) as one:
        one.address()
        (victim,) = [process for process in one.everything() if process.name() == "artifact"]
        victim.kill()
        told = one.wait_for("middlemark: ")
        assert "go web was killed by SIGKILL" in told
        assert one.process.wait(SECONDS) == 1
    assert (tmp_path / "tmp" / Path(told.split()[1].rstrip(":")).parent.name / "web.log").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["goo", "brokerage"], "Did you mean 'go'"),
        (["go", "brokerag"], "brokerage"),
        (["go", "brokerage", "--scale", "huge"], "tiny"),
        (["go", "brokerage", "--set", "binding=rmi"], "It offers local, json, soap, grpc"),
        (["go", "brokerage", "--set", "front=ngnix"], "no server is called 'ngnix'. Did you mean 'nginx'?"),
        (["go", "brokerage", "--set", "web_servers=0"], "'0' is no number of web_servers"),
        (["go", "brokerage", "--set", "binding"], "--set binding=json"),
    ],
)
def test_wrong_words_are_answered_with_what_there_is(words: list[str], answer: str) -> None:
    command = [sys.executable, "-m", "middlemark", "up", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert answer in done.stderr
    assert len(done.stderr.splitlines()) == 1
