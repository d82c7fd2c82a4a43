"""A platform has an archive that a server hosts, and for one role a program that starts by itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from small_servers import CONFIGURED, HOSTS_WAR, small_server
from small_war import small_war_checkout

from conftest import ROOT
from middlemark.errors import InputError, TargetError
from middlemark.experiment.schedule import need_of
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.build import artifact_of_role, build, content_hash
from middlemark.subject.subject import Subject, find_subject
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program

URL = "postgresql://user:secret@127.0.0.1:1/name"
PROGRAM = """
[specs.brokerage.programs.web]
build = ["cp", "application.py", "{artifact}"]
start = ["python3", "{artifact}"]
memory_mib = 100
cases_environment = { QUICK = "yes" }
"""


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running:
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give a checkout whose platform has an archive for a server, and a program for the role `web`."""
    home = small_war_checkout(tmp_path / "home", ROOT / "servers" / "liberty")
    small_server(home, "other", HOSTS_WAR, more=f'compiler_threads = ["of the server"]\n{CONFIGURED}')
    file = home / "platforms" / "small" / "platform.toml"
    compiles = 'language = "Python"\ncompiler_threads = ["of the program"]'
    file.write_text(file.read_text().replace('language = "Python"', compiles) + PROGRAM, encoding="utf-8")
    return home


@pytest.fixture
def subject(home: Path) -> Subject:
    return find_subject(home, "small@other", "brokerage")


def request_for(subject: Subject, artifact: Path, binding: str, **more: object) -> DeploymentRequest:
    program = Program(subject, artifact)
    databases = {"brokerage": URL}
    return DeploymentRequest(program, {"binding": binding}, databases, artifact.parent, **more)  # type: ignore[arg-type]


def test_each_role_runs_its_own_program_and_starts_again_after_a_kill(
    home: Path, subject: Subject, watching: Watchdog
) -> None:
    request = request_for(subject, build(subject, home, watching), "json")
    with deployed(request, watching) as target:
        assert target.wrong_settings() == []
        assert {name: one.server for name, one in target.about().items()} == {
            "services": "other server",
            "web": "http.server",
        }
        assert target.compiler_threads == {"services": {"of the server"}, "web": {"of the program"}}
        assert {one.name: one.subject.name for one in target.members} == {"services": "small@other", "web": "small"}
        (web,) = target.carrying("web")
        assert web.spec.command == ("python3", str(artifact_of_role(request.program.artifact, "web")))
        assert "QUICK" not in web.spec.settings
        web.signal(signal.SIGKILL)
        web.restart()
        assert httpx.get(f"{target.addresses[0]}/health").text == "ok"


def test_a_tier_that_its_program_calls_in_process_needs_no_server(
    home: Path, subject: Subject, watching: Watchdog
) -> None:
    with deployed(request_for(subject, build(subject, home, watching), "local", in_cases=True), watching) as target:
        (about,) = target.about().values()
        assert (list(target.tiers), about.server) == (["web+services"], "http.server")
        assert target.members[0].process.spec.settings["QUICK"] == "yes"


def test_the_role_that_carries_all_is_hosted(home: Path, subject: Subject, watching: Watchdog) -> None:
    request = request_for(subject, build(subject, home, watching), "local", all_interfaces=True)
    with deployed(request, watching) as target:
        (about,) = target.about().values()
        assert (about.settings["role"], about.server) == ("all", "other server")


def test_the_memory_of_a_deployment_is_that_of_the_programs_in_it(subject: Subject) -> None:
    assert need_of(request_for(subject, Path("artifact"), "json")).memory_mib == 256 + 100
    assert need_of(request_for(subject, Path("artifact"), "local")).memory_mib == 100
    # Before the build a plan knows no artifact.
    assert need_of(request_for(subject, Path(), "json")).memory_mib == 256 + 100


def test_another_build_of_a_role_builds_anew(subject: Subject) -> None:
    description, implementation = subject.platform.description, subject.implementation
    other = implementation.programs["web"].model_copy(update={"build": ("true",)})
    specs = {"brokerage": implementation.model_copy(update={"programs": {"web": other}})}
    platform = replace(subject.platform, description=description.model_copy(update={"specs": specs}))
    assert content_hash(replace(subject, platform=platform), "1") != content_hash(subject, "1")


def test_a_build_that_makes_no_program_of_a_role_leaves_nothing(home: Path, watching: Watchdog) -> None:
    file = home / "platforms" / "small" / "platform.toml"
    file.write_text(file.read_text().replace('"cp", "application.py", "{artifact}"', '"true"'), encoding="utf-8")
    subject = find_subject(home, "small@other", "brokerage")
    with pytest.raises(TargetError, match=r"building small made no .*/web\.artifact"):
        build(subject, home, watching)
    assert [one.name for one in (home / ".build" / "small" / "brokerage").iterdir()] == ["build.log"]


def test_a_program_of_no_role_is_refused(home: Path) -> None:
    file = home / "platforms" / "small" / "platform.toml"
    file.write_text(file.read_text().replace("programs.web", "programs.webb"), encoding="utf-8")
    with pytest.raises(InputError, match=r"specs\.brokerage\.programs\.webb: 'webb' is not among the roles"):
        find_subject(home, "small@other", "brokerage")
