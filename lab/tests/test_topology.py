"""A subject runs as the processes its modes need, and each tells what it is."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from small_platform import small_checkout

from middlemark.errors import InputError, TargetError
from middlemark.processes.ending import Part
from middlemark.processes.guard import guard
from middlemark.processes.ports import PortTakenError, free_port, is_free
from middlemark.subject.build import build
from middlemark.subject.subject import find_subject
from middlemark.topology.about import About, compare_about, unlike_asked
from middlemark.topology.serving_order import Program
from middlemark.topology.topology import ServingOrder, Target, serving

URL = "postgresql://user:secret@127.0.0.1:1/name"
Serve = Callable[..., AbstractContextManager[Target]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Give a function that serves the small platform with the modes, settings, port and web servers it is given."""
    subject = find_subject(small_checkout(tmp_path), "small", "brokerage")
    with guard(tmp_path / "runtime") as guarding:
        artifact = build(subject, tmp_path, guarding)

        def serve(modes: dict[str, str], **more: object) -> AbstractContextManager[Target]:
            order = ServingOrder(subject, artifact, modes, URL, tmp_path / "logs", **more)  # type: ignore[arg-type]
            return serving(order, guarding)

        yield serve


def test_a_local_binding_is_one_process_that_is_web_and_services(serve: Serve) -> None:
    with serve({}) as target:
        assert list(target.tiers) == ["web+services"]
        (about,) = target.about().values()
        port = target.addresses[0].rpartition(":")[2]
    assert about.settings == {
        "role": "web",
        "host": "127.0.0.1",
        "port": port,
        "binding": "local",
        "data_access": "native",
        "orders": "sync",
        "database_url": URL,
    }
    assert is_free(int(port))


def test_a_remote_binding_is_a_web_process_without_database_that_knows_its_services(serve: Serve) -> None:
    with serve({"binding": "json"}) as target:
        assert list(target.tiers) == ["services", "web"]
        about = target.about()
        services = next(member.address for member in target.members if member.part is Part.SERVICES)
    assert about["web"].settings["services_url"] == services
    assert "database_url" not in about["web"].settings
    assert about["services"].settings["database_url"] == URL
    assert about["services"].settings["role"] == "services"


def test_several_web_processes_share_one_services_process(serve: Serve) -> None:
    with serve({"binding": "json"}, web_servers=2) as target:
        assert len(set(target.addresses)) == 2
        assert [len(pids) for pids in target.tiers.values()] == [1, 2]
        assert {about.settings.get("services_url") for name, about in target.about().items() if "web" in name} == {
            target.members[0].address
        }


def test_asynchronous_orders_have_a_processor_of_their_own(serve: Serve) -> None:
    with serve({"orders": "async-queue"}) as target:
        assert list(target.tiers) == ["processor", "web+services"]
        assert target.about()["processor"].settings["role"] == "processor"


def test_several_processors_share_the_messages(serve: Serve) -> None:
    with serve({"orders": "async-queue"}, processors=2) as target:
        assert [len(pids) for pids in target.tiers.values()] == [2, 1]
        assert len(target.carrying(Part.PROCESSOR)) == 2


def test_synchronous_orders_have_no_processor(serve: Serve) -> None:
    with serve({"orders": "sync"}, processors=2) as target:
        assert list(target.tiers) == ["web+services"]


def test_one_process_offers_every_binding_when_that_is_asked(serve: Serve) -> None:
    with serve({"orders": "async-queue"}, offer_services=True) as target:
        (about,) = target.about().values()
        assert about.settings["role"] == "all"
        assert about.settings["binding"] == "local"
        assert list(target.tiers) == ["web+services+processor"]
        assert target.services_address == target.addresses[0]
        assert target.grpc_address is not None
        assert target.grpc_address.endswith(about.settings["grpc_port"])
        (process,) = target.carrying(Part.PROCESSOR)
        assert target.carrying(Part.WEB) == target.carrying(Part.SERVICES) == (process,)


def test_a_local_binding_offers_no_services_unless_that_is_asked(serve: Serve) -> None:
    with serve({}) as target:
        assert target.services_address is None
        assert target.grpc_address is None


def test_the_web_tier_calls_grpc_on_the_services_own_port(serve: Serve) -> None:
    with serve({"binding": "grpc"}) as target:
        about = target.about()
        assert about["web"].settings["services_url"] == target.grpc_address
        assert target.grpc_address == f"http://127.0.0.1:{about['services'].settings['grpc_port']}"
        assert target.services_address == target.members[0].address != target.grpc_address


def test_the_web_tier_of_another_subject_calls_the_services_and_each_is_told_apart(
    serve: Serve, tmp_path: Path
) -> None:
    home = small_checkout(tmp_path / "other", name="other", native="only")
    other = find_subject(home, "other", "brokerage")
    with guard(tmp_path / "another runtime") as guarding:
        web = Program(other, build(other, home, guarding))
    with serve({"binding": "json", "data-access": "other"}, web=web) as target:
        about = target.about()
        told = target.unlike_asked(about, "1")
        assert [text for text in told if "database_url" not in text] == []
        assert {name: one.platform for name, one in about.items()} == {"services": "small", "web": "other"}
        assert about["web"].settings["services_url"] == target.services_address
        assert (about["services"].settings["data_access"], about["web"].settings["data_access"]) == ("other", "only")
        swapped = {"services": about["web"], "web": about["services"]}
        told = target.unlike_asked(swapped, "1")
    assert "services: platform is other, small was asked" in told
    assert "web: platform is small, other was asked" in told


def test_the_web_tier_of_another_subject_cannot_carry_the_services(serve: Serve, tmp_path: Path) -> None:
    other = find_subject(small_checkout(tmp_path / "other", name="other"), "other", "brokerage")
    with (
        pytest.raises(InputError, match="the web tier of other cannot carry the services of small"),
        serve({}, web=Program(other, tmp_path)),
    ):
        pass


def test_a_process_starts_again_on_the_same_folder_and_port(serve: Serve) -> None:
    with serve({"binding": "json"}) as target:
        (services,) = target.carrying(Part.SERVICES)
        before = services.pid
        services.signal(signal.SIGKILL)
        services.wait()
        services.restart()
        target.wait_until_ready()
        assert target.died() is None
        assert services.pid != before
        assert target.about()["services"].settings["port"] == target.members[0].address.rpartition(":")[2]


def test_settings_reach_every_process(serve: Serve) -> None:
    with serve({"binding": "json"}, settings={"MM_DATABASE_POOL": "7"}) as target:
        assert {about.settings["database_pool"] for about in target.about().values()} == {"7"}


def test_a_setting_the_specification_does_not_know_is_wrong_input(serve: Serve) -> None:
    with (
        pytest.raises(InputError, match="Did you mean 'MM_DATABASE_POOL'"),
        serve({}, settings={"MM_DATABASE_POL": "7"}),
    ):
        pass


def test_the_ports_of_the_order_are_taken_or_refused(serve: Serve) -> None:
    port = free_port()
    with serve({}, port=port) as target:
        assert target.addresses == (f"http://127.0.0.1:{port}",)
        with pytest.raises(PortTakenError, match=str(port)), serve({}, port=port):
            pass


def test_a_dead_process_is_noticed_and_its_absence_is_no_readiness(serve: Serve) -> None:
    with serve({"binding": "json"}) as target:
        target.wait_until_ready()
        assert target.died() is None
        (victim,) = target.carrying(Part.SERVICES)
        victim.signal(signal.SIGKILL)
        victim.wait()
        died = target.died()
        assert died
        assert str(died) == "small services was killed by SIGKILL"
        with pytest.raises(TargetError, match="SIGKILL"):
            target.wait_until_ready()


def test_with_a_local_binding_the_web_process_carries_the_services(serve: Serve) -> None:
    with serve({}) as target:
        assert target.carrying(Part.SERVICES) == target.carrying(Part.WEB) == (target.members[0].process,)
        assert target.carrying(Part.PROCESSOR) == ()


def test_what_changed_between_two_abouts_is_told_by_process_and_setting(serve: Serve) -> None:
    with serve({}) as target:
        before = target.about()
        assert compare_about(before, target.about()) == []
    (name,) = before
    changed: About = before[name].model_copy(update={"settings": {**before[name].settings, "orders": "async-queue"}})
    (change,) = compare_about(before, {name: changed})
    assert name in change
    assert "orders" in change
    assert "sync" in change
    assert "async-queue" in change


def test_settings_and_versions_told_in_another_order_are_the_same_and_another_version_is_told() -> None:
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


def test_a_process_that_says_what_was_asked_is_not_unlike_it() -> None:
    about = an_about(binding="json", database_url="postgresql://user@127.0.0.1:1/name")
    asked = {"platform": "small", "specification_version": "1", "MM_BINDING": "json", "MM_DATABASE_URL": URL}

    assert unlike_asked("web", about, asked) == []


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"MM_BINDING": "local"}, "web: binding is json, local was asked"),
        ({"MM_ORDERS": "sync"}, "web: orders is missing, sync was asked"),
        ({"specification_version": "2"}, "web: specification_version is 1, 2 was asked"),
        ({"platform": "go"}, "web: platform is small, go was asked"),
        ({"MM_DATABASE_URL": URL}, "web: database_url is missing, postgresql://user@127.0.0.1:1/name was asked"),
    ],
)
def test_a_process_that_does_otherwise_than_asked_is_told(asked: dict[str, str], told: str) -> None:
    assert unlike_asked("web", an_about(binding="json"), asked) == [told]


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
