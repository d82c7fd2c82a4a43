"""A page read as HTML5: its tree and what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import html5lib
from html5lib.constants import E
from lxml import etree

from middlemark.conformance.cases.selector import xpath_of

# A control character that somebody typed and gets shown again: HTML has no other way to write it.
_UNAVOIDABLE = "invalid-codepoint"
# The tree is XML's, which has no such characters (XML 1.0, 2.2), neither as they are nor as references.
_NOT_IN_XML = re.compile("[\x01-\x08\x0b\x0e-\x1f\ufffe\uffff]")
_REFERENCE = re.compile("&#(?:x0{0,9}([0-9a-f]{1,6})(?![0-9a-f])|0{0,9}([0-9]{1,7})(?![0-9]));?", re.IGNORECASE)
_SHOWN_INSTEAD = "\ufffd"


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


# Half of the pages of a verification come again, byte for byte, and nobody changes a tree without copying it.
@lru_cache(maxsize=1000)
def parse(body: bytes) -> tuple[Page, tuple[str, ...]]:
    """Return the page, and one text with its line for each parse error of HTML5.

    Characters that XML does not have are U+FFFD in it.
    """
    text = _NOT_IN_XML.sub(_SHOWN_INSTEAD, body.decode("utf-8-sig", errors="replace"))
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("lxml"), namespaceHTMLElements=False)
    tree = parser.parse(_REFERENCE.sub(_in_xml, text))
    if any(_in_xml(reference) == _SHOWN_INSTEAD for reference in _REFERENCE.finditer(text)):
        # Such a reference is an error of HTML too, which only the text as it came has.
        parser = html5lib.HTMLParser()
        parser.parse(text)
    errors = tuple(
        f"line {position[0]}, column {position[1]}: {E.get(code, code) % variables}"
        for position, code, variables in parser.errors
        if code != _UNAVOIDABLE
    )
    doctype = tree.docinfo.doctype
    return Page(tree.getroot(), doctype, len(body)), errors


def _in_xml(reference: re.Match[str]) -> str:
    """Return a reference to a character as it is, or what is shown instead of one that XML does not have."""
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    is_there = code > 0x10FFFF or not _NOT_IN_XML.fullmatch(chr(code))
    return reference[0] if is_there else _SHOWN_INSTEAD


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
