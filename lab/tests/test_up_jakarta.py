"""`middlemark up jakarta@liberty`: a hosted application stands as one that runs by itself, and leaves nothing."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import httpx
import pytest
from up_command import SECONDS, Up, assert_nothing_is_left, run_printed, up

# It starts two servers, each in minutes on a busy machine, after Maven has built what they host.
pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]
PATIENCE = 1800.0
BINDING = ("--set", "binding=grpc")


def shapes(one: Up) -> list[str]:
    """Return what `up` has printed without the numbers and folders that are its own."""
    return [re.sub(r"/\S*/|_\w+|-up-\w+|\d+", "", line) for line in one.printed()]


def test_it_prints_what_go_prints_is_driven_and_audited_and_leaves_nothing(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("go", "jakarta")]
    for folder in folders:
        folder.mkdir()
    with up(folders[0], *BINDING) as go:
        wanted = shapes(go)
        go.process.send_signal(signal.SIGINT)
        assert go.process.wait(SECONDS) == 0
    with up(folders[1], *BINDING, subject="jakarta@liberty", seconds=PATIENCE) as one:
        assert shapes(one) == wanted
        form = {"user_id": "uid:0", "password": "xxx"}
        login = httpx.post(f"{one.address()}/login", data=form, follow_redirects=True, timeout=PATIENCE)
        assert '<strong id="user">uid:0</strong>' in login.text
        drive = one.wait_for("Drive it:").partition(": ")[2]
        driven = run_printed(f"{drive} --users 2 --duration 4s --think 500ms --max-error-rate 0")
        assert driven.returncode == 0, driven.stdout + driven.stderr
        audited = run_printed(one.wait_for("Audit it:").partition(": ")[2])
        assert "Audit passed:" in audited.stdout, audited.stdout + audited.stderr
        processes = one.everything()
        assert {"java"} <= {process.name() for process in processes}
        one.process.send_signal(signal.SIGINT)
        assert one.process.wait(PATIENCE) == 0
    assert_nothing_is_left(processes, folders[1])
