"""A recorded request as templates: every value in it becomes a feed, a capture, or stays what it was."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlsplit

from middlemark.session.findings import Findings
from middlemark.session.given import GivenValues, Sending, Sent, looks_variable
from middlemark.session.har import PostData
from middlemark.session.known_feeds import KnownFeeds
from middlemark.session.visit import Visit
from middlemark.steps.template import literal

_FORM = "application/x-www-form-urlencoded"
_TOKEN_LENGTH = 16
_OF_THE_BROWSER = re.compile(
    r":|sec-|accept(-encoding|-language|$)|access-control-|cache-control$|connection$|content-length$|cookie$|dnt$|expect$|"
    r"host$|if-|keep-alive$|origin$|pragma$|priority$|proxy-|purpose$|range$|referer$|te$|transfer-encoding$|upgrade|"
    r"user-agent$|content-type$",
    re.IGNORECASE,
)


@dataclass
class RequestTemplates:
    """What a step sends, and the recorded values for which names stand in it."""

    path: str
    form: dict[str, str | tuple[str, ...]] | None = None
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)


class RequestReader:
    """Makes templates of one request after the other, in the order in which they were sent."""

    def __init__(self, given: GivenValues, known: KnownFeeds, findings: Findings) -> None:
        """Read the requests of `given.visits`."""
        self._given = given
        self._known = known
        self._findings = findings

    def read(self, step: int) -> RequestTemplates:
        """Return the templates of the request of the visit number `step`."""
        visit = self._given.visits[step]
        self._known.next_step()
        values: dict[str, str] = {}

        def template(sending: Sending, name: str, value: str) -> str:
            found = self._name_of(Sent(step, sending, name, value))
            if found is None:
                self._doubt(visit, sending, name, value)
                return literal(value)
            values[found] = value
            return f"${{{found}}}"

        request = RequestTemplates(_path(visit.request.url, template), values=values)
        request.headers = {
            each.name: template(Sending.HEADER, each.name, each.value)
            for each in visit.request.headers
            if not _OF_THE_BROWSER.match(each.name)
        }
        if visit.request.method == "POST":
            self._read_post(visit, request, template)
        return request

    def _read_post(self, visit: Visit, request: RequestTemplates, template: Callable[[Sending, str, str], str]) -> None:
        post = visit.request.post or PostData()
        media_type = post.media_type.partition(";")[0].strip().lower()
        fields = _fields(post) if media_type in {"", _FORM} else None
        if fields is not None:
            values = [(name, [value for _, value in same]) for name, same in itertools.groupby(fields, itemgetter(0))]
            if len(dict(values)) == len(values):
                templates = [(name, tuple(template(Sending.FIELD, name, one) for one in same)) for name, same in values]
                request.form = {name: same[0] if len(same) == 1 else same for name, same in templates} or None
                return
            self._findings.warn(
                f"POST {visit.path}: a field comes again after others, so the body is sent as it was recorded"
            )
        if post.text is None:
            self._findings.warn(f"POST {visit.path}: the recording holds no body for it, so none is sent")
            return
        request.headers["Content-Type"] = literal(post.media_type or _FORM)
        is_json = media_type == "application/json" or media_type.endswith("+json")
        request.body = _json_body(post.text, template) if is_json else literal(post.text)
        if not is_json and fields is None:
            self._findings.warn(f"POST {visit.path}: its body ({media_type}) is sent as it was recorded")

    def _name_of(self, sent: Sent) -> str | None:
        """Return the feed or capture for a value: who the user is first, then what a page gave, then other feeds."""
        return (
            self._known.lasting_name_of(sent.value, sent.name)
            or self._given.name_of(sent)
            or self._known.name_of(sent.value, sent.name)
        )

    def _doubt(self, visit: Visit, sending: Sending, name: str, value: str) -> None:
        what = f"{visit.request.method} {visit.path}"
        is_token = len(value) >= _TOKEN_LENGTH and bool(re.search(r"\d", value)) and " " not in value
        if name.lower() == "authorization":
            self._findings.warn(f"{what}: its credentials are sent as they were recorded and stand in the session file")
        elif (sending is Sending.SEGMENT and looks_variable(value)) or (sending is not Sending.FIELD and is_token):
            self._findings.warn(f"{what}: '{value}' is sent as it was recorded, since no response before has given it")
        elif is_token:
            self._findings.warn(
                f"{what}: '{name}' is sent as it was recorded; if nobody typed it, a script has made it, and a "
                "session cannot"
            )


def segments(path: str, template: Callable[[str, str], str]) -> str:
    """Return a path with `template(name, value)` in place of each segment that looks variable."""
    parts = path.split("/")
    for index, part in enumerate(parts):
        value = unquote(part)
        if looks_variable(value):
            found = template(next((each for each in reversed(parts[:index]) if each.isidentifier()), ""), value)
            parts[index] = found if found.startswith("${") else literal(part)
        else:
            parts[index] = literal(part)
    return _ascii("/".join(parts))


def _path(url: str, template: Callable[[Sending, str, str], str]) -> str:
    parts = urlsplit(url)
    path = segments(parts.path or "/", lambda name, value: template(Sending.SEGMENT, name, value))
    pairs = []
    for pair in parts.query.split("&") if parts.query else []:
        name, equals, value = pair.partition("=")
        found = template(Sending.QUERY, unquote_plus(name), unquote_plus(value)) if value else ""
        pairs.append(literal(name) + equals + (found if found.startswith("${") else literal(value)))
    return path + ("?" + _ascii("&".join(pairs)) if pairs else "")


def _ascii(text: str) -> str:
    """Return an address as a browser would send it: what is not allowed in one percent-encoded."""
    return quote(text, safe="!\"$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def _fields(post: PostData) -> list[tuple[str, str]] | None:
    """Return the fields of a form; None for a body that is not a form."""
    if post.text:
        fields = parse_qsl(post.text, keep_blank_values=True)
        return fields if post.media_type or (fields and all(value for _, value in fields)) else None
    return [(each.name, each.value) for each in post.params]


def _json_body(text: str, template: Callable[[Sending, str, str], str]) -> str:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return literal(text)
    found: dict[str, str] = {}

    def walked(name: str, part: Any) -> Any:
        if isinstance(part, Mapping):
            return {key: walked(key, value) for key, value in part.items()}
        if isinstance(part, list):
            return [walked(name, value) for value in part]
        if isinstance(part, bool) or not isinstance(part, str | int) or part == "":
            return part
        inserted = template(Sending.BODY, name, str(part))
        if not inserted.startswith("${"):
            return part
        # A place that is in no text: what stands for a number loses its quotes again.
        mark = f"\ue000{len(found)}\ue001"
        found[f'"{mark}"'] = f'"{inserted}"' if isinstance(part, str) else inserted
        return mark

    marked = walked("", content)
    if not found:
        return literal(text)
    body = literal(json.dumps(marked, ensure_ascii=False, separators=(",", ":")))
    for mark, inserted in found.items():
        body = body.replace(mark, inserted)
    return body
