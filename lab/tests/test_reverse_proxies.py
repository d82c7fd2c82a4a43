"""What every reverse proxy does with requests: it passes them on as they are, over connections that it keeps."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from counting_server import Counting, counting, proxy_before
from small_platform import small_checkout

from conftest import ROOT
from middlemark.errors import InputError
from middlemark.processes.ports import LOOPBACK, free_port
from middlemark.processes.process import running
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.build import build
from middlemark.subject.server import load_server
from middlemark.subject.subject import find_subject
from middlemark.topology.configuring import configure
from middlemark.topology.deployment import deployed
from middlemark.topology.proxying import Passed
from middlemark.topology.request import DeploymentRequest, Program

SERVERS = ("apache", "haproxy", "nginx")
GRPC_SERVERS = ("haproxy", "nginx")
CALLS = 3000


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running_watchdog:
        yield running_watchdog


@pytest.fixture
def behind() -> Iterator[Counting]:
    with counting() as server:
        yield server


@pytest.mark.parametrize("name", SERVERS)
def test_it_keeps_its_connections_and_the_name_it_was_asked_under(
    name: str, watching: Watchdog, behind: Counting
) -> None:
    server = load_server(ROOT, name)
    with watching.private_folder("middlemark-test-") as folder:
        spec = proxy_before(server, folder / "proxy", behind.server_address[1])
        folder.chmod(0o711)
        configure(server, spec, server.words(spec.folder, None, {}), watching)
        with running(spec, watching):
            before = behind.connections
            caller = http.client.HTTPConnection(LOOPBACK, spec.ports[0])
            for _ in range(40):
                caller.request("GET", "/")
                assert caller.getresponse().read() == b"ok"
            caller.request("GET", "/host", headers={"Host": "broker.example:81"})
            assert caller.getresponse().read() == b"broker.example:81"
            caller.close()
        # A connection of nginx and HAProxy belongs to a worker, one of Apache to a process: each may have another.
        assert behind.connections - before <= (16 if name == "apache" else 1)


class Echo(grpc.GenericRpcHandler):
    """Answers every call with what it was sent."""

    def service(self, _: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Return the handler of any method."""
        return grpc.unary_unary_rpc_method_handler(lambda request, _: request)


@pytest.mark.parametrize("name", GRPC_SERVERS)
def test_calls_over_grpc_go_through_by_one_connection(name: str, watching: Watchdog, behind: Counting) -> None:
    server = load_server(ROOT, name)
    called = grpc.server(ThreadPoolExecutor(4), handlers=[Echo()])
    port, passed = called.add_insecure_port(f"{LOOPBACK}:0"), free_port()
    called.start()
    with watching.private_folder("middlemark-test-") as folder:
        others = (Passed("grpc", passed, (f"{LOOPBACK}:{port}",)),)
        spec = proxy_before(server, folder / "proxy", behind.server_address[1], others=others)
        folder.chmod(0o711)
        with running(spec, watching), grpc.insecure_channel(f"{LOOPBACK}:{passed}") as channel:
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/any.Service/Method")
            assert all(call(text) == text for text in (str(number).encode() for number in range(CALLS)))
    called.stop(None).wait()


def test_one_that_passes_no_grpc_on_says_why(watching: Watchdog, tmp_path: Path) -> None:
    program = Program(
        subject := find_subject(small_checkout(tmp_path), "small", "brokerage"), build(subject, tmp_path, watching)
    )
    databases = {"brokerage": "postgresql://user:secret@127.0.0.1:1/name"}
    request = DeploymentRequest(
        program, {"binding": "grpc"}, databases, tmp_path / "logs", reverse_proxy=load_server(ROOT, "apache")
    )
    refused = pytest.raises(InputError, match=r"apache passes http/1\.1 on, and http/2 is needed")
    with refused, deployed(request, watching):
        pass
