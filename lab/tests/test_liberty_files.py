"""The files that Open Liberty is configured by: what stands in them, and that all of it is disclosed."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from server_files import (
    URL,
    write_brokerage_files,
    write_files,
    write_files_with_tls,
    write_petstore_files,
    write_small_files,
)

from conftest import ROOT
from middlemark.errors import InputError
from middlemark.subject.server import Server, load_server
from middlemark.subject.subject import find_subject


@pytest.fixture(scope="module")
def liberty() -> Server:
    return load_server(ROOT, "liberty")


def server_xml(folder: Path, url: str = URL, *, xa: bool = False) -> ET.Element:
    """Return the configuration that is written for the small application with a database at this address."""
    write_small_files("liberty", folder, url, xa=xa)
    return xml_in(folder)


def brokerage_xml(folder: Path, *tiers: str, orders: str) -> ET.Element:
    """Return the configuration that is written for a process of the brokerage with these tiers."""
    write_brokerage_files("liberty", folder, *tiers, orders=orders)
    return xml_in(folder)


def xml_in(folder: Path) -> ET.Element:
    return ET.parse(folder / "configuration" / "servers" / "middlemark" / "server.xml").getroot()  # noqa: S314 (just written)


@pytest.fixture
def encrypted(tmp_path: Path) -> None:
    """Write the files of a server with a listener over TLS, for tiers that trust each other, into `tmp_path`."""
    write_files_with_tls("liberty", tmp_path, mutual=True)


@pytest.mark.usefixtures("encrypted")
def test_the_listener_over_tls_has_a_key_store_with_certificate_and_key(tmp_path: Path) -> None:
    root = xml_in(tmp_path)
    endpoint, store, ssl = root.find("httpEndpoint"), root.find("keyStore"), root.find("ssl")
    assert endpoint is not None
    assert store is not None
    assert ssl is not None
    command = ["keytool", "-list", "-keystore", store.attrib["location"], "-storepass", store.attrib["password"]]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "PrivateKeyEntry" in listed
    assert endpoint.attrib["httpsPort"] == "8443"
    assert ssl.attrib["sslProtocol"] == "TLSv1.3,TLSv1.2"
    assert "transportSecurity-1.0" in [one.text for one in root.iter("feature")]


@pytest.mark.usefixtures("encrypted")
def test_where_tiers_trust_each_other_only_the_authoritys_certificates_open_a_connection(tmp_path: Path) -> None:
    root = xml_in(tmp_path)
    stores, ssl = {one.attrib["id"]: one.attrib for one in root.iter("keyStore")}, root.find("ssl")
    assert ssl is not None
    assert ssl.attrib["clientAuthentication"] == "true"
    trusted = stores[ssl.attrib["trustStoreRef"]]
    command = ["keytool", "-list", "-keystore", trusted["location"], "-storepass", trusted["password"]]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert listed.count("trustedCertEntry") == 1


def test_without_tls_there_is_neither_a_key_store_nor_a_listener(tmp_path: Path) -> None:
    write_files(find_subject(ROOT, "jakarta@liberty", "spice"), tmp_path, {"MM_ENCRYPTION": "none"})
    root = xml_in(tmp_path)
    assert [one.attrib["httpsPort"] for one in root.iter("httpEndpoint")] == ["-1"]
    assert [one.tag for one in root if one.tag in {"keyStore", "ssl"}] == []
    assert "transportSecurity-1.0" not in [one.text for one in root.iter("feature")]


@pytest.mark.usefixtures("encrypted")
def test_every_setting_of_its_configuration_is_disclosed_with_a_reason(liberty: Server, tmp_path: Path) -> None:
    roots = [xml_in(tmp_path), brokerage_xml(tmp_path / "brokerage", orders="async-xa")]
    leaves = {"id", "name"}  # which one it is, not how it is
    written = {f"{one.tag} {key}" for root in roots for one in root.iter() for key in one.attrib if key not in leaves}
    written |= {"featureManager feature", "library file", "Java heap", "-Xmx"}
    written |= {"Java's http.maxConnections"}
    rows = liberty.not_default("war")
    disclosed = {what.strip() for row in rows for what in row.what.split(",")}
    options = (tmp_path / "configuration" / "servers" / "middlemark" / "jvm.options").read_text().split()

    assert written == disclosed
    assert options == ["-Xmx512m", "-Dhttp.maxConnections=64"]
    assert all(row.why and row.value for row in rows)


def test_what_is_measured_runs_without_what_makes_it_start_quickly_for_cases(liberty: Server, tmp_path: Path) -> None:
    words = liberty.words(tmp_path, None, {})
    measured, in_cases = liberty.environment(words), liberty.for_cases().environment(words)
    assert liberty.description.cases_environment.items() <= in_cases.items()
    assert measured == {name: value for name, value in in_cases.items() if name in liberty.description.environment}
    assert not set(liberty.description.cases_environment) & set(liberty.description.environment)
    subject = find_subject(ROOT, "jakarta@liberty", "brokerage")
    assert subject.for_cases().server == liberty.for_cases()
    assert subject.environment_of_cases == liberty.description.cases_environment


def test_characters_of_a_password_reach_the_database_as_they_are(tmp_path: Path) -> None:
    data_source = server_xml(tmp_path).find("dataSource")
    assert data_source is not None
    properties = data_source.find("properties.postgresql")
    assert properties is not None
    assert {**properties.attrib, "user": "user", "password": "pass&word"} == properties.attrib
    assert data_source.attrib["type"] == "javax.sql.ConnectionPoolDataSource"
    assert data_source.find("recoveryAuthData") is None


def test_with_a_queue_the_data_source_takes_part_in_distributed_transactions(tmp_path: Path) -> None:
    root = brokerage_xml(tmp_path / "xa", orders="async-xa")
    queue, specification = root.find("messagingEngine/queue"), root.find("jmsActivationSpec")
    endpoint, data_source = root.find("wasJmsEndpoint"), root.find("dataSource")
    assert queue is not None
    assert specification is not None
    assert endpoint is not None
    assert data_source is not None
    assert queue.attrib == {"id": "orders", "failedDeliveryPolicy": "KEEP_TRYING", "redeliveryInterval": "1000"}
    assert [one.attrib["jndiName"] for one in root.findall("jmsQueue")] == ["jms/orders"]
    assert specification.attrib["id"] == "application/OrderListener"
    assert [one.attrib["maxConcurrency"] for one in specification] == ["7"]
    assert endpoint.attrib["enabled"] == "false"
    assert data_source.attrib["type"] == "javax.sql.XADataSource"
    assert data_source.find("recoveryAuthData") is not None


@pytest.mark.parametrize(("settings", "interval"), [({}, "5s"), ({"MM_RECOVERY_SECONDS": "7"}, "7s")])
def test_each_of_two_databases_has_a_data_source_and_the_recovery_that_the_specification_sets(
    tmp_path: Path, settings: dict[str, str], interval: str
) -> None:
    write_petstore_files("liberty", tmp_path / "files", settings)
    root = xml_in(tmp_path / "files")
    pools = {
        source.attrib["jndiName"]: pool.attrib["maxPoolSize"]
        for source in root.findall("dataSource[@type='javax.sql.XADataSource']")
        for pool in source.findall("connectionManager")
    }
    transaction = root.find("transaction")

    assert pools == {"jdbc/catalog": "3", "jdbc/orders": "4"}
    assert transaction is not None
    assert transaction.attrib["heuristicRetryInterval"] == interval


@pytest.mark.parametrize(("tiers", "orders"), [((), "sync"), ((), "async-queue"), (("web",), "async-xa")])
def test_a_process_that_does_not_work_on_the_queue_has_none(
    tmp_path: Path, tiers: tuple[str, ...], orders: str
) -> None:
    root = brokerage_xml(tmp_path / "other", *tiers, orders=orders)
    assert {one.tag for one in root} & {
        "messagingEngine",
        "jmsQueue",
        "jmsActivationSpec",
        "jmsConnectionFactory",
    } == set()
    assert "messagingServer-3.0" not in [one.text for one in root.iter("feature")]
    assert "javax.sql.XADataSource" not in {one.attrib.get("type") for one in root.iter("dataSource")}


def test_a_process_without_a_database_gets_no_data_source(tmp_path: Path) -> None:
    assert server_xml(tmp_path, "").find("dataSource") is None


@pytest.mark.parametrize(
    "url", ["nonsense", "postgresql://host:port/name", "mysql://u:p@host/name", "postgresql://u:p@host"]
)
def test_a_url_that_is_none_is_wrong_input(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match=r"^MM_DATABASE_URL: (this is not a|the port of the|the) database URL"):
        server_xml(tmp_path, url)
