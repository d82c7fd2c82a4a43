"""A recorded request as templates: every value in it becomes a feed, a capture, or stays what it was."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from urllib.parse import quote, unquote, unquote_plus, urlsplit

from middlemark.session.body import FORM, form_fields, json_body, multipart_body
from middlemark.session.findings import Findings
from middlemark.session.given import TOKEN, GivenValues, Sending, Sent, looks_random, looks_variable
from middlemark.session.har import NameValue, PostData
from middlemark.session.known_feeds import KnownFeeds
from middlemark.session.visit import Visit
from middlemark.steps.template import literal

_TOKEN_LENGTH = 16
# Schemes that send no token which a response gave: `Bearer`, `Token`, `JWT` and others do.
_OTHER_CREDENTIALS = frozenset({"basic", "digest", "negotiate", "ntlm"})
_OF_THE_BROWSER = re.compile(
    r":|sec-|accept(-encoding|-language|$)|access-control-|cache-control$|connection$|content-length$|cookie$|dnt$|expect$|"
    r"host$|if-|keep-alive$|origin$|pragma$|priority$|proxy-|purpose$|range$|referer$|te$|transfer-encoding$|upgrade|"
    r"user-agent$|content-type$",
    re.IGNORECASE,
)


@dataclass
class RequestTemplates:
    """What a step sends, and the recorded values for which names stand in it.

    `raw` is a body that is not text, `fields` are those of either kind of form.
    """

    path: str
    form: dict[str, str | tuple[str, ...]] | None = None
    body: str | None = None
    raw: bytes | None = None
    fields: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)


class RequestReader:
    """Makes templates of one request after the other, in the order in which they were sent."""

    def __init__(self, given: GivenValues, known: KnownFeeds, findings: Findings) -> None:
        """Read the requests of `given.visits`."""
        self._given = given
        self._known = known
        self._findings = findings
        self._computed: dict[str, list[str]] = {}

    def read(self, step: int) -> RequestTemplates:
        """Return the templates of the request of the visit number `step`."""
        visit = self._given.visits[step]
        self._known.next_step()
        values: dict[str, str] = {}
        fields: list[tuple[str, str]] = []

        def template(sending: Sending, name: str, value: str) -> str:
            sent = Sent(step, sending, name, value)
            found = self._name_of(sent)
            if found is None:
                self._doubt(visit, sent)
            else:
                values[found] = value
            written = literal(value) if found is None else f"${{{found}}}"
            if sending is Sending.FIELD:
                fields.append((name, written))
            return written

        request = RequestTemplates(_path(visit.request.url, template), fields=fields, values=values)
        request.headers = {
            each.name: _header(each, template)
            for each in visit.request.headers
            if each.name and not _OF_THE_BROWSER.match(each.name)
        }
        if not all(each.name for each in visit.request.headers):
            self._findings.warn(f"{visit.request.method} {visit.path}: a header without a name is left out")
        if visit.request.method != "GET":
            self._read_body(visit, request, template)
        self._note_typed(step, visit)
        return request

    def warn_of_computed(self) -> None:
        """Warn of each name with values that the browser may have computed."""
        for name, requests in self._computed.items():
            first, more = requests[0], len(set(requests)) - 1
            others = f" and {more} other address{'' if more == 1 else 'es'}" if more else ""
            self._findings.warn(
                f"{first}{others}: '{name}' is sent as it was recorded: no response contained it; the browser may have "
                "computed it"
            )

    def _note_typed(self, step: int, visit: Visit) -> None:
        """Note what a form sends the same each time although no page had filled it in."""
        typed = [name for name, value in visit.request.fields if value and self._given.is_typed(step, name, value)]
        if typed:
            self._findings.note(
                f"{visit.request.method} {visit.path} sends the same {', '.join(dict.fromkeys(typed))} each time; "
                "use a feed if the application needs a new one each time"
            )

    def _read_body(self, visit: Visit, request: RequestTemplates, template: Callable[[Sending, str, str], str]) -> None:
        what, post = f"{visit.request.method} {visit.path}", visit.request.post
        written = visit.request.media_type
        media_type = written.partition(";")[0].strip().lower()
        try:
            text = visit.request.body
        except UnicodeDecodeError:
            request.raw = visit.request.sent
            request.headers["Content-Type"] = literal(written or "application/octet-stream")
            self._findings.warn(f"{what}: its body is not text; it is sent as it was recorded, from a file of its own")
            return
        except ValueError:
            self._findings.warn(f"{what}: its body is not base64 and not sent; `body_file` sends a file's bytes")
            return
        if visit.request.has_lost_bytes:
            self._findings.warn(
                f"{what}: its body is damaged, because the recording lost its bytes that are not text; `body_file` "
                "sends a file's bytes"
            )
        reason = f"its body ({media_type or 'without a type'})"
        if media_type in {"", FORM}:
            reason = self._read_form(post, text, request, template)
        if not reason:
            return
        if text is None:
            self._findings.warn(
                f"{what}: the recording holds no body for it, so none is sent; `body_file` sends a file's bytes"
            )
            return
        request.headers["Content-Type"] = literal(written or FORM)
        if media_type == "application/json" or media_type.endswith("+json"):
            request.body = json_body(text, lambda name, value: template(Sending.BODY, name, value))
            return
        form = multipart_body(text, written, lambda name, value: template(Sending.FIELD, name, value))
        request.body = literal(text) if form is None else form.template
        if form is None:
            self._findings.warn(f"{what}: {reason} is sent as it was recorded")
        elif form.files and not visit.request.has_lost_bytes:
            self._findings.warn(f"{what}: the file {', '.join(form.files)} is sent as it was recorded")

    def _read_form(
        self,
        post: PostData,
        text: str | None,
        request: RequestTemplates,
        template: Callable[[Sending, str, str], str],
    ) -> str:
        """Take a body as a form; why not, where it would be sent otherwise than it was recorded."""
        fields = form_fields(text) if text else [(each.name, each.value) for each in post.params]
        values = [(name, [value for _, value in same]) for name, same in itertools.groupby(fields or (), itemgetter(0))]
        if fields is None:
            return "what is not a form"
        if len(dict(values)) < len(values):
            return "a form of which a field comes again after others"
        templates = [(name, tuple(template(Sending.FIELD, name, one) for one in same)) for name, same in values]
        request.form = {name: same[0] if len(same) == 1 else same for name, same in templates} or None
        return ""

    def _name_of(self, sent: Sent) -> str | None:
        """Return the feed or capture for a value: who the user is first, then what a page gave, then other feeds."""
        return (
            self._known.lasting_name_of(sent.value, sent.name)
            or self._given.name_of(sent)
            or self._known.name_of(sent.value, sent.name)
        )

    def _doubt(self, visit: Visit, sent: Sent) -> None:
        what, sending, name, value = f"{visit.request.method} {visit.path}", sent.sending, sent.name, sent.value
        is_token = len(value) >= _TOKEN_LENGTH and bool(re.search(r"\d", value)) and " " not in value
        if name.lower() == "authorization" or (sending is Sending.HEADER and name == TOKEN):
            self._findings.warn(f"{what}: its credentials are sent as they were recorded and stand in the session file")
        elif sending is not Sending.SEGMENT and looks_random(value) and self._given.holding(sent) is None:
            self._computed.setdefault(name, []).append(what)
        elif (sending is Sending.SEGMENT and looks_variable(value)) or (sending is not Sending.FIELD and is_token):
            step = self._given.holding(sent)
            reason = "no response before has given it"
            if step is not None:
                before = self._given.visits[step]
                reason = f"the response to {before.request.method} {before.path} holds it where nothing marks the place"
            self._findings.warn(f"{what}: '{value}' is sent as it was recorded, since {reason}")
        elif is_token:
            self._findings.warn(
                f"{what}: '{name}' is sent as it was recorded; if nobody typed it, a script has made it, and a "
                "session cannot"
            )


def _header(header: NameValue, template: Callable[[Sending, str, str], str]) -> str:
    scheme, blank, credentials = header.value.partition(" ")
    is_token = blank and scheme.lower() not in _OTHER_CREDENTIALS and " " not in credentials
    if header.name.lower() == "authorization" and is_token:
        return literal(f"{scheme} ") + template(Sending.HEADER, TOKEN, credentials)
    return template(Sending.HEADER, header.name, header.value)


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
