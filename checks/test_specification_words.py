"""The lab knows no specification: no word that only a specification defines stands in it."""

from __future__ import annotations

import pytest

from checks.conftest import Plant
from checks.listing import REPOSITORY
from checks.specification_words import specification_words

SPEC = """
title = "Shop"
[tiers.till]
listens = { http = "MM_PORT" }
paths = ["/till/"]
[roles]
variable = "MM_ROLE"
carries = { till = ["till"] }
[modes.data-access]
variable = "MM_DATA_ACCESS"
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
    ],
)
def test_a_word_of_a_specification_is_found(plant: Plant, text: str, found: str) -> None:
    root = plant({"specs/shop/spec.toml": SPEC, "lab/middlemark/a.py": f"{text}\n"})
    assert f"lab/middlemark/a.py:1: {found}" in specification_words(root)


@pytest.mark.parametrize(
    "text", ['"""Looks until the till is open."""', 'print("nothing is in the till")', "MM_HOST = 1", "tiller = 1"]
)
def test_everyday_english_passes(plant: Plant, text: str) -> None:
    root = plant({"specs/shop/spec.toml": SPEC, "lab/middlemark/a.py": f"{text}\n"})
    assert specification_words(root) == []
