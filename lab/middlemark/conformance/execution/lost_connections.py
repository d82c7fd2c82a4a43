"""Waits until an application has noticed which of its connections to databases have been cut."""

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
    ports = {store.server.tcp_port for store in stores.values()}
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


def _holds_cut(pid: int, ports: Container[int | None]) -> bool:
    """Say whether a connection to one of the ports is closed at its other end alone; also when nobody may know."""
    try:
        leader = psutil.Process(pid)
        processes = [leader, *leader.children(recursive=True)]
        return any(
            one.status == psutil.CONN_CLOSE_WAIT and one.raddr and one.raddr.port in ports
            for process in processes
            for one in process.net_connections("tcp")
        )
    except psutil.Error:
        return True
