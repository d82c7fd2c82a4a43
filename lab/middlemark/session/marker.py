"""The text that identifies a page: its title or a heading, without what changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from middlemark.session.visit import Visit
from middlemark.steps.template import literal

_MIN_LETTERS = 4
_NOT_TYPED = frozenset({"hidden", "submit", "meta"})


def _replaced_values(visits: Sequence[Visit]) -> frozenset[str]:
    """Return what pages had filled in and a form then replaced: where they stand, the next iteration finds others."""
    filled, replaced = dict[str, str](), set[str]()
    for visit in visits:
        if visit.request.method != "GET":
            sent = dict(visit.request.fields)
            replaced |= {value for name, value in filled.items() if sent.get(name, value) not in {value, ""}}
        if visit.is_page:
            fields = visit.page.fields
            filled |= {field.name: field.value for field in fields if field.kind not in _NOT_TYPED}
    return frozenset(value for value in replaced if sum(map(str.isalpha, value)) >= _MIN_LETTERS - 1)


@dataclass(frozen=True)
class Changing:
    """Texts that are others the next time: recorded `values` by the names that stand for them, and `replaced` ones."""

    values: Mapping[str, str]
    replaced: frozenset[str]


class Markers:
    """Titles and headings of all pages of a recording, with the path of each."""

    def __init__(self, visits: Sequence[Visit]) -> None:
        """Read all of them once: each page is compared with every other."""
        self._replaced = _replaced_values(visits)
        pages = [visit for visit in visits if visit.is_page]
        self._named = [(urlsplit(visit.url).path, "\n".join(visit.page.named)) for visit in pages]

    def marker_of(self, visit: Visit, values: Mapping[str, str]) -> str | None:
        """Return the template of a title or heading, one that no other page has if there is one; None without any.

        `values` are the recorded values by the names that stand for them.
        """
        changing = Changing(values, self._replaced)
        candidates = [text for element in visit.page.named if (text := _lasting(element, changing))]
        others = [named for path, named in self._named if path != urlsplit(visit.url).path]
        telling = [text for text, recorded in candidates if not any(recorded in named for named in others)]
        return next(iter(telling or [text for text, _ in candidates]), None)


def _lasting(element: str, changing: Changing) -> tuple[str, str] | None:
    """Return the template of an element's text and what stands in the page for it; None when nothing of it lasts."""
    match = re.fullmatch(r"(<(\w+)[^>]*>)([^<]*)(</\w+>)", element)
    if match is None or "\ufffd" in element:
        return None
    opening, tag, text, closing = match.groups()
    if "\n" in element or "\r" in element:
        opening, text, closing = "", text.strip(), ""
        if len(text.splitlines()) != 1:
            return None
    if re.search(r"\d", opening.removeprefix(f"<{tag}")):
        opening = ">"
    template = _inserted(text, changing.values)
    others = "|".join([r"\d", *(rf"(?<!\w){re.escape(value)}(?!\w)" for value in sorted(changing.replaced))])
    if not re.search(others, re.sub(r"\$\{[^}]*\}", "", template)):
        return f"{literal(opening)}{template}{closing}", f"{opening}{text}{closing}"
    # A number in it is another one the next time; what stands before it may be enough.
    before = re.split(others, text, maxsplit=1)[0]
    if sum(character.isalpha() for character in before) < _MIN_LETTERS:
        return None
    return literal(opening + before), opening + before


def _inserted(text: str, values: Mapping[str, str]) -> str:
    """Return `text` as a template, with names for the values that stand in it."""
    names = {literal(value): name for name, value in values.items() if len(value) >= _MIN_LETTERS - 1}
    if not names:
        return literal(text)
    longest_first = "|".join(re.escape(value) for value in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\w.-])({longest_first})(?![\w.-])", lambda found: f"${{{names[found[0]]}}}", literal(text))
