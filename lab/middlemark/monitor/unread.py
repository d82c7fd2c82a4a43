"""What the kernel knows of the connections of clients to a tier: what it has not read yet, and what came and went."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

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
# inet_diag_msg: family, state, timer, retransmits, the socket (its cookie last), expiry, then the bytes that nobody has
# read yet; attributes follow. The one with tcp_info has the bytes acknowledged by the other side, and those received.
_SOCKET = struct.Struct("=4x40s8sII")
_SOCKET_BYTES = 72
_ATTRIBUTE = struct.Struct("=HH")
_TCP_INFO = 2
_WITH_TCP_INFO = 1 << (_TCP_INFO - 1)
_BYTES = struct.Struct("=120xQQ")
_BUFFER = 1 << 18

Ports = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class _Connection:
    """One connection at the side of the tier; the counters are payload since it was made, 0 where not asked for."""

    cookie: bytes
    unread: int
    received: int = 0
    sent: int = 0


@dataclass
class Traffic:
    """Payload of a tier's connections since it was first looked at, those at that moment with all they had before.

    `ended` connections were there at one look and not at the next: what they moved in between is not in the bytes.
    """

    received: int = 0
    sent: int = 0
    ended: int = 0
    _latest: dict[bytes, _Connection] = field(default_factory=dict)

    def look(self, connections: Sequence[_Connection]) -> None:
        """Add what came and went since the last look."""
        now = {one.cookie: one for one in connections}
        for cookie, one in now.items():
            before = self._latest.get(cookie)
            self.received += one.received - (before.received if before else 0)
            self.sent += one.sent - (before.sent if before else 0)
        self.ended += len(self._latest.keys() - now.keys())
        self._latest = now


class UnreadCounts:
    """Asks the kernel about the connections to the ports of each tier; `counted` are tiers whose bytes are counted."""

    def __init__(self, ports: Ports, counted: Iterable[str] = ()) -> None:
        self._ports = ports
        self.traffic = {tier: Traffic() for tier in counted if tier in ports}
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
            found = {
                tier: [one for port in ports for one in self._to(tier, port)] for tier, ports in self._ports.items()
            }
        except OSError:
            self.close()
            return {}
        for tier, traffic in self.traffic.items():
            traffic.look(found[tier])
        return {tier: sum(one.unread > 0 for one in connections) for tier, connections in found.items()}

    def close(self) -> None:
        """Ask no more."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self.traffic = {}

    def _to(self, tier: str, port: int) -> Iterator[_Connection]:
        # A process that listens on an address of IPv6 gets clients of IPv4 there too.
        for family in (socket.AF_INET, socket.AF_INET6):
            yield from self._connections(family, port, _WITH_TCP_INFO if tier in self.traffic else 0)

    def _connections(self, family: int, port: int, extensions: int) -> Iterator[_Connection]:
        """Yield every connection to a port."""
        request = _ASK.pack(
            family, socket.IPPROTO_TCP, extensions, _ESTABLISHED, struct.pack("!H", port), bytes(2), bytes(16),
            bytes(16), 0, _ANY_COOKIE,
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
                yield _connection(body)


def _connection(body: memoryview) -> _Connection:
    _, cookie, _, unread = _SOCKET.unpack_from(body)
    place = _SOCKET_BYTES
    while place + _ATTRIBUTE.size <= len(body):
        length, kind = _ATTRIBUTE.unpack_from(body, place)
        if kind == _TCP_INFO and length >= _ATTRIBUTE.size + _BYTES.size:
            sent, received = _BYTES.unpack_from(body, place + _ATTRIBUTE.size)
            return _Connection(cookie, unread, received, sent)
        place += max((length + 3) & ~3, _ATTRIBUTE.size)
    return _Connection(cookie, unread)


def _messages(data: bytes) -> Iterable[tuple[int, memoryview]]:
    """Yield kind and content of each message; they are aligned to 4 bytes."""
    view, place = memoryview(data), 0
    while place + _HEADER.size <= len(view):
        length, kind, _, _, _ = _HEADER.unpack_from(view, place)
        yield kind, view[place + _HEADER.size : place + length]
        place += (length + 3) & ~3
