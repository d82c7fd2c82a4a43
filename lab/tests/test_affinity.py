"""Threads of a program by their name get other CPUs for a while, and its other threads do not."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from middlemark.processes.affinity import allowed_cpus, on_cpus, threads_on_cpus, usable_cpus

NAMED_THREAD = """
import ctypes, threading, time
def compiles():
    ctypes.CDLL(None).prctl(15, b"C2 CompilerThre", 0, 0, 0)
    print("ready", flush=True)
    time.sleep(60)
threading.Thread(target=compiles, daemon=True).start()
time.sleep(60)
"""


@pytest.mark.skipif(len(usable_cpus()) < 2, reason="needs two CPUs")
def test_threads_of_a_name_may_use_other_cpus_for_a_while() -> None:
    every = frozenset(usable_cpus())
    own = frozenset(list(every)[:1])
    with on_cpus(own), subprocess.Popen([sys.executable, "-c", NAMED_THREAD], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            with threads_on_cpus({process.pid: ("C2 CompilerThre",)}, every):
                assert allowed_cpus(process.pid) == {own, every}
                assert os.sched_getaffinity(process.pid) == own
            assert allowed_cpus(process.pid) == {own}
            with threads_on_cpus({process.pid: ("C1 CompilerThre",), 2**22 + 1: ("C2 CompilerThre",)}, every):
                assert allowed_cpus(process.pid) == {own}
        finally:
            process.kill()
