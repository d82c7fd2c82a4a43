"""A subject runs as the processes that its modes need, and each says what it is."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from small_platform import small_checkout

from conftest import ROOT
from middlemark.errors import InputError, TargetError
from middlemark.processes.ports import PortTakenError, free_port, is_free
from middlemark.processes.watchdog import watchdog
from middlemark.specification.specification import about_name, find_specification
from middlemark.subject.build import build
from middlemark.subject.subject import find_subject
from middlemark.topology.about import About, compare_about, differs_from_request
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

URL = "postgresql://user:secret@127.0.0.1:1/name"
SHOWN_URL = "postgresql://user@127.0.0.1:1/name"
Deploy = Callable[..., AbstractContextManager[Target]]


@pytest.fixture
def deploy(tmp_path: Path) -> Iterator[Deploy]:
    """Give a function that deploys the small platform with the modes, settings, port and instances it is given."""
    subject = find_subject(small_checkout(tmp_path), "small", "brokerage")
    with watchdog(tmp_path / "runtime") as watching:
        program = Program(subject, build(subject, tmp_path, watching))

        def deploy(modes: dict[str, str], **more: object) -> AbstractContextManager[Target]:
            wanted: dict[str, object] = {"databases": {"brokerage": URL}, **more}
            request = DeploymentRequest(program, modes, logs=tmp_path / "logs", **wanted)  # type: ignore[arg-type]
            return deployed(request, watching)

        yield deploy


def test_a_local_binding_is_one_process_that_is_web_and_services(deploy: Deploy) -> None:
    with deploy({}) as target:
        assert list(target.tiers) == ["web+services"]
        (about,) = target.about().values()
        port = target.addresses[0].rpartition(":")[2]
    left_out = find_specification("brokerage", ROOT).description.settings
    assert about.settings == {
        **dict.fromkeys(map(about_name, left_out), ""),
        "role": "web",
        "host": "127.0.0.1",
        "port": port,
        "binding": "local",
        "data_access": "native",
        "orders": "sync",
        "database_url": SHOWN_URL,
    }
    assert is_free(int(port))


def test_a_remote_binding_is_a_web_process_without_database_that_knows_its_services(deploy: Deploy) -> None:
    with deploy({"binding": "json"}) as target:
        assert list(target.tiers) == ["services", "web"]
        about = target.about()
        services = target.address_of_tier("services")
    assert about["web"].settings["services_url"] == services
    assert "database_url" not in about["web"].settings
    assert about["services"].settings["database_url"] == SHOWN_URL
    assert about["services"].settings["role"] == "services"


def test_several_web_processes_share_one_services_process(deploy: Deploy) -> None:
    with deploy({"binding": "json"}, instances={"web": 2}) as target:
        assert len(set(target.addresses)) == 2
        assert [len(pids) for pids in target.tiers.values()] == [1, 2]
        assert {about.settings.get("services_url") for name, about in target.about().items() if "web" in name} == {
            target.members[0].address
        }


def test_asynchronous_orders_have_a_processor_of_their_own(deploy: Deploy) -> None:
    with deploy({"orders": "async-queue"}) as target:
        assert list(target.tiers) == ["processor", "web+services"]
        assert target.about()["processor"].settings["role"] == "processor"


def test_several_processors_share_the_messages(deploy: Deploy) -> None:
    with deploy({"orders": "async-queue"}, instances={"processor": 2}) as target:
        assert [len(pids) for pids in target.tiers.values()] == [2, 1]
        assert len(target.carrying("processor")) == 2


def test_synchronous_orders_have_no_processor(deploy: Deploy) -> None:
    with deploy({"orders": "sync"}) as target:
        assert list(target.tiers) == ["web+services"]
    refused = pytest.raises(InputError, match="processor has no process of its own here; 2 were requested")
    with refused, deploy({"orders": "sync"}, instances={"processor": 2}):
        pass


def test_one_process_offers_every_interface_when_that_is_requested(deploy: Deploy) -> None:
    with deploy({"orders": "async-queue"}, all_interfaces=True) as target:
        (about,) = target.about().values()
        assert about.settings["role"] == "all"
        assert about.settings["binding"] == "local"
        assert list(target.tiers) == ["web+services+processor"]
        assert target.address_of_tier("services") == target.addresses[0]
        assert "grpc" in target.interfaces
        assert target.interfaces["grpc"].endswith(about.settings["grpc_port"])
        (process,) = target.carrying("processor")
        assert target.carrying("web") == target.carrying("services") == (process,)


def test_a_local_binding_offers_no_services_unless_that_is_requested(deploy: Deploy) -> None:
    with deploy({}) as target:
        assert target.address_of_tier("services") is None
        assert target.interfaces == {}


def test_the_web_tier_calls_grpc_on_the_services_own_port(deploy: Deploy) -> None:
    with deploy({"binding": "grpc"}) as target:
        about = target.about()
        assert about["web"].settings["services_url"] == target.interfaces["grpc"]
        assert target.interfaces["grpc"] == f"http://127.0.0.1:{about['services'].settings['grpc_port']}"
        assert target.address_of_tier("services") == target.members[0].address != target.interfaces["grpc"]


def test_a_tier_of_another_subject_calls_the_services_and_each_says_whose_it_is(deploy: Deploy, tmp_path: Path) -> None:
    home = small_checkout(tmp_path / "other", name="other", native="only")
    other = find_subject(home, "other", "brokerage")
    with watchdog(tmp_path / "another runtime") as watching:
        front_end = Program(other, build(other, home, watching))
    with deploy({"binding": "json", "data-access": "other"}, tiers={"web": front_end}) as target:
        about = target.about()
        assert target.differences_from_request(about) == []
        assert {name: one.platform for name, one in about.items()} == {"services": "small", "web": "other"}
        assert about["web"].settings["services_url"] == target.address_of_tier("services")
        assert (about["services"].settings["data_access"], about["web"].settings["data_access"]) == ("other", "only")
        swapped = {"services": about["web"], "web": about["services"]}
        differences = target.differences_from_request(swapped)
    assert "services: platform is other, small was requested" in differences
    assert "web: platform is small, other was requested" in differences


def test_a_process_cannot_carry_a_tier_of_another_subject(deploy: Deploy, tmp_path: Path) -> None:
    other = find_subject(small_checkout(tmp_path / "other", name="other"), "other", "brokerage")
    with (
        pytest.raises(InputError, match="the web process of other cannot carry services of small"),
        deploy({}, tiers={"web": Program(other, tmp_path)}),
    ):
        pass


def test_a_process_starts_again_on_the_same_folder_and_port(deploy: Deploy) -> None:
    with deploy({"binding": "json"}) as target:
        (services,) = target.carrying("services")
        before = services.pid
        services.signal(signal.SIGKILL)
        services.wait()
        services.restart()
        target.wait_until_ready()
        assert target.died() is None
        assert services.pid != before
        assert target.about()["services"].settings["port"] == target.members[0].address.rpartition(":")[2]


def test_settings_reach_every_process(deploy: Deploy) -> None:
    with deploy({"binding": "json"}, settings={"MM_DATABASE_POOL": "7"}) as target:
        assert {about.settings["database_pool"] for about in target.about().values()} == {"7"}


def test_a_setting_the_specification_does_not_know_is_wrong_input(deploy: Deploy) -> None:
    with (
        pytest.raises(InputError, match="Did you mean 'MM_DATABASE_POOL'"),
        deploy({}, settings={"MM_DATABASE_POL": "7"}),
    ):
        pass


def test_the_port_of_a_request_is_used_or_refused(deploy: Deploy) -> None:
    port = free_port()
    with deploy({}, port=port) as target:
        assert target.addresses == (f"http://127.0.0.1:{port}",)
        with pytest.raises(PortTakenError, match=str(port)), deploy({}, port=port):
            pass


def test_a_dead_process_is_noticed_and_its_absence_is_no_readiness(deploy: Deploy) -> None:
    with deploy({"binding": "json"}) as target:
        target.wait_until_ready()
        assert target.died() is None
        (services,) = target.carrying("services")
        services.signal(signal.SIGKILL)
        services.wait()
        died = target.died()
        assert died
        assert str(died) == "small services was killed by SIGKILL"
        with pytest.raises(TargetError, match="SIGKILL"):
            target.wait_until_ready()


def test_with_a_local_binding_the_web_process_carries_the_services(deploy: Deploy) -> None:
    with deploy({}) as target:
        assert target.carrying("services") == target.carrying("web") == (target.members[0].process,)
        assert target.carrying("processor") == ()


def test_what_changed_between_two_abouts_is_named_by_process_and_setting(deploy: Deploy) -> None:
    with deploy({}) as target:
        before = target.about()
        assert compare_about(before, target.about()) == []
    (name,) = before
    changed: About = before[name].model_copy(update={"settings": {**before[name].settings, "orders": "async-queue"}})
    (change,) = compare_about(before, {name: changed})
    assert name in change
    assert "orders" in change
    assert "sync" in change
    assert "async-queue" in change


def test_settings_and_versions_in_another_sequence_are_the_same_and_another_version_is_named() -> None:
    before = an_about(binding="json", orders="sync").model_copy(update={"versions": {"java": "17", "Jakarta EE": "10"}})
    turned: About = before.model_copy(
        update={
            "settings": dict(reversed(before.settings.items())),
            "versions": dict(reversed(before.versions.items())),
        }
    )
    other: About = before.model_copy(update={"versions": {"Jakarta EE": "10", "java": "21"}})

    assert list(turned.versions) != list(before.versions)
    assert compare_about({"web": before}, {"web": turned}) == []
    assert compare_about({"web": before}, {"web": other}) == ["web: version of java was 17, is 21"]


def test_a_process_that_says_what_was_requested_does_not_differ_from_it() -> None:
    about = an_about(binding="json", database_url=SHOWN_URL)
    requested = {"platform": "small", "specification_version": "1", "MM_BINDING": "json", "MM_DATABASE_URL": URL}

    assert differs_from_request("web", about, requested) == []


@pytest.mark.parametrize(
    ("requested", "text"),
    [
        ({"MM_BINDING": "local"}, "web: binding is json, local was requested"),
        ({"MM_ORDERS": "sync"}, "web: orders is missing, sync was requested"),
        ({"specification_version": "2"}, "web: specification_version is 1, 2 was requested"),
        ({"platform": "go"}, "web: platform is small, go was requested"),
        ({"MM_DATABASE_URL": URL}, "web: database_url is missing, postgresql://user@127.0.0.1:1/name was requested"),
    ],
)
def test_a_process_that_differs_from_the_request_is_named(requested: dict[str, str], text: str) -> None:
    assert differs_from_request("web", an_about(binding="json"), requested) == [text]


def an_about(**settings: str) -> About:
    return About(
        platform="small",
        server="http.server",
        specification="brokerage",
        specification_version="1",
        commit="unknown",
        roles=("web",),
        settings=settings,
        versions={},
        not_default=(),
    )
