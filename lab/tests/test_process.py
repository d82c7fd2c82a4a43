"""Programs are started exactly as asked, waited for, watched and stopped."""

from __future__ import annotations

import dataclasses
import math
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from middlemark.errors import InputError, MissingToolError, TargetError
from middlemark.processes.ending import Ending, Part, Whom
from middlemark.processes.known_failures import KnownFailure
from middlemark.processes.ports import PortTakenError, free_port, is_free, require_free
from middlemark.processes.process import Process, ProcessSpec, last_lines, running
from middlemark.processes.watchdog import Watchdog, watchdog

SECONDS = 30

# Answers 503 to the first two requests and 200 from then on.
SERVER = """
import http.server, sys
asked = 0
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global asked
        asked += 1
        self.send_response(200 if asked > 2 else 503)
        self.end_headers()
        self.wfile.write(b"ok" if asked > 2 else b"warming up")
print("listening", flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Health).serve_forever()
"""


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as one:
        yield one


def python(folder: Path, program: str, *words: str) -> ProcessSpec:
    """Return what runs a Python program, with its log in `folder`."""
    return ProcessSpec(
        "program", Part.APPLICATION, (sys.executable, "-c", program, *words), folder, folder / "logs" / "log"
    )


def server(folder: Path, port: int, program: str = SERVER) -> ProcessSpec:
    """Return what runs a server on a port, ready when `/health` says so."""
    spec = python(folder, program, str(port))
    return dataclasses.replace(spec, ready_url=f"http://127.0.0.1:{port}/health", ports=(port,))


def test_a_server_is_ready_when_it_answers_200(tmp_path: Path, watching: Watchdog) -> None:
    port = free_port()
    with running(server(tmp_path, port), watching) as process:
        assert process.alive()
        assert process.died() is None
        requests = (tmp_path / "logs" / "log").read_text().splitlines()
        assert [line.split()[-2] for line in requests[1:]] == ["503", "503", "200"]
    assert not process.alive()
    assert is_free(port)


def test_a_start_is_timed_from_the_begin_of_the_program_to_its_first_200(tmp_path: Path, watching: Watchdog) -> None:
    program = SERVER.replace("import http.server, sys", "import http.server, sys, time; time.sleep(0.3)")
    spec = server(tmp_path, free_port(), program)
    assert math.isnan(Process(spec, watching).ready_after_s)
    began = time.monotonic()
    with running(spec, watching) as process:
        assert 0.3 < process.ready_after_s < time.monotonic() - began
        first = process.ready_after_s
        process.restart()
        assert process.ready_after_s != first


def test_the_environment_is_what_was_given_and_nothing_of_the_users_settings(
    tmp_path: Path, watching: Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MM_BINDING", "soap")
    monkeypatch.setenv("SECRET", "of the user")
    spec = python(tmp_path, "import os; print(sorted(os.environ))")
    spec = dataclasses.replace(spec, settings={"MM_ROLE": "web"})
    with running(spec, watching) as process:
        assert process.wait() == 0
    names = set(eval(spec.log.read_text()))  # noqa: S307 (our own program's list of names)
    # Python itself sets LC_CTYPE when the locale is C.
    assert names - {"PATH", "HOME", "LANG", "LC_CTYPE"} == {"MM_ROLE", "MIDDLEMARK_WATCHDOG"}


def test_standard_input_is_empty_and_output_and_errors_are_in_the_log(tmp_path: Path, watching: Watchdog) -> None:
    program = "import sys; print('to stderr', file=sys.stderr); print(repr(sys.stdin.read()))"
    with running(python(tmp_path, program), watching) as process:
        process.wait()
    assert (tmp_path / "logs" / "log").read_text() == "to stderr\n''\n"


def test_a_process_leads_its_own_session_so_that_ctrl_c_does_not_reach_it(tmp_path: Path, watching: Watchdog) -> None:
    with running(python(tmp_path, "import signal; signal.pause()"), watching) as process:
        assert os.getsid(process.pid) == process.pid != os.getsid(0)


def test_who_dies_before_it_is_ready_is_reported_with_its_last_lines_and_its_log(
    tmp_path: Path, watching: Watchdog
) -> None:
    spec = python(tmp_path, "import sys; print('no such table: quotes'); sys.exit(3)")
    spec = dataclasses.replace(spec, ready_url="http://127.0.0.1:9/health")
    with pytest.raises(TargetError) as caught, running(spec, watching):
        pass
    assert "program ended with exit status 3 before it was ready" in str(caught.value)
    assert "no such table: quotes" in str(caught.value)
    assert str(spec.log) in str(caught.value)


def test_who_is_not_ready_in_time_is_stopped_and_its_last_answer_is_shown(tmp_path: Path, watching: Watchdog) -> None:
    port = free_port()
    spec = dataclasses.replace(server(tmp_path, port, SERVER.replace("asked > 2", "False")), ready_seconds=2.0)
    with (
        pytest.raises(TargetError, match=r"program is not ready after 2 s \(503 warming up\)"),
        running(spec, watching),
    ):
        pass
    assert is_free(port)


def test_the_frames_of_a_java_stack_are_not_shown_among_the_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    stack = "\tat java.base/java.lang.Thread.run(Thread.java:840)\n\tat a.B.<init>(B.java:1)\n\t... 83 more\n"
    log.write_text("at first\n" + stack * 9 + "Caused by: that\n" + stack * 9)
    assert last_lines(log) == ["at first", "Caused by: that"]


FAILURE = KnownFailure(pattern="E42: .*", what="the cellar is flooded", setting="pump in house.xml")
FAILING = 'print("listening", flush=True)', 'print("E42: water", flush=True)'


def test_a_known_failure_ends_the_waiting_and_names_the_setting(tmp_path: Path, watching: Watchdog) -> None:
    port = free_port()
    never = server(tmp_path, port, SERVER.replace("asked > 2", "False").replace(*FAILING))
    spec = dataclasses.replace(never, ready_seconds=3600.0, failures=(FAILURE,))
    with pytest.raises(TargetError) as caught, running(spec, watching):
        pass
    first, *_, last, end = str(caught.value).splitlines()
    assert first == "program, pump in house.xml: the cellar is flooded"
    assert last == "    E42: water"
    assert end == f". Its log is {spec.log}"
    assert is_free(port)


def test_a_known_failure_ends_no_waiting_of_one_that_starts_again(tmp_path: Path, watching: Watchdog) -> None:
    spec = dataclasses.replace(server(tmp_path, free_port()), failures=(FAILURE,))
    with running(spec, watching) as process:
        failing = server(tmp_path, spec.ports[0], SERVER.replace(*FAILING))
        process.spec = dataclasses.replace(spec, command=failing.command)
        process.restart()
        assert "E42: water" in spec.log.read_text()


def test_a_taken_port_is_named_with_who_has_it(tmp_path: Path, watching: Watchdog) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTakenError) as caught, running(server(tmp_path, port), watching):
            pass
    assert f"port {port} is taken" in str(caught.value)
    assert f"(pid {os.getpid()})" in str(caught.value)


def test_a_port_lost_to_somebody_quicker_is_distinguished_from_other_deaths(tmp_path: Path, watching: Watchdog) -> None:
    port = free_port()
    # Its child has the port when the process itself gives up: what the loser of a race for a port looks like.
    loser = "import os, socket, sys, time; s = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
    loser += "sys.exit(1) if os.fork() else time.sleep(600)"
    with pytest.raises(PortTakenError), running(server(tmp_path, port, loser), watching):
        pass
    assert is_free(port)


def test_a_death_in_the_middle_is_noticed_with_its_signal(tmp_path: Path, watching: Watchdog) -> None:
    with running(python(tmp_path, "import signal; print('up', flush=True); signal.pause()"), watching) as process:
        process.signal(signal.SIGKILL)
        process.wait()
        died = process.died()
        assert died
        assert str(died) == "program was killed by SIGKILL"


def test_a_killed_process_can_be_started_again_on_the_same_port(tmp_path: Path, watching: Watchdog) -> None:
    with running(server(tmp_path, free_port()), watching) as process:
        before = process.pid
        process.signal(signal.SIGKILL)
        process.wait()
        process.stop()
        process.start()
        assert process.alive()
        assert process.pid != before


def test_who_ignores_sigterm_is_killed_with_its_children(tmp_path: Path, watching: Watchdog) -> None:
    port = free_port()
    stubborn = "import os, signal; signal.signal(15, signal.SIG_IGN); os.fork() and signal.pause()\n" + SERVER
    spec = dataclasses.replace(server(tmp_path, port, stubborn), ending=Ending((("SIGTERM", 0.3),)))
    with running(spec, watching) as process:
        children = psutil.Process(process.pid).children()
        assert len(children) == 1
    assert process.wait() == -signal.SIGKILL
    assert psutil.wait_procs(children, timeout=SECONDS)[1] == []
    assert is_free(port)


def test_what_a_leader_that_is_gone_has_left_gets_its_signal(tmp_path: Path, watching: Watchdog) -> None:
    forks = "import os, signal, sys\nif os.fork():\n    print('forked', flush=True)\nsignal.pause()"
    ending = Ending((("SIGTERM", SECONDS),), Whom.LEADER)
    with running(dataclasses.replace(python(tmp_path, forks), ending=ending), watching) as process:
        while "forked" not in last_lines(process.spec.log):
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        ended = process.stop()
    assert (ended.signal, ended.processes) == ("SIGTERM", 1)


def test_a_missing_program_is_named(tmp_path: Path, watching: Watchdog) -> None:
    spec = ProcessSpec("program", Part.APPLICATION, ("no-such-program",), tmp_path, tmp_path / "log")
    with pytest.raises(MissingToolError, match="no-such-program"), running(spec, watching):
        pass


def test_a_number_that_is_not_a_port_is_wrong_input() -> None:
    with pytest.raises(InputError, match="70000 is not a port"):
        require_free(70_000)


def test_a_free_port_lies_where_no_outgoing_connection_takes_it() -> None:
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert all(free_port() < first for _ in range(20))
