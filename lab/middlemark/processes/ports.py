"""Ports of this host: which one is free, and who has one that is not."""

from __future__ import annotations

import errno
import secrets
import socket
import threading
from collections import deque
from contextlib import suppress

import psutil

from middlemark.errors import HostError, InputError

LOOPBACK = "127.0.0.1"

# Below every system's usual ephemeral range (Linux 32768, macOS 49152): no outgoing connection of a load test takes
# the port between the moment it is found free and the moment the application binds it.
FIRST, LAST = 15_000, 30_000

# A port is free until its program listens, which may take half a minute: programs that are started at the same time
# never get the same one.
_given: deque[int] = deque(maxlen=1000)
_lock = threading.Lock()


class PortTakenError(HostError):
    """Somebody else has the port. With a port found by `free_port` it is worth trying another one.

    `wanted_by` names the setting that asks for it, and what it belongs to.
    """

    def __init__(self, port: int, wanted_by: str = "") -> None:
        holder = holder_of(port)
        super().__init__(
            f"port {port} is taken" + (f" by {holder}" if holder else "") + (f". {wanted_by}" if wanted_by else ""),
            where=f"{LOOPBACK}:{port}",
            todo="Stop that process or choose another port",
        )
        self.port = port


def free_port() -> int:
    """Return a loopback port nobody listens on and that was not returned lately; HostError when none is found."""
    for _ in range(1000):
        port = FIRST + secrets.randbelow(LAST - FIRST)
        with _lock:
            if port not in _given and is_free(port):
                _given.append(port)
                return port
    raise HostError(f"no free port between {FIRST} and {LAST}")


def is_free(port: int) -> bool:
    """Tell whether a server could bind the port on the loopback address and on all addresses now."""
    return all(_can_bind(address, port) for address in (LOOPBACK, "0.0.0.0"))  # noqa: S104 (bound for a moment, never listened on)


def require_free(port: int) -> None:
    """Raise PortTakenError, naming who has it, unless the port is free."""
    if not 0 < port < 1 << 16:
        raise InputError(f"{port} is not a port", todo="Use a number from 1 to 65535")
    if not is_free(port):
        raise PortTakenError(port)


def holder_of(port: int) -> str:
    """Return name and pid of the process that listens on the port; empty when it cannot be told."""
    with suppress(psutil.Error):
        for connection in psutil.net_connections(kind="tcp"):
            listens = connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port
            if listens and connection.pid:
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
    return ""


def _can_bind(address: str, port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a connection that is still fading away does not keep a port taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno == errno.EACCES:
                raise HostError(f"port {port} needs an administrator", todo="Use a port from 1024 up") from error
            return False
    return True
