"""Configurations are computed from the modes, calls and interfaces of any specification."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from small_shop import PLATFORM, SHOP, shop

from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.execution.configuration import Extent, configurations, not_offered
from middlemark.conformance.execution.pairing import Pairing
from middlemark.errors import InputError

TWO_STORES = PLATFORM.replace('store = ["rows"]', 'store = ["rows", "columns"]')
REMOTE = TWO_STORES.replace('"inside", ', "")
BY_TCP = 'address = "MM_BOOKS_ADDRESS"\nprotocol = "tcp"\n'
BY_A_MODE = 'address = "MM_BOOKS_ADDRESS"\nmode = "entries"\n'
TWO_CALL_MODES = f"""{SHOP.replace(BY_TCP, BY_A_MODE)}
[modes.entries]
variable = "MM_ENTRIES"
values = ["rest"]
[interfaces.rest]
tier = "books"
contract = "openapi"
file = "books.yaml"
"""
PAGE = '[[page]]\nfile = "%s.html"\nget = "/%s"\nstatus = 200\n%s\n'


def test_each_value_that_a_platform_names_has_a_complete_configuration_and_others_vary_one_mode(tmp_path: Path) -> None:
    found = configurations(shop(tmp_path, platform=TWO_STORES))
    assert [(one.name, one.extent, one.varied, one.interfaces) for one in found] == [
        (f"calls={calls}, receipts={receipts}, store={store}", extent, varied, interfaces)
        for calls, receipts, store, extent, varied, interfaces in (
            ("inside", "none", "rows", Extent.COMPLETE, "", ("json", "binary")),
            ("inside", "none", "columns", Extent.COMPLETE, "", ("json", "binary")),
            ("json", "none", "rows", Extent.INTEROP, "calls", ("json",)),
            ("binary", "none", "rows", Extent.INTEROP, "calls", ("binary",)),
            ("inside", "printed", "rows", Extent.INTEROP, "receipts", ("json", "binary")),
            ("json", "none", "columns", Extent.INTEROP, "calls", ("json",)),
            ("binary", "none", "columns", Extent.INTEROP, "calls", ("binary",)),
            ("inside", "printed", "columns", Extent.INTEROP, "receipts", ("json", "binary")),
        )
    ]


def test_an_interface_is_offered_whatever_modes_choose_among_those_of_other_tiers(tmp_path: Path) -> None:
    assert BY_A_MODE in TWO_CALL_MODES
    base, *_ = configurations(shop(tmp_path, specification=TWO_CALL_MODES))
    assert base.interfaces == ("json", "binary", "rest")


def test_without_a_value_in_process_the_first_one_is_the_complete_configurations(tmp_path: Path) -> None:
    subject = shop(tmp_path, platform=REMOTE, roles=("site", "stock", "books", "printer"))
    found = [one.name for one in configurations(subject) if "store=rows" in one.name]
    assert found == [
        "calls=json, receipts=none, store=rows",
        "calls=binary, receipts=none, store=rows",
        "calls=json, receipts=printed, store=rows",
    ]
    assert not_offered(subject) == ["calls=inside", "role everything"]


@pytest.mark.parametrize(
    ("roles", "calls"), [(("site", "stock"), ["json", "binary"]), (("stock",), []), (("everything",), [])]
)
def test_a_front_end_is_paired_over_each_interface_where_it_can_run_by_itself(
    tmp_path: Path, roles: tuple[str, ...], calls: list[str]
) -> None:
    behind = shop(tmp_path / "behind", platform=TWO_STORES)
    front_end = replace(shop(tmp_path / "front", roles=roles), name="other", specification=behind.specification)
    pairing = Pairing(behind, front_end)
    assert pairing.name == "other on small"
    assert [one.name for one in pairing.configurations] == [f"calls={c}, receipts=none, store=rows" for c in calls]


def test_a_page_runs_in_the_default_values_of_the_modes_that_any_page_names(tmp_path: Path) -> None:
    specification = shop(tmp_path).specification
    (specification.folder / "pages").mkdir()
    file = specification.folder / "pages" / "pages.toml"
    printed = PAGE % ("receipt", "receipt", 'modes = { receipts = "printed" }')
    file.write_text(f"version = 1\n{PAGE % ('home', '', '')}{printed}", encoding="utf-8")
    assert [placed.case.modes for placed in page_cases(specification)] == [
        {"receipts": ("none",)},
        {"receipts": ("printed",)},
    ]


@pytest.mark.parametrize(
    ("modes", "text"),
    [
        ('{ receipt = "none" }', r"pages\.toml: other\.html: 'receipt' is not a mode\. Did you mean 'receipts'"),
        ('{ receipts = "lost" }', "'lost' is not a value of receipts"),
        ('{ store = "rows" }', "platforms name the values of 'store'"),
    ],
)
def test_a_page_names_modes_and_values_of_the_specification(tmp_path: Path, modes: str, text: str) -> None:
    specification = shop(tmp_path).specification
    (specification.folder / "pages").mkdir()
    file = specification.folder / "pages" / "pages.toml"
    file.write_text("version = 1\n" + PAGE % ("other", "", f"modes = {modes}"), encoding="utf-8")
    with pytest.raises(InputError, match=text):
        page_cases(specification)
