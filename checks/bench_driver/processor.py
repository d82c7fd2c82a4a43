"""CPUs: which one a program runs on, and how much it used."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def on_cpu(cpu: int) -> Iterator[None]:
    """Let programs that are started inside run on this CPU alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def before_all_others() -> Iterator[bool]:
    """Let programs that are started inside have their CPU before every other one; tell whether that is allowed.

    Daemons and threads of the kernel are not ours to stop; what of the time they take all the same is measured.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        yield False
        return
    try:
        yield True
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def run_first(words: list[str], cpu: int) -> tuple[subprocess.CompletedProcess[str], bool]:
    """Run a program to its end on one CPU, before all others; tell whether that is allowed.

    Only the program itself, not who waits for it: who reaps a process waits, spinning, for whoever looks at it in
    /proc, and that one would never have its turn.
    """
    with on_cpu(cpu), before_all_others() as is_first:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    try:
        output, errors = process.communicate()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return subprocess.CompletedProcess(words, process.returncode, output, errors), is_first


def running_ns(pid: int) -> int:
    """Return how long a process of one thread, and its child processes, have run, by the scheduler's account."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(int(Path(f"/proc/{one}/schedstat").read_text().split()[0]) for one in (pid, *children))


def used_seconds(pid: int) -> float:
    """Return the CPU time of a process so far, threads that have ended included, to 10 ms."""
    # The second field is the program's name in parentheses and may hold blanks: count from behind it.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def stolen_seconds(cpu: int) -> float:
    """Return how long the host of a virtual machine has had this CPU so far, to 10 ms; 0 on a machine of its own."""
    lines = Path("/proc/stat").read_text().splitlines()
    fields = next(line for line in lines if line.startswith(f"cpu{cpu} ")).split()
    return int(fields[8]) / _TICKS


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))
