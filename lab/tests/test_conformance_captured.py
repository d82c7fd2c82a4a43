"""A captured value that is put into a regular expression matches itself and nothing else."""

from __future__ import annotations

import datetime

import httpx
import pytest

from middlemark.conformance.cases.expectation import Expect, Look
from middlemark.conformance.cases.expected import Expected, Pattern
from middlemark.conformance.cases.names import filled_regex
from middlemark.conformance.comparison.match import Surroundings, difference
from middlemark.conformance.comparison.pages.document import parse
from middlemark.conformance.comparison.pages.looking import not_as_expected
from middlemark.conformance.execution.steps.responses import faults

AROUND = Surroundings({"price": "1.50", "name": "Who (x+y)?"}, datetime.datetime.now(datetime.UTC))
REGEX = "at ${price}[.]? for ${name}"
SAME, OTHER = "at 1.50 for Who (x+y)?", "at 1x50. for Who xxy"


def test_a_pattern_matches_the_captured_text_only() -> None:
    wanted = Expected(Pattern(REGEX))
    assert difference(wanted, SAME, "answer", AROUND) is None
    fault = difference(wanted, OTHER, "answer", AROUND)
    assert fault is not None
    assert r"/at 1\.50[.]? for Who\ \(x\+y\)\?/" in fault


def test_a_look_at_a_page_finds_the_captured_text_only() -> None:
    look = Look(at="h1", matches=REGEX)
    page, _ = parse(f"<!DOCTYPE html><title>x</title><h1>{SAME}</h1>".encode())
    assert not_as_expected(page, look, AROUND) is None
    page, _ = parse(f"<!DOCTYPE html><title>x</title><h1>{OTHER}</h1>".encode())
    assert not_as_expected(page, look, AROUND) is not None


def test_a_body_holds_the_captured_text_only() -> None:
    expect = Expect(body_matches=REGEX)
    assert list(faults(httpx.Response(200, text=f"sold {SAME}!"), expect, AROUND, "urn:none")) == []
    assert len(list(faults(httpx.Response(200, text=f"sold {OTHER}!"), expect, AROUND, "urn:none"))) == 1


@pytest.mark.parametrize(("regex", "filled"), [("a${.*3}b", r"a\.\.\.b"), ("$${x}", r"\$\{x}")])
def test_repeated_characters_and_a_plain_reference_are_literal_too(regex: str, filled: str) -> None:
    assert filled_regex(regex, {}) == filled
