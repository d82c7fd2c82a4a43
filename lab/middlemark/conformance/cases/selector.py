"""What a case finds things with: CSS selectors, XPaths and regular expressions, refused when its file is read."""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated

from cssselect import HTMLTranslator, SelectorError
from lxml import etree
from pydantic import AfterValidator, Field

from middlemark.steps.template import samples

NAME_SPACES = {
    "soap": "http://schemas.xmlsoap.org/soap/envelope/",
    "wsdl": "http://schemas.xmlsoap.org/wsdl/",
    "address": "http://schemas.xmlsoap.org/wsdl/soap/",
    "xsd": "http://www.w3.org/2001/XMLSchema",
}
"""The prefixes of an XPath, besides `m` for the name space of the specification's WSDL."""
NO_WSDL = "urn:none"
"""What `m` stands for without a WSDL."""

# Unknown prefixes and functions are found only where an XPath is asked.
_NOTHING = etree.Element("nothing")


@cache
def xpath_of(selector: str) -> str:
    """Return a CSS selector as XPath; ValueError when it is not one."""
    try:
        xpath = HTMLTranslator().css_to_xpath(selector)
        _NOTHING.xpath(xpath)
    except (SelectorError, etree.XPathError) as error:
        raise ValueError(f"'{selector}' is not a CSS selector: {error}") from error
    return xpath


def checked_regex(text: str) -> str:
    """Return a regular expression of a case, with its `${names}`; ValueError when it is not one."""
    try:
        re.compile(next(samples(text)))
    except re.error as error:
        raise ValueError(f"'{text}' is not a regular expression: {error}") from error
    return text


def _checked_selector(text: str) -> str:
    reasons = []
    for sample in samples(text):
        try:
            xpath_of(sample)
        except ValueError as error:
            reasons.append(error.__cause__)
        else:
            return text
    raise ValueError(f"'{text}' is not a CSS selector: {reasons[0]}")


def _checked_xpath(text: str) -> str:
    try:
        _NOTHING.xpath(next(samples(text)), namespaces={**NAME_SPACES, "m": NO_WSDL})
    except etree.XPathError as error:
        raise ValueError(f"'{text}' is not an XPath: {error}") from error
    return text


Regex = Annotated[str, AfterValidator(checked_regex)]
Selector = Annotated[str, Field(min_length=1), AfterValidator(_checked_selector)]
XPath = Annotated[str, Field(min_length=1), AfterValidator(_checked_xpath)]
