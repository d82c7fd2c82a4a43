"""What the steps of sessions and cases share: the request, and names in its texts."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from middlemark.steps.request import HttpRequest
from middlemark.steps.template import UnknownNameError, fill, fill_regex, fill_value, literal, names_in, samples

VALUES = {"user": "uid:7", "price": "1.50", "count": 3, "sold": True, "note": None}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("/items/${user}?n=${count}", "/items/uid:7?n=3"),
        ("${sold}${note}", "true"),
        ("$${user} costs $1", "${user} costs $1"),
        ("a${x*3}b", "axxxb"),
    ],
)
def test_names_are_replaced_by_their_values(template: str, text: str) -> None:
    assert fill(template, VALUES) == text


def test_a_name_without_a_value_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"'other' has no value \(known: count, note, price, sold, user\)"):
        fill("${other}", VALUES)


def test_a_value_in_a_regular_expression_matches_itself_alone() -> None:
    assert fill_regex("^${price}+$", VALUES) == r"^1\.50+$"


def test_a_text_that_is_one_name_takes_the_type_of_its_value() -> None:
    assert fill_value({"a": ["${count}", "${count} of ${count}"], "b": "${sold}"}, VALUES) == {
        "a": [3, "3 of 3"],
        "b": True,
    }


def test_any_text_can_be_written_as_a_template() -> None:
    assert fill(literal("costs ${price}"), {}) == "costs ${price}"


@pytest.mark.parametrize("template", ["${", "${}", "${a b}", "${x*3}", "${1st}"])
def test_a_place_that_is_not_a_name_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"is not a name|without }"):
        names_in(template)


def test_names_are_listed_in_their_order_and_repeated_characters_where_they_are_allowed() -> None:
    assert names_in("${b}$${c}${a}${b}") == ["b", "a", "b"]
    assert names_in("${x*3}${a}", repeats=True) == ["a"]


def test_samples_are_what_a_text_may_become() -> None:
    assert list(samples("a${b}c${d}")) == ["axcx", "axc1", "a1cx", "a1c1"]
    assert list(samples("plain")) == ["plain"]


def test_a_list_sends_a_field_several_times() -> None:
    request = HttpRequest.model_validate({"post": "/buy", "form": {"item": ["1", "${more}"], "sum": "2"}})
    assert request.fields == (("item", "1"), ("item", "${more}"), ("sum", "2"))
    assert list(request.templates())[1:3] == [(("form", "item"), "1"), (("form", "item"), "${more}")]


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"get": "/", "post": "/"},
        {"get": "/", "form": {}},
        {"head": "/", "body": ""},
        {"post": "/", "form": {}, "body": ""},
        {"get": "no slash"},
        {"get": "/a b"},
        {"get": "/", "headers": {"A B": ""}},
        {"get": "/", "headers": {"A": "two\nlines"}},
    ],
)
def test_what_cannot_be_sent_is_refused(keys: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        HttpRequest.model_validate(keys)
