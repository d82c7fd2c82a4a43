"""`middlemark doctor` says what is missing or orphaned, and its remedy; `list` says what there is."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from called_application import brokerage
from small_platform import WAR, small_checkout
from up_command import up

from middlemark.databases.database import COPIES, UNFINISHED, Database, create_database, drop_database, exists
from middlemark.databases.database_url import without_password
from middlemark.doctor import doctor
from middlemark.doctor.doctor import State
from middlemark.load.loading import reset_database
from middlemark.processes.process_table import entry_of
from middlemark.processes.watchdog_process import WatchList

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SECONDS = 60
NAME = "middlemark_called"  # of the database of `brokerage`
# The disk of the machine that runs the tests may be nearly full, which is no finding of theirs.
NO_SPACE = "missing  free space"

LAB = """
import signal, sys
from pathlib import Path
from middlemark.processes.ending import Part
from middlemark.processes.watchdog import watchdog
from middlemark.processes.process import ProcessSpec, running
folder = Path(sys.argv[1])
with watchdog() as watching, watching.removing(folder / "private"):
    with running(ProcessSpec("sleeper", Part.TOOL, ("sleep", "600"), folder, folder / "log"), watching) as process:
        print(process.pid, watching.pid, flush=True)
        signal.pause()
"""


def middlemark(folder: Path, *words: str, cwd: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command with `folder` as the user's runtime folder."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), **more}
    command = [sys.executable, "-m", "middlemark", *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def lines_of(done: subprocess.CompletedProcess[str], state: str) -> list[str]:
    """Return the lines of this state, whatever space there is."""
    return [line for line in done.stdout.splitlines() if line.startswith(state) and not line.startswith(NO_SPACE)]


def in_order(done: subprocess.CompletedProcess[str]) -> bool:
    """Return whether no problem was found, and the exit status says the same."""
    assert done.returncode == (2 if " found.\n" in done.stdout else 0)
    return lines_of(done, "missing") + lines_of(done, "orphaned") == []


@pytest.fixture
def orphan(tmp_path: Path) -> Iterator[psutil.Process]:
    """Leave a process running of a lab that was killed together with its watchdog."""
    (tmp_path / "private").mkdir()
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", LAB, str(tmp_path)], env=environment, stdout=subprocess.PIPE, text=True
    ) as lab:
        assert lab.stdout
        sleeper, watchdog = map(int, lab.stdout.readline().split())
        left = psutil.Process(sleeper)
        (registry,) = (tmp_path / "middlemark").glob("*.json")
        while f'"pid": {sleeper}' not in registry.read_text():
            os.sched_yield()
        os.kill(watchdog, signal.SIGKILL)
        lab.kill()
    yield left
    with suppress(psutil.NoSuchProcess):
        left.kill()


def test_on_this_machine_everything_is_here(tmp_path: Path) -> None:
    done = middlemark(tmp_path, "doctor")
    assert in_order(done)
    assert len(lines_of(done, "ok")) >= 8
    assert done.stdout.splitlines()[-1] == ("1 problem found." if NO_SPACE in done.stdout else "Everything is here.")


@pytest.mark.parametrize(("least", "state"), [(0, State.OK), (1 << 40, State.MISSING)])
def test_free_space_is_in_order_from_its_limit_on(
    least: int, state: State, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "MIN_FREE_MIB", least)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (found,) = [finding for finding in doctor.examine() if finding.what == "free space"]
    assert found.state is state
    assert (f"Free {least:,} MiB" in found.remedy) == (state is State.MISSING)


def test_a_missing_toolchain_is_one_line_with_the_command_that_installs_it(tmp_path: Path) -> None:
    home = small_checkout(tmp_path / "home", minimum="99")
    done = middlemark(tmp_path, "doctor", cwd=home)
    (line,) = lines_of(done, "missing")
    assert "platform small: Python 99 or later is needed" in line
    assert "apt install python3" in line
    assert done.returncode == 2


def test_a_server_that_is_not_here_is_in_order_and_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    home = small_checkout(tmp_path / "home")
    shutil.copytree(ROOT / "servers" / "nginx", home / "servers" / "nginx")
    description = home / "servers" / "nginx" / "server.toml"
    text = description.read_text(encoding="utf-8")
    description.write_text(re.sub(r"(?m)^places = .*$", "places = []", text), encoding="utf-8")
    without = [place for place in os.environ["PATH"].split(os.pathsep) if not (Path(place) / "nginx").exists()]

    done = middlemark(tmp_path, "doctor", cwd=home, PATH=os.pathsep.join(without))

    (line,) = [line for line in done.stdout.splitlines() if "server nginx" in line]
    assert line.startswith("ok")
    assert "not here, needed only where an experiment names it. Debian: apt-get install -y nginx-light" in line
    assert in_order(done)


def without_java(folder: Path) -> str:
    """Return a PATH on which all is but Java: `folder` gets links to what lies beside it."""
    folder.mkdir()
    places = [Path(place) for place in os.environ["PATH"].split(os.pathsep)]
    with_java = [place for place in places if (place / "java").exists()]
    for program in (one for place in with_java for one in place.iterdir() if one.name not in {"java", "javac"}):
        if not (folder / program.name).exists():
            (folder / program.name).symlink_to(program)
    return os.pathsep.join(str(place) for place in (folder, *places) if place not in with_java)


def test_a_platform_that_only_servers_host_may_lack_its_toolchain(tmp_path: Path) -> None:
    home = small_checkout(tmp_path / "home", minimum="99", made=WAR)
    shutil.copytree(ROOT / "servers" / "liberty", home / "servers" / "liberty")
    path = without_java(tmp_path / "bin")
    (tmp_path / "bin" / "python3").unlink(missing_ok=True)
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)

    done = middlemark(tmp_path, "doctor", cwd=home, PATH=path)

    (platform,) = [line for line in done.stdout.splitlines() if "platform small" in line]
    (server,) = [line for line in done.stdout.splitlines() if "server liberty" in line]
    assert re.match(r"ok\s+platform small: not here, needed only where an experiment names it\. Debian", platform)
    assert re.match(r"ok\s+server liberty: not here, .* Debian: apt-get install -y openjdk-17-jdk-headless", server)
    assert done.returncode == 0


def test_a_wrong_description_of_a_server_is_named_with_its_file(tmp_path: Path) -> None:
    home = small_checkout(tmp_path / "home")
    description = home / "servers" / "broken" / "server.toml"
    description.parent.mkdir(parents=True)
    description.write_text('name = "broken"\nhosts = "nothing"\n', encoding="utf-8")

    done = middlemark(tmp_path, "doctor", cwd=home)

    (line,) = lines_of(done, "missing")
    assert re.match(r"missing\s+servers: .*servers/broken/server\.toml", line)
    assert "Correct this file" in line
    assert done.returncode == 2


def test_too_few_open_files_are_missing(tmp_path: Path) -> None:
    limited = ["sh", "-c", 'ulimit -Sn 256; exec "$@"', "sh", sys.executable, "-m", "middlemark", "doctor"]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(limited, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    (line,) = lines_of(done, "missing")
    assert line.startswith("missing  open files: 256")
    assert "ulimit -n" in line
    assert done.returncode == 2


def test_what_is_orphaned_is_shown_and_stopped_on_request(tmp_path: Path, orphan: psutil.Process) -> None:
    shown = middlemark(tmp_path, "doctor")
    assert f"sleeper (pid {orphan.pid})" in shown.stdout
    assert "middlemark doctor --stop" in shown.stdout
    assert shown.returncode == 2
    assert orphan.is_running()

    stopped = middlemark(tmp_path, "doctor", "--stop")
    assert "sleeper signal SIGTERM" in stopped.stdout
    assert in_order(stopped)
    assert psutil.wait_procs([orphan], timeout=SECONDS)[1] == []
    assert not (tmp_path / "private").exists()


def test_list_names_platforms_specifications_sessions_and_experiments(tmp_path: Path) -> None:
    done = middlemark(tmp_path, "list")
    assert done.returncode == 0
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert any(line.startswith("go brokerage Go; binding local, json") for line in lines)
    assert "nginx passes http/1.1, http/2 on" in lines
    assert "liberty Open Liberty 26.0.0.3; hosts war" in lines
    assert any(line.startswith("brokerage Brokerage; databases brokerage; scales tiny (50 accounts") for line in lines)
    assert any(line.startswith("brokerage brokerage The measured session") for line in lines)
    assert any(line.startswith("demo The brokerage on Go") for line in lines)
    experiments = done.stdout.partition("\nExperiments")[2].splitlines()[1:]
    names, texts = zip(*(line[2:].split("  ", 1) for line in experiments if line), strict=True)
    assert len({len(name) + len(text) - len(text.lstrip()) for name, text in zip(names, texts, strict=True)}) == 1


def test_list_needs_a_checkout(tmp_path: Path) -> None:
    done = middlemark(tmp_path, "list", cwd=tmp_path, MIDDLEMARK_HOME="")
    assert done.returncode == 2
    assert "no Middlemark checkout here" in done.stderr


@pytest.fixture
def killed_up(tmp_path: Path, database_cluster: Database) -> str:
    """Kill a `middlemark up` that works on somebody's PostgreSQL; give the name of the database it leaves there."""
    with up(tmp_path, "--database", database_cluster.url("postgres")) as one:
        found = re.search(r"middlemark_run_brokerage_\w+", one.wait_for("Audit it:"))
        processes = one.everything()
        one.process.kill()
    assert psutil.wait_procs(processes, timeout=300)[1] == []
    assert found
    assert exists(database_cluster, found[0])
    return found[0]


@pytest.mark.full
def test_databases_that_a_killed_lab_left_in_a_server_of_the_users_are_shown_and_dropped(
    tmp_path: Path, database_cluster: Database, killed_up: str
) -> None:
    shown = middlemark(tmp_path, "doctor")
    assert f"{killed_up} in postgresql://{database_cluster.user}@{database_cluster.address}/postgres" in shown.stdout
    assert database_cluster.password not in shown.stdout + shown.stderr
    assert shown.returncode == 2

    stopped = middlemark(tmp_path, "doctor", "--stop")
    assert f"database {killed_up} dropped" in stopped.stdout
    assert not exists(database_cluster, killed_up)
    assert list((tmp_path / "middlemark").iterdir()) == []


def test_what_a_killed_verification_left_in_a_database_is_named_and_dropped(
    tmp_path: Path, database_cluster: Database, tiny_template: str
) -> None:
    url = database_cluster.url(NAME)
    place = without_password(url)
    with brokerage(database_cluster, tiny_template, tmp_path / "running") as target:
        address = target.addresses[0]
        verify = ["verify", address, "--spec", "brokerage", "--database", url, "--out", str(tmp_path / "results")]
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
        with subprocess.Popen(
            [sys.executable, "-m", "middlemark", *verify], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL
        ) as process:
            while not has_copies(database_cluster):
                assert process.poll() is None
                time.sleep(0.1)
            assert COPIES not in middlemark(tmp_path, "doctor", "--database", url).stdout
            children = psutil.Process(process.pid).children(recursive=True)
            process.kill()
        assert psutil.wait_procs(children, timeout=300)[1] == []
        shown = middlemark(tmp_path, "doctor", "--database", url).stdout
        assert f"of the orphaned run of lab {process.pid}: " in shown
        assert f"schema {COPIES} in {place}" in shown
        assert f"databases: of ended runs in {place}: the schema {COPIES}. " in shown

        stopped = middlemark(tmp_path, "doctor", "--stop", "--database", url)
        assert f"schema {COPIES} in {place} dropped" in stopped.stdout
        assert f"ok       databases: no run has left any in {place}" in stopped.stdout
        assert not has_copies(database_cluster)

        reset_database(database_cluster, tiny_template, NAME)
        again = middlemark(tmp_path, *verify, "--only", "about")
        # The application has other settings than these cases expect; 2 would be that nothing was done.
        assert again.returncode == 1, again.stdout + again.stderr
        assert "3 executions" in again.stdout


def has_copies(cluster: Database) -> bool:
    with cluster.connected(NAME) as connection:
        query = "SELECT 1 FROM pg_namespace WHERE nspname = %s"
        return connection.execute(query, [COPIES]).fetchone() is not None


def test_in_a_server_that_is_named_databases_of_ended_labs_are_shown_and_dropped_and_no_others(
    tmp_path: Path, database_cluster: Database
) -> None:
    url, running = database_cluster.url("postgres"), WatchList("7-ab12ab12ab12", os.getpid(), "", os.getpid(), "")
    entry = entry_of(os.getpid())
    assert entry
    running.lab_started = entry.started
    folder = tmp_path / "middlemark"
    folder.mkdir(mode=0o700)
    (folder / "7-ab12ab12ab12.json").write_text(running.to_json(), encoding="utf-8")
    ended = "middlemark_template_goods_7_cd34cd34cd34"
    others = ["middlemark_run_7_ab12ab12ab12", "middlemark_run_goods_8_ef56ef56ef56_1", "middlemark_doctors_demo"]
    for name in (ended, *others):
        create_database(database_cluster, name)
    with database_cluster.admin() as admin:
        admin.execute(f"CREATE DATABASE {UNFINISHED}left".encode())
        admin.execute("CREATE DATABASE middlemark_run_9_ab12ab12ab13")  # nobody marked it: somebody else's
    with database_cluster.connected(others[1]):  # a lab of another machine is connected
        shown = middlemark(tmp_path, "doctor", "--database", url)
        (line,) = lines_of(shown, "orphaned")
        place = f"postgresql://{database_cluster.user}@{database_cluster.address}/postgres"
        assert f"databases: of ended runs in {place}: {UNFINISHED}left, {ended}. " in line
        assert line.endswith(f"middlemark doctor --stop --database {place}")
        assert shown.returncode == 2
        stopped = middlemark(tmp_path, "doctor", "--stop", "--database", url)
        assert lines_of(stopped, "stopped") == [
            f"stopped  database {name} in {place} dropped" for name in (f"{UNFINISHED}left", ended)
        ]
        assert f"ok       databases: no run has left any in {place}" in stopped.stdout
    assert database_cluster.password not in shown.stdout + shown.stderr + stopped.stdout + stopped.stderr
    assert all(exists(database_cluster, name) for name in (*others, "middlemark_run_9_ab12ab12ab13"))
    for name in others:
        drop_database(database_cluster, name)
    with database_cluster.admin() as admin:
        admin.execute("DROP DATABASE middlemark_run_9_ab12ab12ab13")


def test_a_server_that_does_not_answer_is_a_problem_with_its_remedy(tmp_path: Path) -> None:
    done = middlemark(tmp_path, "doctor", "--database", "postgresql://me:secret@127.0.0.1:1/postgres")
    (line,) = lines_of(done, "missing")
    assert line.startswith("missing  databases: postgresql://me@127.0.0.1:1/postgres: no PostgreSQL answers")
    assert line.endswith("Start PostgreSQL or check host and port of the URL")


def test_a_server_that_cannot_be_asked_about_databases_is_reported_until_it_can(tmp_path: Path) -> None:
    url = "postgresql://me:secret@127.0.0.1:1/postgres"
    watch_list = WatchList("1-ab", os.getpid(), "long ago", os.getpid(), "long ago", servers=[url])
    registry = tmp_path / "middlemark" / "1-ab.json"
    registry.parent.mkdir(mode=0o700)
    registry.write_text(watch_list.to_json(), encoding="utf-8")

    for words in (("doctor",), ("doctor", "--stop")):
        done = middlemark(tmp_path, *words)
        (line,) = [line for line in done.stdout.splitlines() if line.startswith("orphaned")]
        assert "127.0.0.1:1: no PostgreSQL answers" in line
        assert f"remove {registry}" in line
        assert "secret" not in done.stdout + done.stderr
        assert done.returncode == 2
