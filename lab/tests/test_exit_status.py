"""A process's end is seen, whatever moment Ctrl-C chooses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from types import FrameType

from middlemark.processes.exit_status import ends_within, status_if_ended

SECONDS = 30
SIGNALS = 1000

# With `poll()` in the loop below, 3 of 100 such signals leave its lock taken.
SENDER = """
import os, sys, time
for _ in range(int(sys.argv[2])):
    os.kill(int(sys.argv[1]), 10)
    time.sleep(0.001)  # signals at once would become one
"""


def child(program: str, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program, *words])


def test_the_exit_status_is_none_while_it_runs_and_then_stays_what_it_was() -> None:
    process = child("import sys; sys.stdin.read(); sys.exit(3)")
    process.kill()
    assert ends_within(process, SECONDS)
    assert status_if_ended(process) == -signal.SIGKILL
    assert status_if_ended(process) == -signal.SIGKILL
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as waiting:
        assert status_if_ended(waiting) is None
        assert not ends_within(waiting, 0.05)
        assert waiting.stdin
        waiting.stdin.write(b"\n")
        waiting.stdin.close()
        assert ends_within(waiting, SECONDS)
        assert status_if_ended(waiting) == 0


def test_a_process_that_somebody_else_waited_for_has_ended() -> None:
    process = child("pass")
    os.waitpid(process.pid, 0)
    assert ends_within(process, SECONDS)


def test_interrupted_at_any_moment_the_end_is_still_waited_for() -> None:
    seen, is_asking = 0, False

    def interrupt(_: int, __: FrameType | None) -> None:
        nonlocal seen
        if is_asking:
            seen += 1
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, interrupt)
    process = child("import time; time.sleep(60)")
    sender = child(SENDER, str(os.getpid()), str(SIGNALS))
    deadline = time.monotonic() + SECONDS
    try:
        while seen < SIGNALS // 4 and time.monotonic() < deadline:
            try:
                is_asking = True
                while time.monotonic() < deadline:
                    status_if_ended(process)
            except KeyboardInterrupt:
                is_asking = False
        sender.wait()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen >= SIGNALS // 4
    process.kill()
    process.wait(SECONDS)  # for ever, or until its limit, with the lock still taken
