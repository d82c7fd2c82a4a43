"""An HTTP request as a step of a session or case describes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from middlemark.documents import Document, Location, exactly_one, require_one, wrong_at

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")  # RFC 9110, 5.6.2
_PATH = r'^/[!"$-~]*$'


class Method(StrEnum):
    """The methods that a step names by a key of its own."""

    GET = "GET"
    HEAD = "HEAD"
    POST = "POST"
    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"


# What they ask for is in their path alone.
_WITHOUT_BODY = frozenset({Method.GET, Method.HEAD})


def is_header_name(name: str) -> bool:
    """Return whether a header can have this name."""
    return _TOKEN.match(name) is not None


def check_header_name(name: str) -> None:
    """Raise ValueError for what cannot be the name of a header."""
    if not is_header_name(name):
        raise ValueError(f"'{name}' is not a header name; it holds no blanks and no separators")


def fields_of(form: Mapping[str, str | tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    """Return the fields of a form in their order, one for each value."""
    return tuple(
        (name, value) for name, values in form.items() for value in ((values,) if isinstance(values, str) else values)
    )


def _checked_path(path: str) -> str:
    if not re.match(_PATH, path):
        raise ValueError(
            f"'{path}' is not a path; it starts with / and holds no blank, no # and only ASCII (%20 is a blank)"
        )
    return path


def _checked_headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        try:
            check_header_name(name)
        except ValueError as error:
            raise wrong_at((name,), str(error)) from error
        if any(ord(character) < 32 or ord(character) == 127 for character in value):
            raise wrong_at((name,), "a header is one line without control characters")
    return headers


Path = Annotated[str, AfterValidator(_checked_path), Field(json_schema_extra={"pattern": _PATH})]
Headers = Annotated[dict[str, str], AfterValidator(_checked_headers)]


def _kind(value: object) -> str:
    return "<list>" if isinstance(value, list | tuple) else "<text>"


FieldValue = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[tuple[str, ...], Tag("<list>"), Field(min_length=1)], Discriminator(_kind)
]
Form = dict[str, FieldValue]


class HttpRequest(Document):
    """A request: exactly one of `get`, `head` and `post` with its path, and what is sent with it."""

    METHODS: ClassVar[tuple[str, ...]] = ("get", "head", "post")
    model_config = exactly_one(*METHODS)

    get: Path | None = Field(None, description="path to get, with its query; may hold ${names}")
    head: Path | None = Field(None, description="path whose status and headers alone are wanted; may hold ${names}")
    post: Path | None = Field(None, description="path to post to; may hold ${names}")
    form: Form | None = Field(
        None, description="fields of a form; a list sends the field several times; values may hold ${names}"
    )
    body: str | None = Field(None, description="body sent as it is; may hold ${names}")
    headers: Headers = Field({}, description="more headers; values may hold ${names}")

    @property
    def method(self) -> Method:
        """Return how the request is sent."""
        return Method(next(key for key in self.METHODS if getattr(self, key) is not None).upper())

    @property
    def path(self) -> str:
        """Return the template of the path."""
        return str(getattr(self, self.method.value.lower()))

    @property
    def fields(self) -> tuple[tuple[str, str], ...] | None:
        """Return the fields of the form as they are sent; None without a form."""
        return None if self.form is None else fields_of(self.form)

    def templates(self) -> Iterator[tuple[Location, str]]:
        """Yield every text that may hold `${names}`, with its place in the file below the step."""
        yield (self.method.value.lower(),), self.path
        for name, value in self.fields or ():
            yield ("form", name), value
        if self.body is not None:
            yield ("body",), self.body
        for name, value in self.headers.items():
            yield ("headers", name), value

    @model_validator(mode="after")
    def _is_one_request(self) -> Self:
        method = require_one(self, *self.METHODS)
        for key in ("form", "body"):
            if self.method in _WITHOUT_BODY and getattr(self, key) is not None:
                raise wrong_at((key,), f"a {method} has no {key}; use post, or put the values into the path")
        if self.form is not None and self.body is not None:
            raise wrong_at(("body",), f"a {method} has a form or a body, not both")
        return self
