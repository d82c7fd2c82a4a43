"""A server that gives each address the responses that a test has written, one after the other, for tests of steps."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROBLEM = "application/problem+json"


@dataclass(frozen=True)
class Response:
    """One response; status 0 closes the connection without one."""

    status: int = 200
    body: str = ""
    kind: str = "text/plain"


@dataclass
class Scripted:
    """The responses of each path, the last of which is given for ever; `requests` are the request lines so far."""

    address: str = ""
    responses: dict[str, list[Response]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def next(self, path: str) -> Response:
        """Return the next response of a path."""
        own = self.responses.get(path.partition("?")[0], [Response(404)])
        return own.pop(0) if len(own) > 1 else own[0]


@contextmanager
def scripted_server() -> Iterator[Scripted]:
    """Give a running server whose responses the test sets."""
    scripted = Scripted()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            scripted.requests.append(f"{self.command} {self.path}")
            response = scripted.next(self.path)
            if not response.status:
                self.close_connection = True
                return
            self.send_response(response.status)
            self.send_header("Content-Type", response.kind)
            self.send_header("Content-Length", str(len(response.body.encode())))
            self.end_headers()
            self.wfile.write(response.body.encode())

        do_POST = do_PUT = do_GET  # noqa: N815 (the names http.server calls)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    scripted.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield scripted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
