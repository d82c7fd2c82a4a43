"""What a page gives a browser to send back: the fields of its forms and its links; and its titles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

# Whoever clicks or picks these chooses; the others are sent as the page had them unless somebody types.
_CHOICES = frozenset({"checkbox", "radio", "image", "reset", "button", "file"})


@dataclass(frozen=True)
class Field:
    """A field of a form with the value the page gave it. `tag` is its start tag as it stands in the page."""

    name: str
    value: str
    kind: str
    tag: str
    form: int


@dataclass(frozen=True)
class Address:
    """An address in the page: what stands in `attribute` of `tag`, its entities resolved."""

    value: str
    attribute: str
    tag: str


@dataclass
class Page:
    """A page as far as somebody can send something of it back.

    `forms` are the start tags of the forms; `named` are texts that stand for the whole page, as they stand in it: its
    title, its headings. `passwords` are the names of the fields that hide what is typed.
    """

    forms: list[Address] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    links: list[Address] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    passwords: set[str] = field(default_factory=set)


def read_page(text: str) -> Page:
    """Return what stands in the HTML `text`; any text is a page, as for a browser."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    page = reader.page
    page.named = [element for tag in ("title", "h1", "h2") for element in _elements(tag, text)]
    return page


def _elements(tag: str, text: str) -> list[str]:
    """Return the elements of a tag that hold text and nothing else."""
    found = re.finditer(rf"<{tag}\b[^<>]*>([^<]*)</{tag}>", text, re.IGNORECASE)
    return [element[0] for element in found if element[1].strip()]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._form = -1
        self._area: tuple[str, str] | None = None
        self._written = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in reversed(attrs)}
        raw = self.get_starttag_text() or ""
        if tag == "form":
            self._form = len(self.page.forms)
            self.page.forms.append(Address(given.get("action", ""), "action", raw))
        elif tag == "a" and "href" in given:
            self.page.links.append(Address(given["href"], "href", raw))
        elif tag == "meta" and "name" in given:
            self.page.fields.append(Field(given["name"], given.get("content", ""), "meta", raw, -1))
        elif tag in {"input", "button"}:
            kind = given.get("type", "text" if tag == "input" else "submit").lower()
            if kind == "password":
                self.page.passwords.add(given.get("name", ""))
            if given.get("name") and given.get("value") and kind not in _CHOICES:
                self.page.fields.append(Field(given["name"], given["value"], kind, raw, self._form))
        elif tag == "textarea" and given.get("name"):
            self._area, self._written = (given["name"], raw), ""

    def updatepos(self, i: int, j: int) -> int:  # noqa: ARG002 (as inherited)
        """Count no lines: nobody asks for them, and it takes a tenth of the time."""
        return j

    def parse_marked_section(self, i: int, report: bool = True) -> int:  # noqa: FBT001, FBT002 (as inherited)
        """Pass over `<![…]>` as browsers do: a comment that is none; Python gives up at an unknown one."""
        return self.parse_bogus_comment(i, report)

    def handle_data(self, data: str) -> None:
        if self._area:
            self._written += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = -1
        if tag == "textarea" and self._area:
            name, raw = self._area
            self.page.fields.append(Field(name, self._written, "textarea", raw, self._form))
            self._area = None
