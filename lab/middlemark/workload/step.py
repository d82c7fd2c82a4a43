"""A step of a session: one request and what its response must be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from middlemark.documents import Document, Location, exactly_one, require_one, wrong_at
from middlemark.steps.request import HttpRequest, Method, Path, check_header_name
from middlemark.steps.template import NAME_PATTERN
from middlemark.workload.authentication import Authentication
from middlemark.workload.calls import Calls
from middlemark.workload.think import Think

# Python's regular expressions know these, the driver's (Rust's regex crate) do not.
_NOT_IN_THE_DRIVER = re.compile(r"\(\?(?:[=!>(]|<[=!]|P=)|\\[1-9]")
_HEADERS_OF_THE_DRIVER = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "cookie", "expect", "upgrade"}
)


def _checked_name(name: str) -> str:
    if not re.match(_NAME, name):
        raise ValueError(f"'{name}' is not a name; it is not empty and holds neither blanks nor commas")
    return name


_NAME = r"^[^\s,]+$"
Name = Annotated[str, AfterValidator(_checked_name), Field(json_schema_extra={"pattern": _NAME})]


_ONE_NAME = r"^\$\{[^}]*\}$"
Text = Annotated[str, Field(min_length=1)]
TargetName = Annotated[str, Field(pattern=NAME_PATTERN)]


class Expect(Document):
    """What the last response, after redirects, must be."""

    status: int = Field(200, ge=200, le=999, description="HTTP status after redirects")
    marker: Text | Annotated[tuple[Text, ...], Field(min_length=1)] | None = Field(
        None, description="text the body must hold, or a list of such texts; may hold ${names}"
    )
    length: Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=_ONE_NAME)] | None = Field(
        None, description="bytes of the body, after inflating; or ${name} of what says so"
    )
    path: Path | None = Field(None, description="path without query at which the redirects must end; may hold ${names}")

    @property
    def markers(self) -> tuple[str, ...]:
        """Return all texts that the body must hold."""
        if isinstance(self.marker, str):
            return (self.marker,)
        return self.marker or ()

    @field_validator("status")
    @classmethod
    def _is_not_a_redirect(cls, status: int) -> int:
        if status in {301, 302, 303, 307, 308}:
            raise ValueError(f"{status} is followed, never seen; expect the status and path where it leads")
        return status


class Capture(Document):
    """Where to find a value in the last response: one of `regex`, `between`, `json`, `header` and `cookie`."""

    model_config = exactly_one("regex", "between", "json", "header", "cookie")

    regex: str | None = Field(None, description="regular expression; its first group is the value")
    between: tuple[str, str] | None = Field(None, description="[left, right]: the value stands between these texts")
    json_pointer: str | None = Field(None, alias="json", description="JSON pointer (RFC 6901), like /basket/id")
    header: str | None = Field(None, description="name of a header of the response")
    cookie: str | None = Field(None, min_length=1, description="name of a cookie that the user has after the response")

    @model_validator(mode="after")
    def _exactly_one_place(self) -> Self:
        require_one(self, "regex", "between", "json_pointer", "header", "cookie")
        if self.regex is not None:
            _check_regex(self.regex)
        if self.between is not None and not all(self.between):
            raise wrong_at(("between",), "neither text may be empty")
        if self.json_pointer and not self.json_pointer.startswith("/"):
            raise wrong_at(("json",), f"'{self.json_pointer}' is not a JSON pointer; it starts with /, like /basket/id")
        if self.header is not None:
            try:
                check_header_name(self.header)
            except ValueError as error:
                raise wrong_at(("header",), str(error)) from error
        return self


class Step(HttpRequest):
    """One request of an iteration, what its response must be, and what happens afterwards."""

    METHODS: ClassVar[tuple[str, ...]] = (*HttpRequest.METHODS, "put", "patch", "delete")
    model_config = exactly_one(*METHODS)

    put: Path | None = Field(None, description="path of a PUT; may hold ${names}")
    patch: Path | None = Field(None, description="path of a PATCH; may hold ${names}")
    delete: Path | None = Field(None, description="path of a DELETE; may hold ${names}")
    body_file: str | None = Field(
        None,
        min_length=1,
        description="file whose bytes are the body, relative to the session's folder; at most 100 MiB",
    )
    id: Name = Field(description="unique name of the step")
    target: TargetName | None = Field(
        None, description="name of the listener or address it goes to; by default the one that is driven"
    )
    named_transaction: Name | None = Field(None, alias="transaction", description="name in tables; the id by default")
    authentication: Authentication | None = Field(None, description="instead of the session's")
    expect: Expect = Field(Expect(), description="what the response must be")
    capture: dict[str, Capture] = Field({}, description="values of the response that later steps use as ${name}")
    think: Think | None = Field(None, description="think time after this step instead of the session's")
    probability: float = Field(1, ge=0, le=1, description="how likely the step runs, 0 … 1")
    repeat: int = Field(1, ge=1, description="how often the step runs in a row")
    abandon: float = Field(0, ge=0, le=1, description="how likely the user gives up after a valid response, 0 … 1")
    identify: tuple[str, ...] = Field((), description="names whose values are reported when no response comes")
    calls: Calls | None = Field(None, description="calls that the response reports: each of them is a transaction")

    @property
    def transaction(self) -> str:
        """Return the name the step is counted under."""
        return self.named_transaction or self.id

    @property
    def has_authorization(self) -> bool:
        """Return whether a header line of its own authenticates it."""
        return any(name.lower() == "authorization" for name in self.headers)

    def templates(self) -> Iterator[tuple[Location, str]]:
        """Yield every text that may hold `${names}`, with its place in the file below the step."""
        yield from super().templates()
        for location, text in self.authentication.templates() if self.authentication else ():
            yield ("authentication", *location), text
        for marker in self.expect.markers:
            yield ("expect", "marker"), marker
        if isinstance(self.expect.length, str):
            yield ("expect", "length"), self.expect.length
        if self.expect.path is not None:
            yield ("expect", "path"), self.expect.path

    @model_validator(mode="after")
    def _has_one_body(self) -> Self:
        if self.body_file is not None and (self.body is not None or self.form is not None):
            raise wrong_at(("body_file",), "a step has one of form, body and body_file")
        if self.body_file is not None and self.method in {Method.GET, Method.HEAD}:
            raise wrong_at(("body_file",), f"a {self.method.value.lower()} has no body; use post or put")
        return self

    @model_validator(mode="after")
    def _is_authenticated_once(self) -> Self:
        if self.authentication is not None and self.has_authorization:
            raise wrong_at(("authentication",), "the headers hold Authorization already; leave one of them out")
        return self

    @model_validator(mode="after")
    def _a_head_has_headers_only(self) -> Self:
        if self.head is not None:
            if self.expect.marker is not None:
                raise wrong_at(("expect", "marker"), "the response to a head has no body in which to look; use get")
            for name, capture in self.capture.items():
                if capture.header is None and capture.cookie is None:
                    raise wrong_at(("capture", name), "the response to a head has headers only; use get")
        return self

    @model_validator(mode="after")
    def _reports_nothing_but_calls(self) -> Self:
        if self.calls is None:
            return self
        of_body = [name for name, one in self.capture.items() if one.header is None and one.cookie is None]
        wrong: tuple[tuple[object, Location, str], ...] = (
            (self.get is None, ("calls",), "only the response to a get reports calls"),
            (self.expect.marker is not None, ("expect", "marker"), "the body holds calls and no text; leave it out"),
            (self.expect.length is not None, ("expect", "length"), "the application decides how many calls it makes"),
            (of_body, ("capture", *of_body[:1]), "the body holds calls and no text; capture a header or a cookie"),
            (self.identify, ("identify",), "all calls of a response have the same values; use calls.identify"),
        )
        for found, place, problem in wrong:
            if found:
                raise wrong_at(place, problem)
        return self

    @field_validator("headers")
    @classmethod
    def _the_driver_sets_its_own(cls, headers: dict[str, str]) -> dict[str, str]:
        for name in headers:
            if name.lower() in _HEADERS_OF_THE_DRIVER:
                raise wrong_at((name,), f"'{name}' is set by the driver itself; leave it out")
        return headers


def _check_regex(pattern: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise wrong_at(("regex",), f"'{pattern}' is not a regular expression: {error}") from error
    if _NOT_IN_THE_DRIVER.search(pattern):
        raise wrong_at(("regex",), f"'{pattern}' looks around or back, which the driver cannot; use a group or between")
    if groups < 1:
        raise wrong_at(("regex",), f"'{pattern}' needs a group ( ) around the value to keep")
