"""HAProxy before several processes: sessions stick, concurrent requests are limited, killed processes are left out."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from behind_proxy import Deploy, deploying
from counting_server import proxy_before

from conftest import ROOT
from middlemark.processes.ports import LOOPBACK
from middlemark.processes.process import Process
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.server import Server, load_server

LIMIT = 50
WORK_SECONDS = 0.3
RETRY_SECONDS = 1  # HAProxy waits so long before it tries the same process again


@pytest.fixture
def haproxy() -> Server:
    return load_server(ROOT, "haproxy")


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running_watchdog:
        yield running_watchdog


@pytest.fixture
def deploy(tmp_path: Path, watching: Watchdog, haproxy: Server) -> Deploy:
    """Give a function that deploys the small platform behind HAProxy."""
    return deploying(tmp_path, watching, haproxy)


def _process(browser: httpx.Client) -> str:
    """Return the port of the process that answers a browser."""
    return str(browser.get("/about").json()["settings"]["port"])


def test_one_stands_before_all_processes_of_the_entry_and_a_session_stays_with_its_own(deploy: Deploy) -> None:
    with deploy({}, instances={"web": 3}) as target:
        (address,) = target.addresses
        ports = {member.address.rpartition(":")[2] for member in target.members if not member.planned.is_proxy}
        seen = Counter[str]()
        for _ in range(30):
            with httpx.Client(base_url=address, trust_env=False) as browser:
                assert list(browser.get("/session").cookies) == ["session"]
                first = _process(browser)
                assert [_process(browser) for _ in range(5)] == [first] * 5
                assert len(browser.cookies) == 1
                seen[first] += 1
        assert len(target.tiers["reverse-proxy"]) == 1
    assert set(seen) == ports
    assert len(ports) == 3


def test_a_tier_that_others_call_may_have_several_processes_behind_it(deploy: Deploy) -> None:
    with deploy({"binding": "json"}, instances={"services": 2, "web": 2}) as target:
        address = target.address_of_tier("services")
        assert address
        about = target.about()
        found = {httpx.get(f"{address}/about", trust_env=False).json()["settings"]["port"] for _ in range(20)}
        assert {about[name].settings["services_url"] for name in ("web-1", "web-2")} == {address}
    assert len(found) == 2


def test_the_sessions_of_a_killed_process_go_to_another_at_once(deploy: Deploy) -> None:
    with (
        deploy({}, instances={"web": 2}) as target,
        httpx.Client(base_url=target.addresses[0], trust_env=False) as browser,
    ):
        browser.get("/session")
        first = _process(browser)
        (killed,) = [one for one in target.members if one.address.endswith(first)]
        killed.process.stop()
        began = time.monotonic()
        assert _process(browser) != first
        assert time.monotonic() - began < RETRY_SECONDS


class _Working:
    """Works on each request for a while, and knows how many at once."""

    def __init__(self) -> None:
        self.most = self.now = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while request := await reader.readuntil(b"\r\n\r\n"):
                if b" /health " not in request:
                    self.now += 1
                    self.most = max(self.most, self.now)
                    await asyncio.sleep(WORK_SECONDS)
                    self.now -= 1
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
        writer.close()


async def _answer(port: int) -> bytes:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(b"GET / HTTP/1.1\r\nHost: any\r\n\r\n")
    line = await reader.readline()
    writer.close()
    return line


def test_concurrent_requests_are_limited_and_the_others_wait(haproxy: Server, watching: Watchdog) -> None:
    async def through_proxy(folder: Path) -> tuple[list[bytes], int]:
        working = _Working()
        server = await asyncio.start_server(working.serve, LOOPBACK, 0)
        async with server:
            spec = proxy_before(haproxy, folder / "proxy", server.sockets[0].getsockname()[1])
            folder.chmod(0o711)
            process = Process(spec, watching)
            await asyncio.to_thread(process.start)
            try:
                return list(await asyncio.gather(*(_answer(spec.ports[0]) for _ in range(8 * LIMIT)))), working.most
            finally:
                await asyncio.to_thread(process.stop)

    # In a thread of its own: a browser that other tests have opened keeps a loop in this one.
    with watching.private_folder("middlemark-test-") as folder, ThreadPoolExecutor(1) as own:
        lines, most = own.submit(asyncio.run, through_proxy(folder)).result()
    assert set(lines) == {b"HTTP/1.1 200 OK\r\n"}
    assert most == LIMIT


def test_every_directive_of_its_settings_is_disclosed_with_a_reason(haproxy: Server) -> None:
    text = (haproxy.folder / "haproxy.cfg.template").read_text(encoding="utf-8")
    lines = re.findall(r"^ +(.*)$", re.sub(r"{%.*?%}|{{.*?}}", "x", text), re.MULTILINE)
    two_words = ("timeout", "option", "http-check")
    written = {" ".join(line.split()[: 2 if line.startswith(two_words) else 1]) for line in lines}
    for line in lines:
        words = line.split()
        if words[0] in ("default-server", "bind"):
            known = {"check", "maxconn", "proto"}
            written |= {f"{words[0]} {word}" for word in words if word in known}
    rows = haproxy.not_default("proxy")

    assert written - {"default-server"} == {what.strip() for one in rows for what in one.what.split(",")}
    assert all(one.why and (one.value or one.variable) for one in rows)
