"""nginx with the page that every tool gets, and its own count of requests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from checks.bench_driver.processor import on_cpu
from middlemark.errors import MissingToolError, TargetError
from middlemark.processes.ports import LOOPBACK, free_port

# Debian keeps it where an ordinary user does not look.
PLACES = ("/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin")
PAGE_BYTES = 6250
MARKER = "</html>"
READY_SECONDS = 30.0

CONFIGURATION = """worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
worker_rlimit_nofile 65536;
events {{ worker_connections 30000; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen {address} backlog=16384; root {folder}/pages;
    location /page.html {{ add_header Set-Cookie "session=1; Path=/"; }}
    location = /status {{ stub_status; }}
  }}
}}
"""


@dataclass(frozen=True)
class Nginx:
    """A running nginx, the process `pid` and its worker."""

    address: str
    pid: int

    @property
    def page(self) -> str:
        """Return the address of the page."""
        return f"{self.address}/page.html"

    def requests(self) -> int:
        """Return how many requests it has handled; this one is one of them."""
        try:
            with urllib.request.urlopen(f"{self.address}/status", timeout=READY_SECONDS) as response:  # noqa: S310 (our own nginx)
                text = response.read().decode()
        except OSError as error:
            raise TargetError(f"nginx does not respond: {error}", where=self.address) from error
        found = re.search(r"requests\s+\d+ \d+ (\d+)", text)
        if not found:
            raise TargetError(f"expected a count of requests from nginx, found {text!r}", where=self.address)
        return int(found[1])


@contextmanager
def nginx(folder: Path, cpu: int) -> Iterator[Nginx]:
    """Serve the page, and what else is in the folder `pages`, on a free port, on one CPU; stop at the end."""
    program = shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", os.defpath), *PLACES]))
    if not program:
        raise MissingToolError("nginx is not here", todo="Install nginx-light")
    address = f"{LOOPBACK}:{free_port()}"
    pages = folder / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    head = "<html><body>"
    (pages / "page.html").write_text(head + "x" * (PAGE_BYTES - len(head + MARKER)) + MARKER)
    folder.chmod(0o755)  # its worker is another user
    configuration = folder / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, address=address))
    with on_cpu(cpu):
        process = subprocess.Popen([program, "-c", str(configuration)], stderr=subprocess.DEVNULL)
    try:
        server = Nginx(f"http://{address}", process.pid)
        _wait_until_ready(server)
        yield server
    finally:
        process.terminate()
        process.wait()


def _wait_until_ready(server: Nginx) -> None:
    end = time.monotonic() + READY_SECONDS
    while True:
        try:
            server.requests()
        except TargetError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return
