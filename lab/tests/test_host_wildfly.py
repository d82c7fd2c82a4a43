"""WildFly hosts an application: what its command line is written, and the server that comes of it."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import httpx
import psutil
import pytest
from psycopg import sql
from server_files import (
    URL,
    spec_of,
    write_brokerage_files,
    write_files_with_tls,
    write_petstore_files,
    write_small_files,
)
from small_war import small_war_checkout

from conftest import ROOT
from middlemark.databases.database import Database
from middlemark.errors import TargetError
from middlemark.processes.known_failures import recognized
from middlemark.processes.ports import LOOPBACK, PortTakenError, is_free
from middlemark.processes.process import Process
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.build import build
from middlemark.subject.installing import install_folder
from middlemark.subject.server import Server, load_server
from middlemark.subject.subject import Subject, find_subject
from middlemark.topology.configuring import configure
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

# Fetching the server once takes minutes on a slow line, and a busy machine starts it in minutes.
pytestmark = pytest.mark.timeout(1200)

MESSAGES = {
    "user-name and password": 'PSQLException: FATAL: password authentication failed for user "bank"',
    "connection-url and user-name": 'PSQLException: FATAL: database "bank" does not exist',
    "connection-url of": "PSQLException: Connection to 127.0.0.1:1 refused. Check the hostname",
    "the variable": "Caused by: org.middlemark.brokerage.settings.WrongSetting: MM_ORDERS is 'x'; allowed is sync",
    "the artifact": "WFLYCTL0013: Operation ('add') failed - address: ([('deployment' => 'application.war')])",
    "jboss.http.port": '{"listener.default" => "Address already in use /127.0.0.1:18185"}',
}
# Characters that the shell, the command line, its expressions or a file of properties may take for their own.
PASSWORD = "a b\"c\\d'e$f&g=h:i!j#k%l{m}"  # noqa: S105 (of a database that lives for this test)
OPERATION = re.compile(r"(?P<address>/\S*?(?<!\\)):(?P<name>[a-z-]+)(?:\((?P<parameters>.*)\))?$")


@pytest.fixture(scope="module")
def wildfly() -> Server:
    return load_server(ROOT, "wildfly")


def disclosed(server: Server) -> set[str]:
    """Return the names of the settings that it discloses."""
    rows = server.not_default("war")
    assert all(row.why and row.value for row in rows)
    return {what.strip() for row in rows for what in row.what.split(",")}


def changed_by(operation: str) -> set[str]:
    """Return the settings that an operation of the command line changes: the kind of what has them, and their names."""
    found = OPERATION.fullmatch(operation)
    assert found, operation
    last = re.split(r"(?<!\\)/", found["address"])[-1].replace("\\", "")
    kind, _, name = last.partition("=")
    of = name if kind == "subsystem" else kind
    # What is within quotes, braces or brackets are values.
    parameters = re.sub(r'"[^"]*"|\{[^{}]*\}|\[[^\]]*\]', "", found["parameters"] or "")
    match found["name"]:
        case "remove":
            return {f"{last} removed"}
        case "write-attribute" | "undefine-attribute":
            return {f"{of} {one}" for one in re.findall(r"name=([\w-]+)", parameters)}
    return {f"{of} {one}" for one in re.findall(r"([\w-]+)=", parameters)}


def settings_in(folder: Path) -> set[str]:
    """Return the settings in the files that were written into `folder`."""
    lines = (folder / "configure.cli").read_text().splitlines()
    operations = [line for line in lines if line.startswith(("/subsystem", "/core-service"))]
    written = {one for line in operations for one in changed_by(line)}
    written |= {f"connection-url {one}" for line in operations for one in re.findall(r"[?&](\w+)=", line)}
    options = (folder / "jvm.options").read_text().splitlines()
    written |= {one[0] for line in options if (one := re.match(r"-X(?:mx|ms|X:\w+)|-D[\w.]+|--[\w-]+", line))}
    properties = (folder / "server.properties").read_text().splitlines()
    return written | {line.partition("=")[0] for line in properties if not line.startswith("middlemark.")}


def test_every_setting_of_its_configuration_is_disclosed_with_a_reason(wildfly: Server, tmp_path: Path) -> None:
    write_small_files("wildfly", tmp_path / "local")
    write_brokerage_files("wildfly", tmp_path / "xa", orders="async-xa")
    (tmp_path / "tls").mkdir()
    write_files_with_tls("wildfly", tmp_path / "tls", mutual=True)
    written = {one for name in ("local", "xa", "tls") for one in settings_in(tmp_path / name)}

    assert written == disclosed(wildfly) - {"Java heap"}
    assert "-Xmx512m" in (tmp_path / "local" / "jvm.options").read_text().splitlines()


def test_a_data_source_that_its_process_does_not_work_on_leads_nowhere(tmp_path: Path) -> None:
    write_small_files("wildfly", tmp_path, "")
    lines = (tmp_path / "configure.cli").read_text().splitlines()
    sources = [line for line in lines if "/data-source=brokerage" in line]
    assert len(sources) == 2
    assert all('connection-url="jdbc:postgresql://127.0.0.1:1/none"' in line for line in sources)
    assert "middlemark." not in (tmp_path / "server.properties").read_text()


@pytest.mark.parametrize("orders", ["sync", "async-xa"])
def test_the_queues_of_an_application_are_there_in_every_mode(tmp_path: Path, orders: str) -> None:
    write_brokerage_files("wildfly", tmp_path / "files", orders=orders)
    lines = (tmp_path / "files" / "configure.cli").read_text()
    assert 'jms-queue=orders:add(entries=["java:/jms/orders"])' in lines
    assert "max-delivery-attempts=-1, redelivery-delay=1000" in lines
    assert "mdb-strict-max-pool:write-attribute(name=max-pool-size, value=7)" in lines
    assert ("/xa-data-source=brokerage:add" in lines) == (orders == "async-xa")


def test_the_specification_sets_how_often_transactions_in_doubt_are_looked_for(tmp_path: Path) -> None:
    write_petstore_files("wildfly", tmp_path / "files", {"MM_RECOVERY_SECONDS": "7"})
    assert "periodicRecoveryPeriod=7\n" in (tmp_path / "files" / "jvm.options").read_text()


def test_only_a_data_source_for_distributed_transactions_is_recovered(tmp_path: Path) -> None:
    write_small_files("wildfly", tmp_path / "local")
    write_small_files("wildfly", tmp_path / "xa", xa=True)
    local, both = ((tmp_path / name / "configure.cli").read_text() for name in ("local", "xa"))
    assert "recovery-username" not in local
    assert "/xa-data-source=brokerage:add" in both
    assert "recoveryBackoffPeriod=2" in (tmp_path / "xa" / "jvm.options").read_text()


@pytest.mark.parametrize(("setting", "line"), MESSAGES.items())
def test_what_the_log_says_is_reported_as_the_setting_that_is_wrong(wildfly: Server, setting: str, line: str) -> None:
    found = recognized(wildfly.description.failures, f"no answer\n03:44:22,123 INFO first\n{line}\nlast\n")
    assert found
    assert found.failure.setting.startswith(setting)
    assert found.line == line
    assert found.port == (18185 if "in use" in line else None)


def test_a_log_without_a_failure_is_not_taken_for_one(wildfly: Server) -> None:
    log = "INFO [org.jboss.as] WFLYSRV0025: WildFly 39.0.1.Final (WildFly Core 31.0.3.Final) started in 12345ms\n"
    assert recognized(wildfly.description.failures, log) is None


def test_the_versions_it_discloses_are_those_that_are_fetched(wildfly: Server) -> None:
    versions = re.findall(r"<version>([\w.]+)</version>", (wildfly.folder / "pom.xml").read_text())
    assert {wildfly.description.version, *wildfly.description.components.values()} <= set(versions)


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
    """Give a small application that is hosted by WildFly."""
    home = small_war_checkout(tmp_path_factory.mktemp("checkout"), ROOT / "servers" / "wildfly")
    return find_subject(home, "small@wildfly", "brokerage")


@pytest.fixture(scope="module")
def deployment(
    subject: Subject, watching: Watchdog, database_cluster: Database, tmp_path_factory: pytest.TempPathFactory
) -> DeploymentRequest:
    artifact = build(subject, subject.platform.folder.parents[1], watching)
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
    assert "WFLYSRV0050" in process.spec.log.read_text().splitlines()[-1]


@pytest.mark.full
def test_a_hosted_application_is_what_was_asked_for_and_discloses_the_server(target: Target) -> None:
    about = target.about()

    assert target.differences_from_request(about) == []
    assert about["web"].server == "WildFly 39.0.1.Final"
    assert about["web"].versions["isolation"] == "read committed"
    assert about["web"].versions["driver in use"] == about["web"].versions["PostgreSQL JDBC driver"]


@pytest.mark.full
def test_the_process_that_is_measured_is_the_virtual_machine_and_listens_at_one_port(target: Target) -> None:
    (pid,) = target.tiers["web+services"]
    process = psutil.Process(pid)
    listening = [one.laddr.port for one in process.net_connections() if one.status == psutil.CONN_LISTEN]
    assert process.name() == "java"
    assert process.children() == []
    assert listening == [int(target.addresses[0].rpartition(":")[2])]


def configured(server: Server) -> dict[str, int]:
    """Return what the command line has made and is kept, each with the time at which it was made."""
    install = install_folder(server)
    assert install is not None
    return {file.name: file.stat().st_mtime_ns for file in install.with_name(f"{install.name}.configured").iterdir()}


@pytest.mark.full
def test_two_of_one_configuration_run_side_by_side_and_after_a_crash_one_starts_again_on_its_folder(
    target: Target, deployment: DeploymentRequest, wildfly: Server, other_watchdog: Watchdog, tmp_path: Path
) -> None:
    made = configured(wildfly)
    with deployed(replace(deployment, logs=tmp_path), other_watchdog) as other:
        assert configured(wildfly) == made
        (process,) = other.carrying("web")
        process.signal(signal.SIGKILL)
        process.restart()
        for address in (*target.addresses, *other.addresses):
            assert httpx.get(f"{address}/health", trust_env=False, timeout=60).text.strip() == "ok"


@pytest.mark.full
def test_characters_of_a_password_reach_the_database_as_they_are(
    deployment: DeploymentRequest, other_watchdog: Watchdog, database_cluster: Database, tmp_path: Path
) -> None:
    with database_cluster.admin() as connection:
        connection.execute(sql.SQL("CREATE ROLE odd LOGIN PASSWORD {}").format(PASSWORD))
    url = deployment.databases["brokerage"].replace(database_cluster.password, quote(PASSWORD, safe=""))
    url = url.replace(f"{database_cluster.user}:", "odd:")
    with deployed(replace(deployment, databases={"brokerage": url}, logs=tmp_path), other_watchdog) as running:
        assert httpx.get(f"{running.addresses[0]}/health", trust_env=False, timeout=60).text.strip() == "ok"


@pytest.mark.full
def test_a_wrong_password_names_the_setting_and_shows_the_last_lines_of_the_server(
    deployment: DeploymentRequest, other_watchdog: Watchdog, database_cluster: Database, tmp_path: Path
) -> None:
    url = deployment.databases["brokerage"].replace(database_cluster.password, "not-the-password")
    with (
        pytest.raises(TargetError) as caught,
        deployed(replace(deployment, databases={"brokerage": url}, logs=tmp_path), other_watchdog),
    ):
        pass
    first = str(caught.value).splitlines()[0]
    assert first == (
        "small@wildfly web, user-name and password of the data source in configure.cli, from the address of the "
        "database: the database refuses the user or the password"
    )
    assert str(tmp_path / "web.log") in str(caught.value)
    assert "not-the-password" not in str(caught.value)


@pytest.mark.full
def test_a_database_that_does_not_respond_names_the_setting(
    deployment: DeploymentRequest, other_watchdog: Watchdog, tmp_path: Path
) -> None:
    with (
        pytest.raises(TargetError, match=r"connection-url of .*the database server does not respond"),
        deployed(replace(deployment, databases={"brokerage": URL}, logs=tmp_path), other_watchdog),
    ):
        pass


@pytest.mark.full
def test_a_port_that_somebody_takes_meanwhile_names_the_setting(
    deployment: DeploymentRequest, other_watchdog: Watchdog
) -> None:
    with other_watchdog.private_folder("middlemark-test-") as folder, socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]
        (folder / "one").mkdir()
        # Without `ports` it is not checked before the start that they are free.
        spec = replace(spec_of(deployment.program, other_watchdog, folder / "one", port), ports=())
        server = deployment.program.subject.server
        assert server
        from_install = server.words(spec.folder, Path(spec.command[3]).parents[1], {})
        configure(server, spec, from_install, other_watchdog)
        with pytest.raises(PortTakenError, match=rf"port {port} is taken by \S+ \(pid \d+\)\. jboss\.http\.port"):
            Process(spec, other_watchdog).start()
