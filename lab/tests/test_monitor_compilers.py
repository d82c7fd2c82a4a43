"""Threads that compile are recognized by the names that servers and platforms declare, and their CPU time is kept."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from middlemark.checkout import checkout
from middlemark.errors import InputError
from middlemark.judge.samples import SampleSums
from middlemark.monitor.sampler import take_sample
from middlemark.monitor.threads import Usages
from middlemark.records.samples import Sample, TierSample
from middlemark.subject.platform import load_platform
from middlemark.subject.server import load_server
from middlemark.subject.subject import Subject, find_subject

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts by thread")

NAMES = frozenset({"C1 CompilerThre", "C2 CompilerThre"})
# For each line it reads, a thread with this name burns CPU time, reports and, when the next line comes, ends.
PROGRAM = """
import ctypes, sys, threading, time
lines = iter(sys.stdin)
def burn(name, seconds):
    ctypes.CDLL(None).prctl(15, name.encode())
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
    print("burnt", flush=True)
    next(lines)
for line in lines:
    name, seconds = line.rstrip().split(":")
    thread = threading.Thread(target=burn, args=(name, float(seconds)))
    thread.start()
    thread.join()
"""


@contextmanager
def burning() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def burn(process: subprocess.Popen[str], name: str, seconds: float) -> None:
    """Let a thread of this name burn so much CPU time and stay."""
    write(process, f"{name}:{seconds}")
    assert process.stdout is not None
    assert process.stdout.readline() == "burnt\n"


def write(process: subprocess.Popen[str], line: str = "") -> None:
    """Write a line; an empty one ends the thread."""
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


def test_compiler_time_is_that_of_threads_with_a_declared_name_also_after_their_end() -> None:
    usages = Usages({"web": NAMES})
    with burning() as program:

        def seen() -> float | None:
            return take_sample({"web": (program.pid,)}, 0, usages).tiers["web"].compiler_s

        def compiler_s() -> float:
            found = seen()
            assert found is not None
            return found

        assert seen() is None
        burn(program, "worker", 0.1)
        # Where no thread has a declared name, nobody knows what compiles.
        assert seen() is None
        write(program)
        burn(program, "C2 CompilerThread0", 0.1)  # the system cuts the name off
        first = compiler_s()
        assert first >= 0.1
        write(program)
        # The next thread is a new one, or has the number of the one that ended: nothing is lost or subtracted.
        burn(program, "C1 CompilerThre", 0.05)
        assert first + 0.05 <= compiler_s() < first + 5


def test_a_tier_without_declared_names_has_no_compiler_time() -> None:
    usages = Usages({"services": NAMES})
    with burning() as program:
        burn(program, "C2 CompilerThre", 0.01)
        assert take_sample({"web": (program.pid,)}, 0, usages).tiers["web"].compiler_s is None


def test_the_window_has_the_compiler_time_of_its_own_seconds() -> None:
    tiers = [
        {"web": TierSample(cpu_s=2.0 * n, rss_mib=1, compiler_s=0.5 * n), "go": TierSample(cpu_s=n, rss_mib=1)}
        for n in range(4)
    ]
    samples = [Sample(t_ns=n * 10**9, tiers=one) for n, one in enumerate(tiers)]
    found = SampleSums.of(samples, (1.0, 2.5)).tiers(10)
    assert (found["web"].compiler_s, found["web"].cpu_s) == (0.75, 3.0)
    assert found["go"].compiler_s is None


@pytest.mark.parametrize("name", ["liberty", "wildfly", "payara"])
def test_servers_with_a_virtual_machine_declare_its_compilers(name: str) -> None:
    assert frozenset(load_server(checkout(), name).description.compiler_threads or ()) == NAMES


@pytest.mark.parametrize(
    ("subject", "names"), [("spring-boot", NAMES), ("jakarta@liberty", NAMES), ("go", frozenset[str]())]
)
def test_a_hosted_platform_has_the_compilers_of_its_server(subject: str, names: frozenset[str]) -> None:
    assert found(subject).compiler_threads == names


def found(subject: str) -> Subject:
    return find_subject(checkout(), subject, "brokerage")


def test_a_name_that_the_system_would_cut_off_is_refused(tmp_path: Path) -> None:
    file = checkout() / "platforms" / "spring-boot" / "platform.toml"
    folder = tmp_path / "platforms" / "java"
    folder.mkdir(parents=True)
    text = file.read_text(encoding="utf-8").replace('"C2 CompilerThre"', '"C2 CompilerThread0"')
    (folder / "platform.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="15 characters"):
        load_platform(tmp_path, "java")
