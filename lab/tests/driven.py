"""What tests of the driver share: a session, its plan, and whether a process still runs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from middlemark.drive.drive import DriveOptions, prepare
from middlemark.drive.options import DriveLoad
from middlemark.drive.thresholds import Thresholds
from middlemark.duration import Duration
from middlemark.records.driver_lines import Hello, Line
from middlemark.workload.plan import write_plan

DRIVEN_SECONDS = 1
SESSION = """\
name: page
think: {constant: 20ms}
steps:
  - id: page
    get: /
    expect: {marker: "<h1>hello</h1>"}
"""


def hello_of(lines: Sequence[Line]) -> Hello:
    """Return the driver's first line."""
    return next(line for line in lines if isinstance(line, Hello))


def a_plan(session: Path, target: str, measure_ms: float = 500) -> Path:
    """Write the plan of four users beside the session and return its path."""
    options = DriveOptions(
        session, (target,), Thresholds(0, None), DriveLoad(4), duration=Duration(measure_ms), ramp=Duration(100)
    )
    path = session.parent / "plan.json"
    write_plan(prepare(options).plan, path)
    return path


def drive(session: Path, target: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Run `middlemark drive` for DRIVEN_SECONDS beside the session and return what it said."""
    words = [sys.executable, "-m", "middlemark", "drive", str(session), "--target", target, "--ramp", "100ms"]
    return subprocess.run(
        [*words, "--duration", f"{DRIVEN_SECONDS}s", *more],
        capture_output=True,
        text=True,
        check=False,
        cwd=session.parent,
    )


def is_running(pid: int) -> bool:
    """Return whether the process runs; one that has ended and that nobody has waited for does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    # A process that has ended and that nobody has waited for is a zombie.
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until_ended(pid: int) -> None:
    """Wait until the process has ended."""
    deadline = time.monotonic() + 20
    while is_running(pid):
        if time.monotonic() > deadline:
            raise AssertionError(f"process {pid} still runs")
        time.sleep(0.02)
