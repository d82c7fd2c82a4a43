"""Servers that are not ours: whatever comes with the machine, and one that misbehaves as a test asks."""

from __future__ import annotations

import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}/pages; }}
}}
"""


@dataclass
class Manners:
    """How the misbehaving server responds, and its requests. `expect` sets `enough` after so many of them.

    `seconds_from` is how long single clients wait, by their addresses. `page` stands in its responses; what lies below
    /objects/ may be kept for an hour. `headers`: of each request, with its `(version)` of HTTP and the address it is
    `(from)`.
    """

    status: int = 200
    page: str = "<h1>hello</h1>"
    seconds: float = 0.0
    seconds_from: dict[str, float] = field(default_factory=dict)
    expect: int = 1
    requests: list[tuple[str, str, str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    enough: threading.Event = field(default_factory=threading.Event)


class Servant(ThreadingHTTPServer):
    """Answers every request with its manners."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, manners: Manners) -> None:
        super().__init__(("127.0.0.1", 0), Responses)
        self.manners = manners


class SocketServant(socketserver.ThreadingUnixStreamServer):
    """The same at a Unix socket, where clients have no address."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, manners: Manners, path: Path) -> None:
        super().__init__(str(path), Responses)
        self.manners = manners

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        """Accept a client."""
        return self.socket.accept()[0], ("nowhere", 0)


class Responses(BaseHTTPRequestHandler):
    """Keeps method, path, header X-Note and body, then answers with a token and a text."""

    protocol_version = "HTTP/1.1"
    server: Servant | SocketServant

    def do_GET(self) -> None:
        """Answer a GET."""
        manners = self.server.manners
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        manners.requests.append((self.command, self.path, self.headers.get("X-Note", ""), body))
        headers = {name.lower(): value for name, value in self.headers.items()}
        manners.headers.append({**headers, "(version)": self.request_version, "(from)": self.client_address[0]})
        if len(manners.requests) >= manners.expect:
            manners.enough.set()
        seconds = manners.seconds_from.get(self.client_address[0], manners.seconds)
        if seconds:
            time.sleep(seconds)
        content = f'{manners.page} token="t{len(self.path)}" {{}}'.encode()
        self.send_response(manners.status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Type", "text/html")
        self.send_header("X-Place", "here")
        if self.path.startswith("/objects/"):
            self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_POST = do_HEAD = do_GET  # noqa: N815 (the names http.server calls)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Log nothing."""


@contextmanager
def misbehaving(manners: Manners, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Run the misbehaving server; give its address."""
    server = Servant(manners)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with _running(server):
        yield f"http{'s' * (tls is not None)}://127.0.0.1:{server.server_address[1]}"


@contextmanager
def on_a_socket(manners: Manners, path: Path) -> Iterator[str]:
    """Run the misbehaving server at a Unix socket; give its address."""
    with _running(SocketServant(manners, path)):
        yield f"unix:{path}"


@contextmanager
def _running(server: Servant | SocketServant) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def not_ours(folder: Path) -> Iterator[str]:
    """Run nginx, or Python's own file server without it, with one page; give its address."""
    pages = folder / "pages"
    pages.mkdir()
    (pages / "index.html").write_text("<h1>hello</h1>\n", encoding="utf-8")
    port = _free_port()
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
    if nginx:
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port), encoding="utf-8")
        command = [nginx, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    else:
        command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(pages), str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        _wait_until_it_accepts(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_accepts(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError(f"the server does not accept connections (status {process.poll()})")
