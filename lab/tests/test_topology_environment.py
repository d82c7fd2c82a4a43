"""Each process is told what the specification says of its tiers, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from small_servers import IS_PROXY, TEMPLATES, small_server
from small_shop import PLATFORM, SHOP, shop

from middlemark.errors import InputError
from middlemark.processes.process import ProcessSpec
from middlemark.processes.watchdog import watchdog
from middlemark.subject.build import build
from middlemark.subject.server import load_server
from middlemark.topology.deployment import deployed
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.topology.target import Target

GOODS = "postgresql://user:secret@127.0.0.1:1/goods"
MONEY = "postgresql://user:secret@127.0.0.2:1/money"
URLS = {"goods": GOODS, "money": MONEY}
Deploy = Callable[..., AbstractContextManager[Target]]


@pytest.fixture
def deploy(tmp_path: Path) -> Iterator[Deploy]:
    """Give a function that deploys the shop with the modes, databases and whatever else it is given."""
    platform = f'{PLATFORM}\n[specs.shop.cases_environment]\nQUICKLY = "yes"\n'
    subject = shop(tmp_path, platform=platform)
    with watchdog(tmp_path / "runtime") as watching:
        program = Program(subject, build(subject, tmp_path, watching))

        def deploy(modes: dict[str, str], databases: dict[str, str], **more: object) -> AbstractContextManager[Target]:
            request = DeploymentRequest(program, modes, databases, tmp_path / "logs", **more)  # type: ignore[arg-type]
            return deployed(request, watching)

        yield deploy


def specs(target: Target) -> dict[str, ProcessSpec]:
    return {member.name: member.process.spec for member in target.members}


def settings(target: Target) -> dict[str, dict[str, str]]:
    """Return what each process is told, without the ports and addresses that differ from start to start."""
    changing = {"MM_PORT", "MM_STOCK_PORT", "MM_BOOKS_PORT", "MM_STOCK_ADDRESS", "MM_BOOKS_ADDRESS", "MM_PICTURES"}
    return {
        name: {variable: value for variable, value in spec.settings.items() if variable not in changing}
        for name, spec in specs(target).items()
    }


def test_a_process_is_told_the_modes_databases_and_role_of_its_tiers(deploy: Deploy) -> None:
    common = {"MM_HOST": "127.0.0.1", "MM_RECEIPTS": "printed", "MM_STORE": "rows"}
    with deploy({"calls": "json", "receipts": "printed"}, URLS) as target:
        assert settings(target) == {
            "printer": {**common, "MM_ROLE": "printer"},
            "books": {**common, "MM_ROLE": "books", "MM_GOODS_URL": GOODS, "MM_MONEY_URL": MONEY},
            "stock": {**common, "MM_ROLE": "stock", "MM_GOODS_URL": GOODS},
            "site": {**common, "MM_ROLE": "site", "MM_CALLS": "json"},
        }
        assert target.differences_from_request(target.about()) == []


def test_a_process_that_carries_several_tiers_is_told_of_all_of_them(deploy: Deploy) -> None:
    with deploy({"calls": "inside"}, URLS) as target:
        site = settings(target)["site"]
        assert (site["MM_ROLE"], site["MM_CALLS"], site["MM_GOODS_URL"]) == ("site", "inside", GOODS)
        assert "MM_MONEY_URL" not in site
        assert "MM_STOCK_ADDRESS" not in specs(target)["site"].settings


def test_an_address_is_a_url_over_http_and_a_place_over_tcp(deploy: Deploy) -> None:
    with deploy({"calls": "binary"}, URLS) as target:
        site, stock, books = (specs(target)[name].settings for name in ("site", "stock", "books"))
        assert site["MM_STOCK_ADDRESS"] == f"http://127.0.0.1:{stock['MM_STOCK_PORT']}" == target.interfaces["binary"]
        assert stock["MM_BOOKS_ADDRESS"] == f"127.0.0.1:{books['MM_BOOKS_PORT']}"
        assert len({books["MM_PORT"], books["MM_BOOKS_PORT"], stock["MM_PORT"], stock["MM_STOCK_PORT"]}) == 4
        assert specs(target)["books"].ports == (int(books["MM_PORT"]), int(books["MM_BOOKS_PORT"]))


def test_a_file_set_is_the_path_of_its_folder(deploy: Deploy, tmp_path: Path) -> None:
    with deploy({}, URLS) as target:
        pictures = {name: spec.settings.get("MM_PICTURES") for name, spec in specs(target).items()}
    assert pictures == {"books": None, "site": str(tmp_path / "specs" / "shop" / "pictures")}


def test_only_a_process_for_cases_has_the_environment_of_cases(deploy: Deploy) -> None:
    for in_cases in (False, True):
        with deploy({}, URLS, in_cases=in_cases) as target:
            assert {spec.settings.get("QUICKLY") for spec in specs(target).values()} == {"yes" if in_cases else None}


def test_one_process_of_all_tiers_spells_its_role_out_in_the_sequence_of_the_specification(deploy: Deploy) -> None:
    with deploy({"receipts": "printed"}, URLS, all_interfaces=True) as target:
        about = target.about()
        (difference,) = target.differences_from_request(about)
        assert difference == "everything: role is everything, printer,site,stock,books was requested"
        spelled_out = {**about["everything"].settings, "role": "printer,site,stock,books"}
        spelled = {"everything": about["everything"].model_copy(update={"settings": spelled_out})}
        assert target.differences_from_request(spelled) == []


def test_a_tier_inside_another_process_has_no_address(deploy: Deploy) -> None:
    with deploy({"calls": "inside"}, URLS) as target:
        assert target.address_of_tier("books") == target.members[0].address
        assert target.interfaces == {}
        assert target.address_of_tier("stock") is None


def test_what_is_called_over_tcp_is_called_by_the_reverse_proxy_that_stands_there(tmp_path: Path) -> None:
    before_books = SHOP.replace("[effects", '[reverse_proxy]\nbefore = ["books"]\n[effects')
    passes_tcp = IS_PROXY.replace('["http/1.1"]', '["http/1.1", "tcp"]')
    subject = shop(tmp_path, specification=before_books)
    folder = small_server(tmp_path, "relay", passes_tcp)
    others = (
        '"others": "{% for one in others %}{{ one.protocol }} {{ one.port }} {{ one.upstream }}{% endfor %}", "host"'
    )
    (folder / "proxy.template").write_text(TEMPLATES["proxy.template"].replace('"host"', others))
    with watchdog(tmp_path / "runtime") as watching:
        program = Program(subject, build(subject, tmp_path, watching))
        proxy = load_server(tmp_path, "relay")
        request = DeploymentRequest(program, {}, URLS, tmp_path / "logs", reverse_proxy=proxy)
        with deployed(request, watching) as target:
            started = specs(target)
            http, tcp = started["reverse-proxy"].ports
            books = started["books"].settings
            assert started["site"].settings["MM_BOOKS_ADDRESS"] == f"127.0.0.1:{tcp}"
            written = json.loads((started["reverse-proxy"].folder / "settings.json").read_text())
            assert written["others"] == f"tcp {tcp} 127.0.0.1:{books['MM_BOOKS_PORT']}"
            assert (written["port"], written["upstream"]) == (http, f"127.0.0.1:{books['MM_PORT']}")
            assert target.address_of_tier("books") == f"http://127.0.0.1:{http}"


def test_what_the_reverse_proxy_does_not_pass_on_goes_to_the_process_behind_it(tmp_path: Path) -> None:
    of_http = SHOP.replace("[effects", '[reverse_proxy]\nbefore = ["books"]\nlisteners = ["http"]\n[effects')
    both = of_http.replace("{ tcp =", '{ http = "MM_BOOKS_URL", tcp =')
    subject = shop(tmp_path, specification=both)
    small_server(tmp_path, "relay", IS_PROXY)
    with watchdog(tmp_path / "runtime") as watching:
        program = Program(subject, build(subject, tmp_path, watching))
        proxy = load_server(tmp_path, "relay")
        request = DeploymentRequest(program, {}, URLS, tmp_path / "logs", reverse_proxy=proxy)
        with deployed(request, watching) as target:
            started = specs(target)
            (http,) = started["reverse-proxy"].ports
            site, books = started["site"].settings, started["books"].settings
            assert site["MM_BOOKS_URL"] == f"http://127.0.0.1:{http}"
            assert site["MM_BOOKS_ADDRESS"] == f"127.0.0.1:{books['MM_BOOKS_PORT']}"


def test_a_setting_of_a_feature_that_the_platform_does_not_have_is_refused(deploy: Deploy) -> None:
    refused = pytest.raises(InputError, match="small has no feature 'motto', and so no MM_MOTTO")
    with refused, deploy({}, URLS, settings={"MM_MOTTO": "cheap"}):
        pass


def test_files_that_are_not_there_are_refused(deploy: Deploy, tmp_path: Path) -> None:
    (tmp_path / "specs" / "shop" / "pictures").rmdir()
    with (
        pytest.raises(InputError, match=r"the files 'pictures' are not there: .*/pictures is not a folder"),
        deploy({}, URLS),
    ):
        pass


@pytest.mark.parametrize(
    ("databases", "more", "message"),
    [
        ({**URLS, "money": GOODS}, {}, r"the databases 'goods' and 'money' have one address, 127\.0\.0\.1:1/goods"),
        ({"goods": GOODS, "money": "postgresql://other@127.0.0.1:1/goods"}, {}, "have one address"),
        ({"goods": GOODS, "money": GOODS.replace("127.0.0.1", "localhost")}, {}, "have one address"),
        ({"goods": GOODS, "money": MONEY.replace(":1/", ":x/")}, {}, "the port of the database URL is not a number"),
        ({"goods": GOODS}, {}, "the database 'money' has no address"),
        ({**URLS, "mony": MONEY + "2"}, {}, r"shop has no database 'mony'\. Name one of goods, money"),
        (URLS, {"instances": {"sites": 2}}, r"shop has no tier 'sites'\. Did you mean 'site'"),
        (URLS, {"instances": {"site": 0}}, "site needs at least one process"),
        (URLS, {"settings": {"MM_POOL": "0"}}, "MM_POOL: expected 1 or more, found 0"),
    ],
)
def test_a_request_that_cannot_be_fulfilled_is_refused_before_anything_starts(
    deploy: Deploy, tmp_path: Path, databases: dict[str, str], more: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message), deploy({"calls": "json"}, databases, **more):
        pass
    assert not (tmp_path / "logs").exists()
