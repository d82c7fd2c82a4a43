"""The Go application with every interface offered, and wrong servers that break the contract, for tests of callers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from middlemark.databases.database import Database, drop_database
from middlemark.load.loading import reset_database
from middlemark.processes.watchdog import watchdog
from middlemark.specification.specification import find_specification
from middlemark.subject.build import build
from middlemark.subject.subject import find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

ROOT = Path(__file__).parents[2]
SPEC = find_specification("brokerage", ROOT)


@contextmanager
def brokerage(cluster: Database, template: str, folder: Path) -> Iterator[Target]:
    """Run the brokerage of Go with the tiny data, every interface offered."""
    name = "middlemark_called"
    subject = find_subject(ROOT, "go", "brokerage")
    reset_database(cluster, template, name)
    with watchdog(folder / "runtime") as watch:
        program = Program(subject, build(subject, ROOT, watch))
        request = DeploymentRequest(program, {}, {"brokerage": cluster.url(name)}, folder / "logs", all_interfaces=True)
        try:
            with deployed(request, watch) as target:
                yield target
        finally:
            drop_database(cluster, name)


@dataclass
class WrongServer:
    """A server that gives every request the same response. `received` are the bodies it got, with their `headers`."""

    address: str = ""
    status: int = 200
    content_type: str = "application/json"
    body: bytes = b"{}"
    described: bytes = b""
    received: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def wrong_server() -> Iterator[WrongServer]:
    """Give a running server whose response the test sets; `described` answers GET."""
    response = WrongServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(200, "text/xml; charset=utf-8", response.described)

        def do_POST(self) -> None:
            response.headers.append({name.lower(): value for name, value in self.headers.items()})
            response.received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(response.status, response.content_type, response.body)

        def _send(self, status: int, content_type: str, body: bytes) -> None:
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        response.address = f"http://127.0.0.1:{server.server_port}"
        yield response
        server.shutdown()
