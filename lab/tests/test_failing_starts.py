"""What fails for good while it starts is not waited for, whatever it carries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from small_platform import small_checkout
from small_servers import CONFIGURED, HOSTS_WAR, IS_PROXY, small_server
from small_war import small_war_checkout

from conftest import ROOT
from middlemark.errors import TargetError
from middlemark.processes.ports import LOOPBACK
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.build import build
from middlemark.subject.server import load_reverse_proxy
from middlemark.subject.subject import find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

URL = f"postgresql://user:password@{LOOPBACK}:1/name"
PATIENT = "ready_seconds = 3600"
FLOODED = """
ready_seconds = 3600
[[failures]]
pattern = "E42: .*"
what = "the cellar is flooded"
setting = "pump in house.xml"
"""
# Sleeping, it would be waited for as long as `ready_seconds`: only what it printed ends its start.
FAILS = 'print("E42: water", flush=True); time.sleep(3600)'
ENDS = 'print("no such realm", flush=True); sys.exit(3)'
# Both run in the folder of the platform.
ENDS_SERVICES = """
import os, pathlib, signal, time
services = pathlib.Path("services.pid")
if os.environ["MM_ROLE"] == "web":
    os.kill(int(services.read_text()), signal.SIGKILL)
    time.sleep(3600)
services.write_text(str(os.getpid()))
"""
IN_WEB = "import os, sys, time\nif os.environ['MM_ROLE'] == 'web': {}\n"


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running:
        yield running


def deploy(home: Path, subject: str, watching: Watchdog, proxy: str = "none") -> AbstractContextManager[Target]:
    """Deploy the brokerage of a checkout, its web tier in a process of its own."""
    found = find_subject(home, subject, "brokerage")
    program = Program(found, build(found, home, watching))
    reverse_proxy = load_reverse_proxy(home, proxy)
    request = DeploymentRequest(
        program, {"binding": "json"}, {"brokerage": URL}, home / "logs", reverse_proxy=reverse_proxy
    )
    return deployed(request, watching)


def hosted(folder: Path, more: str, in_web: str) -> Path:
    """Return a checkout with a server that fails where it carries the web tier alone."""
    home = small_war_checkout(folder / "home", ROOT / "servers" / "liberty")
    program = small_server(home, "other", HOSTS_WAR, more=CONFIGURED + more) / "serve.py"
    program.write_text(IN_WEB.format(in_web) + program.read_text(), encoding="utf-8")
    return home


def test_a_web_process_whose_log_says_a_known_failure_is_not_waited_for(tmp_path: Path, watching: Watchdog) -> None:
    home = hosted(tmp_path, FLOODED, FAILS)
    with (
        pytest.raises(
            TargetError, match=r"^small@other web, pump in house.xml: the cellar is flooded\n(.*\n)*    E42: water"
        ),
        deploy(home, "small@other", watching),
    ):
        pass


def test_a_web_process_that_has_ended_is_not_waited_for(tmp_path: Path, watching: Watchdog) -> None:
    home = hosted(tmp_path, PATIENT, ENDS)
    with (
        pytest.raises(TargetError, match=r"web ended with exit status 3 before it was ready\n(.*\n)*    no such realm"),
        deploy(home, "small@other", watching),
    ):
        pass


def test_a_web_process_is_not_waited_for_when_its_services_have_ended(tmp_path: Path, watching: Watchdog) -> None:
    home = small_checkout(tmp_path / "home")
    program, description = (home / "platforms" / "small" / name for name in ("application.py", "platform.toml"))
    description.write_text(description.read_text().replace("build =", f"{PATIENT}\nbuild ="), encoding="utf-8")
    program.write_text(ENDS_SERVICES + program.read_text(), encoding="utf-8")
    with (
        pytest.raises(TargetError, match="small services was killed by SIGKILL before small web was ready"),
        deploy(home, "small", watching),
    ):
        pass


def test_a_reverse_proxy_whose_log_says_a_known_failure_is_not_waited_for(tmp_path: Path, watching: Watchdog) -> None:
    home = small_checkout(tmp_path / "home")
    program = small_server(home, "relay", IS_PROXY, more=FLOODED) / "serve.py"
    program.write_text(f"import time\n{FAILS}", encoding="utf-8")
    with (
        pytest.raises(TargetError, match=r"pump in house.xml: the cellar is flooded\n(.*\n)*    E42: water"),
        deploy(home, "small", watching, "relay"),
    ):
        pass
