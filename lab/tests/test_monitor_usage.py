"""The monitor beyond CPU time: waiting for CPUs, disk, PostgreSQL and the machine, on one clock with the driver."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from middlemark.databases.database import Database, create_database, drop_database
from middlemark.experiment.disclosure import file_system
from middlemark.judge.result import judge_folder
from middlemark.judge.samples import SampleSums
from middlemark.monitor.database import DatabaseWatches, WatchedDatabase, watching
from middlemark.monitor.sampler import Schedule, monitoring, take_sample
from middlemark.monitor.threads import Usage, Usages
from middlemark.monitor.watches import watches
from middlemark.records.samples import DatabaseSample, HostSample, Sample, Samples, TierSample
from middlemark.show.page import report_page

# No system gives so high a number to a process.
NOBODY = 2**30
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts by thread")
# Prints when it has begun, then wakes two hundred times in a thread that ends, writes a MiB through, and waits.
WORK = """
import os, sys, threading, time
print("begun", flush=True)
input()
def wake():
    for _ in range(200):
        time.sleep(0.0005)
thread = threading.Thread(target=wake)
thread.start()
thread.join()
with open(sys.argv[1], "wb") as file:
    file.write(os.urandom(2**20))
    file.flush()
    os.fsync(file.fileno())
print("done", flush=True)
input()
"""


@LINUX
def test_threads_and_disk_are_counted_from_the_first_look_on_also_of_a_thread_that_has_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WORK, str(tmp_path / "written")]
    usages = Usages()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        first = take_sample({"web": (process.pid,)}, 0, usages).tiers["web"]
        process.stdin.write("\n")
        process.stdin.flush()
        seen = [first]
        # As the monitor does: what a thread did until it was looked at last stays.
        while process.poll() is None and (seen[-1].switches or 0) < 100:
            seen.append(take_sample({"web": (process.pid,)}, 0, usages).tiers["web"])
        assert process.stdout.readline() == "done\n"
        last = take_sample({"web": (process.pid,)}, 0, usages).tiers["web"]
        process.communicate("\n")

    assert (first.switches, first.run_delay_s, first.written_bytes) == (0, 0.0, 0)
    assert (last.switches or 0) >= 100
    assert all((a.switches or 0) <= (b.switches or 0) for a, b in zip(seen, [*seen[1:], last], strict=True))
    if not file_system(tmp_path).startswith(("tmpfs", "overlay")):
        assert (last.written_bytes or 0) >= 2**20


@LINUX
def test_a_process_that_has_to_share_a_cpu_waits_for_it() -> None:
    cpu = {min(os.sched_getaffinity(0))}
    burn = "import time\nwhile time.process_time() < 0.5: pass\nprint('done', flush=True)\ninput()"
    usages = Usages()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", burn],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for _ in range(2)
    ]
    roots = {"web": tuple(process.pid for process in processes)}
    for process in processes:
        os.sched_setaffinity(process.pid, cpu)
    take_sample(roots, 0, usages)
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    sample = take_sample(roots, 0, usages).tiers["web"]
    for process in processes:
        process.communicate("\n")

    assert (sample.run_delay_s or 0) > 0.05


def test_what_is_unavailable_is_none_and_not_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("middlemark.monitor.threads.PROC", tmp_path)
    thread = tmp_path / str(NOBODY) / "task" / "7"
    thread.mkdir(parents=True)
    (thread / "schedstat").write_text("1 2 3\n", encoding="ascii")

    nothing = Usage(switches=0, run_delay_s=0.0, compiler_s=None, read_bytes=None, written_bytes=None)
    assert Usages().of("web", [NOBODY]) == nothing
    assert Usages().of("web", [NOBODY + 1]) == Usage(None, None, None, None, None)


def test_postgresql_counts_what_a_database_does(database_cluster: Database) -> None:
    name = "middlemark_watched"
    create_database(database_cluster, name)
    try:
        with watching({"shop": WatchedDatabase(database_cluster, name)}) as watch:
            before = _sample(watch)
            with database_cluster.connected(name) as one:
                one.execute("CREATE TABLE t (n int)")
                for number in range(20):
                    one.execute("INSERT INTO t VALUES (%s)", [number])
                with one.transaction():
                    one.execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE")
                    waiter = _asking(database_cluster, name)
                    wait_for(lambda: _sample(watch).waiting_locks >= 1)
                waiter.communicate()
            wait_for(lambda: _sample(watch).commits >= before.commits + 20)
            assert _sample(watch).blocks_hit > before.blocks_hit
            assert watch.slowest() == []
    finally:
        drop_database(database_cluster, name)


def test_what_a_database_holds_is_counted(database_cluster: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("middlemark.monitor.database.SIZE_SECONDS", 0.0)
    name = "middlemark_held"
    create_database(database_cluster, name)
    try:
        with watching({"shop": WatchedDatabase(database_cluster, name)}) as watch:
            before = _sample(watch)
            assert (before.connections, before.prepared) == (0, 0)
            with database_cluster.connected(name) as one, database_cluster.connected(name):
                one.execute("CREATE TABLE t AS SELECT repeat('x', 100) FROM generate_series(1, 20000)")
                one.execute("BEGIN; DELETE FROM t; PREPARE TRANSACTION 'in doubt'")
                wait_for(lambda: _sample(watch).connections == 2)
                held = _sample(watch)
                one.execute("ROLLBACK PREPARED 'in doubt'")
            assert held.prepared == 1
            assert held.size_bytes is not None
            assert before.size_bytes is not None
            assert held.size_bytes - before.size_bytes > 20_000 * 100
    finally:
        drop_database(database_cluster, name)


def test_a_session_that_was_lost_has_no_more_samples(database_cluster: Database, tmp_path: Path) -> None:
    out = tmp_path / "monitor.ndjson"
    shop = WatchedDatabase(database_cluster, database_cluster.maintenance)
    with watches({"shop": shop}, {}, {}) as watch:
        with monitoring({"lab": (os.getpid(),)}, out, time.monotonic_ns(), Schedule(), watch):
            wait_for(lambda: any(sample.databases for sample in Samples(out)))
            with database_cluster.admin() as admin:
                admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE application_name = 'middlemark' AND pid <> pg_backend_pid()"
                )
        assert watch.databases.sample() == {}
    assert list(Samples(out))[-1].tiers
    assert list(Samples(out))[-1].host is not None


def test_of_several_databases_those_that_exist_on_a_server_that_allows_it_are_watched(
    database_cluster: Database,
) -> None:
    refusing = Database(host="127.0.0.1", port="9", user="nobody", password="")
    databases = {
        "there": WatchedDatabase(database_cluster, database_cluster.maintenance),
        "missing": WatchedDatabase(database_cluster, "no such database"),
        "refused": WatchedDatabase(refusing, "any"),
    }
    with watching(databases) as watch:
        assert set(watch.sample()) == {"there"}
    with watching({}) as nothing:
        assert (nothing.sample(), nothing.slowest()) == ({}, [])


def test_figures_of_the_window_come_from_the_counters_at_its_edges() -> None:
    sums = SampleSums.of((_moment(second) for second in range(5)), (0.5, 3.5))
    database, machine, tier = sums.databases()["shop"], sums.host(), sums.tiers(10)["web"]

    assert (database.commits_per_s, database.rollbacks_per_s, database.deadlocks) == (100.0, 1.0, 0)
    assert database.cache_hit_share == pytest.approx(0.9)
    assert (database.max_waiting_locks, database.mean_active_sessions) == (3, 2.0)
    assert machine is not None
    assert (machine.loopback_mib_per_s, machine.network_mib_per_s, machine.stolen_cpus) == (2.0, None, 0.25)
    assert (tier.switches_per_s, tier.waiting_for_cpu) == (50.0, 0.5)
    assert (tier.read_mib_per_s, tier.written_mib_per_s) == (0.0, 1.0)


def test_what_was_not_watched_is_no_figure() -> None:
    bare = [Sample(t_ns=s * 10**9, tiers={"web": TierSample(cpu_s=s, rss_mib=1)}) for s in range(5)]

    sums = SampleSums.of(bare, (0.5, 3.5))
    assert (sums.databases(), sums.host()) == ({}, None)
    assert sums.tiers(10)["web"].switches_per_s is None


def test_the_report_shows_what_was_watched(tmp_path: Path) -> None:
    from synthetic_result import Shape, write_synthetic  # noqa: PLC0415 (only this test needs it)

    monitor = next(write_synthetic(tmp_path, Shape(loads=(10,), repeats=1)).rglob("monitor.ndjson"))
    watched = [
        sample.model_copy(update={"databases": _moment(second).databases, "host": _moment(second).host})
        for second, sample in enumerate(Samples(monitor))
    ]
    monitor.write_text("".join(f"{sample.model_dump_json()}\n" for sample in watched), encoding="utf-8")

    page = report_page(judge_folder(tmp_path))

    assert "Commits, locks and cache of the databases" in page
    assert "<td>shop</td>" in page
    assert "The whole machine" in page
    assert ">n/a</td>" in page


def _moment(second: int) -> Sample:
    return Sample(
        t_ns=second * 10**9,
        tiers={
            "web": TierSample(
                cpu_s=second,
                rss_mib=1,
                switches=50 * second,
                run_delay_s=0.5 * second,
                read_bytes=0,
                written_bytes=second * 2**20,
            )
        },
        databases={
            "shop": DatabaseSample(
                commits=100 * second,
                rollbacks=second,
                deadlocks=0,
                blocks_hit=90 * second,
                blocks_read=10 * second,
                temporary_bytes=0,
                waiting_locks=second if second < 4 else 0,
                active_sessions=2,
            )
        },
        host=HostSample(loopback_bytes=second * 2**21, network_bytes=None, steal_s=0.25 * second),
    )


def _sample(watch: DatabaseWatches) -> DatabaseSample:
    return watch.sample()["shop"]


def _asking(server: Database, name: str) -> subprocess.Popen[bytes]:
    """Start a program that wants a row of a table somebody has locked."""
    text = "import sys, psycopg\nwith psycopg.connect(sys.argv[1]) as c: c.execute('SELECT * FROM t')"
    return subprocess.Popen([sys.executable, "-c", text, server.url(name)])


def wait_for(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
