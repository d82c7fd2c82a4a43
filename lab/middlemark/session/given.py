"""Values that a page gave and a later request sends back: they become captures."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import parse_qsl, urlsplit

from middlemark.session.findings import Findings
from middlemark.session.place import place_of_part, places_in_text, places_of_field, value_at
from middlemark.session.responses import Given, Responses
from middlemark.session.visit import Visit
from middlemark.workload.step import Capture

_DISTINCTIVE_LENGTH = 8
"""Length from which a value with a digit in it is hardly the same by chance."""
_WORD_LENGTH = 4
"""Letters of the words of a name on average, at least; of letters that were drawn in both cases two."""
TOKEN = "token"  # noqa: S105 (a name)
"""Name of what an Authorization header holds behind the word `Bearer`."""
_RANDOM = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_SHORT_NUMBER = re.compile(r"[0-9.,]{1,4}")


class Sending(StrEnum):
    """Where a request holds a value."""

    FIELD = "field"
    QUERY = "query"
    SEGMENT = "segment"
    BODY = "body"
    HEADER = "header"


@dataclass(frozen=True)
class Sent:
    """A value of the request of step `step`: the `name` it is sent under, for a segment the one before it."""

    step: int
    sending: Sending
    name: str
    value: str


@dataclass(frozen=True)
class Source:
    """The step whose response gives a value, and where. `is_first_of`: of so many, another than the recorded one."""

    step: int
    capture: Capture
    is_first_of: int = 0


@dataclass
class GivenValues:
    """What the responses of a recording give to later requests; it grows by the captures that are requested.

    `reserved` are the names no capture may have. `typed` are the values that came from nowhere, with their step.
    """

    visits: Sequence[Visit]
    findings: Findings
    reserved: frozenset[str]
    captures: list[dict[str, Capture]] = field(init=False)
    typed: dict[str, int] = field(default_factory=dict)
    _lives: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    _responses: Responses = field(init=False)

    def __post_init__(self) -> None:
        """Begin without captures."""
        self.captures = [{} for _ in self.visits]
        self._responses = Responses(self.visits)

    def name_of(self, sent: Sent) -> str | None:
        """Return the capture that holds a value when it is sent; None when nothing before has given it."""
        if not sent.value:
            return None
        source = self._source(sent)
        if source is None:
            self.typed.setdefault(sent.value, sent.step)
            return None
        name = self._named(sent, source)
        if source.is_first_of:
            self.findings.note(
                f"`{name}`: the page of step {source.step + 1} gives {source.is_first_of} values of this kind; the "
                f"recording has {sent.value}, a virtual user takes the first"
            )
        return name

    def is_typed(self, step: int, name: str, value: str) -> bool:
        """Return whether the field of a request holds what neither a response gave nor a page has by itself."""
        if value not in self.typed:
            return False
        pages = [self._responses.page(each) for each in self._responses.pages_with(value) if each < step]
        return not any((each.name, each.value) == (name, value) for page in pages for each in page.fields)

    def holding(self, sent: Sent) -> int | None:
        """Return the first step before whose response holds a value, wherever; None without one."""
        return next((step for step in range(sent.step) if sent.value in self._responses.bodies[step]), None)

    def _source(self, sent: Sent) -> Source | None:
        first: Source | None = None
        given = self._responses.giving(sent.value)
        pages = self._responses.pages_with(sent.value)
        steps = {step for step in (*pages, *(one.step for one in given)) if step < sent.step}
        for step in sorted(steps, reverse=True):
            for source in self._in_response(step, sent, [one for one in given if one.step == step]):
                if not source.is_first_of:
                    return source
                first = first or source
        return self._somewhere(sent, is_given=first is not None) or first

    def _in_response(self, step: int, sent: Sent, given: Sequence[Given]) -> Iterator[Source]:
        if self.visits[step].is_page:
            yield from _as_field(step, self._responses, sent)
            yield from _as_address(step, self._responses, sent)
        for one in given:
            is_json = one.capture.json_pointer is not None
            is_id = sent.sending is Sending.SEGMENT and _plain(one.name).endswith("id")
            is_token = sent.name == TOKEN and _plain(one.name).endswith(TOKEN)
            is_distinctive = one.capture.header is None and _is_distinctive(sent.value)
            if (is_json and (is_id or is_token)) or is_distinctive or is_same_name(one.name, sent.name):
                yield Source(step, one.capture)

    def _somewhere(self, sent: Sent, *, is_given: bool) -> Source | None:
        """Return where a value first stands in the text of a response, when it hardly stands there by chance.

        Either what stands around it has its name (`<dd class="item-id">`), or the value is distinctive. A short number
        that no form gave is somebody's choice; what the person has typed before is an echo there.
        """
        named = is_given or not _SHORT_NUMBER.fullmatch(sent.value)
        by_value: Source | None = None
        before = min(sent.step, self.typed.get(sent.value, sent.step))
        for step in self._responses.with_word(sent.value):
            if step >= before:
                break
            body = self._responses.bodies[step]
            for left, capture in places_in_text(body, sent.value):
                if value_at(capture, body) != sent.value:
                    continue
                if named and sent.name and _plain(sent.name) in _plain(left):
                    return Source(step, capture)
                if by_value is None and _is_distinctive(sent.value):
                    by_value = Source(step, capture)
        return by_value

    def _named(self, sent: Sent, source: Source) -> str:
        """Return the name of the capture, under which nothing else is captured as long as it is needed."""
        held = self.captures[source.step]
        stem = re.sub(r"[^A-Za-z0-9_-]+", "_", sent.name).strip("_-") or "value"
        if sent.sending is Sending.SEGMENT:
            stem += "-id"
        if not re.match(r"[A-Za-z_]", stem):
            stem = f"value-{stem}"
        stem = f"shown-{stem}" if stem in self.reserved else stem
        known = [name for name, capture in held.items() if capture == source.capture]
        names = itertools.chain(known, [stem], (f"{stem}-{number}" for number in itertools.count(2)))
        name = next(name for name in names if self._is_free(name, sent, source))
        held[name] = source.capture
        self._lives.setdefault(name, []).append((source.step, sent.step))
        return name

    def _is_free(self, name: str, sent: Sent, source: Source) -> bool:
        held = self.captures[source.step]
        if name in self.reserved or held.get(name, source.capture) != source.capture:
            return False
        others = [life for life in self._lives.get(name, []) if life[0] != source.step]
        return all(last <= source.step or sent.step <= first for first, last in others)


def looks_variable(value: str) -> bool:
    """Return whether a text of a request looks as if it were another one the next time: an id or a token.

    The version of an interface (`v2`) and long names of words (`editing-sessions`, `getCustomerDetails`) do not.
    """
    if re.search(r"\d", value):
        return not re.fullmatch(r"v\d{1,2}(\.\d{1,2})?", value)
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", value)
    are_words = len(words) * _WORD_LENGTH <= len(value) and all(len(word) < 2 * _DISTINCTIVE_LENGTH for word in words)
    return len(value) >= 2 * _DISTINCTIVE_LENGTH and not (words and are_words)


def looks_random(value: str) -> bool:
    """Whether a text, or each of several between commas, looks like a hash, a UUID or random bytes in base64.

    It has 16 characters or more of these alphabets, letters and digits among them, and no words.
    """
    return all(_is_random(part.strip()) for part in value.split(","))


def _is_random(text: str) -> bool:
    letters = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)
    is_mixed = bool(letters) and bool(re.search(r"\d", text)) and len(set(text)) >= _DISTINCTIVE_LENGTH
    has_words = sum(map(len, letters)) >= _WORD_LENGTH * len(letters)
    return bool(_RANDOM.fullmatch(text)) and is_mixed and not has_words


def _as_field(step: int, responses: Responses, sent: Sent) -> Iterator[Source]:
    if sent.sending is Sending.SEGMENT:
        return
    page, body = responses.page(step), responses.bodies[step]
    for given in page.fields:
        is_meta = given.kind == "meta"
        named = (
            is_same_name(given.name, sent.name)
            if is_meta or sent.sending is Sending.HEADER
            else given.name == sent.name
        )
        # What a button or hidden field is for (`_method=put`) is the same for everybody.
        word = given.kind in {"hidden", "submit"} and _is_words(sent.value)
        if not named or given.value != sent.value or word:
            continue
        places = places_of_field(page, given)
        for capture in places:
            if value_at(capture, body) == sent.value:
                yield Source(step, capture)
        alike = [each for each in page.fields if each.name == given.name]
        if places and len(alike) > 1 and value_at(places[0], body):
            yield Source(step, places[0], is_first_of=len(alike))


def _as_address(step: int, responses: Responses, sent: Sent) -> Iterator[Source]:
    if sent.sending not in {Sending.QUERY, Sending.SEGMENT} or not looks_variable(sent.value):
        return
    body, wanted = responses.bodies[step], urlsplit(responses.visits[sent.step].request.url)
    alike = 0
    for address, there in responses.addresses(step):
        if there.netloc != wanted.netloc or not _is_alike(there.path, wanted.path):
            continue
        alike += 1
        is_query = sent.sending is Sending.QUERY
        holds = (sent.name, sent.value) in parse_qsl(there.query) if is_query else there.path == wanted.path
        capture = place_of_part(address, sent.value) if holds else None
        if capture is None:
            continue
        if value_at(capture, body) == sent.value:
            yield Source(step, capture)
        elif value_at(capture, body):
            yield Source(step, capture, is_first_of=alike + 1)


def _is_alike(one: str, other: str) -> bool:
    """Return whether two paths differ in nothing but variable segments."""
    pairs = list(zip(one.split("/"), other.split("/"), strict=False))
    same = all(a == b or (looks_variable(a) and looks_variable(b)) for a, b in pairs)
    return one.count("/") == other.count("/") and same


def _is_words(value: str) -> bool:
    """Return whether a text consists of words (`put`, `Save_order`): no digit, no letters of both cases in one."""
    words = re.split(r"[\W_]+", value)
    return all(re.fullmatch(r"[A-Z]?[a-z]*|[A-Z]*", word) for word in words) and not looks_variable(value)


def _is_distinctive(value: str) -> bool:
    return len(value) >= _DISTINCTIVE_LENGTH and bool(re.search(r"\d", value)) and not re.search(r"\s", value)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names mean the same: `csrf-token` and `X-CSRF-Token`."""
    here, there = _plain(one), _plain(other)
    return bool(here and there) and (here in (there, f"x{there}") or there == f"x{here}")
