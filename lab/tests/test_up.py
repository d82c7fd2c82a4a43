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
from up_command import ROOT, SECONDS, Up, assert_nothing_is_left, run_printed, up

from middlemark.databases.database import Database
from middlemark.processes.affinity import usable_cpus
from middlemark.processes.ports import free_port, is_free

pytestmark = pytest.mark.long


def processes_of_the_application(one: Up) -> list[psutil.Process]:
    return [process for process in one.everything() if process.name() == "artifact"]


def test_it_prints_the_commands_that_drive_and_audit_it_and_where_its_interfaces_and_logs_are(tmp_path: Path) -> None:
    with up(tmp_path, "--set", "binding=grpc") as one:
        pages = one.address()
        assert "log in as uid:0 with the password xxx" in one.wait_for("Open http")
        wsdl = one.wait_for("soap: ").split()[-1]
        assert not wsdl.startswith(pages)
        assert "definitions" in httpx.get(wsdl).text
        operation = one.wait_for("json: ").split()[-1].replace("<operation>", "ping")
        assert httpx.post(operation, json={}).status_code == 200
        assert re.fullmatch(r"grpc: +127\.0\.0\.1:\d+\n", one.wait_for("grpc: "))

        drive = one.wait_for("Drive it:").partition(": ")[2]
        assert f"--target {pages} --scale tiny" in drive
        assert "50 accounts" in one.wait_for("(scale tiny has ")
        driven = run_printed(f"{drive} --users 5 --duration 4s --think 100ms --max-error-rate 0")
        assert driven.returncode == 0, driven.stdout + driven.stderr
        audited = run_printed(one.wait_for("Audit it:").partition(": ")[2])
        assert "Audit passed:" in audited.stdout, audited.stdout + audited.stderr

        logs = Path(one.wait_for("Logs:").split()[1].rstrip(","))
        assert {"web.log", "services.log"} <= {log.name for log in logs.iterdir()}
        one.process.send_signal(signal.SIGINT)
        assert one.process.wait(SECONDS) == 0
        assert not logs.exists()


def test_the_users_own_database_is_connected_to_and_its_password_is_not_printed(
    tmp_path: Path, database_cluster: Database
) -> None:
    own = f"postgresql://{database_cluster.user}@{database_cluster.address}"
    with up(tmp_path, "--database", database_cluster.url("postgres")) as one:
        audit = one.wait_for("Audit it:")
        assert re.search(rf"--database {re.escape(own)}/middlemark_run_brokerage_\w+ --spec brokerage", audit)
        assert "your password" in one.wait_for("(with")
        assert f"connecting to the database at {own}/postgres …\n" in one.so_far()
        assert "starting the database" not in one.so_far()
        assert database_cluster.password not in one.so_far()
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
        one.wait_for("Stopped; nothing of it is left.")
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


@pytest.mark.parametrize("moment", ["starting the database", "loading brokerage", "starting go", "Open http"])
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


@pytest.mark.skipif(len(usable_cpus()) < 2, reason="a place is one of several CPUs")
def test_processes_run_where_they_are_placed(tmp_path: Path) -> None:
    first, *_, last = sorted(usable_cpus())
    roles = (f"sut={first}", f"services={last}", f"database={last}")
    with up(tmp_path, *(word for role in roles for word in ("--place", role)), "--set", "binding=json") as one:
        one.address()
        cpus = [process.cpu_affinity() for process in processes_of_the_application(one)]
        assert sorted(cpus) == [[first], [last]]
        servers = [process for process in one.everything() if process.name() == "postgres"]
        assert servers
        assert {tuple(process.cpu_affinity()) for process in servers} == {(last,)}


def test_choices_reach_the_application(tmp_path: Path) -> None:
    choices = ("instances.web=2", "reverse_proxy=nginx", "MM_DATABASE_POOL=3", "orders=async-queue")
    with up(tmp_path, *(word for choice in choices for word in ("--set", choice))) as one:
        about = httpx.get(f"{one.address()}/about").json()
        assert (about["settings"]["database_pool"], about["settings"]["orders"]) == ("3", "async-queue")
        assert len(processes_of_the_application(one)) == 3
        assert one.wait_for("Drive it:").count("--target") == 2
        assert [process.name() for process in one.everything()].count("nginx") > 1


def test_an_application_that_dies_ends_it_with_the_reason(tmp_path: Path) -> None:
    with up(tmp_path) as one:
        one.address()
        (process,) = processes_of_the_application(one)
        process.kill()
        message = one.wait_for("middlemark: ")
        assert "go web was killed by SIGKILL" in message
        assert one.process.wait(SECONDS) == 1
    assert (tmp_path / "tmp" / Path(message.split()[1].rstrip(":")).parent.name / "web.log").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["goo", "brokerage"], "Did you mean 'go'"),
        (["go", "brokerag"], "brokerage"),
        (["go", "brokerage", "--scale", "huge"], "tiny"),
        (["go", "brokerage", "--set", "binding=rmi"], "It offers local, json, soap, grpc"),
        (["go", "--set", "reverse_proxy=ngnix"], "no server is called 'ngnix'. Did you mean 'nginx'?"),
        (["go", "--set", "instances.web=0"], "expected a number of web processes, found '0'. Write 1 or more"),
        (["go", "--set", "instances.wep=2"], "brokerage has no tier 'wep'. Did you mean 'web'?"),
        (["go", "--set", "MM_DATABASE_POOL=0"], "MM_DATABASE_POOL: expected 1 or more, found 0"),
        (["go", "--set", "binding"], "--set: "),
        (["go", "--set", "cpus=1"], "'cpus' is for experiments"),
        (["go", "--set", "tiers.web=go"], "'tiers.web' is for experiments"),
        (["go", "--place", "sutt=0"], "--place sutt=0: 'sutt' is not a role. Did you mean 'sut'?"),
        (["go", "--place", "sut=first"], "--place sut=first: 'first' is not a list of CPUs; write it like 0 or 0-2,5"),
        (["go", "--place", "sut=9999"], "--place sut=9999: CPU 9999 may not be used here, only "),
        (
            ["go", "--database", "stock=postgresql://me@here/x"],
            "brokerage has no database 'stock'. Name one of brokerage",
        ),
        (["jakarta"], "jakarta needs a server that hosts it. Write jakarta@liberty"),
    ],
)
def test_wrong_words_are_answered_with_what_there_is(words: list[str], message: str) -> None:
    command = [sys.executable, "-m", "middlemark", "up", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
