"""The lab knows no specification: no word that only a specification defines stands in it."""

from __future__ import annotations

import pytest

from checks.conftest import Plant
from checks.listing import REPOSITORY, read
from checks.specification_words import OF_OTHERS, found_in, specification_words, words_of

SPEC = """
title = "Shop"
[tiers.till]
listens = { http = "MM_PORT" }
paths = ["/till/"]
[roles]
variable = "MM_ROLE"
carries = { cashier = ["till"], all = ["till"] }
[modes.data-access]
variable = "MM_DATA_ACCESS"
[modes.protocol]
in_requests = true
[modes.payment]
values = ["now", "paid-later"]
[settings.MM_TILL_SECONDS]
type = "seconds"
[effects.sale]
plural = "sales"
[login]
post = "/enter"
"""


def test_the_lab_knows_no_specification() -> None:
    assert specification_words(REPOSITORY) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("TILL = 1", "till"),
        ("class TillProcess: ...", "till"),
        ('part = "till"', "till"),
        ('tier = "till+back"', "till"),
        ('kind = "kill-till"', "till"),
        ("data_access = 1", "data-access"),
        ("# MM_TILL_SECONDS", "MM_TILL_SECONDS"),
        ('"""Sends /enter."""', "/enter"),
        ('path = "/till/sell"', "/till/"),
        ("sales = 0", "sales"),
        ("def cashier_of(): ...", "cashier"),
        ('query = "SELECT 1 FROM sales WHERE true"', "sales"),
        ('QUERY = """\nSELECT 1 FROM sales\n"""', "sales"),
        ("# paid-later", "paid-later"),
    ],
)
def test_a_word_of_a_specification_is_found(plant: Plant, text: str, found: str) -> None:
    root = plant({"specs/shop/spec.toml": SPEC, "lab/middlemark/a.py": f"{text}\n"})
    assert f"lab/middlemark/a.py:1: {found}" in specification_words(root)


def test_a_path_is_found_in_a_template(plant: Plant) -> None:
    root = plant({"specs/shop/spec.toml": SPEC, "lab/middlemark/a.html": "<p>The till</p>\n<a href='/enter'>"})
    assert specification_words(root) == ["lab/middlemark/a.html:2: /enter"]


def test_every_exception_is_needed() -> None:
    package, words = REPOSITORY / "lab" / "middlemark", words_of(REPOSITORY)
    found = {file: {word for _, word in found_in(read(package / file), words)} for file in OF_OTHERS}
    assert {file: own - found[file] for file, own in OF_OTHERS.items() if own - found[file]} == {}


@pytest.mark.parametrize(
    "text",
    [
        '"""Looks until the till is open."""',
        'print("nothing is in the till")',
        "MM_HOST = 1",
        "tiller = all([])",
        'from x import y\n\n# A till.\n"""The till."""',
        'protocol = "protocol"',
    ],
)
def test_everyday_english_passes(plant: Plant, text: str) -> None:
    root = plant({"specs/shop/spec.toml": SPEC, "lab/middlemark/a.py": f"{text}\n"})
    assert specification_words(root) == []
