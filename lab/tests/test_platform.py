"""A platform is known by its platform.toml alone, and built once for each content."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_platform import START, WAR, small_checkout
from small_servers import HOSTS_WAR, small_server

from middlemark.conformance.execution.offer import offer_of
from middlemark.errors import InputError, MissingToolError, TargetError
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.subject.build import build
from middlemark.subject.platform import PlatformDescription, check_toolchain, load_platform, platforms
from middlemark.subject.subject import find_subject

ROOT = Path(__file__).parents[2]


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    """Give a watchdog that lists itself among the test's files."""
    with watchdog(tmp_path / "runtime") as running:
        yield running


def builds(home: Path) -> int:
    """Return how often the build has run."""
    return len((home / "builds").read_text().splitlines())


def write_tool(file: Path, runs_on: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\necho tool 4.0\necho 'Python version: {runs_on}'\n")
    file.chmod(0o755)


def test_every_platform_of_the_checkout_is_described_in_a_way_the_lab_understands() -> None:
    assert "go" in [platform.name for platform in platforms(ROOT)]


def test_editors_can_complete_the_file_because_its_schema_is_generated() -> None:
    schema = PlatformDescription.model_json_schema()
    assert {"name", "language", "toolchain", "specs"} == set(schema["required"])


def test_an_unknown_platform_is_answered_with_the_nearest_known_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Did you mean 'small'"):
        load_platform(small_checkout(tmp_path), "smal")


def test_a_platform_does_not_run_on_a_server_that_hosts_something_else(tmp_path: Path) -> None:
    home = small_checkout(tmp_path)
    small_server(home, "other", HOSTS_WAR)
    with pytest.raises(InputError, match=r"small does not run on 'other'\. Write small$"):
        find_subject(home, "small@other", "brokerage")


def test_a_server_that_is_not_there_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    home = small_checkout(tmp_path)
    small_server(home, "other", HOSTS_WAR)
    with pytest.raises(InputError, match=r"no server is called 'othr'\. Did you mean 'other'"):
        find_subject(home, "small@othr", "brokerage")


def test_a_platform_whose_artifact_is_hosted_names_every_server_that_hosts_it(tmp_path: Path) -> None:
    home = small_checkout(tmp_path, made=WAR)
    with pytest.raises(InputError, match=r"small needs a server that hosts it\. Write a server first"):
        find_subject(home, "small", "brokerage")
    for name in ("liberty", "wildfly"):
        small_server(home, name, HOSTS_WAR)
    with pytest.raises(InputError, match="Write small@liberty or small@wildfly"):
        find_subject(home, "small", "brokerage")


def test_what_starts_by_itself_may_be_hosted_too(tmp_path: Path) -> None:
    home = small_checkout(tmp_path, made=f"{START}\n{WAR}")
    small_server(home, "other", HOSTS_WAR)
    assert find_subject(home, "small", "brokerage").server is None
    hosted = find_subject(home, "small@other", "brokerage").server
    assert hosted
    assert hosted.hosts == ("war",)


def test_a_program_that_nobody_starts_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"platform\.toml: specs\.brokerage\.start: a program needs `start`"):
        load_platform(small_checkout(tmp_path, made=""), "small")


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("binding = [", "bindng = [", r"brokerage has no mode 'bindng'\. Did you mean 'binding'"),
        ('"json"', '"jsn"', r"'jsn' is not a value of binding\. Did you mean 'json'"),
        ('"processor"', '"procesor"', r"brokerage has no role 'procesor'\. Did you mean 'processor'"),
        ("roles = [", 'features = ["config-pag"]\nroles = [', r"no feature 'config-pag'\. Did you mean 'config-page'"),
    ],
)
def test_what_a_platform_names_and_its_specification_lacks_is_told_with_its_file(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    home = small_checkout(tmp_path)
    description = home / "platforms" / "small" / "platform.toml"
    description.write_text(description.read_text().replace(right, wrong))
    with pytest.raises(InputError, match=rf"^{description}: .*{message}"):
        find_subject(home, "small", "brokerage")


def test_a_feature_is_there_only_on_servers_with_the_ability_that_it_needs(tmp_path: Path) -> None:
    both = f'{START}\n{WAR}\nfeatures = ["config-page"]\nfeature_abilities = {{ config-page = "scripts" }}'
    home = small_checkout(tmp_path, made=both)
    small_server(home, "able", HOSTS_WAR.replace("resources", 'abilities = ["scripts"]\nresources'))
    small_server(home, "unable", HOSTS_WAR)
    names = ("small", "small@able", "small@unable")
    features = {name: find_subject(home, name, "brokerage").features for name in names}
    assert features == {"small": ("config-page",), "small@able": ("config-page",), "small@unable": ()}
    unable = find_subject(home, "small@unable", "brokerage")
    assert offer_of(unable).features == ()
    with pytest.raises(InputError, match="small@unable has no feature 'config-page', and so no MM_CONFIG_PAGE"):
        unable.require_knows("MM_CONFIG_PAGE")


def test_an_ability_for_a_feature_that_the_platform_lacks_is_wrong_input(tmp_path: Path) -> None:
    wrong = f'{START}\nfeature_abilities = {{ config-page = "scripts" }}'
    with pytest.raises(InputError, match=r"feature_abilities\.config-page: 'config-page' is not among the features"):
        load_platform(small_checkout(tmp_path, made=wrong), "small")


RESOURCES = """
[[specs.brokerage.resources]]
kind = "database"
name = "brokerage"
when = { orders = ["sync", "async-queue"] }

[[specs.brokerage.resources]]
kind = "database"
name = "brokerage"
xa = true
when = { orders = ["async-xa"] }

[[specs.brokerage.resources]]
kind = "queue"
name = "orders"
when = { orders = ["async-xa"] }
"""


def with_resources(folder: Path, resources: str = RESOURCES) -> Path:
    """Return a checkout whose platform needs these resources, with a server that makes databases and one for both."""
    home = small_checkout(folder, made=WAR)
    description = home / "platforms" / "small" / "platform.toml"
    text = description.read_text().replace('"async-queue"]', '"async-queue", "async-xa"]')
    description.write_text(text + resources)
    small_server(home, "databases", HOSTS_WAR)
    small_server(home, "both", HOSTS_WAR.replace('["database"]', '["database", "queue"]'))
    return home


def test_a_resource_may_be_another_one_with_other_values_of_a_mode(tmp_path: Path) -> None:
    subject = find_subject(with_resources(tmp_path), "small@both", "brokerage")
    found = {
        orders: [(one.kind, one.xa) for one in subject.resources_in({"orders": orders})]
        for orders in subject.modes["orders"]
    }
    plain = [("database", False)]
    assert found == {"sync": plain, "async-queue": plain, "async-xa": [("database", True), ("queue", False)]}


def test_values_that_need_what_a_server_does_not_make_are_not_offered_there(tmp_path: Path) -> None:
    subject = find_subject(with_resources(tmp_path), "small@databases", "brokerage")
    assert subject.modes["orders"] == ("sync", "async-queue")
    with pytest.raises(
        InputError, match=r"small@databases does not offer orders=async-xa\. It offers sync, async-queue"
    ):
        subject.chosen({"orders": "async-xa"})


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            'kind = "queue"\nname = "orders"',
            'kind = "queue"\nname = "order"',
            r"no queue 'order'\. Did you mean 'orders'",
        ),
        (
            '"queue"\nname = "orders"\nwhen = { orders = ["async-xa"] }',
            '"queue"\nname = "orders"',
            "does not make a queue",
        ),
        ('"sync", "async-queue"] }', '"sync", "async-xa"] }', "the database 'brokerage' is there more than once"),
        ('kind = "queue"', 'kind = "queue"\nxa = true', "a queue always takes part in distributed transactions"),
        ("xa = true", 'listener = "Bean"', "nothing listens to a database"),
        ('orders = ["async-xa"] }', 'orders = ["later"] }', "needs orders=later, which is not offered"),
    ],
)
def test_resources_that_cannot_be_are_wrong_input(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    assert right in RESOURCES
    with pytest.raises(InputError, match=message):
        find_subject(with_resources(tmp_path, RESOURCES.replace(right, wrong)), "small@databases", "brokerage")


def test_a_mode_that_a_platform_leaves_out_has_the_default_of_the_specification(tmp_path: Path) -> None:
    home = small_checkout(tmp_path)
    description = home / "platforms" / "small" / "platform.toml"
    kept = [line for line in description.read_text().splitlines() if not line.startswith(("orders", "data-access"))]
    description.write_text("\n".join(kept))
    subject = find_subject(home, "small", "brokerage")
    assert subject.modes == {"binding": ("local", "json", "grpc"), "orders": ("sync",)}


@pytest.mark.parametrize("text", ["", "@liberty", "small@"])
def test_half_a_subject_is_wrong_input(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="PLATFORM or PLATFORM@SERVER"):
        find_subject(small_checkout(tmp_path), text, "brokerage")


def test_a_specification_the_platform_does_not_implement_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="small does not implement 'petstore'"):
        find_subject(small_checkout(tmp_path), "small", "petstore")


def test_modes_take_their_defaults_unless_others_are_requested(tmp_path: Path) -> None:
    subject = find_subject(small_checkout(tmp_path), "small", "brokerage")
    assert subject.chosen({"binding": "json"}) == {"binding": "json", "data-access": "native", "orders": "sync"}


@pytest.mark.parametrize(
    ("requested", "message"),
    [({"bindin": "json"}, "Did you mean 'binding'"), ({"binding": "soap"}, "It offers local, json")],
)
def test_a_request_that_cannot_be_fulfilled_is_answered_with_what_there_is(
    tmp_path: Path, requested: dict[str, str], message: str
) -> None:
    subject = find_subject(small_checkout(tmp_path), "small", "brokerage")
    with pytest.raises(InputError, match=message):
        subject.chosen(requested)


def test_a_toolchain_that_is_too_old_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    platform = load_platform(small_checkout(tmp_path, minimum="99.1"), "small")
    with pytest.raises(MissingToolError, match=r"Python 99\.1 or later is needed and is 3.*apt install python3"):
        check_toolchain(platform)


def test_versions_are_compared_as_numbers(tmp_path: Path) -> None:
    assert check_toolchain(load_platform(small_checkout(tmp_path, minimum="3.9"), "small")).startswith("3.")


def test_what_a_tool_compiles_with_is_named_and_another_builds_anew(tmp_path: Path, watching: Watchdog) -> None:
    tool = tmp_path / "bin" / "tool"
    home = small_checkout(tmp_path, tool=str(tool), runs_on=r"Python version: ([\d.]+, by [^\n]+)")
    subject = find_subject(home, "small", "brokerage")
    made = {}
    for version in ("3.12.1, by Debian", "3.12.1, by others", "3.13.2, by Debian", "3.12.1, by Debian"):
        write_tool(tool, version)
        assert check_toolchain(subject.platform) == f"4.0 on Python {version}"
        made[version] = build(subject, home, watching)
    assert len(set(made.values())) == builds(home) == 3


def test_what_another_version_compiles_than_the_server_runs_on_is_refused(tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "tool"
    write_tool(tool, "3.12.1")
    platform = load_platform(small_checkout(tmp_path, tool=str(tool), runs_on=r"Python version: ([\d.]+)"), "small")
    assert check_toolchain(platform, "Server 1.0", "3.12.1") == "4.0 on Python 3.12.1"
    message = r"Python compiles with Python 3\.12\.1 and Server 1\.0 runs on Python 3\.13\.2; one has to do both"
    with pytest.raises(MissingToolError, match=message):
        check_toolchain(platform, "Server 1.0", "3.13.2")


@pytest.mark.parametrize("pattern", ["version", "(version", "(a)(b)"])
def test_a_pattern_for_what_a_tool_runs_on_needs_one_group(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(InputError, match=r"needs one group|is not a pattern"):
        load_platform(small_checkout(tmp_path, runs_on=pattern), "small")


def test_the_same_content_is_built_once(tmp_path: Path, watching: Watchdog) -> None:
    subject = find_subject(small_checkout(tmp_path), "small", "brokerage")
    first = build(subject, tmp_path, watching)
    assert build(subject, tmp_path, watching) == first
    assert builds(tmp_path) == 1
    assert "http.server" in first.read_text()


def test_a_changed_file_is_built_again_and_the_old_content_is_still_there(tmp_path: Path, watching: Watchdog) -> None:
    subject = find_subject(small_checkout(tmp_path), "small", "brokerage")
    source = subject.platform.folder / "application.py"
    before = source.read_text()
    first = build(subject, tmp_path, watching)
    source.write_text("print('other')")
    assert build(subject, tmp_path, watching).read_text() == "print('other')"
    source.write_text(before)
    assert build(subject, tmp_path, watching) == first
    assert builds(tmp_path) == 2


def test_what_git_ignores_does_not_count_as_content(tmp_path: Path, watching: Watchdog) -> None:
    subject = find_subject(small_checkout(tmp_path), "small", "brokerage")
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)  # noqa: S607 (git is found on PATH)
    (tmp_path / ".gitignore").write_text("made/\n")
    first = build(subject, tmp_path, watching)
    (subject.platform.folder / "made").mkdir()
    (subject.platform.folder / "made" / "object").write_text("1")
    assert build(subject, tmp_path, watching) == first
    (subject.platform.folder / "new.py").write_text("1")
    assert build(subject, tmp_path, watching) != first


def test_a_failed_build_shows_its_last_lines_and_where_the_rest_is(tmp_path: Path, watching: Watchdog) -> None:
    home = small_checkout(tmp_path, build='["sh", "-c", "echo application.py:7: syntax error >&2; exit 9"]')
    with pytest.raises(TargetError) as caught:
        build(find_subject(home, "small", "brokerage"), home, watching)
    log = home / ".build" / "small" / "brokerage" / "build.log"
    first, *last_lines = str(caught.value).splitlines()
    assert first.endswith(f"building small ended with 9. All output is in {log}; its last lines:")
    assert last_lines == ["    application.py:7: syntax error"]
    assert (home / ".build" / "small" / "brokerage" / "build.log").read_text().strip().endswith("syntax error")
    assert list((home / ".build" / "small" / "brokerage").glob("building-*")) == []


def test_a_build_that_makes_nothing_has_failed(tmp_path: Path, watching: Watchdog) -> None:
    home = small_checkout(tmp_path, build='["true", "{artifact}"]')
    with pytest.raises(TargetError, match=r"^true (/\S+/artifact): building small made no \1\. It has no output$"):
        build(find_subject(home, "small", "brokerage"), home, watching)


@pytest.mark.parametrize("server", ["liberty", "payara", "wildfly"])
def test_certificates_of_clients_are_offered_only_on_servers_that_ask_for_them(server: str) -> None:
    subject = find_subject(ROOT, f"jakarta@{server}", "remoting")
    assert subject.server
    templates = (ROOT / "servers" / server).glob("*.template")
    asks = any("tls.trust_store" in template.read_text() for template in templates)
    assert ("certificate" in subject.modes["authentication"]) == asks
    assert asks == (server != "payara")
    if not asks:
        with pytest.raises(InputError, match=r"jakarta@payara does not offer authentication=certificate"):
            subject.chosen({"authentication": "certificate"})
