"""Which processes a subject becomes is planned from its specification, before anything is started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from small_servers import IS_PROXY, small_server
from small_shop import CARRIED, EVERY_ROLE, ONE_PLATFORM, ONE_TIER, SHOP, shop

from middlemark.errors import InputError
from middlemark.specification.tiers import Protocol
from middlemark.subject.server import Server, load_server
from middlemark.subject.subject import Subject
from middlemark.topology.plan import PlannedProcess, plan
from middlemark.topology.request import DeploymentRequest, Program

URLS = {name: f"postgresql://user@127.0.0.1:1/{name}" for name in ("goods", "money")}
PRINTER_CALLS_STOCK = SHOP.replace(
    "[roles]", '[tiers.printer.calls.stock]\naddresses = { http = "MM_STOCK_PAGES" }\n[roles]'
)
PROXY_BEFORE_STOCK = SHOP.replace("[effects", '[reverse_proxy]\nbefore = ["stock", "site"]\n[effects')
HTTP, GRPC, TCP = Protocol.HTTP, Protocol.GRPC, "tcp"


def request_for(subject: Subject, modes: dict[str, str] | None = None, **more: object) -> DeploymentRequest:
    program = Program(subject, Path("artifact"))
    return DeploymentRequest(program, modes or {}, URLS, Path("logs"), **more)  # type: ignore[arg-type]


def planned(subject: Subject, modes: dict[str, str] | None = None, **more: object) -> dict[str, PlannedProcess]:
    """Return the processes by their names, in the order in which they start."""
    return {one.name: one for one in plan(request_for(subject, modes, **more))}


@pytest.fixture
def small(tmp_path: Path) -> Subject:
    return shop(tmp_path)


@pytest.fixture
def proxy(tmp_path: Path) -> Server:
    return load_server(small_server(tmp_path / "servers", "relay", IS_PROXY).parents[1], "relay")


def test_one_tier_is_one_process_that_is_told_no_role(tmp_path: Path) -> None:
    one = shop(tmp_path, specification=ONE_TIER, platform=ONE_PLATFORM)
    assert planned(one) == {"site": PlannedProcess("site", ("site",), ("site",))}


def test_a_tier_that_is_called_in_process_is_carried_by_its_caller_and_not_offered(small: Subject) -> None:
    processes = planned(small)
    assert list(processes) == ["books", "site"]
    site = processes["site"]
    assert (site.role, site.tiers, site.offers, site.label) == ("site", ("site", "stock"), ("site",), "site+stock")
    assert site.listens == {HTTP}
    assert site.calls == {"books": "books"}


def test_a_tier_that_is_called_from_outside_has_a_process_of_its_own_that_starts_before(small: Subject) -> None:
    processes = planned(small, {"calls": "json"})
    assert list(processes) == ["books", "stock", "site"]
    assert {name: one.calls for name, one in processes.items()} == {
        "books": {},
        "stock": {"books": "books"},
        "site": {"stock": "stock"},
    }
    assert {name: one.role for name, one in processes.items()} == {name: name for name in processes}


def test_a_process_listens_on_a_fixed_protocol_always_and_on_that_of_an_interface_where_it_is_called(
    small: Subject,
) -> None:
    assert planned(small, {"calls": "json"})["books"].listens == {HTTP, TCP}
    assert planned(small, {"calls": "json"})["stock"].listens == {HTTP}
    assert planned(small, {"calls": "binary"})["stock"].listens == {HTTP, GRPC}
    assert planned(small, {"calls": "json"}, all_interfaces=True)["stock"].listens == {HTTP, GRPC}


def test_a_tier_with_a_condition_has_a_process_only_where_it_holds(small: Subject) -> None:
    assert "printer" not in planned(small)
    assert list(planned(small, {"receipts": "printed"})) == ["printer", "books", "site"]


def test_one_process_of_the_role_that_carries_all_offers_every_interface(small: Subject) -> None:
    (one,) = planned(small, all_interfaces=True).values()
    assert (one.name, one.role) == ("everything", "everything")
    assert one.tiers == one.offers == ("site", "stock", "books")
    assert one.listens == {HTTP, GRPC, TCP}
    assert one.calls == {}


def test_one_process_carries_every_tier_where_requests_choose_what_is_called_in_process(tmp_path: Path) -> None:
    small = shop(tmp_path, specification=CARRIED)
    (one,) = planned(small).values()
    assert (one.role, one.offers) == ("everything", ("site", "stock", "books"))
    assert list(planned(small, {"calls": "json"})) == ["books", "stock", "site"]


def test_a_platform_that_is_not_divided_is_one_process(tmp_path: Path) -> None:
    (one,) = planned(shop(tmp_path, roles=("everything",)), {"receipts": "printed"}).values()
    assert (one.name, one.tiers) == ("everything", ("site", "stock", "books", "printer"))


def test_a_platform_that_is_not_divided_cannot_call_from_outside(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"platform\.toml: small has no role 'site'"):
        planned(shop(tmp_path, roles=("everything",)), {"calls": "json"})


def test_a_role_that_the_platform_lacks_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"platform\.toml: small has no role 'printer'"):
        planned(shop(tmp_path, roles=EVERY_ROLE[:3]), {"receipts": "printed"})
    nobody = SHOP.replace('everything = ["printer", ', "everything = [")
    with pytest.raises(InputError, match="small has no role that carries site and stock and books and printer"):
        planned(shop(tmp_path / "2", specification=nobody), all_interfaces=True)


def test_tiers_that_nobody_calls_may_have_several_processes(small: Subject) -> None:
    processes = planned(small, {"receipts": "printed"}, instances={"site": 2, "printer": 3}, port=8080)
    assert list(processes) == ["printer-1", "printer-2", "printer-3", "books", "site-1", "site-2"]
    assert [one.port for one in processes.values()] == [None, None, None, None, 8080, None]


@pytest.mark.parametrize(
    ("modes", "more", "tier"),
    [
        ({"calls": "json"}, {"instances": {"stock": 2}}, "stock"),
        ({}, {"instances": {"books": 2}}, "books"),
        ({}, {"instances": {"site": 2}, "all_interfaces": True}, "site"),
    ],
)
def test_a_tier_that_others_call_has_one_process(
    small: Subject, modes: dict[str, str], more: dict[str, object], tier: str
) -> None:
    with pytest.raises(InputError, match=f"{tier} has one process where others call it; 2 were requested"):
        planned(small, modes, **more)


def test_a_tier_inside_another_process_has_no_processes_to_be_numbered(small: Subject) -> None:
    with pytest.raises(InputError, match="stock has no process of its own here; 3 were requested"):
        planned(small, instances={"stock": 3})


def test_a_tier_inside_one_process_cannot_be_called_by_another(tmp_path: Path) -> None:
    subject = shop(tmp_path, specification=PRINTER_CALLS_STOCK)
    modes = {"receipts": "printed"}
    assert planned(subject, {**modes, "calls": "json"})["printer"].calls == {"stock": "stock"}
    with pytest.raises(InputError, match="printer cannot call stock, which runs inside the process of site"):
        planned(subject, {**modes, "calls": "inside"})


def test_two_processes_cannot_carry_one_tier(tmp_path: Path) -> None:
    inside = 'address = "MM_STOCK_ADDRESS"\nmode = "calls"\nin_process = ["inside"]'
    specification = PRINTER_CALLS_STOCK.replace('addresses = { http = "MM_STOCK_PAGES" }', inside)
    with pytest.raises(InputError, match="site cannot call stock, which runs inside the process of printer"):
        planned(shop(tmp_path, specification=specification), {"receipts": "printed"})


def test_a_reverse_proxy_stands_before_each_process_of_the_entry_and_has_the_requested_port(
    small: Subject, proxy: Server
) -> None:
    processes = planned(small, instances={"site": 2}, reverse_proxy=proxy, port=8080)
    assert list(processes) == ["books", "site-1", "site-2", "reverse-proxy-1", "reverse-proxy-2"]
    first, second = processes["reverse-proxy-1"], processes["reverse-proxy-2"]
    assert (first.behind, second.behind) == (("site-1",), ("site-2",))
    assert [one.port for one in processes.values()] == [None, None, None, 8080, None]
    assert first.is_proxy
    assert first.label == "reverse-proxy"


def test_a_reverse_proxy_stands_before_the_first_tier_that_has_processes_of_its_own(
    tmp_path: Path, proxy: Server
) -> None:
    subject = shop(tmp_path, specification=PROXY_BEFORE_STOCK)
    apart = planned(subject, {"calls": "json"}, reverse_proxy=proxy, port=8080)
    assert list(apart) == ["books", "stock", "reverse-proxy", "site"]
    assert apart["site"].calls == {"stock": "reverse-proxy"}
    assert apart["site"].port == 8080
    inside = planned(subject, {"calls": "inside"}, reverse_proxy=proxy)
    assert inside["reverse-proxy"].behind == ("site",)


def test_a_proxy_that_balances_stands_before_all_processes_of_a_tier_also_of_one_that_others_call(
    tmp_path: Path,
) -> None:
    balances = IS_PROXY.replace('["http/1.1"]', '["http/1.1"]\nbalances = true')
    proxy = load_server(small_server(tmp_path / "servers", "relay", balances).parents[1], "relay")
    subject = shop(tmp_path, specification=PROXY_BEFORE_STOCK)
    entry = planned(subject, {"calls": "inside"}, instances={"site": 2}, reverse_proxy=proxy, port=8080)
    assert entry["reverse-proxy"].behind == ("site-1", "site-2")
    assert [one.port for one in entry.values()] == [None, None, None, 8080]
    called = planned(subject, {"calls": "json"}, instances={"stock": 2, "site": 2}, reverse_proxy=proxy)
    assert called["reverse-proxy"].behind == ("stock-1", "stock-2")
    assert [called[name].calls["stock"] for name in ("site-1", "site-2")] == ["reverse-proxy"] * 2


def test_a_reverse_proxy_that_does_not_pass_the_protocol_on_is_refused(tmp_path: Path, proxy: Server) -> None:
    subject = shop(tmp_path, specification=PROXY_BEFORE_STOCK.replace('["stock", "site"]', '["books"]'))
    with pytest.raises(InputError, match=r"relay passes http/1\.1 on, and tcp is needed"):
        planned(subject, reverse_proxy=proxy)
    subject = shop(tmp_path / "2", specification=PROXY_BEFORE_STOCK)
    with pytest.raises(InputError, match=r"relay passes http/1\.1 on, and http/2 is needed"):
        planned(subject, {"calls": "binary"}, reverse_proxy=proxy)


def test_what_a_reverse_proxy_is_not_to_pass_on_is_called_directly(tmp_path: Path, proxy: Server) -> None:
    listeners = PROXY_BEFORE_STOCK.replace('["stock", "site"]', '["books"]\nlisteners = ["http"]')
    processes = planned(shop(tmp_path, specification=listeners), reverse_proxy=proxy)
    assert processes["reverse-proxy"].listens == {HTTP}
    assert processes["site"].calls == {"books": "reverse-proxy"}


def test_a_proxy_that_passes_a_part_on_stands_before_one_process(tmp_path: Path) -> None:
    balances = IS_PROXY.replace('["http/1.1"]', '["http/1.1"]\nbalances = true')
    proxy = load_server(small_server(tmp_path / "servers", "relay", balances).parents[1], "relay")
    listeners = PROXY_BEFORE_STOCK.replace('["stock", "site"]', '["books"]\nlisteners = ["http"]')
    with pytest.raises(InputError, match="books has one process where others call it; 2 were requested"):
        planned(shop(tmp_path, specification=listeners), instances={"books": 2}, reverse_proxy=proxy)


def test_a_reverse_proxy_stands_nowhere_with_other_values_than_the_specification_names(
    tmp_path: Path, proxy: Server
) -> None:
    only_with = PROXY_BEFORE_STOCK.replace('"stock", "site"]', '"stock", "site"]\nonly_with = { receipts = ["none"] }')
    subject = shop(tmp_path, specification=only_with)
    assert "reverse-proxy" in planned(subject, {"calls": "json"}, reverse_proxy=proxy)
    assert "reverse-proxy" not in planned(subject, {"calls": "json", "receipts": "printed"})
    with pytest.raises(InputError, match="a reverse proxy exists only with receipts=none, not with printed"):
        planned(subject, {"calls": "json", "receipts": "printed"}, reverse_proxy=proxy)


def test_a_reverse_proxy_listens_on_every_protocol_that_it_passes_on(tmp_path: Path) -> None:
    passes_tcp = IS_PROXY.replace('["http/1.1"]', '["http/1.1", "tcp"]')
    proxy = load_server(small_server(tmp_path / "servers", "relay", passes_tcp).parents[1], "relay")
    subject = shop(tmp_path, specification=PROXY_BEFORE_STOCK.replace('["stock", "site"]', '["books"]'))
    processes = planned(subject, reverse_proxy=proxy)
    assert processes["reverse-proxy"].listens == {HTTP, TCP}
    assert processes["site"].calls == {"books": "reverse-proxy"}


def test_a_process_of_another_subject_carries_no_tier_of_this_one(small: Subject, tmp_path: Path) -> None:
    other = {"site": Program(replace(shop(tmp_path / "other"), name="other"), Path("artifact"))}
    assert list(planned(small, {"calls": "json"}, tiers=other)) == ["books", "stock", "site"]
    with pytest.raises(InputError, match="the site process of other cannot carry stock of small"):
        planned(small, tiers=other)
    with pytest.raises(InputError, match=r"the site process of other cannot carry (stock|books) of small"):
        planned(small, tiers=other, all_interfaces=True)
    with pytest.raises(InputError, match="the site process of small cannot carry stock of other"):
        planned(small, tiers={"stock": other["site"]})
