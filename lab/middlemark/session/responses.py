"""What the responses of a recording hold, read once: each later value is looked up, not searched for."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote_plus, urljoin, urlsplit

from middlemark.session.page import Address, Page
from middlemark.session.place import values_in_json
from middlemark.session.visit import Visit
from middlemark.steps.request import is_header_name
from middlemark.workload.step import Capture

_WORD = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Given:
    """A value that a response gave under a name, and where."""

    step: int
    name: str
    capture: Capture


@dataclass
class Responses:
    """The responses of visits. Of texts that no request sends nothing is kept: 50 MB of JSON hold millions."""

    visits: Sequence[Visit]
    bodies: list[str] = field(init=False)
    _given: dict[str, list[Given]] = field(init=False)
    _words: dict[str, list[int]] = field(init=False)
    _addresses: dict[int, list[tuple[Address, SplitResult]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read all of them."""
        self.bodies = [visit.body for visit in self.visits]
        self._given, self._words = defaultdict(list), defaultdict(list)
        sent = {word for visit in self.visits for text in _sent(visit) for word in _WORD.findall(text)}
        for step, (visit, body) in enumerate(zip(self.visits, self.bodies, strict=True)):
            for word in sent.intersection(_WORD.findall(body)):
                self._words[word].append(step)
            for name, pointer, value in values_in_json(body):
                if _first_word(value) in sent:
                    self._given[value].append(Given(step, name, Capture(json_pointer=pointer)))
            for name, value in visit.cookies.items():
                self._given[value].append(Given(step, name, Capture(cookie=name)))
            for name, value in _first_headers(visit).items():
                self._given[value].append(Given(step, name, Capture(header=name)))

    def giving(self, value: str) -> list[Given]:
        """Return who gave a value as a whole, in JSON, a cookie or a header, by step."""
        return self._given.get(value, [])

    def with_word(self, value: str) -> list[int]:
        """Return the steps in whose responses a value may stand alone: those that hold its first word so."""
        first = _first_word(value)
        return self._words.get(first, []) if first else list(range(len(self.visits)))

    def pages_with(self, value: str) -> list[int]:
        """Return the steps whose responses are pages in which a value may stand alone."""
        return [step for step in self.with_word(value) if self.visits[step].is_page]

    def page(self, step: int) -> Page:
        """Return the page of a step."""
        return self.visits[step].page

    def addresses(self, step: int) -> list[tuple[Address, SplitResult]]:
        """Return the links and forms of a page, each with the parts of the address to which it leads."""
        if step not in self._addresses:
            self._addresses[step] = list(_led_to(self.visits[step].url, self.page(step)))
        return self._addresses[step]


def _led_to(url: str, page: Page) -> Iterator[tuple[Address, SplitResult]]:
    for address in [*page.links, *page.forms]:
        try:
            yield address, urlsplit(urljoin(url, address.value))
        except ValueError:
            continue


def _first_word(value: str) -> str:
    found = _WORD.match(value)
    return found[0] if found else ""


def _first_headers(visit: Visit) -> dict[str, str]:
    """Return the first header of each name, which is the one that a capture finds."""
    headers: dict[str, str] = {}
    for each in visit.response.headers if visit.response else ():
        headers.setdefault(each.name.lower(), each.value)
    return {name: value for name, value in headers.items() if name != "set-cookie" and is_header_name(name)}


def _sent(visit: Visit) -> Iterator[str]:
    """Yield the texts of a request, as they are written and as they are meant."""
    request = visit.request
    yield unquote_plus(request.url)
    yield from (each.value for each in request.headers)
    yield from (each.value for each in request.post.params)
    try:
        body = request.body or ""
    except ValueError:
        return
    yield body
    yield unquote_plus(body)
    try:
        yield json.dumps(json.loads(body), ensure_ascii=False)
    except (ValueError, RecursionError):
        return
