"""A tier listens on ports of any name and on a Unix socket, and its caller gets the address of each."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import pytest
from small_servers import IS_PROXY, small_server
from small_shop import PLATFORM, specification

from middlemark.errors import HostError, InputError
from middlemark.processes.watchdog import watchdog
from middlemark.subject.build import build
from middlemark.subject.server import load_server
from middlemark.subject.subject import find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.plan import plan
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

POST_OFFICE = """
title = "Post office"
version = 1

[tiers.counter]
listens = { http = "MM_PORT" }
entry = true

[tiers.counter.calls.sorting]
addresses = { http = "MM_URL", plain = "MM_PLAIN", tcp-lines = "MM_LINES", grpc = "MM_RPC", unix = "MM_PATH" }
mode = "way"
in_process = ["inside"]

[tiers.sorting.listens]
http = "MM_PORT"
plain = "MM_PLAIN_PORT"
tcp-lines = "MM_LINES_PORT"
grpc = "MM_RPC_PORT"
unix = "MM_SOCKET"

[roles]
variable = "MM_ROLE"
carries = { counter = ["counter"], sorting = ["sorting"] }

[reverse_proxy]
before = ["sorting", "counter"]

[modes.way]
variable = "MM_WAY"
values = ["inside", "outside"]
"""

APPLICATION = r"""
import http.client, http.server, json, os, socket, socketserver, threading
settings = {name[3:].lower(): value for name, value in os.environ.items() if name.startswith("MM_")}
about = {"platform": "small", "server": "http.server", "specification": "post", "specification_version": "1",
         "commit": "none", "roles": [settings["role"]], "settings": settings, "versions": {}, "not_default": []}

class Lines(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.server.name.encode())

def listen(kind, address, name):
    server = kind(address, Lines)
    server.name = name
    threading.Thread(target=server.serve_forever, daemon=True).start()

def called(name):
    address = settings[name]
    if address.startswith("http://"):
        service = http.client.HTTPConnection(address.removeprefix("http://"))
        service.request("GET", "/health")
        return service.getresponse().read()
    host, _, port = address.rpartition(":")
    service = socket.socket(socket.AF_INET if host else socket.AF_UNIX)
    service.connect((host, int(port)) if host else address)
    with service, service.makefile("rb") as answer:
        return answer.read()

class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kind, _, name = self.path[1:].partition("/")
        content = called(name) if kind == "call" else json.dumps(about).encode() if kind == "about" else b"ok"
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
    def log_message(self, *_):
        pass

for name in ("plain_port", "lines_port", "rpc_port"):
    if name in settings:
        listen(socketserver.ThreadingTCPServer, (settings["host"], int(settings[name])), name)
if "socket" in settings:
    if os.path.exists(settings["socket"]):  # a killed process leaves it
        os.unlink(settings["socket"])
    listen(socketserver.ThreadingUnixStreamServer, settings["socket"], "socket")
http.server.ThreadingHTTPServer((settings["host"], int(settings["port"])), Pages).serve_forever()
"""
Deploy = Callable[[dict[str, str]], AbstractContextManager[Target]]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Give the built post office of one platform."""
    specification(tmp_path, POST_OFFICE, "post")
    small = tmp_path / "platforms" / "small"
    small.mkdir(parents=True)
    (tmp_path / "specs" / "README.md").touch()
    (small / "application.py").write_text(APPLICATION, encoding="utf-8")
    text = PLATFORM.partition("[specs.shop.modes]")[0].replace("[specs.shop]", "[specs.post]")
    content = text.format(build='["cp", "application.py", "{artifact}"]', roles=["counter", "sorting"])
    modes = '[specs.post.modes]\nway = ["inside", "outside"]\n'
    (small / "platform.toml").write_text(f"{content}\n{modes}", encoding="utf-8")
    subject = find_subject(tmp_path, "small", "post")
    with watchdog(tmp_path / "runtime") as watching:
        return Program(subject, build(subject, tmp_path, watching))


@pytest.fixture
def deploy(program: Program, tmp_path: Path) -> Iterator[Deploy]:
    """Give a function that deploys the post office with the modes it is given."""
    with watchdog(tmp_path / "runtime") as watching:
        yield lambda modes: deployed(DeploymentRequest(program, modes, {}, tmp_path / "logs"), watching)


def test_the_caller_reaches_the_called_tier_over_each_of_its_listeners(deploy: Deploy) -> None:
    with deploy({"way": "outside"}) as target:
        assert target.wrong_settings() == []
        counter = target.addresses[0]
        responses = {one: httpx.get(f"{counter}/call/{one}").text for one in ("url", "plain", "lines", "rpc", "path")}
        settings = target.about()["counter"].settings
        socket = Path(settings["path"])
        assert socket.is_socket()
        assert socket.parent.stat().st_mode & 0o077 == 0
    assert responses == {
        "url": "ok",
        "plain": "plain_port",
        "lines": "lines_port",
        "rpc": "rpc_port",
        "path": "socket",
    }
    assert settings["url"].startswith("http://127.0.0.1:")
    assert settings["rpc"].startswith("127.0.0.1:")
    assert not socket.parent.exists()


def test_a_tier_that_was_killed_listens_on_the_same_places_again(deploy: Deploy) -> None:
    with deploy({"way": "outside"}) as target:
        counter, (sorting,) = target.addresses[0], target.carrying("sorting")
        sorting.signal(signal.SIGKILL)
        sorting.restart()
        assert httpx.get(f"{counter}/call/path").text == "socket"
        assert httpx.get(f"{counter}/call/lines").text == "lines_port"


def test_a_tier_that_is_called_in_process_listens_on_none_of_them(deploy: Deploy) -> None:
    with deploy({"way": "inside"}) as target:
        (about,) = target.about().values()
        assert about.settings.keys() == {"host", "port", "role", "way"}


def test_a_path_that_is_too_long_for_a_socket_names_what_helps(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))
    request = DeploymentRequest(program, {"way": "outside"}, {}, tmp_path / "logs")
    refused = pytest.raises(HostError, match=r"a Unix socket has at most 100 bytes, this one has .*Set TMPDIR")
    with watchdog(tmp_path / "runtime") as watching, refused, deployed(request, watching):
        pass


def test_no_reverse_proxy_stands_before_a_socket(program: Program, tmp_path: Path) -> None:
    passes_all = IS_PROXY.replace('["http/1.1"]', '["http/1.1", "http/2", "tcp"]')
    relay = load_server(small_server(tmp_path / "servers", "relay", passes_all).parents[1], "relay")

    def names(way: str) -> list[str]:
        request = DeploymentRequest(program, {"way": way}, {}, tmp_path / "logs", reverse_proxy=relay)
        return [one.name for one in plan(request)]

    assert names("inside") == ["counter", "reverse-proxy"]
    with pytest.raises(InputError, match=r"relay passes http/1\.1, http/2, tcp on, and unix is needed"):
        names("outside")
