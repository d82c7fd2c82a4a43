"""As many users as one process may have: the machine allows 20,000 open files."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from middlemark.processes.ports import LOOPBACK, free_port
from middlemark.workload.driver import driver_path

USERS = 18_000
OPEN_FILES = USERS + 1_000
READY_SECONDS = 30
CONFIGURATION = """worker_processes 2; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
worker_rlimit_nofile {files}; events {{ worker_connections {files}; }}
http {{
  access_log off; keepalive_requests 1000000; keepalive_timeout 600s;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen {port} backlog=16384 reuseport; location / {{ add_header Set-Cookie "a=1"; return 200 "here"; }} }}
}}
"""

pytestmark = pytest.mark.full


@pytest.fixture(autouse=True)
def _open_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < OPEN_FILES:
        pytest.fail(f"{OPEN_FILES} open files are needed, and the hard limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[int]:
    """Give the port of an nginx with two workers, on every address of the loopback."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/local/bin:/opt/homebrew/bin")
    if program is None:
        pytest.fail("nginx is not here: apt-get install -y nginx-light")
    port = free_port()
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(folder=tmp_path, files=OPEN_FILES, port=f"{LOOPBACK}:{port}"))
    with subprocess.Popen([program, "-p", tmp_path, "-c", configuration, "-e", tmp_path / "error.log"]) as server:
        _wait_for(f"http://{LOOPBACK}:{port}/")
        yield port
        server.terminate()


@pytest.mark.parametrize("sources", [[], ["127.0.0.1", "127.0.0.2"]])
def test_18000_users_of_one_process_get_every_answer(sources: list[str], nginx: int, tmp_path: Path) -> None:
    lines = _driven(tmp_path, nginx, sources)
    end = lines[-1]
    assert end["type"] == "end"
    assert end["errors"] == {}
    assert end["transactions"] >= USERS
    measured = [line for line in lines if line["type"] == "interval" and line["phase"] == "measure"]
    assert max(line["users"] for line in measured) == USERS
    assert sum(line["connections"] for line in lines if line["type"] == "interval") == USERS


def _driven(folder: Path, port: int, sources: list[str]) -> list[dict[str, Any]]:
    plan = {
        "v": 1, "name": "many", "run": "many", "seed": 1,
        "targets": [f"http://{LOOPBACK}:{port}"], "sources": sources, "threads": 1,
        "load": {"model": "closed", "users": USERS, "spread_ms": 10_000}, "think": {"constant_ms": 10_000},
        "phases": {"ramp_ms": 12_000, "settle_ms": 0, "measure_ms": 12_000, "drain_ms": 10_000},
        "connections": "keep", "cookies": "keep",
        "timeouts_ms": {"connect": 10_000, "response": 10_000},
        "limits": {"header_bytes": 65_536, "body_bytes": 1 << 20},
        "feeds": [],
        "steps": [
            {
                "id": "page", "transaction": "page", "method": "GET", "path": "/",
                "expect": {"status": 200, "marker": "here"},
            }
        ],
    }  # fmt: skip
    if not sources:
        del plan["sources"]
    path = folder / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    done = subprocess.run([driver_path(), "run", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _wait_for(address: str) -> None:
    last = time.monotonic() + READY_SECONDS
    while True:
        try:
            urllib.request.urlopen(address).close()  # noqa: S310 (our own nginx)
        except OSError:
            assert time.monotonic() < last, f"{address} does not answer"
            time.sleep(0.05)
        else:
            return
