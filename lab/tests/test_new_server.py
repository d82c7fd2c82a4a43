"""A new server is a folder with a server.toml: no platform, and no line of the lab, knows its name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from small_platform import small_checkout
from small_servers import CONFIGURED, HOSTS_FILES, HOSTS_WAR, IS_PROXY, small_server
from small_shop import ENCRYPTED, ONE_PLATFORM, ONE_TIER, shop_checkout
from small_war import small_war_checkout

from conftest import ROOT
from middlemark.errors import InputError, TargetError
from middlemark.processes.ending import Part
from middlemark.processes.ports import is_free
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.build import build
from middlemark.subject.server import load_reverse_proxy, load_server
from middlemark.subject.subject import Subject, find_subject
from middlemark.topology.about import About
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program

URL = "postgresql://user:pass%26word@127.0.0.1:1/name"


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running:
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give a checkout with an application that Liberty hosts, and beside Liberty another server that hosts the same."""
    home = small_war_checkout(tmp_path / "home", ROOT / "servers" / "liberty")
    small_server(home, "other", HOSTS_WAR, more=CONFIGURED)
    return home


def request_for(home: Path, subject: Subject, watching: Watchdog, **more: object) -> DeploymentRequest:
    """Build the subject and return the request for it, on a database that is not there."""
    program = Program(subject, build(subject, home, watching))
    databases = dict.fromkeys(subject.specification.description.databases, URL)
    return DeploymentRequest(program, {}, databases, home / "logs", **more)  # type: ignore[arg-type]


def get(address: str) -> httpx.Response:
    return httpx.get(address, trust_env=False)


def test_a_server_that_hosts_takes_the_artifact_that_another_takes(home: Path, watching: Watchdog) -> None:
    before = (home / "platforms" / "small" / "platform.toml").read_bytes()
    there, here = (find_subject(home, f"small@{name}", "brokerage") for name in ("liberty", "other"))
    assert (there.platform, there.implementation) == (here.platform, here.implementation)

    with deployed(request_for(home, here, watching), watching) as target:
        about = target.about()
        assert target.differences_from_request(about) == []
        assert about["web"].server == "other server"
        assert [row.what for row in about["web"].not_default] == ["mark"]
        (process,) = target.carrying("web")
        folder, (port, _) = process.spec.folder, process.spec.ports
        assert folder.stat().st_mode & 0o777 == 0o700
        link = folder / "apps" / "application.war"
        assert link.readlink() == build(here, home, watching)
    assert not folder.exists()
    assert is_free(port)
    assert (home / "platforms" / "small" / "platform.toml").read_bytes() == before


def test_its_further_ports_and_its_configuration_reach_templates_and_commands(home: Path, watching: Watchdog) -> None:
    subject = find_subject(home, "small@other", "brokerage")
    with deployed(request_for(home, subject, watching, settings={"MM_DATABASE_POOL": "7"}), watching) as target:
        (process,) = target.carrying("web")
        port, admin = process.spec.ports
        assert target.addresses == (f"http://127.0.0.1:{port}",)
        assert get(f"http://127.0.0.1:{admin}").text == "brokerage name 7"
        assert '"mark": "seven"' in (process.spec.folder / "settings.json").read_text()
        assert process.spec.log.read_text().startswith("configured\n")


def test_a_configuration_that_fails_is_reported_with_its_last_lines(home: Path, watching: Watchdog) -> None:
    subject = find_subject(home, "small@other", "brokerage")
    assert subject.server
    (subject.server.folder / "configure.py").write_text("import sys; print('no such realm'); sys.exit(4)")
    request = request_for(home, subject, watching)

    with pytest.raises(TargetError) as caught, deployed(request, watching):
        pass

    first, last = str(caught.value).splitlines()
    assert first.startswith(f"python3 {subject.server.folder}/configure.py /")
    log = request.logs / "web.log"
    assert first.endswith(f": configuring other ended with 4. All output is in {log}; its last lines:")
    assert last == "    no such realm"
    assert watching.watched(Part.TOOL) == ()


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('"database"', '"queue"', r"brokerage has no queue 'brokerage'\. Known here: orders$"),
        ('name = "brokerage"', 'name = "brokrage"', r"brokerage has no database 'brokrage'\. Did you mean 'brokerage'"),
    ],
)  # fmt: skip
def test_a_resource_that_nobody_offers_is_refused_before_anything_is_built(
    home: Path, right: str, wrong: str, message: str
) -> None:
    description = home / "platforms" / "small" / "platform.toml"
    description.write_text(description.read_text().replace(right, wrong))
    with pytest.raises(InputError, match=rf"^{description}: {message}"):
        find_subject(home, "small@other", "brokerage")


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("{{ ports.admin }}", "{{ ports.admn }}", "other/war.template: this template is wrong .*admn"),
        ("{{ host }}", "{{ host }", "other/war.template: this template is wrong"),
    ],
)
def test_a_template_that_names_what_is_not_there_is_wrong_input(
    home: Path, watching: Watchdog, right: str, wrong: str, message: str
) -> None:
    template = home / "servers" / "other" / "war.template"
    template.write_text(template.read_text().replace(right, wrong))
    request = request_for(home, find_subject(home, "small@other", "brokerage"), watching)
    with pytest.raises(InputError, match=message), deployed(request, watching):
        pass


@pytest.mark.parametrize(
    ("use", "wrong", "message"),
    [
        (HOSTS_WAR, HOSTS_WAR.replace("artifact", "artefact"), r"uses\.war\.artefact: unknown key"),
        (HOSTS_WAR, HOSTS_WAR.replace('artifact = "apps/application.war"', ""), r"uses\.war\.artifact: a use that hos"),
        (HOSTS_WAR, HOSTS_WAR.replace('"settings', '"../settings'), r"'\.\./settings\.json' lies outside the folder"),
        (IS_PROXY, IS_PROXY.replace('protocols = ["http/1.1"]', ""), r"uses\.proxy\.protocols: a proxy says"),
        (IS_PROXY, IS_PROXY.replace('["http/1.1"]', '["gopher"]'), r"uses\.proxy\.protocols\.0: .*'http/1\.1'"),
        (IS_PROXY, f'{IS_PROXY}artifact = "here"', r"uses\.proxy\.artifact: .* a proxy not"),
        (IS_PROXY, f'{IS_PROXY}resources = ["topic"]', r"uses\.proxy\.resources\.0: .*'database'"),
    ],
)  # fmt: skip
def test_a_use_that_cannot_be_is_refused_with_its_key(tmp_path: Path, use: str, wrong: str, message: str) -> None:
    small_server(tmp_path, "right", use)
    small_server(tmp_path, "wrong", wrong)
    assert load_server(tmp_path, "right").description.uses
    with pytest.raises(InputError, match=message):
        load_server(tmp_path, "wrong")


def test_another_reverse_proxy_stands_before_an_application(tmp_path: Path, watching: Watchdog) -> None:
    home = small_checkout(tmp_path / "home")
    small_server(home, "relay", IS_PROXY)
    subject = find_subject(home, "small", "brokerage")
    request = request_for(home, subject, watching, reverse_proxy=load_reverse_proxy(home, "relay"))

    with deployed(request, watching) as target:
        application, proxy = target.members
        assert list(target.tiers) == ["web+services", "reverse-proxy"]
        response = get(f"{target.addresses[0]}/about")
        assert target.addresses == (proxy.address,)
        assert response.headers["X-Served-By"] == "proxy"
        assert response.json()["settings"]["port"] == application.address.rpartition(":")[2]
        assert target.differences_from_request(target.about()) == []
        application.process.stop()
        assert get(f"{proxy.address}/health").status_code == 502


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Give a checkout with a server of two uses, and a platform whose artifact is a folder of files."""
    build = '["cp", "-r", "pages", "{artifact}"]'
    platform = ONE_PLATFORM.replace("{build}", build.replace("{artifact}", "{{artifact}}")).partition("start = ")[0]
    home = shop_checkout(tmp_path / "home", specification=ONE_TIER, platform=f'{platform}artifact = "files"\n')
    folder = home / "platforms" / "small" / "pages"
    folder.mkdir()
    for name in ("health", "welcome"):
        (folder / name).write_text(name)
    small_server(home, "both", HOSTS_FILES, IS_PROXY)
    return home


def test_a_server_with_two_uses_offers_both(pages: Path, watching: Watchdog) -> None:
    subject = find_subject(pages, "small@both", "shop")
    both = load_reverse_proxy(pages, "both")
    assert both == subject.server
    assert both
    assert both.hosts == ("files",)

    with deployed(request_for(pages, subject, watching, reverse_proxy=both), watching) as target:
        files, proxy = target.members
        assert (files.tier, proxy.tier) == ("site", "reverse-proxy")
        served_by = [get(f"{one.address}/welcome").headers["X-Served-By"] for one in (files, proxy)]
        assert served_by == ["files", "proxy"]
        assert get(f"{target.addresses[0]}/welcome").text == "welcome"
        assert get(f"{target.addresses[0]}/nothing").status_code == 404
    assert {member.process.spec.name for member in target.members} == {"small@both site", "both reverse-proxy"}


def test_a_template_gets_the_files_the_listener_over_tls_and_what_the_application_says_of_itself(
    tmp_path: Path, watching: Watchdog
) -> None:
    build = '["cp", "-r", "pages", "{{artifact}}"]'
    platform = ONE_PLATFORM.replace("{build}", build).partition("start = ")[0] + 'artifact = "files"\n'
    platform += '[specs.shop.modes]\nprivacy = ["some"]\n'
    shown = ENCRYPTED.replace("entry = true", 'entry = true\nfiles = ["pictures"]')
    shown += '[files.pictures]\nvariable = "MM_PICTURES"\nfolder = "pictures"\n'
    home = shop_checkout(tmp_path / "home", specification=shown, platform=platform)
    pages = home / "platforms" / "small" / "pages"
    pages.mkdir()
    (pages / "health").write_text("ok")
    folder = small_server(home, "writer", HOSTS_FILES)
    template = (folder / "files.template").read_text().replace('"use"', '"about": {{ about | tojson }}, "use"')
    also = '"pictures": "{{ files.pictures }}", "tls": ["{{ tls.port }}", "{{ tls.certificate }}", "{{ tls.key }}"]'
    (folder / "files.template").write_text(template.replace('"use"', f'{also}, "use"'))

    subject = find_subject(home, "small@writer", "shop")
    with deployed(request_for(home, subject, watching), watching) as target:
        (member,) = target.members
        written = json.loads((member.process.spec.folder / "settings.json").read_text())
        assert member.process.spec.folder.stat().st_mode & 0o777 == 0o711
        http, https = member.process.spec.ports
        assert written["pictures"] == str(home / "specs" / "shop" / "pictures")
        assert written["tls"][0] == str(https)
        settings = member.process.spec.settings
        assert written["tls"][1:] == [settings["MM_CERTIFICATE"], settings["MM_KEY"]]
        about = About.model_validate(written["about"])
        assert (about.platform, about.server, about.roles) == ("small", "writer server", ("site",))
        assert about.settings["port"] == str(http)
        assert about.settings["tls_port"] == str(https)
        assert target.differences_from_request({member.name: about}) == []


def test_a_setting_of_one_use_is_disclosed_with_that_use_and_known_to_its_templates(pages: Path) -> None:
    only = (
        '[[uses.files.not_default]]\nwhat = "ink"\nvariable = "ink"\nvalue = "blue"\nwhy = "so that a test finds it"\n'
    )
    folder = small_server(pages, "inked", HOSTS_FILES + only, IS_PROXY)
    inked = load_server(pages, "inked")
    assert [[row.what for row in inked.not_default(use)] for use in ("files", "proxy")] == [["mark", "ink"], ["mark"]]

    (folder / "files.template").write_text("{{ mark }} {{ ink }}")
    inked.write("files", pages, {})
    assert (pages / "settings.json").read_text() == "seven blue"
    (folder / "proxy.template").write_text("{{ ink }}")
    with pytest.raises(InputError, match="'ink' is undefined"):
        inked.write("proxy", pages, {})


def test_a_server_that_hosts_something_else_is_neither_host_nor_proxy(pages: Path) -> None:
    small_server(pages, "war-only", HOSTS_WAR)
    with pytest.raises(InputError, match=r"small does not run on 'war-only'\. Write small@both"):
        find_subject(pages, "small@war-only", "shop")
    with pytest.raises(InputError, match=r"war-only hosts applications and stands before none"):
        load_reverse_proxy(pages, "war-only")


def test_a_server_may_only_be_as_old_as_it_says(home: Path, watching: Watchdog) -> None:
    subject = find_subject(home, "small@other", "brokerage")
    assert subject.server
    tool = subject.server.description.toolchain.model_copy(update={"minimum": "99"})
    old = replace(subject.server, description=subject.server.description.model_copy(update={"toolchain": tool}))
    request = request_for(home, subject, watching)
    request = replace(request, program=replace(request.program, subject=replace(subject, server=old)))
    with pytest.raises(Exception, match="Python 99 or later is needed"), deployed(request, watching):
        pass
