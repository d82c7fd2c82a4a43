"""Apache httpd and nginx host a site: files, pages with includes, programs, a listener over TLS."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psutil
import pytest
from small_site import site_checkout

from conftest import ROOT
from middlemark.conformance.execution.offer import offer_of
from middlemark.errors import HostError, MissingToolError
from middlemark.processes.ending import Part
from middlemark.processes.known_failures import recognized
from middlemark.processes.ports import LOOPBACK, free_port, is_free
from middlemark.processes.process import ProcessSpec, running
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.records.placement import Placement
from middlemark.subject.build import build
from middlemark.subject.platform import platforms
from middlemark.subject.server import Server, load_server, servers
from middlemark.subject.subject import find_subject
from middlemark.topology.configuring import configure
from middlemark.topology.deployment import deployed
from middlemark.topology.hosting import Application, hosted
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

SERVERS = ("apache", "nginx")
NOBODY = 65534
SECONDS = 30
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
Deploy = Callable[..., AbstractContextManager[Target]]


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running_watchdog:
        yield running_watchdog


@pytest.fixture(params=SERVERS)
def name(request: pytest.FixtureRequest) -> str:
    """Give the name of a server; skip where this machine has none."""
    found: str = request.param
    try:
        load_server(ROOT, found).version()
    except MissingToolError as error:
        pytest.skip(str(error))
    return found


@pytest.fixture
def home(watching: Watchdog) -> Iterator[Path]:
    """Give a checkout through whose folder everybody may pass: pytest's own are private."""
    with watching.private_folder("middlemark-test-") as folder:
        folder.chmod(0o755)
        yield site_checkout(folder / "home", *SERVERS)


@pytest.fixture
def program(name: str, home: Path, watching: Watchdog) -> Program:
    subject = find_subject(home, f"small@{name}", "shop")
    return Program(subject, build(subject, home, watching))


@pytest.fixture
def deploy(program: Program, home: Path, watching: Watchdog) -> Deploy:
    """Give a function that deploys the site."""

    def deploy(modes: dict[str, str] | None = None, **more: object) -> AbstractContextManager[Target]:
        request = DeploymentRequest(program, modes or {}, {}, home / "logs", **more)  # type: ignore[arg-type]
        return deployed(request, watching)

    return deploy


def tier_of(pid: int) -> float:
    """Return the CPU time of a process, of those below it, and of those that have ended."""
    root = psutil.Process(pid)
    times = [one.cpu_times() for one in (root, *root.children(recursive=True))]
    return sum(one.user + one.system + one.children_user + one.children_system for one in times)


def get(address: str) -> httpx.Response:
    return httpx.get(address, trust_env=False)


def test_it_gives_out_pages_and_sets_of_files_and_says_what_it_is(deploy: Deploy, name: str) -> None:
    with deploy() as target:
        (address,) = target.addresses
        plain, look = get(f"{address}/plain.html"), get(f"{address}/look.css")
        assert (plain.text, plain.headers["Content-Type"]) == ("<p>plain", "text/html; charset=utf-8")
        assert look.headers["Content-Type"].startswith("text/css")
        assert get(f"{address}/of/animals/cat.txt").text == "a cat"
        assert [get(f"{address}/{path}").status_code for path in ("nothing", "of/animals/dog.txt")] == [404, 404]
        assert get(f"{address}/health").text == "ok"
        about = target.about()
        assert target.differences_from_request(about) == []
        server = load_server(ROOT, name)
        assert about["site"].versions == {server.title: server.version()}
        assert about["site"].not_default[-1].what == "shell of the program"
        assert about["site"].settings["tls_port"] == ""
        (process,) = target.carrying("site")
    assert not process.spec.folder.exists()
    assert is_free(process.spec.ports[0])


def test_a_page_with_an_include_has_todays_date(deploy: Deploy) -> None:
    with deploy() as target:
        before = datetime.now(UTC).date()
        dated = get(f"{target.addresses[0]}/dated.shtml")
        assert dated.text in {f"<p>{before}", f"<p>{datetime.now(UTC).date()}"}
        assert dated.headers["Content-Type"] == "text/html; charset=utf-8"


def test_a_program_answers_with_its_length_where_the_server_starts_programs(
    deploy: Deploy, program: Program, name: str
) -> None:
    starts_programs = name == "apache"
    assert ("program" in program.subject.features) is starts_programs
    assert ("feature program" in offer_of(program.subject).missing) is not starts_programs
    with deploy() as target:
        for _ in range(10):
            response = get(f"{target.addresses[0]}/cgi/hello")
            if starts_programs:
                assert (response.text, response.headers["Content-Length"]) == ("hello", "5")
            else:
                assert response.status_code == 404


@pytest.mark.parametrize("name", ["apache"], indirect=True)
def test_the_cpu_time_of_programs_that_have_ended_is_the_servers(deploy: Deploy, home: Path, program: Program) -> None:
    burns = "python3 -c 'import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass'"
    hello = home / "platforms" / "small" / "site" / "cgi" / "hello"
    hello.write_text(hello.read_text(encoding="utf-8").replace("printf", f"{burns}\nprintf"), encoding="utf-8")
    shutil.copy(hello, program.artifact / "cgi" / "hello")
    with deploy() as target:
        (process,) = target.carrying("site")
        before = tier_of(process.pid)
        assert get(f"{target.addresses[0]}/cgi/hello").text == "hello"
        for _ in range(SECONDS * 100):
            if tier_of(process.pid) - before >= 0.3:
                break
            time.sleep(0.01)
        else:
            pytest.fail("the CPU time of the program is nobody's")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_it_gives_out_the_same_over_tls(deploy: Deploy, version: ssl.TLSVersion) -> None:
    with deploy({"privacy": "some"}) as target:
        (address,) = target.encrypted_addresses
        trust = ssl.create_default_context(cafile=target.authority)
        trust.minimum_version = trust.maximum_version = version
        assert httpx.get(f"{address}/plain.html", verify=trust, trust_env=False).text == "<p>plain"
        assert get(f"{target.addresses[0]}/plain.html").text == "<p>plain"
        assert target.differences_from_request(target.about()) == []


@as_root
def test_roots_workers_run_as_nobody(deploy: Deploy) -> None:
    with deploy() as target:
        (process,) = target.carrying("site")
        # Apache's children start as root and change their user a moment later.
        for _ in range(SECONDS * 100):
            users = {worker.uids().effective for worker in psutil.Process(process.pid).children()}
            if users == {NOBODY}:
                break
            time.sleep(0.01)
        assert users == {NOBODY}


@as_root
def test_what_roots_workers_cannot_reach_is_said_before_the_start(deploy: Deploy, home: Path) -> None:
    home.chmod(0o700)
    with pytest.raises(HostError, match=rf"{home}: the server's workers run as nobody and cannot reach"), deploy():
        pass


@as_root
def test_an_ordinary_user_can_run_it(
    program: Program, home: Path, watching: Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    setpriv = shutil.which("setpriv")
    assert setpriv
    folder, log, port = home / "private", home / "site.log", free_port()
    pictures = home / "specs" / "shop" / "pictures"
    settings = {"MM_HOST": LOOPBACK, "MM_PORT": str(port), "MM_PICTURES": str(pictures)}
    url = f"http://{LOOPBACK}:{port}/health"
    alone = ProcessSpec("site", Part.APPLICATION, (), home, log, settings, url, ports=(port,))
    folder.mkdir()
    assert program.subject.server
    with monkeypatch.context() as as_a_user:
        as_a_user.setattr(os, "geteuid", lambda: NOBODY)
        server = program.subject.server
        spec = hosted(Application(program.subject, server, None, folder, program.artifact, {}), alone)
        configure(server, spec, server.words(folder, None, {}), watching)
        for path in (log, folder, *folder.iterdir()):
            path.touch()
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        prefix = (setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
        with running(replace(spec, command=(*prefix, *spec.command)), watching) as process:
            family = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
            assert {who.uids().effective for who in family} == {NOBODY}
            assert get(f"http://{LOOPBACK}:{port}/plain.html").text == "<p>plain"
            assert [line for line in log.read_text(encoding="utf-8").splitlines() if "notice" not in line] == []


@pytest.mark.parametrize("name", ["nginx"], indirect=True)
def test_it_has_as_many_workers_as_cpus_that_it_may_use(deploy: Deploy) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    for some in (cpus[:1], cpus[:2]):
        with deploy(placement=Placement(cpus={"site": tuple(some)})) as target:
            (process,) = target.carrying("site")
            workers = psutil.Process(process.pid).children()
            assert len(workers) == len(some)
            assert {tuple(worker.cpu_affinity()) for worker in workers} == {tuple(some)}


@pytest.mark.parametrize("use", ["proxy", "site"])
def test_every_directive_of_apache_is_disclosed_with_a_reason(use: str) -> None:
    apache = load_server(ROOT, "apache")
    template = next(name for name, target in apache.description.uses[use].templates.items() if target == "httpd.conf")
    text = (apache.folder / template).read_text(encoding="utf-8")
    rows = apache.not_default(use)

    assert set(re.findall(r"^\s*<?([A-Z]\w+)", text, re.MULTILINE)) | {"LD_PRELOAD"} == {
        what.strip() for one in rows for what in one.what.split(",")
    }
    assert all(one.why and one.value for one in rows)


def test_a_port_that_apache_cannot_take_is_recognized() -> None:
    server: Server = load_server(ROOT, "apache")
    line = "(98)Address already in use: AH00072: make_sock: could not bind to address 127.0.0.1:18185"
    found = recognized(server.description.failures, f"first\n{line}\nno listening sockets available, shutting down\n")
    assert found
    assert (found.port, found.failure.setting) == (18185, "Listen in httpd.conf")


def test_what_the_features_of_a_platform_need_some_server_is_able_to_do() -> None:
    implementations = [one for platform in platforms(ROOT) for one in platform.description.specs.values()]
    hosts = [server.description.uses for server in servers(ROOT)]
    for one in implementations:
        able = {ability for uses in hosts if one.artifact in uses for ability in uses[one.artifact].abilities}
        assert set(one.feature_abilities.values()) <= able
