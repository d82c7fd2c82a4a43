"""Whose CPU time a side has: found by its port, with ended threads and children."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from ab_servers import served

from middlemark.ab import cpu
from middlemark.ab.cpu import CpuMeter, Unseen, meter_of_address, ports_of
from middlemark.errors import TargetError
from middlemark.processes.ports import free_port

REQUESTS = 30
ROUNDS = 60_000
# What ended children have used is counted in ticks of 10 ms.
TICK_S = 0.01


@pytest.mark.parametrize("how", ["plain", "threads", "fork"])
def test_what_ended_threads_and_children_have_used_is_counted(tmp_path: Path, how: str) -> None:
    with served(tmp_path, ROUNDS, how) as (address, pid):
        meter = meter_of_address(address)
        assert isinstance(meter, CpuMeter)
        assert meter.pids == (pid,)
        before = meter.read_ns()
        with httpx.Client(trust_env=False) as client:
            spent = [float(client.get(f"{address}/spent").text) for _ in range(REQUESTS)]
        # The clock of a whole process goes on; those of threads and children begin with each request.
        used = spent[-1] - spent[0] if how == "plain" else sum(spent)
        seen = (meter.read_ns() - before) / 1e9
        assert seen >= used - 2 * TICK_S
        assert used > 5 * TICK_S


def test_the_process_that_listens_is_found_at_any_address_of_the_machine(tmp_path: Path) -> None:
    with served(tmp_path) as (address, pid):
        for named in (address, address.replace("127.0.0.1", "localhost")):
            meter = meter_of_address(named)
            assert isinstance(meter, CpuMeter)
            assert meter.pids == (pid,)
            assert f"pid {pid}" in str(meter)
        assert ports_of(pid) == {int(address.rpartition(":")[2])}


def test_a_socket_of_ipv6_is_found_too() -> None:
    text = "import socket,sys; s=socket.create_server(('::', int(sys.argv[1])), family=socket.AF_INET6); input()"
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-c", text, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        while port not in ports_of(process.pid):
            assert process.poll() is None
        meter = meter_of_address(f"http://127.0.0.1:{port}")
        assert isinstance(meter, CpuMeter)
        assert meter.pids == (process.pid,)
        process.kill()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("unix:/run/a.sock", "it listens on a Unix socket"),
        # Of a network for examples (RFC 5737): no machine has it.
        ("http://192.0.2.1:80", "it runs on another machine"),
        ("http://127.0.0.1:1", "no process of this machine is seen to listen there, as with a container's port"),
    ],
)
def test_why_a_side_is_not_seen_is_said(address: str, reason: str) -> None:
    assert meter_of_address(address) == Unseen(reason)


def test_a_forwarder_to_a_container_is_not_the_application(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "name_of", lambda _: "docker-proxy")
    with socket.create_server(("127.0.0.1", 0)) as server:
        meter = meter_of_address(f"http://127.0.0.1:{server.getsockname()[1]}")
    assert meter == Unseen("only a forwarder to a container listens there")


def test_a_process_of_another_user_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "_holds", lambda *_: False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        meter = meter_of_address(f"http://127.0.0.1:{server.getsockname()[1]}")
    assert meter == Unseen("its process belongs to another user")


def test_a_process_that_has_ended_is_an_error(tmp_path: Path) -> None:
    with served(tmp_path) as (address, pid):
        meter = meter_of_address(address)
        assert isinstance(meter, CpuMeter)
    with pytest.raises(TargetError, match=f"the process {pid}, which served requests, has ended"):
        meter.read_ns()
