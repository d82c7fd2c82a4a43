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


def rows_of(element: ET.Element) -> list[str]:
    """The texts of all rows of tables in an element."""
    return [words(row) for row in element.iter(f"{HTML}tr")]


def section(tree: ET.Element, name: str) -> ET.Element:
    """A section of the page by its anchor."""
    return next(each for each in tree.iter(f"{HTML}section") if each.get("id") == name)


def pivot_of(tree: ET.Element, title: str, number: int = 0) -> dict[str, list[str]]:
    """The so many-th pivot table with a title: its rows by their headers, the texts of their fields."""
    tables = [table for table in tree.iter(f"{HTML}table") if table.get("class") == "pivot"]
    found = [table for table in tables if words(next(table.iter(f"{HTML}caption"))) == title]
    return {words(row[0]): [words(entry) for entry in row[1:]] for row in found[number].iter(f"{HTML}tr")}
