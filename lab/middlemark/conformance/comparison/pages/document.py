"""A page read as HTML5: its tree and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import html5lib
from html5lib.constants import E
from lxml import etree

from middlemark.conformance.cases.selector import xpath_of

# A control character that somebody typed and gets shown again: HTML has no other way to write it.
_UNAVOIDABLE = "invalid-codepoint"


@dataclass(frozen=True)
class Page:
    """A parsed page. `size` is that of its body in bytes; `doctype` is its name, empty when there is none."""

    root: etree._Element
    doctype: str
    size: int

    def at(self, selector: str) -> list[etree._Element]:
        """Return the elements at a CSS selector, in document order; ValueError when it is not one."""
        found: Any = self.root.xpath(xpath_of(selector))
        return list(found)


def parse(body: bytes) -> tuple[Page, list[str]]:
    """Return the page, and one text with its line for each parse error of HTML5."""
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("lxml"), namespaceHTMLElements=False)
    tree = parser.parse(body, transport_encoding="utf-8")
    errors = [
        f"line {position[0]}, column {position[1]}: {E.get(code, code) % variables}"
        for position, code, variables in parser.errors
        if code != _UNAVOIDABLE
    ]
    doctype = tree.docinfo.doctype
    return Page(tree.getroot(), doctype, len(body)), errors


def collapsed(text: str) -> str:
    """Return text with white space collapsed to one blank, and none at its ends."""
    return " ".join(text.split())


def text_of(element: etree._Element) -> str:
    """Return the text in an element and below it, white space collapsed."""
    return collapsed("".join(str(text) for text in element.itertext()))


def name_of(element: etree._Element) -> str:
    """Return an element as people point at it: `dd#balance`, `td.number`."""
    words = "".join(f".{word}" for word in element.get("class", "").split())
    identity = element.get("id")
    return f"{element.tag}#{identity}" if identity else f"{element.tag}{words}"


def path_of(element: etree._Element) -> str:
    """Return the way from the body to an element."""
    names = [name_of(element)]
    for above in element.iterancestors():
        if above.tag == "html":
            break
        names.append(name_of(above))
    return " > ".join(reversed(names))
