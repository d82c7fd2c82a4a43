"""nginx before the service of remoting: what goes over HTTP passes it, and everything else goes to the service."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from conftest import ROOT
from middlemark.databases.database import Database, drop_database
from middlemark.errors import InputError
from middlemark.load.loading import load_dataset, reset_database
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.build import build
from middlemark.subject.server import load_server
from middlemark.subject.subject import find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.plan import plan
from middlemark.topology.request import DeploymentRequest, Program

OVER_HTTP = ("http-protobuf", "json", "soap")
DIRECTLY = ("unix", "tcp-protobuf", "tcp-soap", "grpc", "net-rpc")


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running:
        yield running


@pytest.fixture
def database(database_cluster: Database) -> Iterator[str]:
    """Give the address of a database with the customers."""
    subject = find_subject(ROOT, "go", "remoting")
    load_dataset(database_cluster, subject.specification.datasets("tiny")["northwind"], "middlemark_remoting")
    reset_database(database_cluster, "middlemark_remoting", "middlemark_remoting_run")
    yield database_cluster.url("middlemark_remoting_run")
    for name in ("middlemark_remoting_run", "middlemark_remoting"):
        drop_database(database_cluster, name)


def request_for(folder: Path, artifact: Path, url: str = "", **modes: str) -> DeploymentRequest:
    """Return the request of Go behind nginx."""
    program = Program(find_subject(ROOT, "go", "remoting"), artifact)
    nginx = load_server(ROOT, "nginx")
    return DeploymentRequest(program, modes, {"northwind": url}, folder / "logs", reverse_proxy=nginx)


def test_calls_over_http_pass_the_proxy_and_no_others(tmp_path: Path, watching: Watchdog, database: str) -> None:
    artifact = build(find_subject(ROOT, "go", "remoting"), ROOT, watching)
    with deployed(request_for(tmp_path, artifact, database, protocol="json"), watching) as target:
        assert list(target.tiers) == ["service", "reverse-proxy", "client"]

        def statuses(*protocols: str) -> set[int]:
            called = (f"{target.addresses[0]}/call/{one}/loadCustomer" for one in protocols)
            return {
                httpx.post(url, json={"customerId": "C0001"}, trust_env=False, timeout=20).status_code for url in called
            }

        assert statuses(*OVER_HTTP, *DIRECTLY) == {200}
        target.members[1].process.stop()
        assert statuses(*OVER_HTTP) == {503}
        assert statuses(*DIRECTLY) == {200}


@pytest.mark.parametrize(
    ("modes", "message"),
    [
        ({"protocol": "grpc"}, "only with protocol=http-protobuf or json or soap, not with grpc"),
        (
            {"protocol": "json", "authentication": "certificate"},
            "only with authentication=none or password or token, not with certificate",
        ),
    ],
)
def test_nothing_else_is_measured_behind_it(tmp_path: Path, modes: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        plan(request_for(tmp_path, Path("artifact"), **modes))
