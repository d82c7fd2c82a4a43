"""A page as lines: one for each doctype, element, end and text, the same for pages that count as equal."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from middlemark.conformance.comparison.pages.document import Page, collapsed, name_of

Line = tuple[str, str]
"""A line and the way to the element it belongs to."""


def outline(page: Page) -> list[Line]:
    """Return the lines of a page; docs/reference/cases.md says what makes two pages equal."""
    return [(page.doctype, "the doctype"), *_lines(page.root)]


def first_difference(canonical: list[Line], actual: list[Line]) -> str | None:
    """Say where two outlines differ, None when they do not."""
    for index in range(max(len(canonical), len(actual))):
        wanted, where_wanted = canonical[index] if index < len(canonical) else ("the end", "")
        found, where_found = actual[index] if index < len(actual) else ("the end", "")
        if wanted != found:
            return f"at {where_found or where_wanted}: expected {wanted}, found {found}"
    return None


def _lines(element: etree._Element, above: str = "") -> Iterator[Line]:
    if not isinstance(element.tag, str):  # a comment or processing instruction, which nobody sees
        return
    tag, name = element.tag, name_of(element)
    path = f"{above} > {name}" if above else name
    yield _start(tag, element), path
    yield from _text(element.text, path)
    for child in element:
        yield from _lines(child, path if tag != "html" else "")
        yield from _text(child.tail, path)
    yield f"</{tag}>", path


def _text(text: str | None, path: str) -> Iterator[Line]:
    seen = collapsed(text or "")
    if seen:
        yield f'"{seen}"', path


def _start(tag: str, element: etree._Element) -> str:
    attributes = [
        f' {name}="{_value(name, value)}"' for name, value in ((str(n), str(v)) for n, v in element.attrib.items())
    ]
    return f"<{tag}{''.join(sorted(attributes))}>"


def _value(name: str, value: str) -> str:
    if name == "class":
        return " ".join(sorted(value.split()))
    return unquote(value) if name == "href" else value
