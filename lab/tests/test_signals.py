"""Whatever asks a command to end, it ends in order; what its starter ignores, it ignores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from driven import SESSION
from other_server import Manners, misbehaving

from conftest import ROOT


def drive_words(folder: Path, target: str, duration: str) -> list[str]:
    session = folder / "page.yaml"
    session.write_text(SESSION, encoding="utf-8")
    times = ["--ramp", "0s", "--duration", duration, "--users", "4"]
    return [sys.executable, "-m", "middlemark", "drive", str(session), "--target", target, *times]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_command_and_leaves_nothing(tmp_path: Path, ending: signal.Signals) -> None:
    private = tmp_path / "private"
    private.mkdir()
    manners = Manners(expect=4)
    with misbehaving(manners) as address:
        words = drive_words(tmp_path, address, "50s")
        lab = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(private)})
        assert manners.enough.wait(20)
        lab.send_signal(ending)
        printed, _ = lab.communicate(timeout=20)
    assert lab.returncode == 130
    assert printed.splitlines()[-1].startswith("INTERRUPTED")
    assert list(private.iterdir()) == []


AFTER_ALL = """
import os, signal, sys
class Late:
    def __del__(self, kill=os.kill, own=os.getpid(), by=getattr(signal, sys.argv[1])):
        kill(own, by)
late = Late()  # removed when Python has given up its signal handlers
sys.argv = ["middlemark", "--version"]
from middlemark.__main__ import main
main()
"""


@pytest.mark.parametrize("by", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_while_python_ends_does_not_change_what_the_command_said(by: str) -> None:
    done = subprocess.run([sys.executable, "-c", AFTER_ALL, by], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("middlemark ")


INTERRUPTING = """
import importlib.abc, os, signal, sys
class Interrupting(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            exec("os.kill(os.getpid(), getattr(signal, os.environ['INTERRUPTED_BY']))")
sys.meta_path.insert(0, Interrupting())
"""


@pytest.mark.parametrize("by", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("typer", ["load", "brokerage"]),
        ("pydantic.main", ["load", "brokerage"]),
        ("psycopg", ["load", "brokerage"]),
        ("middlemark.session", ["session", "import", "recording.har"]),
        ("middlemark.conformance.verify", ["verify", "go"]),  # when the command runs already
    ],
)
def test_a_command_that_is_interrupted_while_it_is_imported_says_so_without_a_traceback(
    tmp_path: Path, module: str, command: list[str], by: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "INTERRUPTED_AT": module, "INTERRUPTED_BY": by}
    words = [sys.executable, "-m", "middlemark", *command]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "middlemark: interrupted\n")


def test_under_nohup_a_command_outlives_its_terminal(tmp_path: Path) -> None:
    manners = Manners(expect=4)
    with misbehaving(manners) as address:
        words = ["nohup", *drive_words(tmp_path, address, "1s")]
        lab = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert manners.enough.wait(20)
        lab.send_signal(signal.SIGHUP)
        printed, _ = lab.communicate(timeout=20)
    assert lab.returncode == 0
    assert printed.splitlines()[-1].startswith("PASS")
