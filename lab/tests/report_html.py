"""A report as an HTML tree, for tests of what it shows."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"


def parsed(page: str) -> ET.Element:
    """Return the page as a tree; it must be strict HTML."""
    document: ET.Element = html5lib.HTMLParser(strict=True).parse(page)
    return document


def words(element: ET.Element) -> str:
    """Return the text of an element and everything in it, with single blanks."""
    return " ".join(" ".join(element.itertext()).split())
