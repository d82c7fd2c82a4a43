"""A PostgreSQL of the user's is reached over TLS, over a socket, by a service, and as one of several hosts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg
import pytest
from up_command import up

from conftest import ROOT
from middlemark.databases import postgresql
from middlemark.databases.database import Database, create_database
from middlemark.databases.orphaned_databases import left_databases
from middlemark.databases.postgresql import EmbeddedServer, embedded_postgresql
from middlemark.databases.users_own import user_database
from middlemark.databases.watched_database import watched_user_database
from middlemark.errors import HostError, InputError
from middlemark.processes.ports import free_port
from middlemark.processes.runtime import watch_list_in
from middlemark.processes.watchdog import watchdog
from middlemark.subject.subject import find_subject
from middlemark.topology.certificate import Authority
from middlemark.topology.request import require_takes

USER = "the $er"
PASSWORD = "it's 100%/@"  # noqa: S105 (made for this test)
WHO = "the%20%24er:it%27s%20100%25%2F%40"
SETTINGS = """
unix_socket_directories = '{sockets}'
ssl_cert_file = '{folder}/server.certificate.pem'
ssl_key_file = '{folder}/server.key.pem'
max_prepared_transactions = 10
"""
LET_IN = f"""
local all all scram-sha-256
hostssl all "{USER}" 127.0.0.1/32 scram-sha-256
host all middlemark 127.0.0.1/32 scram-sha-256
"""


@dataclass(frozen=True)
class Reached:
    """A server that lets its user in over TLS or the socket in a folder; the certificate is its own authority."""

    cluster: Database
    sockets: Path
    certificate: Path

    def url(self, parameters: str, where: str = "127.0.0.1") -> str:
        """Return a URL of its user's."""
        return f"postgresql://{WHO}@{where}:{self.cluster.port}/postgres?{parameters}"

    def words(self) -> str:
        """Return the same as keys and values, over the socket."""
        password = PASSWORD.replace("'", "\\'")
        return f"host={self.sockets} port={self.cluster.port} user='{USER}' password='{password}'"


def programs_with_tls() -> Path:
    """Return a folder with programs of PostgreSQL that know TLS, which those of the wheel do not."""
    places = [*Path("/usr/lib/postgresql").glob("*/bin"), *(Path(one) for one in os.environ["PATH"].split(os.pathsep))]
    for place in places:
        if (place / "initdb").is_file() and (place / "postgres").is_file():
            return place.resolve()
    pytest.fail("a PostgreSQL with TLS is not here: apt install postgresql (Debian), brew install postgresql (macOS)")


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reached]:
    folder = tmp_path_factory.mktemp("tls")
    sockets = Path(tempfile.mkdtemp(prefix="mm-"))  # the path of a socket has 107 bytes
    sockets.chmod(0o777)
    settings = folder / "settings.conf"
    settings.write_text(SETTINGS.format(sockets=sockets, folder=folder / "cluster"), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgresql, "postgresql_programs", programs_with_tls)
        with embedded_postgresql(folder / "cluster", settings) as cluster:
            yield Reached(cluster, sockets, _let_in(cluster))
    shutil.rmtree(sockets)


def _let_in(cluster: Database) -> Path:
    """Switch TLS on, make the user; return the certificate of the authority."""
    server = cluster.server
    assert isinstance(server, EmbeddedServer)
    authority = Authority(server.folder)
    made = authority.issue("server", "server")
    owner = server.data.stat()
    for file in (made.key, made.certificate):
        os.chown(file, owner.st_uid, owner.st_gid)
    (server.data / "pg_hba.conf").write_text(LET_IN, encoding="utf-8")
    with cluster.admin() as admin:
        admin.execute(psycopg.sql.SQL("CREATE ROLE {} LOGIN CREATEDB PASSWORD {}").format(
            psycopg.sql.Identifier(USER), PASSWORD
        ))  # fmt: skip
        admin.execute("ALTER SYSTEM SET ssl = on")
        admin.execute("SELECT pg_reload_conf()")
    copy = server.folder.parent / "root.crt"
    shutil.copy(authority.certificate, copy)
    return copy


def _over_tls(server: Database) -> object:
    with server.admin() as admin:
        row = admin.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchone()
    assert row
    return row[0]


@pytest.mark.parametrize(
    ("parameters", "host"),
    [("sslmode=require", "127.0.0.1"), ("sslmode=verify-full&sslrootcert={root}", "localhost")],
)
def test_over_tls(reached: Reached, parameters: str, host: str) -> None:
    wanted = parameters.format(root=reached.certificate)
    with user_database(reached.url(wanted, host)) as server:
        assert _over_tls(server) is True
        create_database(server, "middlemark_made")
        shown = server.url("middlemark_made")
    assert shown.partition("@")[2].startswith(f"{host}:{reached.cluster.port}/middlemark_made?")
    with pytest.raises(psycopg.OperationalError, match='"middlemark_made" does not exist'):
        psycopg.connect(shown)  # the applications' address leads there, and the database is gone


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("sslmode=disable", "PostgreSQL refuses the connection .*no encryption"),
        ("sslmode=verify-full&sslrootcert=/nowhere.crt", "no connection as the URL wants it .*root certificate"),
        ("sslmode=perhaps", 'no connection as the URL wants it .*invalid sslmode value: "perhaps"'),
        ("service=nowhere", "no connection as the URL wants it .*nowhere"),
    ],
)
def test_a_connection_that_is_not_as_the_url_wants_it_is_one_line(
    reached: Reached, parameters: str, message: str
) -> None:
    with pytest.raises(HostError, match=message) as caught, user_database(reached.url(parameters)):
        pass
    assert "\n" not in str(caught.value)
    assert PASSWORD not in str(caught.value)


def test_another_certificate_is_refused(reached: Reached, tmp_path: Path) -> None:
    url = reached.url(f"sslmode=verify-ca&sslrootcert={Authority(tmp_path).certificate}")
    with (
        pytest.raises(HostError, match=r"no connection as the URL wants it .*certificate verify failed"),
        user_database(url),
    ):
        pass


def test_a_certificate_is_found_by_doctor_from_another_folder(
    reached: Reached, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(reached.certificate.parent)
    url = reached.url(f"sslmode=verify-ca&sslrootcert={reached.certificate.name}")
    with watchdog(tmp_path) as watching, watched_user_database(url, watching):
        monkeypatch.chdir(tmp_path)
        while not (found := [one for file in tmp_path.glob("*.json") if (one := watch_list_in(file)) and one.servers]):
            time.sleep(0.01)
        assert left_databases(found[0].servers[0], []) == []


def test_over_a_socket(reached: Reached) -> None:
    encoded = str(reached.sockets).replace("/", "%2F")
    for url in (reached.url(f"host={reached.sockets}", ""), reached.url("", encoded), reached.words()):
        with user_database(url.removesuffix("?")) as server:
            assert (server.host, server.tcp_port, server.password) == (str(reached.sockets), None, PASSWORD)
            assert f"?host={encoded}&port={reached.cluster.port}" in server.url("x")
            assert psycopg.connect(server.url("postgres")).info.user == USER


def test_of_several_hosts_all_that_follows_works_on_the_one_that_answered(reached: Reached) -> None:
    url = f"postgresql://{WHO}@127.0.0.1:{free_port()},localhost:{reached.cluster.port}/postgres"
    with user_database(f"{url}?target_session_attrs=read-write") as server:
        assert server.address == f"localhost:{reached.cluster.port}"
        assert server.url("x") == f"postgresql://{WHO}@localhost:{reached.cluster.port}/x"


def test_a_service_and_a_file_of_passwords_are_found_by_the_lab_for_the_applications(
    reached: Reached, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = f"host=localhost\nport={reached.cluster.port}\nuser={USER}\nsslmode=require\n"
    (tmp_path / "services").write_text(f"[shop]\n{where}dbname=postgres\n", encoding="utf-8")
    passwords = tmp_path / "passwords"
    passwords.write_text(f"localhost:*:*:{USER}:{PASSWORD}\n", encoding="utf-8")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    with user_database("service=shop") as server:
        assert server.url("x") == f"postgresql://{WHO}@localhost:{reached.cluster.port}/x?sslmode=require"


def test_what_the_environment_says_of_another_server_is_not_for_the_labs_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {"SSLMODE": "require", "HOSTADDR": "192.0.2.1", "OPTIONS": "-c no.such=1", "REQUIREAUTH": "none"}
    for name, value in {**wrong, "TARGETSESSIONATTRS": "standby"}.items():
        monkeypatch.setenv(f"PG{name}", value)
    with embedded_postgresql(tmp_path / "own") as server, server.admin() as admin:
        assert admin.info.host == "127.0.0.1"


@pytest.mark.parametrize(
    ("subject", "parameter", "message"),
    [
        ("spring-boot", "host=/run", r"reaches a database over TCP alone, not over the socket /run\. Name a host"),
        ("spring-boot", "sslcrl=/a", "does not take sslcrl of .* it takes options, sslmode, sslrootcert$"),
        ("jakarta@liberty", "sslmode=require", "does not take sslmode of .* it takes none of these$"),
        ("go", "sslcrl=/a", "does not take sslcrl of"),
    ],
)
def test_what_a_platform_does_not_take_is_refused(subject: str, parameter: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^--database: {subject} {message}"):
        require_takes(find_subject(ROOT, subject, "brokerage"), {"brokerage": f"postgresql://me@/x?{parameter}"})


def test_an_application_works_over_tls_and_its_database_is_audited_over_the_socket(
    reached: Reached, tmp_path: Path
) -> None:
    url = reached.url(f"sslmode=verify-full&sslrootcert={reached.certificate}", "localhost")
    with up(tmp_path, "--database", url) as one:
        pages = one.address()
        about = httpx.get(f"{pages}/about").json()["settings"]["database_url"]
        name = re.search(r"middlemark_run_brokerage_\w+", about)
        assert name
        with reached.cluster.connected(name[0]) as connection:
            sessions = "SELECT DISTINCT ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE usename = %s"
            assert connection.execute(sessions, [USER]).fetchall() == [(True,)]
        words = ["audit", "--database", f"{reached.words()} dbname={name[0]}", "--spec", "brokerage"]
        audited = subprocess.run(
            [sys.executable, "-m", "middlemark", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert audited.returncode == 0, audited.stderr
        assert PASSWORD not in one.so_far()
        assert WHO.partition(":")[2] not in one.so_far() + about


def test_an_application_works_over_a_socket(reached: Reached, tmp_path: Path) -> None:
    with up(tmp_path, "--database", reached.url(f"host={reached.sockets}", "")) as one:
        assert httpx.get(f"{one.address()}/health").status_code == 200
        assert "host=%2F" in httpx.get(f"{one.address()}/about").json()["settings"]["database_url"]
