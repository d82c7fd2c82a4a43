"""Looks at a page as a case asks for it."""

from __future__ import annotations

import re

from lxml import etree

from middlemark.conformance.cases.expectation import Look
from middlemark.conformance.cases.expected import Elements, Expected
from middlemark.conformance.cases.names import filled, filled_regex
from middlemark.conformance.comparison.match import Surroundings, difference, shown
from middlemark.conformance.comparison.pages.document import Page, text_of
from middlemark.errors import InputError


def not_as_expected(page: Page, look: Look, around: Surroundings) -> str | None:
    """Say what a look finds otherwise than expected, None when everything is so."""
    selector = filled(look.at, around.captured)
    found = elements(page, selector)
    if look.count is None and not found:
        return f"{selector}: expected at least one element, found none"
    if look.count is not None and len(found) != look.count:
        return f"{selector}: expected {look.count} elements, found {len(found)}{_texts(found)}"
    return _unlike_text(selector, found, look.text, around) or next(
        (fault for element in found if (fault := _unlike_parts(selector, element, look, around))), None
    )


def elements(page: Page, selector: str) -> list[etree._Element]:
    """Return the elements at a selector whose names are filled in; InputError when that makes it something else."""
    try:
        return page.at(selector)
    except ValueError as error:
        raise InputError(str(error)) from error


def _unlike_text(
    selector: str, found: list[etree._Element], wanted: Expected | None, around: Surroundings
) -> str | None:
    if wanted is None:
        return None
    texts = [text_of(element) for element in found]
    if isinstance(wanted.wanted, Elements):
        return difference(wanted, texts, f"text of {selector}", around)
    return next((fault for text in texts if (fault := difference(wanted, text, f"text of {selector}", around))), None)


def _unlike_parts(selector: str, element: etree._Element, look: Look, around: Surroundings) -> str | None:
    text = text_of(element)
    if look.matches is not None:
        regex = filled_regex(look.matches, around.captured)
        if not re.search(regex, text):
            return f"text of {selector}: expected what holds /{regex}/, found {shown(text)}"
    for name, wanted in look.attribute.items():
        fault = difference(wanted, element.get(name), f"attribute {name} of {selector}", around)
        if fault:
            return fault
    return None


def _texts(found: list[etree._Element]) -> str:
    return f": {shown([text_of(element) for element in found])}" if found else ""
