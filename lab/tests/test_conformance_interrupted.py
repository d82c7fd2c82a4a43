"""An interruption of `middlemark verify` does not wait until an application is ready."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

SUMS = Path(__file__).parent / "checkout" / "specs" / "sums"
SECONDS = 30
PLATFORM = """
name = "never"
language = "Python"

[toolchain]
command = ["python3", "--version"]
minimum = "3.11"
debian = "apt install python3"
macos = "brew install python3"

[specs.sums]
build = ["cp", "never.py", "{artifact}"]
start = ["python3", "{artifact}"]
modes = { method = ["formula", "loop"] }
ready_seconds = 900
"""
# A child of its own, and no ear for SIGTERM: it has to be killed. It sleeps as long as `ready_seconds`, so nothing else
# ends the wait.
BEGIN = """
import http.server, os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork() or time.sleep(900)
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print("requested", flush=True)
"""
RESPONDS_503 = "        self.send_error(503)\n"
IS_SILENT = "        time.sleep(900)\n"
SERVE = 'http.server.HTTPServer(("127.0.0.1", int(os.environ["MM_PORT"])), Health).serve_forever()\n'


def checkout(folder: Path, manner: str) -> Path:
    """Return a checkout with an application that is never ready, in its manner."""
    platform = folder / "platforms" / "never"
    platform.mkdir(parents=True)
    (platform / "platform.toml").write_text(PLATFORM, encoding="utf-8")
    (platform / "never.py").write_text(BEGIN + manner + SERVE, encoding="utf-8")
    shutil.copytree(SUMS, folder / "specs" / "sums")
    (folder / "specs" / "README.md").touch()
    return folder


@pytest.mark.parametrize(
    ("kind", "manner"), [(signal.SIGTERM, RESPONDS_503), (signal.SIGINT, IS_SILENT)], ids=["503", "silent"]
)
def test_nobody_waits_for_a_server_after_an_interruption(tmp_path: Path, kind: signal.Signals, manner: str) -> None:
    home, private = checkout(tmp_path / "home", manner), tmp_path / "private"
    private.mkdir()
    words = [sys.executable, "-m", "middlemark", "verify", "never", "--jobs", "2", "--out", str(tmp_path / "out")]
    own = {**os.environ, "TMPDIR": str(private), "XDG_RUNTIME_DIR": str(private)}
    lab = subprocess.Popen(words, cwd=home, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _wait_until_requested(lab, tmp_path / "out", 2)
        started = psutil.Process(lab.pid).children(recursive=True)
        lab.send_signal(kind)
        _, errors = lab.communicate(timeout=SECONDS)
    finally:
        lab.kill()
    assert (lab.returncode, errors.decode().splitlines()[-1]) == (130, "middlemark: interrupted")
    assert psutil.wait_procs(started, timeout=SECONDS)[1] == []
    assert list((private / "middlemark").iterdir()) == []


def _wait_until_requested(lab: subprocess.Popen[bytes], out: Path, applications: int) -> None:
    """Return when so many applications have had a request whether they are ready."""
    deadline = time.monotonic() + SECONDS
    while sum("requested" in log.read_text() for log in out.glob("*/logs/*/*.log")) < applications:
        assert lab.poll() is None, lab.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
