"""Which connections of an application to its databases have been cut, and whether it has noticed."""

from __future__ import annotations

import time
from collections.abc import Container
from contextlib import suppress

import httpx
import psutil

from middlemark.load.stores import Stores
from middlemark.topology.target import Target

_SECONDS = 10.0  # after that no connection that was lost may cost a request (specs/README.md, "Life")
_PAUSE_SECONDS = 0.02


def wait_until_noticed(target: Target, client: httpx.Client, stores: Stores) -> bool:
    """Have every process use its pool until it holds no connection that was cut; say whether it came to that in time.

    Until then each of them may cost a request, which would be one of the next case.
    The kernel knows them: the database has closed its end, the application not yet.
    """
    ports = _ports(stores)
    if None in ports:
        return False
    deadline = time.monotonic() + _SECONDS
    while True:
        healthy = [_is_healthy(f"{member.address}/health", client) for member in target.members]
        if all(healthy) and not any(_holds_cut(member.process.pid, ports) for member in target.members):
            return True
        if target.died() or time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_SECONDS)


def _is_healthy(address: str, client: httpx.Client) -> bool:
    with suppress(httpx.HTTPError):
        return client.get(address).status_code == httpx.codes.OK
    return False


def cut_connections(target: Target, stores: Stores) -> int:
    """Return how many connections that were cut the processes still hold; none of a process that nobody may look at."""
    ports = _ports(stores)
    return sum(_cut_connections(member.process.pid, ports) or 0 for member in target.members)


def _ports(stores: Stores) -> set[int | None]:
    return {store.server.tcp_port for store in stores.values()}


def _holds_cut(pid: int, ports: Container[int | None]) -> bool:
    """Say whether a process holds a connection that was cut; also when nobody may know."""
    return _cut_connections(pid, ports) != 0


def _cut_connections(pid: int, ports: Container[int | None]) -> int | None:
    """Return how many connections to the ports are closed at their other end alone; None when nobody may know."""
    try:
        leader = psutil.Process(pid)
        processes = [leader, *leader.children(recursive=True)]
        return sum(
            one.status == psutil.CONN_CLOSE_WAIT and bool(one.raddr) and one.raddr.port in ports
            for process in processes
            for one in process.net_connections("tcp")
        )
    except psutil.Error:
        return None
