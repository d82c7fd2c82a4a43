"""A step of a session: one request and what its answer must be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from middlemark.documents import Document, Location, exactly_one, wrong_at
from middlemark.workload.authentication import Authentication
from middlemark.workload.think import Think

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")  # RFC 9110, 5.6.2
# Python's regular expressions know these, the driver's (Rust's regex crate) do not.
_NOT_IN_THE_DRIVER = re.compile(r"\(\?(?:[=!>(]|<[=!]|P=)|\\[1-9]")
_OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection", "cookie", "expect", "upgrade"})


def _checked_path(path: str) -> str:
    if not re.match(_PATH, path):
        raise ValueError(
            f"'{path}' is no path; it starts with / and holds no blank, no # and only ASCII (%20 is a blank)"
        )
    return path


def _checked_name(name: str) -> str:
    if not re.match(_NAME, name):
        raise ValueError(f"'{name}' is no name; it is not empty and holds neither blanks nor commas")
    return name


_PATH = r'^/[!"$-~]*$'
_NAME = r"^[^\s,]+$"
Path = Annotated[str, AfterValidator(_checked_path), Field(json_schema_extra={"pattern": _PATH})]
Name = Annotated[str, AfterValidator(_checked_name), Field(json_schema_extra={"pattern": _NAME})]


class Method(StrEnum):
    """How a request is sent."""

    GET = "GET"
    HEAD = "HEAD"
    POST = "POST"


class Expect(Document):
    """What the last answer, after redirects, must be."""

    status: int = Field(200, ge=200, le=599, description="HTTP status after redirects")
    marker: str | None = Field(None, min_length=1, description="text the body must hold; may hold ${names}")
    path: Path | None = Field(None, description="path without query at which the redirects must end; may hold ${names}")

    @field_validator("status")
    @classmethod
    def _is_no_redirect(cls, status: int) -> int:
        if status in {301, 302, 303, 307, 308}:
            raise ValueError(f"{status} is followed, never seen; expect the status and path where it leads")
        return status


class Capture(Document):
    """Where to find a value in the last answer: exactly one of `regex`, `between`, `json` and `header`."""

    model_config = exactly_one("regex", "between", "json", "header")

    regex: str | None = Field(None, description="regular expression; its first group is the value")
    between: tuple[str, str] | None = Field(None, description="[left, right]: the value stands between these texts")
    json_pointer: str | None = Field(None, alias="json", description="JSON pointer (RFC 6901), like /order/id")
    header: str | None = Field(None, description="name of a header of the answer")

    @model_validator(mode="after")
    def _exactly_one_place(self) -> Self:
        places = [name for name in ("regex", "between", "json_pointer", "header") if getattr(self, name) is not None]
        if len(places) != 1:
            found = " and ".join(place.removesuffix("_pointer") for place in places) or "none of them"
            raise ValueError(f"a capture is exactly one of regex, between, json and header; here is {found}")
        if self.regex is not None:
            _check_regex(self.regex)
        if self.between is not None and not all(self.between):
            raise wrong_at(("between",), "neither text may be empty")
        if self.json_pointer and not self.json_pointer.startswith("/"):
            raise wrong_at(("json",), f"'{self.json_pointer}' is no JSON pointer; it starts with /, like /order/id")
        if self.header is not None and not _TOKEN.match(self.header):
            raise wrong_at(("header",), f"'{self.header}' is no name of a header")
        return self


class Step(Document):
    """One request of an iteration, what its answer must be, and what happens afterwards."""

    model_config = exactly_one("get", "head", "post")

    id: Name = Field(description="unique name of the step")
    named_transaction: Name | None = Field(None, alias="transaction", description="name in tables; the id by default")
    get: Path | None = Field(None, description="path to get; may hold ${names}")
    head: Path | None = Field(None, description="path of which only status and headers are asked; may hold ${names}")
    post: Path | None = Field(None, description="path to post to; may hold ${names}")
    form: dict[str, str] | None = Field(None, description="fields of a form; values may hold ${names}")
    body: str | None = Field(None, description="body sent as it is; may hold ${names}")
    headers: dict[str, str] = Field({}, description="more headers; values may hold ${names}")
    authentication: Authentication | None = Field(None, description="instead of the session's")
    expect: Expect = Field(Expect(), description="what the answer must be")
    capture: dict[str, Capture] = Field({}, description="values of the answer that later steps use as ${name}")
    think: Think | None = Field(None, description="think time after this step instead of the session's")
    probability: float = Field(1, ge=0, le=1, description="how likely the step is played, 0 … 1")
    repeat: int = Field(1, ge=1, description="how often the step is played in a row")
    abandon: float = Field(0, ge=0, le=1, description="how likely the user leaves after a valid answer, 0 … 1")
    identify: tuple[str, ...] = Field((), description="names whose values are reported when no answer comes")

    @property
    def transaction(self) -> str:
        """Return the name the step is counted under."""
        return self.named_transaction or self.id

    @property
    def method(self) -> Method:
        """Return how the request is sent."""
        if self.head is not None:
            return Method.HEAD
        return Method.GET if self.get is not None else Method.POST

    @property
    def path(self) -> str:
        """Return the template of the path."""
        return self.get or self.head or self.post or "/"

    @property
    def has_authorization(self) -> bool:
        """Return whether one of its header lines says who sends it."""
        return any(name.lower() == "authorization" for name in self.headers)

    def templates(self) -> Iterator[tuple[Location, str]]:
        """Yield every text that may hold `${names}`, with its place in the file below the step."""
        yield (self.method.value.lower(),), self.path
        for field, value in (self.form or {}).items():
            yield ("form", field), value
        if self.body is not None:
            yield ("body",), self.body
        for header, value in self.headers.items():
            yield ("headers", header), value
        for location, text in self.authentication.templates() if self.authentication else ():
            yield ("authentication", *location), text
        if self.expect.marker is not None:
            yield ("expect", "marker"), self.expect.marker
        if self.expect.path is not None:
            yield ("expect", "path"), self.expect.path

    @model_validator(mode="after")
    def _is_one_request(self) -> Self:
        methods = [key for key in ("get", "head", "post") if getattr(self, key) is not None]
        if len(methods) != 1:
            found = " and ".join(methods) or "none of them"
            raise ValueError(f"a step has exactly one of get, head and post; step '{self.id}' has {found}")
        for key in ("form", "body"):
            if self.post is None and getattr(self, key) is not None:
                raise wrong_at((key,), f"a {methods[0]} has no {key}; use post, or put the values into the path")
        if self.form is not None and self.body is not None:
            raise wrong_at(("body",), "a post has a form or a body, not both")
        return self

    @model_validator(mode="after")
    def _says_once_who_sends_it(self) -> Self:
        if self.authentication is not None and self.has_authorization:
            raise wrong_at(("authentication",), "the headers hold Authorization already; leave one of them out")
        return self

    @model_validator(mode="after")
    def _looks_where_something_is(self) -> Self:
        if self.head is not None:
            if self.expect.marker is not None:
                raise wrong_at(("expect", "marker"), "the answer to a head has no body in which to look; use get")
            for name, capture in self.capture.items():
                if capture.header is None:
                    raise wrong_at(("capture", name), "the answer to a head has nothing but headers; use get")
        return self

    @field_validator("headers")
    @classmethod
    def _headers_can_be_sent(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if not _TOKEN.match(name):
                raise wrong_at((name,), f"'{name}' is no name of a header")
            if name.lower() in _OWN_HEADERS:
                raise wrong_at((name,), f"'{name}' is set by the driver itself; leave it out")
            if any(ord(character) < 32 or ord(character) == 127 for character in value):
                raise wrong_at((name,), "a header is one line without control characters")
        return headers


def _check_regex(pattern: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise wrong_at(("regex",), f"'{pattern}' is no regular expression: {error}") from error
    if _NOT_IN_THE_DRIVER.search(pattern):
        raise wrong_at(("regex",), f"'{pattern}' looks around or back, which the driver cannot; use a group or between")
    if groups < 1:
        raise wrong_at(("regex",), f"'{pattern}' needs a group ( ) around the value to keep")
