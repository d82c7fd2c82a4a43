"""Ctrl-C and `kill -9` at moments all over a command that works on a PostgreSQL of the user's.

`MIDDLEMARK_MOMENTS=50` tries so many of each command.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from conftest import ROOT
from middlemark.databases.database import Database, drop_database

MOMENTS = int(os.environ.get("MIDDLEMARK_MOMENTS", "6"))
SECONDS = 120
PYTHON_STARTS_S = 0.3  # before it runs anything of ours
PASSWORD = "unseen"  # noqa: S105 (made for this test)
KEPT = {"middlemark_supply_sales_tiny", "middlemark_supply_stock_tiny"}
WORDS = {
    "load": ("load", "supply", "--scale", "tiny"),
    "up": ("up", "plain", "supply", "--scale", "tiny"),
    "verify": ("verify", "plain", "--spec", "supply"),
    "run": ("run", "supply"),
}

LAST = {"load": "rows of stock at scale tiny", "verify": "Verified: plain", "run": "report.html"}
"""What stands in the last lines of a command: with it the command has done everything."""

pytestmark = [pytest.mark.full, pytest.mark.long, pytest.mark.timeout(3 * 3600)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home") / "checkout"
    shutil.copytree(Path(__file__).parent / "checkout", home)
    (home / "databases").symlink_to(ROOT / "databases")
    return home


@pytest.fixture
def own(database_cluster: Database) -> Iterator[Database]:
    with database_cluster.admin() as admin:
        admin.execute(f"CREATE ROLE interrupted LOGIN CREATEDB PASSWORD '{PASSWORD}'".encode())
    own = replace(database_cluster, user="interrupted", password=PASSWORD, server=None, created=[])
    yield own
    for name in _databases(own):
        drop_database(own, name)
    with database_cluster.admin() as admin:
        admin.execute("DROP ROLE interrupted")


class Lab:
    """A command in a private folder of its own, by which all that it has started is found."""

    def __init__(self, home: Path, own: Database, folder: Path) -> None:
        (folder / "tmp").mkdir(parents=True)
        self._home, self._folder = home, folder
        self._databases = [f"--database={name}={own.url('postgres')}" for name in ("sales", "stock")]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        places = {"XDG_RUNTIME_DIR": str(folder), "HOME": str(folder), "TMPDIR": str(folder / "tmp"), "PATH": path}
        self._environment = {**os.environ, **places}

    def begun(self, name: str) -> subprocess.Popen[str]:
        """Return a command that runs in a group of its own, as of a terminal; its output goes into files."""
        words = [sys.executable, "-m", "middlemark", *WORDS[name], *self._databases]
        words += ["--out", str(self._folder / "results")] if name in {"run", "verify"} else []
        with (self._folder / "out").open("w") as out, (self._folder / "err").open("w") as err:
            return subprocess.Popen(
                words, cwd=self._home, env=self._environment, stdout=out, stderr=err, text=True, start_new_session=True
            )

    def done(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run another command to its end."""
        command = [sys.executable, "-m", "middlemark", *words]
        return subprocess.run(
            command, cwd=self._home, env=self._environment, capture_output=True, text=True, check=False
        )

    def loaded(self) -> subprocess.CompletedProcess[str]:
        """Run the next command to its end."""
        return self.done(*WORDS["load"], *self._databases)

    def printed(self) -> str:
        """Return what it has printed until now."""
        return (self._folder / "out").read_text() + (self._folder / "err").read_text()

    def running(self) -> list[str]:
        """Return the processes that the command has started and that still run."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("XDG_RUNTIME_DIR") == str(self._folder) and process.status() != "zombie":
                    found.append(f"{process.pid} {' '.join(process.cmdline())}")
        return found

    def folders(self) -> set[str]:
        """Return the names of the temporary folders."""
        return {path.name for path in (self._folder / "tmp").iterdir()}


def _databases(own: Database) -> set[str]:
    with own.admin() as admin:
        rows = admin.execute("SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = %s", [own.user])
        return {str(name) for (name,) in rows}


def _in_the_server(cluster: Database) -> list[object]:
    """Return the sessions and prepared transactions of the commands."""
    with cluster.admin() as admin:
        sessions = admin.execute("SELECT pid, datname, query FROM pg_stat_activity WHERE usename = 'interrupted'")
        return [*sessions, *admin.execute("SELECT gid FROM pg_prepared_xacts WHERE owner = 'interrupted'")]


def _left_after(look: Callable[[], list[str] | list[object]], seconds: float = 60) -> list[str] | list[object]:
    """Return what is still there when the time is over, nothing as soon as nothing is."""
    end = time.monotonic() + seconds
    while (found := look()) and time.monotonic() < end:
        time.sleep(0.1)  # nothing tells when a process or session of others ends
    return found


def _whole_s(lab: Lab, name: str) -> float:
    """Return how long a command takes that nobody interrupts; `up` until it is up, and a little longer."""
    began = time.monotonic()
    process = lab.begun(name)
    while name == "up" and "Ctrl-C" not in lab.printed():
        assert process.poll() is None, lab.printed()
        time.sleep(0.05)
    if name == "up":
        time.sleep(0.5)  # so that moments when it is up are among those that are drawn
        os.killpg(process.pid, signal.SIGINT)
    process.wait(SECONDS)
    assert "middlemark:" not in lab.printed()
    return time.monotonic() - began


@pytest.mark.parametrize("name", WORDS)
def test_an_interrupted_or_killed_command_leaves_nothing_that_is_not_known(
    name: str, home: Path, own: Database, database_cluster: Database, tmp_path: Path
) -> None:
    whole_s = _whole_s(Lab(home, own, tmp_path / "whole"), name)
    for number in range(MOMENTS):
        kind = signal.SIGKILL if number % 2 else signal.SIGINT
        lab = Lab(home, own, tmp_path / f"{number}")
        process = lab.begun(name)
        at_s = PYTHON_STARTS_S + (whole_s - PYTHON_STARTS_S) * number / MOMENTS
        with suppress(subprocess.TimeoutExpired):
            process.wait(at_s)
        ended = process.poll() is not None or (name in LAST and LAST[name] in lab.printed())
        with suppress(ProcessLookupError):
            os.killpg(process.pid, kind) if kind is signal.SIGINT else process.kill()
        process.wait(SECONDS)
        where = f"{name} by {kind.name} after {at_s:.2f} s: {lab.printed()}"
        assert _left_after(lab.running) == [], where
        assert _left_after(lambda: _in_the_server(database_cluster)) == [], where
        afterwards = lab.printed()
        assert not any(word in afterwards for word in ("Traceback", "Exception ignored", PASSWORD)), (where, afterwards)
        if kind is signal.SIGINT and not ended:
            _require_interrupted(name, process.returncode, lab, where)
        _require_known(lab, own, kind, where)


def _require_interrupted(name: str, status: int, lab: Lab, where: str) -> None:
    if name == "up" and status == 0:
        assert "Stopped; nothing of it is left." in lab.printed(), where
    else:
        assert status == 130, where
        assert "middlemark: interrupted" in lab.printed(), where


def _require_known(lab: Lab, own: Database, kind: signal.Signals, where: str) -> None:
    """What is left after `kill -9` is named and removed by `doctor`; after both the next command works."""
    left = (_databases(own) - KEPT) | lab.folders()
    if left:
        assert kind is signal.SIGKILL, (left, where)
        shown = lab.done("doctor")
        assert {name for name in left if name not in shown.stdout} == set(), where
        assert PASSWORD not in shown.stdout + shown.stderr
        lab.done("doctor", "--stop")
        assert (_databases(own) - KEPT) | lab.folders() == set(), where
    loaded = lab.loaded()
    assert loaded.returncode == 0, (loaded.stderr, where)
    assert _databases(own) == KEPT, where
    assert "orphaned" not in lab.done("doctor").stdout, where
