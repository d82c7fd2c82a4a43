"""nginx as a reverse proxy before an application: the lab knows it from its server.toml alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from behind_proxy import Deploy, deploying
from counting_server import Counting, counting, proxy_before
from small_platform import small_checkout

from conftest import ROOT
from middlemark.errors import InputError, MissingToolError
from middlemark.processes.ending import Part
from middlemark.processes.ports import LOOPBACK, free_port, is_free
from middlemark.processes.process import ProcessSpec, running
from middlemark.processes.watchdog import Watchdog, read_stopped, watchdog
from middlemark.subject.server import Server, load_server

SECONDS = 30
NOBODY = 65534


@pytest.fixture
def nginx() -> Server:
    return load_server(ROOT, "nginx")


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running_watchdog:
        yield running_watchdog


@pytest.fixture
def deploy(tmp_path: Path, watching: Watchdog, nginx: Server) -> Deploy:
    """Give a function that deploys the small platform behind nginx."""
    return deploying(tmp_path, watching, nginx)


def test_it_stands_between_the_web_tier_and_the_services(deploy: Deploy) -> None:
    with deploy({"binding": "json"}, instances={"web": 2}) as target:
        services, proxy, *webs = target.members
        about = target.about()
        behind = httpx.get(f"{proxy.address}/about", trust_env=False).json()
        assert list(target.tiers) == ["services", "reverse-proxy", "web"]
        assert set(about) == {"services", "web-1", "web-2"}
        assert {about[web.name].settings["services_url"] for web in webs} == {proxy.address}
        assert target.address_of_tier("services") == proxy.address
        assert target.addresses == tuple(web.address for web in webs)
    assert behind["settings"]["port"] == services.address.rpartition(":")[2]
    assert is_free(int(proxy.address.rpartition(":")[2]))


def test_with_a_local_binding_each_web_process_has_its_own(deploy: Deploy) -> None:
    port = free_port()
    with deploy({}, instances={"web": 2}, port=port) as target:
        assert target.addresses[0] == f"http://{LOOPBACK}:{port}"
        behind = {httpx.get(f"{one}/about", trust_env=False).json()["settings"]["port"] for one in target.addresses}
        webs = [member for member in target.members if not member.planned.is_proxy]
        assert len(target.tiers["reverse-proxy"]) == 2
    assert behind == {member.address.rpartition(":")[2] for member in webs}


def test_its_answer_to_health_is_that_of_the_application_behind_it(deploy: Deploy) -> None:
    with deploy({"binding": "json"}) as target:
        (services,) = target.carrying("services")
        health = f"{target.address_of_tier('services')}/health"
        assert httpx.get(health, trust_env=False).status_code == 200
        services.stop()
        assert httpx.get(health, trust_env=False).status_code == 502


def test_a_missing_nginx_is_named_with_the_command_that_installs_it(
    nginx: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    nowhere = Server(nginx.folder, nginx.description.model_copy(update={"places": ()}))

    with pytest.raises(MissingToolError, match=r"nginx 1\.19\.10 or later is needed and is not here") as caught:
        nowhere.version()
    assert "apt-get install -y nginx-light" in caught.value.todo


def test_an_unknown_server_names_the_one_that_was_meant() -> None:
    with pytest.raises(InputError, match=r"no server is called 'ngnix'\. Did you mean 'nginx'"):
        load_server(ROOT, "ngnix")


@pytest.mark.parametrize("name", ["nginx", "liberty"])
def test_a_proxy_says_where_it_is_ready_and_a_server_that_hosts_does_not(name: str, tmp_path: Path) -> None:
    text = (ROOT / "servers" / name / "server.toml").read_text(encoding="utf-8")
    ready = 'ready_path = "/health"\n'
    assert (ready in text) == (name == "nginx")
    wrong = text.replace(ready, "") if ready in text else text.replace("[uses.war]\n", f"[uses.war]\n{ready}")
    (tmp_path / "servers" / name).mkdir(parents=True)
    (tmp_path / "servers" / name / "server.toml").write_text(wrong, encoding="utf-8")

    with pytest.raises(InputError, match="a proxy says where it is ready, and no other use does"):
        load_server(tmp_path, name)


@pytest.mark.parametrize("use", ["proxy", "site"])
def test_every_directive_of_its_settings_is_disclosed_with_a_reason(nginx: Server, use: str) -> None:
    template = next(name for name, target in nginx.description.uses[use].templates.items() if target == "nginx.conf")
    # Inside the braces of `types` stand types, and no directives.
    text = re.sub(r"types {[^}]*}", "types {\n", (nginx.folder / template).read_text(encoding="utf-8"))
    written = set(re.findall(r"^\s*(proxy_set_header \w+|\w+)\b.*[;{]$", text, re.MULTILINE)) - {"events", "http"}
    rows = nginx.not_default(use)

    assert written == {what.strip() for one in rows for what in one.what.split(",")}
    assert all(one.why and one.value for one in rows)


@pytest.fixture
def behind() -> Iterator[Counting]:
    with counting() as server:
        yield server


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become an ordinary user; everybody else is one already")
def test_an_ordinary_user_can_run_it(
    nginx: Server, watching: Watchdog, behind: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setpriv = shutil.which("setpriv")
    assert setpriv
    prefix = (setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
    with monkeypatch.context() as as_a_user:
        as_a_user.setattr(os, "geteuid", lambda: NOBODY)
        with watching.private_folder("middlemark-test-") as folder:
            spec = proxy_before(nginx, folder / "proxy", behind.server_address[1], prefix)
            folder.chmod(0o711)
            os.chown(folder / "proxy", NOBODY, NOBODY)
            log = tmp_path / "proxy.log"
            spec = ProcessSpec(**{**vars(spec), "log": log})
            with running(spec, watching) as process:
                family = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
                assert {who.uids().effective for who in family} == {NOBODY}
    assert log.read_text(encoding="utf-8") == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's workers run as somebody else")
def test_roots_workers_run_as_nobody(nginx: Server, watching: Watchdog, tmp_path: Path, behind: Counting) -> None:
    with running(proxy_before(nginx, tmp_path / "proxy", behind.server_address[1]), watching) as process:
        workers = psutil.Process(process.pid).children()
        assert workers
        assert {who.uids().effective for who in workers} == {NOBODY}


LAB = """
import signal, sys
from pathlib import Path
from middlemark.subject.build import build
from middlemark.processes.watchdog import watchdog
from middlemark.subject.server import load_server
from middlemark.subject.subject import find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program
folder, root = map(Path, sys.argv[1:])
with watchdog(folder / "runtime") as watching:
    watching.result(folder / "result")
    subject = find_subject(folder, "small", "brokerage")
    modes = {"binding": "json", "orders": "async-queue"}
    request = DeploymentRequest(
        Program(subject, build(subject, folder, watching)), modes, {"brokerage": "postgresql://u:p@127.0.0.1:1/n"},
        folder / "logs", instances={"web": 2, "processor": 2}, reverse_proxy=load_server(root, "nginx"),
    )
    with deployed(request, watching) as target:
        (proxy,) = [member.process for member in target.members if member.planned.is_proxy]
        print(proxy.spec.folder, *[member.process.pid for member in target.members], flush=True)
        signal.pause()
"""


def test_a_killed_lab_leaves_no_proxy_no_application_and_no_folder(tmp_path: Path) -> None:
    small_checkout(tmp_path)
    for name in ("runtime", "result"):
        (tmp_path / name).mkdir()
    words = [sys.executable, "-c", LAB, str(tmp_path), str(ROOT)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as lab:
        assert lab.stdout
        folder, *pids = lab.stdout.readline().split()
        roots = [psutil.Process(int(pid)) for pid in pids]
        family = [*roots, *(child for root in roots for child in root.children(recursive=True))]
        assert len(family) > len(roots) == 6
        assert Path(folder).is_dir()
        lab.kill()
        _, alive = psutil.wait_procs(family, timeout=SECONDS)
    assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []
    everybody = psutil.process_iter(["cmdline"])  # asked so, one that ends meanwhile is no error
    psutil.wait_procs([who for who in everybody if str(tmp_path) in " ".join(who.info["cmdline"] or ())], SECONDS)
    assert not Path(folder).exists()
    stopped = read_stopped(tmp_path / "result")
    assert stopped
    parts = [one.part for one in stopped.processes]
    assert parts == [Part.REVERSE_PROXY, *[Part.APPLICATION] * 5]
