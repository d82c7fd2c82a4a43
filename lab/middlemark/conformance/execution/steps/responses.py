"""Holds the response to a request against what the case expects of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
from lxml import etree

from middlemark.conformance.cases.expectation import Expect, XmlLook
from middlemark.conformance.cases.expected import Elements
from middlemark.conformance.cases.names import filled, filled_regex
from middlemark.conformance.cases.selector import NAME_SPACES
from middlemark.conformance.comparison.match import Surroundings, difference, shown
from middlemark.conformance.comparison.pages.document import collapsed
from middlemark.errors import InputError

_BODY_SHOWN = 300


def faults(response: httpx.Response, expect: Expect, around: Surroundings, name_space: str) -> Iterator[str]:
    """Yield what is not as expected in headers and body, but for what only a page has."""
    if expect.location is not None:
        wanted, found = filled(expect.location, around.captured), location_of(response)
        if found != wanted:
            yield f"Location: expected {wanted}, found {found}"
    for name, value in expect.headers.items():
        fault = difference(value, response.headers.get(name), f"header {name}", around)
        if fault:
            yield fault
    if expect.length is not None and len(response.content) != expect.length:
        yield f"body: expected {expect.length} bytes, found {len(response.content)}"
    yield from _text_faults(response, expect, around)
    if expect.json_body is not None:
        yield from _json_faults(response, expect, around)
    if expect.xml:
        yield from _xml_faults(response, expect.xml, around, name_space)


def status_fault(response: httpx.Response, wanted: str) -> str:
    """Say that the status is another one than is wanted, with the first words of the body."""
    text = collapsed(re.sub(r"<[^>]*>", " ", response.text.partition("<main>")[2] or response.text))[:_BODY_SHOWN]
    return f"status: expected {wanted}, found {response.status_code}: {text}"


def location_of(response: httpx.Response) -> str | None:
    """Return where a response redirects to, without scheme and host."""
    location: str | None = response.headers.get("location")
    if location is None:
        return None
    parts = urlsplit(location)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _text_faults(response: httpx.Response, expect: Expect, around: Surroundings) -> Iterator[str]:
    if expect.body is not None:
        fault = difference(expect.body, response.text, "body", around)
        if fault:
            yield fault
    if expect.body_matches is not None:
        regex = filled_regex(expect.body_matches, around.captured)
        if not re.search(regex, response.text):
            yield f"body: expected what holds /{regex}/, found {shown(response.text)}"


def _json_faults(response: httpx.Response, expect: Expect, around: Surroundings) -> Iterator[str]:
    if expect.json_body is None:
        return
    try:
        value = response.json()
    except ValueError:
        yield f"body: expected JSON, found {shown(response.text)}"
        return
    fault = difference(expect.json_body, value, "body", around)
    if fault:
        yield fault


def _xml_faults(
    response: httpx.Response, looks: tuple[XmlLook, ...], around: Surroundings, name_space: str
) -> Iterator[str]:
    try:
        root = etree.fromstring(response.content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        yield f"body: expected XML, found {shown(response.text)} ({error.msg})"
        return
    for look in looks:
        fault = _unlike(root, look, around, name_space)
        if fault:
            yield fault


def _unlike(root: etree._Element, look: XmlLook, around: Surroundings, name_space: str) -> str | None:
    path = filled(look.at, around.captured)
    try:
        result = root.xpath(path, namespaces={**NAME_SPACES, "m": name_space})
    except etree.XPathError as error:
        raise InputError(f"'{path}' is not an XPath ({error})") from error
    found = result if isinstance(result, list) else [result]
    if look.count is None and not found:
        return f"{path}: expected at least one, found none"
    if look.count is not None and len(found) != look.count:
        return f"{path}: expected {look.count}, found {len(found)}"
    texts = [_text(one) for one in found]
    if look.text is None:
        return None
    if isinstance(look.text.wanted, Elements):
        return difference(look.text, texts, f"text of {path}", around)
    return next((fault for text in texts if (fault := difference(look.text, text, f"text of {path}", around))), None)


def _text(found: object) -> str:
    """Return the text of an element, or of an attribute or number that an XPath gives."""
    if isinstance(found, etree._Element):  # noqa: SLF001 (lxml has no public name for the class of elements)
        return "".join(str(text) for text in found.itertext())
    return str(found)
