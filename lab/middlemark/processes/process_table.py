"""The processes of this host and who belongs to whom. Standard library only: the watchdog needs it in milliseconds.

On Linux the table is read from /proc; elsewhere from `ps`, which knows no environments.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK = "MIDDLEMARK_WATCHDOG"
"""Environment variable that every process started by a lab carries, with the lab's token and the process's part."""

PROC = Path("/proc")


def cpu_clock_ns(pid: int) -> int | None:
    """CPU time of a running process in nanoseconds; None where its clock cannot be read.

    It is the clock of clock_getcpuclockid(3), which Python does not offer; Linux makes its number like this
    (MAKE_PROCESS_CPUCLOCK, CPUCLOCK_SCHED).
    """
    if sys.platform != "linux":
        return None
    with suppress(OSError):
        return time.clock_gettime_ns((~pid << 3) | 2)
    return None


@dataclass(frozen=True)
class Entry:
    """One process. `started` is the moment it started, as text: with the pid it names one process for ever."""

    pid: int
    parent: int
    group: int
    session: int
    ended: bool
    started: str


def process_table() -> dict[int, Entry]:
    """Return every process by its pid; processes that end meanwhile are left out."""
    if not _has_proc():
        return {entry.pid: entry for entry in _from_ps("-ax")}
    processes = (_from_proc(int(folder.name)) for folder in PROC.iterdir() if folder.name.isdigit())
    return {entry.pid: entry for entry in processes if entry}


def entry_of(pid: int) -> Entry | None:
    """Return one process, or None when there is none with this pid."""
    if _has_proc():
        return _from_proc(pid)
    return next(iter(_from_ps("-p", str(pid))), None)


def is_running(pid: int, started: str) -> bool:
    """Tell whether exactly this process runs: not another one that got its pid, and not a zombie."""
    entry = entry_of(pid)
    return entry is not None and entry.started == started and not entry.ended


def send(pid: int, started: str, what: signal.Signals) -> None:
    """Send a signal to exactly this process; do nothing when it has ended or its pid belongs to another one now."""
    try:
        handle = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except OSError:
        return
    try:
        if not is_running(pid, started):
            return
        # The handle was opened before the check: it cannot mean a process that gets the pid after the check.
        if handle is None:
            os.kill(pid, what)
        else:
            signal.pidfd_send_signal(handle, what)
    except (ProcessLookupError, PermissionError):
        return
    finally:
        if handle is not None:
            os.close(handle)


def mark_of(pid: int) -> str:
    """Return the value of MARK in the process's first environment; empty when there is none or it cannot be read."""
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return ""
    prefix = f"{MARK}=".encode()
    return next((v[len(prefix) :].decode() for v in environment.split(b"\0") if v.startswith(prefix)), "")


def _has_proc() -> bool:
    return (PROC / "self" / "stat").exists()


def _from_proc(pid: int) -> Entry | None:
    try:
        stat = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    # proc(5): the name in parentheses may hold blanks and parentheses; state is the first field after it.
    fields = stat[stat.rindex(")") + 2 :].split()
    return Entry(
        pid=pid,
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        ended=fields[0] in "ZX",
        started=fields[19],
    )


def _from_ps(*which: str) -> list[Entry]:
    columns = "pid=,ppid=,pgid=,sess=,stat=,lstart="
    done = subprocess.run(["ps", *which, "-o", columns], capture_output=True, text=True, check=False)  # noqa: S607 (ps is where the system puts it)
    entries = []
    for line in done.stdout.splitlines():
        pid, parent, group, _, state, *started = line.split()
        # `sess` is an address on macOS; the group tells as much, because every process of ours leads its own session.
        entries.append(Entry(int(pid), int(parent), int(group), int(group), state.startswith("Z"), " ".join(started)))
    return entries
