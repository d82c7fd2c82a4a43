"""What the lab starts does not outlive it, however the lab ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from middlemark.doctor.orphaned_runs import orphaned_runs, stop_orphaned_run
from middlemark.processes.ending import Ending, How, Part, Watched, end
from middlemark.processes.ports import free_port, is_free
from middlemark.processes.process_table import entry_of, is_running
from middlemark.processes.watchdog import read_stopped, watchdog

SECONDS = 30

# A server with a child in its group, and a daemon that has left its group, its session and its parent.
FORKING_SERVER = """
import os, socket, sys, signal
def listen(port):
    server = socket.create_server(("127.0.0.1", port))
    while True: server.accept()
if os.fork() == 0: listen(int(sys.argv[2]))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: listen(int(sys.argv[3]))
    os._exit(0)
listen(int(sys.argv[1]))
"""

LAB = """
import signal, socket, sys, time
from pathlib import Path
from middlemark.processes.ending import Part
from middlemark.processes.watchdog import watchdog
from middlemark.processes.process import ProcessSpec, running
def wait_for(port):
    while True:
        try: return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError: time.sleep(0.01)
folder, server, *ports = sys.argv[1:]
folder = Path(folder)
with watchdog(folder / "runtime") as watching:
    watching.result(folder / "result")
    with watching.removing(folder / "private"):
        spec = ProcessSpec("forking", Part.APPLICATION, (sys.executable, "-c", server, *ports), folder, folder / "log")
        with running(spec, watching) as process:
            for port in ports: wait_for(int(port))
            print(process.pid, watching.pid, flush=True)
            signal.pause()
"""


@dataclass
class Lab:
    """A lab in a process of its own, with a server that forks; `others` are the server's pid and the watchdog's."""

    folder: Path
    process: subprocess.Popen[str]
    server: int
    watchdog: int
    ports: list[int]
    processes: list[psutil.Process]

    def wait_until_nothing_runs(self) -> None:
        """Fail when a process runs or a port is taken after some seconds."""
        _, alive = psutil.wait_procs(self.processes, timeout=SECONDS)
        assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []
        assert [port for port in self.ports if not is_free(port)] == []


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    for name in ("runtime", "result", "private"):
        (tmp_path / name).mkdir()
    ports = [free_port() for _ in range(3)]
    words = [sys.executable, "-c", LAB, str(tmp_path), FORKING_SERVER, *map(str, ports)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout
        server, watching = map(int, process.stdout.readline().split())
        processes = [psutil.Process(watching), *(who for port in ports for who in _listeners(port))]
        assert len({who.pid for who in processes}) == 4
        yield Lab(tmp_path, process, server, watching, ports, processes)
        process.kill()


def _listeners(port: int) -> list[psutil.Process]:
    connections = psutil.net_connections("tcp4")
    listening = [c for c in connections if c.status == "LISTEN" and c.laddr and c.laddr.port == port]
    return [psutil.Process(c.pid) for c in listening if c.pid]


def test_a_killed_lab_leaves_no_process_no_port_and_no_private_folder(lab: Lab) -> None:
    lab.process.kill()
    lab.wait_until_nothing_runs()
    assert not (lab.folder / "private").exists()
    assert list((lab.folder / "runtime").iterdir()) == []


def test_the_watchdog_writes_into_the_result_what_it_stopped(lab: Lab) -> None:
    lab.process.kill()
    lab.wait_until_nothing_runs()
    stopped = read_stopped(lab.folder / "result")
    assert stopped
    assert stopped.reason == "the lab was killed"
    assert [(one.name, one.pid, one.signal, one.processes) for one in stopped.processes] == [
        ("forking", lab.server, "SIGTERM", 3)
    ]
    assert stopped.removed == [str(lab.folder / "private")]


def test_ctrl_c_for_the_whole_terminal_ends_the_lab_and_its_processes_without_the_watchdogs_help(lab: Lab) -> None:
    os.killpg(lab.process.pid, signal.SIGINT)
    lab.process.wait(SECONDS)
    lab.wait_until_nothing_runs()
    assert read_stopped(lab.folder / "result") is None


def test_the_watchdog_survives_signals_that_are_meant_for_the_lab(lab: Lab) -> None:
    for what in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        os.kill(lab.watchdog, what)
    lab.process.kill()
    lab.wait_until_nothing_runs()
    assert read_stopped(lab.folder / "result")


def test_what_an_orphaned_run_left_is_found_and_stopped(lab: Lab) -> None:
    os.kill(lab.watchdog, signal.SIGKILL)
    lab.process.kill()
    lab.process.wait(SECONDS)
    _, alive = psutil.wait_procs(lab.processes[:1], timeout=SECONDS)  # the watchdog may live for a moment
    assert not alive
    (left,) = orphaned_runs(lab.folder / "runtime")
    assert [one.pid for one in left.running] == [lab.server]
    assert left.folders == [str(lab.folder / "private")]
    stop_orphaned_run(left)
    lab.wait_until_nothing_runs()
    assert orphaned_runs(lab.folder / "runtime") == []


def test_a_running_lab_is_not_orphaned(lab: Lab) -> None:
    assert orphaned_runs(lab.folder / "runtime") == []
    assert psutil.pid_exists(lab.server)


def test_a_killed_watchdog_is_replaced_and_knows_everything(tmp_path: Path) -> None:
    with watchdog(tmp_path) as watching, subprocess.Popen(["sleep", "600"], start_new_session=True) as sleeper:  # noqa: S607 (sleep is on every system)
        watching.watch(sleeper.pid, Part.TOOL, "sleeper")
        lost = watching.pid
        entry = entry_of(lost)
        assert entry
        os.kill(lost, signal.SIGKILL)
        while is_running(lost, entry.started):
            os.sched_yield()
        watching.result(tmp_path)
        assert watching.pid != lost
        (registry,) = tmp_path.glob("*.json")
        _wait_for(registry, str(sleeper.pid))
        sleeper.kill()
        sleeper.wait()
        watching.forget(sleeper.pid)


def _wait_for(registry: Path, text: str) -> None:
    while text not in registry.read_text():
        os.sched_yield()


def test_the_context_ends_only_after_what_was_not_stopped_has_been_stopped(tmp_path: Path) -> None:
    with watchdog(tmp_path) as watching:
        sleeper = subprocess.Popen(["sleep", "600"], start_new_session=True)  # noqa: S607 (sleep is on every system)
        watching.watch(sleeper.pid, Part.TOOL, "sleeper")
        watching.result(tmp_path)
    assert sleeper.wait(0) == -signal.SIGTERM
    stopped = read_stopped(tmp_path)
    assert stopped
    assert "interrupted" in stopped.reason


def test_a_watchdog_that_cannot_write_any_more_still_stops_everything(lab: Lab) -> None:
    shutil.rmtree(lab.folder / "runtime")
    shutil.rmtree(lab.folder / "result")
    lab.process.kill()
    lab.wait_until_nothing_runs()


def test_a_stranger_who_got_the_pid_is_not_touched() -> None:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as stranger:  # noqa: S607 (sleep is on every system)
        watched = Watched(stranger.pid, "started long ago", Part.APPLICATION, "mine", "token")
        assert end(watched).how is How.GONE
        assert stranger.poll() is None
        stranger.kill()


def test_who_ignores_every_signal_is_killed() -> None:
    stubborn = (
        "import signal; [signal.signal(s, signal.SIG_IGN) for s in (15, 2, 1)]; print(flush=True); signal.pause()"
    )
    with subprocess.Popen([sys.executable, "-c", stubborn], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        process.stdout.readline()
        entry = entry_of(process.pid)
        assert entry
        ending = Ending((("SIGTERM", 0.2),))
        ended = end(Watched(process.pid, entry.started, Part.APPLICATION, "stubborn", "token", ending))
        assert ended.signal == "SIGKILL"
        assert process.wait(SECONDS) == -signal.SIGKILL


def test_who_is_frozen_still_ends_kindly() -> None:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:  # noqa: S607 (sleep is on every system)
        os.kill(process.pid, signal.SIGSTOP)
        entry = entry_of(process.pid)
        assert entry
        assert end(Watched(process.pid, entry.started, Part.APPLICATION, "frozen", "token")).signal == "SIGTERM"


def test_parts_are_stopped_in_their_order() -> None:
    callers_first = [Part.TOOL, Part.DRIVER, Part.REVERSE_PROXY, Part.APPLICATION, Part.DATABASE]
    assert [*Part] == callers_first


def test_the_list_of_running_labs_is_private(tmp_path: Path) -> None:
    with watchdog(tmp_path / "runtime"):
        (registry,) = (tmp_path / "runtime").glob("*.json")
        assert json.loads(registry.read_text())["lab_pid"] == os.getpid()
        assert registry.parent.stat().st_mode & 0o077 == 0
