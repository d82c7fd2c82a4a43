"""Cases run on an application that has just been loaded: what cannot be run has failed, and loses no figures."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from small_platform import small_checkout
from small_specification import BROKERAGE, specification_with, stores_at

from middlemark.conformance.execution.replay import ReplayRequest, replay
from middlemark.databases.database import Database
from middlemark.load.loading import reset_database
from middlemark.processes.watchdog import watchdog
from middlemark.specification.specification import read_specification
from middlemark.subject.build import build
from middlemark.subject.subject import find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

NAME = "middlemark_replayed"

CASE = """
cases:
  - name: The first page is there.
    tags: [replay]
    audited: false
    steps:
      - send: {path: /}
        expect: {status: 200, body: ok}
"""

# Its pool is one connection, which it tries out at every third question after its health only.
POOLED = """
import http.server, json, os, select, psycopg
settings = {name[3:].lower(): value for name, value in os.environ.items() if name.startswith("MM_")}
about = {"platform": "small", "server": "http.server", "specification": "brokerage", "specification_version": "1",
         "commit": "none", "roles": settings["role"].split(","), "settings": settings, "versions": {},
         "not_default": []}
connected = lambda: psycopg.connect(settings["database_url"], autocommit=True)
pool, asked = [connected()], 0
def is_cut():
    return bool(select.select([pool[0].fileno()], [], [], 0)[0])
class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global asked
        if self.path == "/health" and is_cut():
            asked += 1
            if asked == 3:
                pool[0].close()
                pool[0] = connected()
        elif self.path not in {"/health", "/about"}:
            with open(SEEN, "a") as seen:
                seen.write(f"{self.path} cut: {is_cut()}\\n")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(about).encode() if self.path == "/about" else b"ok")
    do_POST = do_GET
http.server.ThreadingHTTPServer((settings["host"], int(settings["port"])), Pages).serve_forever()
"""


@contextmanager
def small_deployment(folder: Path, database: Database, application: str = "") -> Iterator[Target]:
    """Run the small platform, with another application when one is given, on a database of its own."""
    checkout = small_checkout(folder)
    subject = find_subject(checkout, "small", "brokerage")
    if application:
        (subject.platform.folder / "application.py").write_text(application)
    with watchdog(folder / "runtime") as watching:
        program = Program(subject, build(subject, folder, watching))
        request = DeploymentRequest(program, {}, {"brokerage": database.url(NAME)}, folder / "logs")
        with deployed(request, watching) as target:
            yield target


def request_for(target: Target, cluster: Database, template: str) -> ReplayRequest:
    """Return the request to run cases on the small platform."""
    return ReplayRequest(target, read_specification(BROKERAGE), stores_at(cluster, template, NAME))


def test_an_application_that_is_gone_after_the_load_has_failed_every_case(
    tmp_path: Path, database_cluster: Database, tiny_template: str
) -> None:
    reset_database(database_cluster, tiny_template, NAME)
    with small_deployment(tmp_path, database_cluster) as target:
        target.members[0].process.stop()
        replayed = replay(request_for(target, database_cluster, tiny_template))

    assert replayed is not None
    assert replayed.failed == replayed.executions > 0
    assert replayed.first.startswith("before the first: ")
    assert replayed.first.endswith("small web was killed by SIGTERM before it was ready")


def test_no_case_meets_a_connection_that_the_change_of_the_data_has_cut(
    tmp_path: Path, database_cluster: Database, tiny_template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The platform starts what is called python3; this one needs the lab's libraries.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    reset_database(database_cluster, tiny_template, NAME)
    seen = tmp_path / "seen"
    with small_deployment(tmp_path, database_cluster, POOLED.replace("SEEN", repr(str(seen)))) as target:
        replayed = replay(request_for(target, database_cluster, tiny_template))

    assert replayed is not None
    lines = seen.read_text().splitlines()
    assert lines
    assert [line for line in lines if line.endswith("cut: True")] == []


# Its health has a connection of its own: that of the pages stays cut until a page has failed with it.
LATE = POOLED.replace('self.path == "/health" and is_cut()', "False").replace(
    """        self.send_response(200)
""",
    """        cut = self.path not in {"/health", "/about"} and is_cut()
        if cut:
            pool[0].close()
            pool[0] = connected()
        self.send_response(503 if cut or (NEVER and self.path == "/") else 200)
        self.send_header("Content-Type", "text/plain")
""",
)


@pytest.mark.parametrize("never", [False, True])
def test_a_connection_that_was_cut_may_cost_one_request_and_no_more(
    tmp_path: Path, database_cluster: Database, tiny_template: str, monkeypatch: pytest.MonkeyPatch, *, never: bool
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    reset_database(database_cluster, tiny_template, NAME)
    spec = specification_with(tmp_path / "spec", pages=CASE)
    program = LATE.replace("SEEN", repr(str(tmp_path / "seen"))).replace("NEVER", repr(never))
    with small_deployment(tmp_path / "home", database_cluster, program) as target:
        replayed = replay(ReplayRequest(target, spec, stores_at(database_cluster, tiny_template, NAME)))

    assert replayed is not None
    assert (replayed.executions, replayed.failed) == (1, int(never))
    seen = (tmp_path / "seen").read_text().splitlines()
    assert seen == ["/ cut: True", "/ cut: False"]
