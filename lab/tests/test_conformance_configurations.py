"""Configurations are computed from the modes, calls and interfaces of any specification."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from small_shop import CARRIED, PLATFORM, SHOP, shop

from middlemark.conformance.cases.suite import read_cases
from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.execution.configuration import Extent, configurations, sampled
from middlemark.conformance.execution.offer import offer_of
from middlemark.conformance.execution.pairing import Pairing
from middlemark.errors import InputError
from middlemark.subject.subject import Subject

TWO_STORES = PLATFORM.replace('store = ["rows"]', 'store = ["rows", "columns"]')
REMOTE = TWO_STORES.replace('"inside", ', "")
BY_TCP = 'addresses = { tcp = "MM_BOOKS_ADDRESS" }\n'
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
            ("inside", "none", "rows", Extent.COMPLETE, (), ("json", "binary")),
            ("inside", "none", "columns", Extent.COMPLETE, (), ("json", "binary")),
            ("json", "none", "rows", Extent.INTEROP, ("calls",), ("json",)),
            ("binary", "none", "rows", Extent.INTEROP, ("calls",), ("binary",)),
            ("inside", "printed", "rows", Extent.INTEROP, ("receipts",), ("json", "binary")),
            ("json", "none", "columns", Extent.INTEROP, ("calls",), ("json",)),
            ("binary", "none", "columns", Extent.INTEROP, ("calls",), ("binary",)),
            ("inside", "printed", "columns", Extent.INTEROP, ("receipts",), ("json", "binary")),
        )
    ]


CASES = """version: 1
cases:
  - {name: a page over any call, steps: [{get: "/${calls}/goods"}]}
  - {name: a page of one call, modes: {calls: [binary, inside]}, tags: [interop], steps: [{get: "/${calls}/one"}]}
  - {name: a page without calls, tags: [interop], steps: [{get: /}]}
  - {name: a page in a tongue, tags: [interop], steps: [{get: "/?tongue=${tongue}"}]}
"""


def test_values_that_requests_carry_are_executions_of_a_case_and_no_configurations(tmp_path: Path) -> None:
    subject = shop(
        tmp_path, specification=CARRIED, platform=TWO_STORES.replace("calls = ", 'tongue = ["en", "de"]\ncalls = ')
    )
    (subject.specification.folder / "cases").mkdir()
    (subject.specification.folder / "cases" / "pages.yaml").write_text(CASES, encoding="utf-8")
    cases = read_cases(subject.specification)

    found = {one.name: one for one in configurations(subject) if one.modes["store"] == "rows"}

    assert list(found) == [
        "calls=inside, receipts=none, store=rows",
        "calls=json, receipts=none, store=rows",
        "calls=inside, receipts=printed, store=rows",
    ]
    inside, outside, printed = (
        [(one.placed.case.name.removeprefix("a page "), dict(one.modes)) for one in configuration.executions(cases)]
        for configuration in found.values()
    )
    common = {"receipts": "none", "store": "rows"}
    assert inside == [
        ("over any call", {"calls": "inside", **common}),
        ("of one call", {"calls": "inside", **common}),
        ("without calls", {"calls": "inside", **common}),
        ("in a tongue", {"calls": "inside", **common, "tongue": "en"}),
        ("in a tongue", {"calls": "inside", **common, "tongue": "de"}),
    ]
    assert outside == [
        ("over any call", {"calls": "json", **common}),
        ("over any call", {"calls": "binary", **common}),
        ("of one call", {"calls": "binary", **common}),
        # The same whatever requests carry.
        ("without calls", common),
        ("in a tongue", {**common, "tongue": "en"}),
        ("in a tongue", {**common, "tongue": "de"}),
    ]
    assert [name for name, _ in printed] == ["of one call", "without calls", "in a tongue", "in a tongue"]
    assert found["calls=json, receipts=none, store=rows"].interfaces == ("json", "binary")
    # Requested together: the processes alone matter.
    more = configurations(subject, [{"calls": "binary", "tongue": "de"}, {"calls": "binary", "receipts": "printed"}])
    assert [one.name for one in more[len(configurations(subject)) :]] == [
        "calls=json, receipts=printed, store=rows",
        "calls=json, receipts=printed, store=columns",
    ]


ONLY_OUTSIDE = '\n[modes.receipts.only_with]\nprinted = { calls = ["json", "binary"] }\n'


def test_a_value_that_exists_only_with_others_is_run_with_the_first_of_them(tmp_path: Path) -> None:
    subject = shop(tmp_path, specification=SHOP + ONLY_OUTSIDE)

    found = configurations(subject, [{"receipts": "printed", "calls": "binary"}])

    assert [(one.name, one.varied, one.interfaces) for one in found] == [
        ("calls=inside, receipts=none, store=rows", (), ("json", "binary")),
        ("calls=json, receipts=none, store=rows", ("calls",), ("json",)),
        ("calls=binary, receipts=none, store=rows", ("calls",), ("binary",)),
        ("calls=json, receipts=printed, store=rows", ("receipts", "calls"), ("json",)),
        ("calls=binary, receipts=printed, store=rows", ("receipts", "calls"), ("binary",)),
    ]
    assert sampled(found)[1].name == "calls=binary, receipts=printed, store=rows"
    with pytest.raises(InputError, match="receipts=printed exists only with calls=json or binary, not with inside"):
        configurations(subject, [{"receipts": "printed", "calls": "inside"}])
    alone = shop(
        tmp_path / "alone", specification=SHOP + ONLY_OUTSIDE, platform=PLATFORM.replace(', "json", "binary"]', "]")
    )
    assert [one.name for one in configurations(alone)] == ["calls=inside, receipts=none, store=rows"]


def test_requests_carry_only_values_that_exist_with_those_of_the_processes(tmp_path: Path) -> None:
    only = ONLY_OUTSIDE.replace('"json", ', "") + '\n[modes.tongue.only_with]\nde = { calls = ["binary"] }\n'
    platform = PLATFORM.replace("calls = ", 'tongue = ["en", "de"]\ncalls = ')
    subject = shop(tmp_path, specification=CARRIED + only, platform=platform)
    (subject.specification.folder / "cases").mkdir()
    step = '{get: "/${calls}?tongue=${tongue}"}'
    text = f"version: 1\ncases:\n  - {{name: a page in a tongue, tags: [interop], steps: [{step}]}}\n"
    (subject.specification.folder / "cases" / "pages.yaml").write_text(text, encoding="utf-8")
    cases = read_cases(subject.specification)

    found = {
        one.name: [(modes["calls"], modes["receipts"], modes["tongue"]) for _, _, modes in one.executions(cases)]
        for one in configurations(subject)
    }

    assert found == {
        "calls=inside, receipts=none, store=rows": [("inside", "none", "en")],
        "calls=json, receipts=none, store=rows": [
            ("json", "none", "en"),
            ("binary", "none", "en"),
            ("binary", "none", "de"),
        ],
        "calls=binary, receipts=printed, store=rows": [("binary", "printed", "en"), ("binary", "printed", "de")],
    }


def test_processes_that_need_a_value_in_requests_are_started_with_it(tmp_path: Path) -> None:
    only = '\n[modes.receipts.only_with]\nprinted = { tongue = ["de"] }\n'
    both = PLATFORM.replace("calls = ", 'tongue = ["en", "de"]\ncalls = ')
    subject = shop(tmp_path, specification=CARRIED + only, platform=both)

    *_, printed = configurations(subject)

    assert printed.name == "calls=inside, receipts=printed, store=rows"
    assert printed.carried == {"calls": ("inside",), "tongue": ("de",)}
    assert subject.chosen(printed.started_with)["tongue"] == "de"
    english = shop(tmp_path / "english", specification=CARRIED + only)
    assert not any("printed" in one.name for one in configurations(english))


def test_a_case_captures_nothing_under_the_name_of_a_mode(tmp_path: Path) -> None:
    subject = shop(tmp_path, specification=CARRIED)
    (subject.specification.folder / "cases").mkdir()
    step = '{get: /, capture: {tongue: {at: "h1"}}}'
    text = f"version: 1\ncases:\n  - {{name: a page is captured, steps: [{step}]}}\n"
    (subject.specification.folder / "cases" / "pages.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="'tongue' is a mode of the specification; choose another name"):
        read_cases(subject.specification)


def test_a_resource_depends_on_nothing_that_requests_carry(tmp_path: Path) -> None:
    resource = '[[specs.shop.resources]]\nkind = "database"\nname = "goods"\nwhen = {{ calls = ["json"] }}\n'
    with pytest.raises(InputError, match="a resource cannot depend on calls, which requests hold"):
        shop(tmp_path, specification=CARRIED, platform=PLATFORM + resource)


def test_the_front_end_of_another_subject_has_one_configuration_for_all_calls_that_requests_carry(
    tmp_path: Path,
) -> None:
    behind = shop(tmp_path / "behind", specification=CARRIED)
    front_end = replace(behind, name="other")

    (found,) = Pairing(behind, front_end).configurations

    assert found.name == "calls=json, receipts=none, store=rows"
    assert found.carried == {"calls": ("json", "binary"), "tongue": ("en",)}


TOGETHER = {"calls": "json", "receipts": "printed"}


def test_modes_are_changed_together_where_that_is_requested(tmp_path: Path) -> None:
    subject = shop(tmp_path, platform=TWO_STORES)
    usual = configurations(subject)

    found = configurations(subject, [TOGETHER, {**TOGETHER, "store": "columns"}, {"calls": "json", "store": "rows"}])

    assert found[: len(usual)] == usual, "what has one mode changed is there already"
    assert [(one.name, one.extent, one.varied, one.interfaces) for one in found[len(usual) :]] == [
        (f"calls=json, receipts=printed, store={store}", Extent.INTEROP, ("calls", "receipts"), ("json",))
        for store in ("rows", "columns")
    ]


def test_modes_are_changed_together_behind_the_front_end_of_another_subject_too(tmp_path: Path) -> None:
    behind = shop(tmp_path / "behind", platform=TWO_STORES)
    front_end = replace(shop(tmp_path / "front"), name="other", specification=behind.specification)
    unable = shop(tmp_path / "unable", platform=TWO_STORES.replace('["none", "printed"]', '["none"]'))

    def added(other: Subject) -> list[str]:
        usual = Pairing(behind, other).configurations
        return [one.name for one in Pairing(behind, other, also=(TOGETHER,)).configurations[len(usual) :]]

    assert added(front_end) == ["calls=json, receipts=printed, store=rows"]
    assert added(replace(unable, name="other", specification=behind.specification)) == []


@pytest.mark.parametrize(
    ("modes", "message"),
    [
        ({"cals": "json"}, "shop has no mode 'cals'. Did you mean 'calls'?"),
        ({"calls": "json", "receipts": "lost"}, "small does not offer receipts=lost"),
    ],
)
def test_what_is_not_offered_cannot_be_requested(tmp_path: Path, modes: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        configurations(shop(tmp_path), [modes])


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
    assert offer_of(subject).missing == ("calls=inside", "role everything", "feature motto")


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


NEEDS = {
    "": 1,
    'needs = { features = ["motto"] }': 0,
    'needs = { modes = { receipts = ["none", "printed"] } }': 1,
    'needs = { modes = { calls = ["inside", "json"] } }': 0,
    'needs = { roles = ["printer"], interfaces = ["json"] }': 1,
    'needs = { roles = ["everything"] }': 0,
    'needs = { interfaces = ["json", "binary"] }': 1,
}


def test_a_page_runs_only_where_everything_is_offered_that_it_needs(tmp_path: Path) -> None:
    subject = shop(tmp_path, platform=REMOTE, roles=("site", "stock", "books", "printer"))
    folder = subject.specification.folder / "pages"
    folder.mkdir()
    pages = "".join(PAGE % (number, number, needs) for number, needs in enumerate(NEEDS))
    (folder / "pages.toml").write_text(f"version = 1\n{pages}", encoding="utf-8")
    cases = page_cases(subject.specification)
    for configuration in configurations(subject):
        ran = {placed.case.name for placed, *_ in configuration.executions(cases)}
        assert [int(placed.case.name in ran) for placed in cases] == list(NEEDS.values())
    assert Pairing(subject).notes(cases) == ()


def test_behind_a_front_end_only_what_both_offer_is_offered(tmp_path: Path) -> None:
    behind = shop(tmp_path / "behind", platform=TWO_STORES.replace("roles =", 'features = ["motto"]\nroles ='))
    front_end = replace(shop(tmp_path / "front"), name="other", specification=behind.specification)
    for subjects, features in (((behind, front_end), ()), ((behind, behind), ("motto",))):
        assert {one.offer.features for one in Pairing(*subjects).configurations} == {features}


def test_an_application_is_given_no_setting_of_a_feature_that_it_does_not_have(tmp_path: Path) -> None:
    wanted = {"MM_MOTTO": "cheap", "MM_COLOUR": "red"}
    without = offer_of(shop(tmp_path / "without"))
    has = offer_of(shop(tmp_path / "with", platform=PLATFORM.replace("roles =", 'features = ["motto"]\nroles =')))
    assert (without.settings(wanted), has.settings(wanted)) == ({"MM_COLOUR": "red"}, wanted)


@pytest.mark.parametrize(
    ("modes", "text"),
    [
        ('{ receipt = "none" }', r"pages\.toml: other\.html: 'receipt' is not a mode\. Did you mean 'receipts'"),
        ('{ receipts = "lost" }', "'lost' is not a value of receipts"),
        ('{ store = "rows" }', "platforms name the values of 'store'"),
        ('{}\nneeds = { features = ["moto"] }', r"'moto' is not a feature\. Did you mean 'motto'"),
        ('{}\nneeds = { modes = { calls = ["soap"] } }', "'soap' is not a value of calls"),
    ],
)
def test_a_page_names_modes_and_values_of_the_specification(tmp_path: Path, modes: str, text: str) -> None:
    specification = shop(tmp_path).specification
    (specification.folder / "pages").mkdir()
    file = specification.folder / "pages" / "pages.toml"
    file.write_text("version = 1\n" + PAGE % ("other", "", f"modes = {modes}"), encoding="utf-8")
    with pytest.raises(InputError, match=text):
        page_cases(specification)
