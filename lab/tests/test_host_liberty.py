"""Open Liberty hosts an application: the lab knows it from its server.toml alone."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import psutil
import pytest
from server_files import URL, spec_of
from small_war import small_war_checkout

from conftest import ROOT
from middlemark.databases.database import Database
from middlemark.errors import InputError, TargetError
from middlemark.processes.known_failures import recognized
from middlemark.processes.ports import LOOPBACK, PortTakenError, is_free
from middlemark.processes.process import Process
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.build import build
from middlemark.subject.server import Server, load_reverse_proxy, load_server
from middlemark.subject.subject import Subject, find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

# Fetching the server once takes minutes on a slow line, and a busy machine starts it in minutes.
pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]

NO_CONNECTION = (
    'FFDC1015I: An FFDC Incident has been created: "jakarta.resource.spi.ResourceAllocationException: DSRA8100E: '
    'Unable to get a PooledConnection from the DataSource. with SQL State : {} SQL Code : 0" at ffdc_26.11.22_03.0.log'
)
MESSAGES = {
    "user and password": NO_CONNECTION.format("28P01"),
    "databaseName and user": NO_CONNECTION.format("3D000"),
    "serverName and portNumber": NO_CONNECTION.format("08001"),
    "the variable": "Caused by: org.middlemark.brokerage.settings.WrongSetting: MM_ORDERS is 'x'; allowed is sync",
    "webApplication location": "E CWWKZ0002E: An exception occurred while starting the application application.",
    "httpEndpoint httpPort": "E CWWKO0221E: TCP Channel defaultHttpEndpoint initialization did not succeed. The socket "
    "bind did not succeed for host 127.0.0.1 and port 18185. The port might already be in use.",
    "httpEndpoint httpsPort": "E CWWKO0221E: TCP Channel defaultHttpEndpoint-ssl initialization did not succeed. The "
    "socket bind did not succeed for host 127.0.0.1 and port 18185. The port might already be in use.",
}


@pytest.fixture(scope="module")
def liberty() -> Server:
    return load_server(ROOT, "liberty")


@pytest.fixture(scope="module")
def watching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watchdog]:
    with watchdog(tmp_path_factory.mktemp("runtime") / "runtime") as running_watchdog:
        yield running_watchdog


@pytest.fixture
def other_watchdog(tmp_path: Path) -> Iterator[Watchdog]:
    """Give a watchdog for another process of the same name: under one, the first that is stopped takes both along."""
    with watchdog(tmp_path / "runtime") as running_watchdog:
        yield running_watchdog


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """Give a small application that is hosted by Liberty."""
    home = small_war_checkout(tmp_path_factory.mktemp("checkout"), ROOT / "servers" / "liberty")
    return find_subject(home, "small@liberty", "brokerage")


@pytest.fixture(scope="module")
def artifact(subject: Subject, watching: Watchdog) -> Path:
    return build(subject, subject.platform.folder.parents[1], watching)


@pytest.fixture(scope="module")
def deployment(
    subject: Subject, artifact: Path, database_cluster: Database, tmp_path_factory: pytest.TempPathFactory
) -> DeploymentRequest:
    databases = {"brokerage": database_cluster.url(database_cluster.maintenance)}
    logs = tmp_path_factory.mktemp("logs")
    return DeploymentRequest(Program(subject, artifact), {}, databases, logs, settings={"MM_DATABASE_POOL": "7"})


@pytest.fixture(scope="module")
def target(deployment: DeploymentRequest, watching: Watchdog) -> Iterator[Target]:
    """Give the running application; afterwards neither it nor its transaction log is left."""
    with deployed(deployment, watching) as running:
        (process,) = running.carrying("web")
        assert process.spec.folder.is_dir()
        yield running
        assert running.died() is None
    assert not process.spec.folder.exists()
    assert is_free(int(running.addresses[0].rpartition(":")[2]))
    assert "CWWKE0036I" in process.spec.log.read_text().splitlines()[-1]


def test_a_hosted_application_is_what_was_asked_for_and_discloses_the_server(target: Target) -> None:
    about = target.about()

    assert target.differences_from_request(about) == []
    assert about["web"].server == "Open Liberty 26.0.0.3"
    assert about["web"].versions["isolation"] == "read committed"
    assert about["web"].versions["driver in use"] == about["web"].versions["PostgreSQL JDBC driver"]
    assert about["web"].versions["heap"] == "512"


def test_a_server_that_an_application_does_not_disclose_is_noticed(target: Target) -> None:
    about = target.about()
    silent = about["web"].model_copy(update={"server": "something", "not_default": about["web"].not_default[1:]})

    server, row = target.differences_from_request({"web": silent})

    assert server == "web: server is something, it runs on Open Liberty 26.0.0.3"
    assert row == f"web: not_default does not show {about['web'].not_default[0].what}"


def test_the_process_that_is_measured_is_the_virtual_machine_itself(target: Target) -> None:
    (pid,) = target.tiers["web+services"]
    process = psutil.Process(pid)
    assert process.name() == "java"
    assert process.children() == []


@pytest.mark.full
def test_after_a_crash_it_starts_again_on_the_same_folder(target: Target) -> None:
    (process,) = target.carrying("web")
    output = process.spec.folder / "output" / "middlemark"
    assert (output / "tranlog" / "tranlog" / "log1").is_file()

    process.signal(signal.SIGKILL)
    process.restart()

    assert httpx.get(f"{target.addresses[0]}/health", trust_env=False).text.strip() == "ok"


@pytest.mark.full
def test_a_wrong_password_names_the_setting_and_shows_the_last_lines_of_the_server(
    deployment: DeploymentRequest, other_watchdog: Watchdog, database_cluster: Database, tmp_path: Path
) -> None:
    url = deployment.databases["brokerage"].replace(database_cluster.password, "not-the-password")
    request = replace(deployment, databases={"brokerage": url}, logs=tmp_path)

    with pytest.raises(TargetError) as caught, deployed(request, other_watchdog):
        pass

    first, *lines = str(caught.value).splitlines()
    assert first == (
        "small@liberty web, properties.postgresql user and password of the data source in server.xml, from "
        "the address of the database: the database refuses the user or the password"
    )
    assert any("CWWKF0011I" in line for line in lines)
    assert "SQL State : 28P01" in lines[-2]
    assert str(tmp_path / "web.log") in lines[-1]
    assert "not-the-password" not in str(caught.value)


@pytest.mark.full
def test_a_database_that_does_not_respond_names_the_setting(
    deployment: DeploymentRequest, other_watchdog: Watchdog, tmp_path: Path
) -> None:
    request = replace(deployment, databases={"brokerage": URL}, logs=tmp_path)
    with (
        pytest.raises(TargetError, match=r"serverName and portNumber .*the database server does not respond"),
        deployed(request, other_watchdog),
    ):
        pass


def test_a_port_that_is_taken_names_who_has_it_before_the_server_starts(
    deployment: DeploymentRequest, other_watchdog: Watchdog
) -> None:
    with socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]
        request = replace(deployment, port=port)
        with pytest.raises(PortTakenError, match=rf"port {port} is taken by"), deployed(request, other_watchdog):
            pass


@pytest.mark.full
def test_a_port_that_somebody_takes_meanwhile_names_the_setting_and_the_last_lines(
    deployment: DeploymentRequest, other_watchdog: Watchdog
) -> None:
    with other_watchdog.private_folder("middlemark-test-") as folder, socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]
        (folder / "one").mkdir()
        # Without `ports` it is not checked before the start that they are free.
        spec = replace(spec_of(deployment.program, other_watchdog, folder / "one", port), ports=())
        process = Process(spec, other_watchdog)
        with pytest.raises(PortTakenError) as caught:
            process.start()
    message = str(caught.value)
    assert re.search(rf"port {port} is taken by \S+ \(pid \d+\)\. httpEndpoint httpPort in server.xml", message)
    assert "from MM_PORT, of small@liberty web" in message
    assert "CWWKO0221E" in message


@pytest.mark.parametrize(("setting", "line"), MESSAGES.items())
def test_what_the_log_says_is_reported_as_the_setting_that_is_wrong(liberty: Server, setting: str, line: str) -> None:
    found = recognized(liberty.description.failures, f"no answer\n[11/22/26, 3:44:22] first\n{line}\nlast\n")
    assert found
    assert setting in found.failure.setting
    assert found.line == line
    assert found.port == (18185 if "Port" in setting and "http" in setting else None)


def test_a_log_without_a_failure_is_not_taken_for_one(liberty: Server) -> None:
    assert recognized(liberty.description.failures, "A CWWKF0011I: The server is ready. port 8080\n") is None


def test_the_versions_it_discloses_are_those_that_are_fetched(liberty: Server) -> None:
    versions = re.findall(r"<version>([\d.]+)</version>", (liberty.folder / "pom.xml").read_text())
    assert {liberty.description.version, *liberty.description.components.values()} <= set(versions)


def test_it_stands_before_nothing_and_nginx_hosts_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="liberty hosts applications and stands before none"):
        load_reverse_proxy(ROOT, "liberty")
    with pytest.raises(InputError, match="small does not run on 'nginx'"):
        find_subject(small_war_checkout(tmp_path, ROOT / "servers" / "nginx"), "small@nginx", "brokerage")
