"""What is waited for is sampled where it happens: in PostgreSQL, in the kernel, and by what applications report."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from scripted_server import Response, scripted_server

from middlemark.databases.checkpoints import LONG_WINDOW_S, space_checkpoints
from middlemark.databases.database import Database, checkpoint, create_database, drop_database
from middlemark.judge.samples import SampleSums
from middlemark.monitor.clients import Clients, PoolOwner
from middlemark.monitor.database import DatabaseWatches, WatchedDatabase, watching
from middlemark.monitor.host import host_sample
from middlemark.monitor.pools import PoolReports
from middlemark.monitor.sessions import SessionLooks
from middlemark.monitor.unread import UnreadCounts
from middlemark.records.samples import (
    DatabaseSample,
    DiskSample,
    HostSample,
    ObservedPool,
    ReportedPool,
    Sample,
    SessionsSample,
    TierSample,
)

LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="pressure, disks and sockets are read from Linux's /proc and netlink"
)
# An application with two connections: one has a transaction open, the other waits for the row it has changed.
APPLICATION = """
import sys, threading, psycopg
first, second = (psycopg.connect(sys.argv[1], autocommit=True) for _ in range(2))
first.execute("BEGIN")
first.execute("UPDATE t SET n = 2")
threading.Thread(target=second.execute, args=("UPDATE t SET n = 3",)).start()
print("begun", flush=True)
input()
first.execute("COMMIT")
"""


@contextmanager
def database_with_a_row(server: Database, name: str) -> Iterator[str]:
    create_database(server, name)
    try:
        with server.connected(name) as connection:
            connection.execute("CREATE TABLE t AS SELECT 1 AS n")
        yield name
    finally:
        drop_database(server, name)


def seen(watch: DatabaseWatches, name: str, until: str) -> SessionsSample:
    """Return the first sample in which sessions waited for something."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.3)  # time for some looks between two samples
        sample = watch.sample()[name].sessions
        if sample and sample.waits.get(until, 0.0) >= 1.0:
            return sample
    pytest.fail(f"no session was seen to wait for {until}")


def test_a_row_lock_and_the_pool_of_the_tier_that_waits_for_it_are_seen(database_cluster: Database) -> None:
    with database_with_a_row(database_cluster, "middlemark_waits") as name:
        command = [sys.executable, "-c", APPLICATION, database_cluster.url(name)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as application:
            assert application.stdout is not None
            application.stdout.readline()
            owners = {"web": PoolOwner((application.pid,), 2)}
            with (
                database_cluster.connected(name) as ours,
                watching({"shop": WatchedDatabase(database_cluster, name, owners)}) as watch,
            ):
                ours.execute("SELECT 1")
                sample = seen(watch, "shop", "Lock:transactionid")
            application.communicate("\n")
    assert sample.waits == {"Lock:transactionid": 1.0, "transaction": 1.0}
    assert sample.pools == {"web": ObservedPool(size=2, in_work=2.0, full=1.0)}


def test_the_log_and_checkpoints_are_counted(database_cluster: Database) -> None:
    with (
        database_with_a_row(database_cluster, "middlemark_log") as name,
        watching({"shop": WatchedDatabase(database_cluster, name)}) as watch,
    ):
        before = watch.sample()["shop"]
        checkpoint(database_cluster)
        with database_cluster.connected(name) as connection:
            connection.execute("INSERT INTO t SELECT generate_series(1, 10000)")
        deadline, after = time.monotonic() + 60, before
        while after.log_bytes == before.log_bytes or after.checkpoints == before.checkpoints:
            assert time.monotonic() < deadline
            time.sleep(0.1)  # the checkpoint is PostgreSQL's to finish
            after = watch.sample()["shop"]
    assert (after.log_bytes or 0) - (before.log_bytes or 0) > 100_000
    assert (after.full_pages or 0) > (before.full_pages or 0)
    assert (after.checkpoints or 0) == (before.checkpoints or 0) + 1


def test_short_windows_have_no_checkpoint_by_time_and_long_ones_have_several(database_cluster: Database) -> None:
    def timeout() -> str:
        with database_cluster.admin() as admin:
            return str(admin.execute("SHOW checkpoint_timeout").fetchall()[0][0])

    space_checkpoints(database_cluster, LONG_WINDOW_S - 1)
    assert timeout() == "30min"
    try:
        space_checkpoints(database_cluster, LONG_WINDOW_S)
        deadline = time.monotonic() + 60
        while timeout() != "5min":
            assert time.monotonic() < deadline
    finally:
        with database_cluster.admin() as admin:
            admin.execute("ALTER SYSTEM RESET checkpoint_timeout")
            admin.execute("SELECT pg_reload_conf()")


def test_a_connection_that_is_nobodys_is_in_no_pool() -> None:
    looks = SessionLooks(Clients({"web": PoolOwner((os.getpid(),), 1)}))
    looks.add([(1, "active", None), (None, "active", None)])
    sample = looks.take()
    assert sample == SessionsSample(looks=1, waits={"CPU": 2.0}, pools={})
    assert looks.take() is None


@LINUX
@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_requests_that_a_tier_has_not_read_are_counted_also_those_it_has_not_accepted(
    family: socket.AddressFamily, host: str
) -> None:
    with socket.create_server((host, 0), family=family) as listener:
        port = listener.getsockname()[1]
        counts = UnreadCounts({"web": (port,), "services": (port + 1,)})
        clients = [socket.create_connection((host, port)) for _ in range(3)]
        accepted, _ = listener.accept()
        assert counts.now() == {"web": 0, "services": 0}
        for client in clients[:2]:
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert counts.now() == {"web": 2, "services": 0}
        accepted.recv(100)
        assert counts.now()["web"] == 1
        for one in (*clients, accepted):
            one.close()
        counts.close()
        assert counts.now() == {}


@LINUX
def test_the_bytes_of_the_connections_to_a_tier_are_counted_also_of_one_that_has_ended() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        counts = UnreadCounts({"services": (port,), "web": (port,)}, ["services", "database"])
        assert list(counts.traffic) == ["services"]
        traffic = counts.traffic["services"]
        first, second = (socket.create_connection(("127.0.0.1", port)) for _ in range(2))
        ends = [listener.accept()[0] for _ in range(2)]
        first.sendall(b"x" * 5000)
        assert len(ends[0].recv(5000, socket.MSG_WAITALL)) == 5000
        ends[0].sendall(b"y" * 70_000)
        assert len(first.recv(70_000, socket.MSG_WAITALL)) == 70_000
        counts.now()
        assert (traffic.received, traffic.ended) == (5000, 0)
        # The kernel may count what opens a connection as a byte, and what is not acknowledged yet is not there.
        assert traffic.sent == pytest.approx(70_000, abs=2)
        second.sendall(b"x" * 300)
        assert len(ends[1].recv(300, socket.MSG_WAITALL)) == 300
        counts.now()
        assert traffic.received == 5300
        for one in (first, ends[0]):
            one.close()
        counts.now()
        assert (traffic.received, traffic.ended) == (5300, 1)
        for one in (second, ends[1]):
            one.close()
        counts.close()


def test_what_an_application_reports_of_its_pool_becomes_a_number_of_requests_that_wait() -> None:
    def report(waited: float) -> Response:
        return Response(body=json.dumps({"shop": {"size": 20, "in_use": 20, "waited_seconds": waited}}))

    with scripted_server() as server, httpx.Client(trust_env=False) as client:
        server.responses["/pools"] = [report(10.0), report(10.5)]
        reports = PoolReports({"web": (server.address,)})
        reports.ask(client)
        assert reports.now() == {"web": {"shop": ReportedPool(size=20, in_use=20)}}
        began = time.monotonic()
        time.sleep(0.05)  # the time over which what was waited is spread
        reports.ask(client)
        waiting = reports.now()["web"]["shop"].waiting
        assert waiting is not None
        # Half a second of waiting in the time between.
        assert 0 < waiting <= 0.5 / 0.05
        assert waiting >= 0.5 / (time.monotonic() - began + 1)


@pytest.mark.parametrize("response", [Response(404), Response(body="<html>"), Response(body='{"shop": {"size": 0}}')])
def test_an_application_that_reports_nothing_of_its_pool_is_not_asked_again(response: Response) -> None:
    with scripted_server() as server, httpx.Client(trust_env=False) as client:
        server.responses["/pools"] = [response]
        reports = PoolReports({"web": (server.address,)})
        reports.ask(client)
        reports.ask(client)
        assert reports.now() == {}
        assert server.requests == ["GET /pools"]


def test_the_pools_of_the_processes_of_a_tier_are_added_up() -> None:
    with scripted_server() as one, scripted_server() as other, httpx.Client(trust_env=False) as client:
        one.responses["/pools"] = [Response(body='{"shop": {"size": 5, "in_use": 3, "waiting": 2}}')]
        other.responses["/pools"] = [Response(body='{"shop": {"size": 5, "in_use": 1, "waiting": 0}}')]
        reports = PoolReports({"web": (one.address, other.address)})
        reports.ask(client)
        assert reports.now() == {"web": {"shop": ReportedPool(size=10, in_use=4, waiting=2)}}


@LINUX
def test_the_machines_stalls_and_disks_are_counted() -> None:
    sample = host_sample()
    if Path("/proc/pressure/cpu").is_file():
        assert (sample.cpu_stalled_s or 0) > 0
    assert sample.disks is not None
    assert not any(name[-1:].isdigit() and name[:-1] in sample.disks for name in sample.disks)


def test_what_is_waited_for_in_the_window_weighs_by_the_looks_and_nothing_outside_counts() -> None:
    waits = [{"CPU": 9.0}, {"CPU": 1.0}, {"CPU": 4.0, "Lock:tuple": 1.0}, {"CPU": 9.0}]
    looks = (10, 10, 20, 10)
    samples = [
        _moment(second + 0.01, SessionsSample(looks=number, waits=of, pools={"web": _observed(number / 10)}))
        for second, number, of in zip(range(1, 5), looks, waits, strict=True)
    ]  # fmt: skip
    sums = SampleSums.of(samples, (1.01, 3.01))
    found = sums.databases()["shop"]
    assert found.looks == 30
    assert found.waits == {"CPU": pytest.approx(3.0), "Lock:tuple": pytest.approx(2 / 3)}
    assert found.pools["web"].in_work == pytest.approx(5 / 3)
    assert found.checkpoints == 2
    assert found.log_mib_per_s == pytest.approx(1.0)
    assert found.checkpoint_mib == pytest.approx(16.0)
    tier = sums.tiers(1)["web"]
    assert tier.unread == 2
    assert (tier.pools["shop"].in_use, tier.pools["shop"].full, tier.pools["shop"].waiting) == (1.5, 0.5, 4.0)
    host = sums.host()
    assert host is not None
    assert host.io_stalled == pytest.approx(0.25)
    assert host.disks["vda"].busy == pytest.approx(0.5)


def _observed(in_work: float) -> ObservedPool:
    return ObservedPool(size=2, in_work=in_work, full=0.5)


def _moment(second: float, sessions: SessionsSample) -> Sample:
    pool = ReportedPool(size=2, in_use=min(2, int(second) - 1), waiting=4.0)
    return Sample(
        t_ns=round(second * 1e9),
        tiers={"web": TierSample(cpu_s=1, rss_mib=1, unread=int(second), pools={"shop": pool})},
        databases={
            "shop": DatabaseSample(
                commits=1, rollbacks=0, deadlocks=0, blocks_hit=1, blocks_read=0, temporary_bytes=0, waiting_locks=0,
                active_sessions=0, log_bytes=round(second * 2**20), full_pages=0, checkpoints=int(second),
                checkpoint_pages=round(second * 1024), sessions=sessions,
            )
        },
        host=HostSample(
            io_stalled_s=second / 4,
            disks={"vda": DiskSample(busy_s=second / 2, read_bytes=0, written_bytes=0)},
        ),
    )  # fmt: skip
