"""A server that gives the same bytes to every request, over TLS if it is given keys, for tests of HTTP itself."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Raw:
    """Where it listens, what it answers, and what it was sent. `closes` is false where it leaves connections open."""

    port: int
    response: bytes = b""
    closes: bool = True
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def raw_server(keys: ssl.SSLContext | None = None) -> Iterator[Raw]:
    """Give a running server; the test sets its response."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        raw = Raw(listener.getsockname()[1])
        open_ones: list[socket.socket] = []

        def serve() -> None:
            while True:
                # Closing the listener ends the accept; a client that refuses the certificate ends the handshake.
                with suppress(ssl.SSLError, ConnectionError):
                    try:
                        plain, _ = listener.accept()
                    except OSError:
                        return
                    connection = keys.wrap_socket(plain, server_side=True) if keys else plain
                    raw.requests.append(connection.recv(65536))
                    connection.sendall(raw.response)
                    if raw.closes:
                        connection.close()
                    open_ones.append(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield raw
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for one in open_ones:
                one.close()
