"""Whether a child process has ended, asked so that Ctrl-C may come at any moment.

`Popen.poll()` and `Popen.wait(timeout)` take a lock before the `try` that gives it back. A KeyboardInterrupt in between
leaves it taken, and every later `wait()` then waits for ever: in a loop around `poll()`, 3 of 100 signals do that.
"""

from __future__ import annotations

import os
import subprocess
import time

_PAUSE_SECONDS = 0.01


def status_if_ended(process: subprocess.Popen[bytes]) -> int | None:
    """Return the exit status of an ended process (negative: a signal's number), None while it runs."""
    if process.returncode is None and _runs(process.pid):
        return None
    return process.wait()


def ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait at most this long for the end of a process; return whether it has ended."""
    deadline = time.monotonic() + seconds
    while status_if_ended(process) is None:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(_PAUSE_SECONDS, left))  # waiting in the kernel would need the lock, or SIGCHLD
    return True


def _runs(pid: int) -> bool:
    """Ask the kernel and leave the status to be collected."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:  # another thread has collected it
        return False
