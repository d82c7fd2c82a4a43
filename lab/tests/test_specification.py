"""A specification answers what the rest of the lab asks of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_shop import ONE_TIER, SHOP, specification

from conftest import ROOT
from middlemark.errors import InputError
from middlemark.specification.specification import (
    Specification,
    about_name,
    find_specification,
    only_specification,
    read_specification,
)


@pytest.fixture
def shop(tmp_path: Path) -> Specification:
    return specification(tmp_path, SHOP)


def test_every_specification_of_the_checkout_is_described_in_a_way_the_lab_understands() -> None:
    names = [file.parent.name for file in (ROOT / "specs").glob("*/spec.toml")]
    assert names
    assert [find_specification(name, ROOT).name for name in names] == names


def test_one_tier_needs_nothing_else(tmp_path: Path) -> None:
    site = specification(tmp_path, ONE_TIER)
    assert (site.description.entry, site.version, site.case_scale, site.default_scale) == ("site", "1", "", "")
    assert site.numbers(None) == site.numbers("") == {}
    assert (site.datasets(None), site.case_settings) == ({}, {})


def test_it_is_called_by_the_name_of_its_folder_and_says_its_version(shop: Specification) -> None:
    assert (shop.name, shop.version, shop.description.title) == ("shop", "3", "Shop")


def test_cases_begin_with_the_first_scale_and_people_with_the_one_called_demo(tmp_path: Path) -> None:
    shop = specification(tmp_path, SHOP)
    assert (shop.case_scale, shop.default_scale) == ("small", "demo")
    other = SHOP.replace("[scales.demo]", "[scales.large]").replace("[effects", '[cases]\nscale = "large"\n[effects')
    assert specification(tmp_path, other, "other").case_scale == "large"
    assert read_specification(tmp_path / "specs" / "other").default_scale == "small"


def test_a_scale_has_numbers_and_an_unknown_one_is_named_with_the_nearest(shop: Specification) -> None:
    assert shop.numbers("demo") == {"items": 1000}
    with pytest.raises(InputError, match=r"spec\.toml: shop has no scale 'dem'\. Did you mean 'demo'"):
        shop.numbers("dem")
    with pytest.raises(InputError, match="shop has no scale 'None'"):
        shop.numbers(None)


def test_a_specification_without_scales_takes_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"shop has no scale 'demo'\. Leave the scale out"):
        specification(tmp_path, ONE_TIER).numbers("demo")


def test_each_database_has_its_folder_and_data_set(shop: Specification) -> None:
    for name, rows in (("goods", "items"), ("money", "items")):
        folder = shop.database_folder(name)
        folder.mkdir()
        (folder / "schema.sql").write_text(f"CREATE TABLE {name} (n bigint)", encoding="utf-8")
        (folder / "keys.sql").write_text("", encoding="utf-8")
        generate = f"version = 1\n[[generate]]\ntable = '{name}'\nover = '{rows}'\nsql = 'SELECT {{first}}'\n"
        (folder / "dataset.toml").write_text(generate, encoding="utf-8")

    datasets = shop.datasets("small")

    assert {name: (one.folder.name, one.scale, one.total) for name, one in datasets.items()} == {
        "goods": ("goods", "small", 10),
        "money": ("money", "small", 10),
    }
    (shop.folder / "money" / "keys.sql").unlink()
    with pytest.raises(InputError, match=r"money/keys\.sql: cannot read this file"):
        shop.datasets("small")


def test_a_database_is_meant_by_its_name_or_because_it_is_the_only_one(shop: Specification, tmp_path: Path) -> None:
    assert shop.database_called("money") == "money"
    with pytest.raises(InputError, match=r"shop has 2 databases\. Name one of goods, money"):
        shop.database_called(None)
    with pytest.raises(InputError, match=r"shop has no database 'mony'\. Name one of goods, money"):
        shop.database_called("mony")
    assert find_specification("brokerage", ROOT).database_called(None) == "brokerage"
    with pytest.raises(InputError, match=r"site has 0 databases\. It works without any"):
        specification(tmp_path, ONE_TIER, "site").database_called(None)


def test_cases_start_with_the_settings_that_are_for_them(shop: Specification) -> None:
    assert shop.case_settings == {"MM_COLOUR": "green"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("MM_POL", "7", r"'MM_POL' is not a setting\. Did you mean 'MM_POOL'"),
        ("MM_POOL", "0", "MM_POOL: expected 1 or more, found 0"),
        ("MM_POOL", "91", "MM_POOL: expected 90 or less, found 91"),
        ("MM_POOL", "-1", "MM_POOL: expected a whole number, found '-1'"),
        ("MM_COLOUR", "blue", "MM_COLOUR: expected red or green, found 'blue'"),
    ],
)
def test_a_setting_that_does_not_exist_or_takes_no_such_value_is_refused(
    shop: Specification, name: str, value: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        shop.require_setting(name, value)


def test_a_run_may_set_only_what_is_for_runs(shop: Specification) -> None:
    shop.require_setting("MM_POOL", "7", in_runs=True)
    shop.require_setting("MM_COLOUR", "green")
    shop.require_setting("MM_MOTTO", "anything at all")
    with pytest.raises(InputError, match=r"'MM_COLOUR' cannot be set in a run\. These can: MM_POOL"):
        shop.require_setting("MM_COLOUR", "green", in_runs=True)


def test_a_condition_holds_by_what_is_chosen_or_by_default(shop: Specification) -> None:
    printed: dict[str, tuple[str, ...]] = {"receipts": ("printed",)}
    assert not shop.holds(printed, {})
    assert shop.holds(printed, {"receipts": "printed"})
    assert not shop.holds({**printed, "calls": ("json",)}, {"receipts": "printed"})
    assert shop.holds({}, {})


def test_a_mode_has_its_first_value_unless_another_is_chosen_and_none_where_platforms_name_them(
    shop: Specification,
) -> None:
    assert shop.mode_value("calls", {}) == "inside"
    assert shop.mode_value("calls", {"calls": "json"}) == "json"
    assert shop.mode_value("store", {}) == ""
    assert shop.description.modes["store"].named_by_platforms


def test_values_that_are_never_ranked_together_say_why(shop: Specification) -> None:
    receipts = shop.description.modes["receipts"]
    assert receipts.reason_not_to_rank("none", "printed") == "printing takes paper"
    assert receipts.reason_not_to_rank("printed", "printed") == ""
    assert shop.description.modes["calls"].reason_not_to_rank("inside", "json") == ""


def test_what_the_lab_chooses_by_itself_is_no_setting_to_be_compared(shop: Specification) -> None:
    assert shop.given_settings == {
        "host", "port", "stock_port", "books_port", "stock_address", "books_address", "role", "calls", "receipts",
        "store", "goods_url", "money_url", "pictures",
    }  # fmt: skip
    assert about_name("MM_GOODS_URL") == "goods_url"


def test_who_logs_in_is_said_or_refused(shop: Specification) -> None:
    with pytest.raises(InputError, match=r"spec\.toml: shop does not say how users log in"):
        shop.require_login()
    login = find_specification("brokerage", ROOT).require_login()
    assert (login.post, login.status) == ("/login", 303)


def test_a_request_reaches_the_tiers_that_are_called_and_those_they_call(shop: Specification) -> None:
    assert shop.description.reached_from("site") == {"site", "stock", "books"}
    assert shop.description.reached_from("printer") == {"printer"}


def test_a_specification_is_found_by_its_name_and_an_unknown_one_answered_with_the_nearest(tmp_path: Path) -> None:
    specification(tmp_path, SHOP)
    assert only_specification(tmp_path) == "shop"
    specification(tmp_path, ONE_TIER, "site")
    assert find_specification("site", tmp_path).description.title == "Shop"
    with pytest.raises(InputError, match=r"specs: no specification is called 'shp'\. Did you mean 'shop'"):
        find_specification("shp", tmp_path)
    with pytest.raises(InputError, match=r"this checkout has 2 specifications\. Name one of shop, site"):
        only_specification(tmp_path)
    assert only_specification(tmp_path, with_databases=True) == "shop"
