"""How many connections of clients have sent what a tier has not read, as the kernel knows."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

# Source: sock_diag(7) and linux/inet_diag.h, linux/netlink.h, which Python's socket module does not have.
_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_ERROR, _DONE = 2, 3
_REQUEST_DUMP = 0x1 | 0x300
_ESTABLISHED = 1 << 1
_HEADER = struct.Struct("=IHHII")
# inet_diag_req_v2: family, protocol, extensions, states; the socket: ports (network order), addresses, interface,
# cookie.
_ASK = struct.Struct("=BBBxI2s2s16s16sI8s")
_ANY_COOKIE = b"\xff" * 8
# inet_diag_msg: family, state, timer, retransmits, the socket, expiry, then the bytes that nobody has read yet.
_SOCKET = struct.Struct("=4x48xII")
_BUFFER = 1 << 18

Ports = Mapping[str, tuple[int, ...]]


class UnreadCounts:
    """Asks the kernel about the connections to the ports of each tier."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._socket: socket.socket | None = None
        if ports and hasattr(socket, "AF_NETLINK"):
            with suppress(OSError):
                self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG)
                self._socket.settimeout(1.0)

    def now(self) -> dict[str, int]:
        """Return for each tier how many connections hold bytes that it has not read; nothing where unavailable.

        Connections that it has not accepted yet are among them.
        """
        if self._socket is None:
            return {}
        try:
            return {tier: sum(map(self._unread, ports)) for tier, ports in self._ports.items()}
        except OSError:
            self.close()
            return {}

    def close(self) -> None:
        """Ask no more."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _unread(self, port: int) -> int:
        # A process that listens on an address of IPv6 gets clients of IPv4 there too.
        return sum(
            waiting > 0 for family in (socket.AF_INET, socket.AF_INET6) for waiting in self._queues(family, port)
        )

    def _queues(self, family: int, port: int) -> Iterator[int]:
        """Yield the unread bytes of every connection to a port."""
        request = _ASK.pack(
            family, socket.IPPROTO_TCP, 0, _ESTABLISHED, struct.pack("!H", port), bytes(2), bytes(16), bytes(16), 0,
            _ANY_COOKIE,
        )  # fmt: skip
        if self._socket is None:
            return
        length = _HEADER.size + len(request)
        self._socket.send(_HEADER.pack(length, _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, 0, 0) + request)
        while True:
            for kind, body in _messages(self._socket.recv(_BUFFER)):
                if kind == _DONE:
                    return
                if kind == _ERROR:
                    raise OSError("the kernel does not report its connections")
                yield _SOCKET.unpack_from(body)[1]


def _messages(data: bytes) -> Iterable[tuple[int, memoryview]]:
    """Yield kind and content of each message; they are aligned to 4 bytes."""
    view, place = memoryview(data), 0
    while place + _HEADER.size <= len(view):
        length, kind, _, _, _ = _HEADER.unpack_from(view, place)
        yield kind, view[place + _HEADER.size : place + length]
        place += (length + 3) & ~3
