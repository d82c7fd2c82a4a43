"""The CPUs a role has are inherited by all that it starts, and a process that left them is named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from middlemark.databases.database import Database
from middlemark.databases.postgresql import embedded_postgresql
from middlemark.databases.watched_database import watched_servers
from middlemark.monitor.affinity import observed_affinity
from middlemark.processes.affinity import allowed_cpus, on_cpus, usable_cpus
from middlemark.processes.ending import Part
from middlemark.processes.process import Process, ProcessSpec, last_lines
from middlemark.processes.watchdog import watchdog
from middlemark.records.placement import Placement, cpu_list
from middlemark.records.point import ObservedAffinity

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="this system cannot keep processes on CPUs")
GO = """package main

import "runtime"

func main() { println("processors", runtime.GOMAXPROCS(0), runtime.NumCPU()) }
"""
JAVA = ("java", "-XshowSettings:system", "-version")


@needs_linux
def test_go_counts_the_cpus_it_was_given_before_it_began(tmp_path: Path) -> None:
    (tmp_path / "main.go").write_text(GO, encoding="utf-8")
    subprocess.run(["go", "build", "-o", "counted", "main.go"], cwd=tmp_path, check=True)  # noqa: S607 (as users have it)
    assert "processors 1 1" in output(tmp_path, str(tmp_path / "counted"))


@needs_linux
def test_a_java_virtual_machine_counts_the_cpus_it_was_given_before_it_began(tmp_path: Path) -> None:
    assert re.search(r"Effective CPU Count: 1$", output(tmp_path, *JAVA), re.MULTILINE)


def output(folder: Path, *command: str) -> str:
    """Return what a program says that is kept on the last CPU of the machine."""
    last = max(usable_cpus())
    spec = ProcessSpec("counted", Part.APPLICATION, command, folder, folder / "log", cpus=frozenset({last}))
    before = os.sched_getaffinity(0)
    with watchdog() as watch:
        process = Process(spec, watch)
        process.start()
        assert process.wait() == 0
        process.stop()
    assert os.sched_getaffinity(0) == before
    return "\n".join(last_lines(spec.log, 200))


@needs_linux
def test_every_process_of_postgresql_inherits_the_cpus_of_the_postmaster(tmp_path: Path) -> None:
    last = frozenset({max(usable_cpus())})
    with embedded_postgresql(tmp_path / "cluster", cpus=last) as database:
        with database.admin():
            assert cpus_of(database) == {last}
        assert database.server
        database.server.restart()
        with database.admin():
            assert cpus_of(database) == {last}


def cpus_of(database: Database) -> set[frozenset[int]]:
    """Return the sets of CPUs that the processes of a server may use, of sessions too."""
    assert database.server
    postmaster = psutil.Process(database.server.pid)
    processes = [postmaster, *postmaster.children()]
    assert len(processes) > 2
    return {cpus for process in processes for cpus in allowed_cpus(process.pid)}


@contextmanager
def sleeping(*cpus: int) -> Iterator[int]:
    """Give a process that may use these CPUs alone."""
    with on_cpus(cpus):
        process = subprocess.Popen(["sleep", "60"])  # noqa: S607 (as users have it)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(len(usable_cpus()) < 2, reason="one CPU has no others")
def test_a_process_that_left_its_cpus_is_named_by_its_tier() -> None:
    first, second = list(usable_cpus())[:2]
    requested = Placement(cpus={"driver": (first,), "sut": (second,)})
    one, other = frozenset({first}), frozenset({second})
    with sleeping(second) as pid:
        roots = {"web": (pid,)}
        assert observed_affinity(requested, roots, {"driver": {one}, "web": {other}}) == ObservedAffinity()
        os.sched_setaffinity(pid, {first})
        assert observed_affinity(requested, roots, {"driver": {other}}).misplaced == (
            f"driver could while it was loaded use CPU {second}, not {first}",
            f"web can use CPU {first}, not {second}",
        )


@pytest.mark.skipif(len(usable_cpus()) < 2, reason="one CPU has no others")
def test_processes_that_had_the_tiers_cpus_only_together_were_not_on_them() -> None:
    first, second = list(usable_cpus())[:2]
    requested = Placement(cpus={"driver": (first,), "sut": (first, second)})
    one, other = frozenset({first}), frozenset({second})
    both = cpu_list(one | other)
    with sleeping(first, second) as wide, sleeping(second) as narrow:
        sampled = {"driver": {one}, "web": {one, other, one | other}}
        assert observed_affinity(requested, {"web": (wide, narrow)}, sampled).misplaced == (
            f"web could while it was loaded use CPU {first} or {second}, not {both}",
            f"web can use CPU {second}, not {both}",
        )


@needs_linux
def test_tiers_of_which_nothing_was_seen_are_named_and_one_that_has_ended_was_sampled() -> None:
    gone = subprocess.Popen(["true"])  # noqa: S607 (as users have it)
    gone.wait()
    requested = Placement(cpus={"driver": (0,), "database": (0,), "sut": (1,)})
    roots = {"web": (gone.pid,), "services": (gone.pid,)}
    found = observed_affinity(requested, roots, {"web": {frozenset({1})}})
    assert found.not_observed == ("driver", "database", "services")
    several = {**roots, "database.one": (os.getpid(),), "database.other": (gone.pid,)}
    found = observed_affinity(requested, several, {"driver": {frozenset({0})}, "web": {frozenset({1})}})
    assert found.not_observed == ("services", "database.other")
    assert observed_affinity(Placement(), roots, {}) == ObservedAffinity()


@needs_linux
def test_servers_run_on_the_cpus_of_their_tiers(tmp_path: Path) -> None:
    one, *_, other = sorted(os.sched_getaffinity(0))
    cpus = {"database": frozenset({one}), "database.orders": frozenset({other})}
    with watchdog() as watch, watched_servers(["catalog", "orders"], {}, watch, tmp_path, cpus) as servers:
        assert cpus_of(servers["catalog"]) == {frozenset({one})}
        assert cpus_of(servers["orders"]) == {frozenset({other})}
