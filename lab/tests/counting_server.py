"""A small server behind a proxy, which counts the connections that are opened to it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from middlemark.processes.ending import Part
from middlemark.processes.ports import LOOPBACK, free_port
from middlemark.processes.process import ProcessSpec
from middlemark.subject.server import Server
from middlemark.topology.proxying import Passed, Upstream, configure_proxy


class Counting(ThreadingHTTPServer):
    """Answers ok over connections that it keeps, and counts them."""

    connections = 0

    def get_request(self) -> tuple[object, object]:  # type: ignore[override]
        """Count a connection."""
        self.connections += 1
        return super().get_request()


class Ok(BaseHTTPRequestHandler):
    """Answers every GET with ok."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a GET."""
        body = self.headers["Host"].encode() if self.path == "/host" else b"ok"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Say nothing."""


@contextmanager
def counting() -> Iterator[Counting]:
    """Hold a server that runs."""
    server = Counting((LOOPBACK, 0), Ok)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def proxy_before(
    server: Server, folder: Path, upstream: int, prefix: tuple[str, ...] = (), others: tuple[Passed, ...] = ()
) -> ProcessSpec:
    """Configure a proxy in `folder`, before a port, and return how it is started, with words before its own."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o711)
    port = free_port()
    configure_proxy(server, folder, Upstream((f"{LOOPBACK}:{upstream}",), LOOPBACK, port, 2, others), {})
    command = server.command(server.words(folder, None, {}))
    return ProcessSpec(
        server.name, Part.REVERSE_PROXY, (*prefix, *command), folder, folder.parent / "proxy.log",
        ready_url=f"http://{LOOPBACK}:{port}/health", ports=(port, *(one.port for one in others)), ending=server.ending,
    )  # fmt: skip
