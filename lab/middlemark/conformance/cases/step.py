"""The steps of a case, one model for each kind; the key that a kind cannot lack says which it is."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from middlemark.conformance.cases.expectation import Expect, Outcomes, PageCapture, Refusal
from middlemark.conformance.cases.expected import Expected
from middlemark.documents import Document, wrong_at
from middlemark.duration import Duration

ANYBODY = "anybody"
_NAME = r"^[A-Za-z][A-Za-z0-9_]*$"


def _checked_path(path: str) -> str:
    if not re.match(r"/[^\s]*\Z", path):
        raise ValueError(f"'{path}' is no path; it starts with / and holds no blank (%20 is a blank)")
    return path


Path = Annotated[str, AfterValidator(_checked_path)]
CaptureName = Annotated[str, Field(pattern=_NAME)]
Headers = dict[str, str]
Form = dict[str, str | tuple[str, ...]]


class Call(Document):
    """An operation, called with every binding the case is played over.

    Without `answer` and `refused` it must be answered; inside `at_once` it may then also be refused.
    """

    call: str = Field(description="operation, as the specification names it")
    with_: dict[str, Any] = Field({}, alias="with", description="the request; texts may hold ${names}")
    answer: Expected | None = Field(None, description="what the answer must be; keys not named are not looked at")
    refused: Refusal | None = Field(None, description="the refusal it must be answered with")
    capture: dict[CaptureName, str] = Field({}, description="name: key of the answer, or a path like quotes.0.price")

    @model_validator(mode="after")
    def _is_answered_or_refused(self) -> Self:
        if self.answer is not None and self.refused is not None:
            raise wrong_at(("refused",), "a call is answered or refused, not both")
        if self.refused is not None and self.capture:
            raise wrong_at(("capture",), "a refused call has no answer to keep a value of")
        return self


class _Visit(Document):
    """What `get` and `post` share."""

    as_: str = Field(ANYBODY, alias="as", description="the browser; each name has cookies of its own")
    user: str | None = Field(None, description="this user logs in first with the password xxx, once in each browser")
    headers: Headers = Field({}, description="more headers; values may hold ${names}")
    expect: Expect = Field(Expect(), description="what the answer must be")
    capture: dict[CaptureName, PageCapture] = Field({}, description="values of the page for later steps")

    @model_validator(mode="after")
    def _a_file_is_no_page(self) -> Self:
        if self.capture and self.expect.file is not None:
            raise wrong_at(("capture",), "a file is compared whole; it has no element to keep a value of")
        return self


class Get(_Visit):
    """A page asked for by a browser. Redirects are not followed."""

    get: Path = Field(description="path with query; may hold ${names}")


class Post(_Visit):
    """A form sent by a browser. Redirects are not followed."""

    post: Path = Field(description="path; may hold ${names}")
    form: Form = Field({}, description="fields; a list sends the field several times; values may hold ${names}")


class RawRequest(Document):
    """A request sent as it is, to the process that answers its path: services below /services/, else the web tier."""

    method: str = Field("GET", pattern="^[A-Z]+$")
    path: Path = Field(description="path with query; may hold ${names}")
    headers: Headers = Field({}, description="headers; values may hold ${names}")
    body: str | None = Field(None, description="body; may hold ${names}")


class Send(Document):
    """A raw request."""

    send: RawRequest
    as_: str | None = Field(None, alias="as", description="the browser whose cookies are sent; without it none")
    user: str | None = Field(None, description="this user logs in first, once in that browser; needs `as`")
    expect: Expect = Field(Expect(), description="what the answer must be")

    @model_validator(mode="after")
    def _a_user_has_a_browser(self) -> Self:
        if self.user is not None and self.as_ is None:
            raise wrong_at(("user",), "a user logs in with a browser; say which with `as`")
        return self


GrpcStatus = Literal[
    "OK",
    "INVALID_ARGUMENT",
    "PERMISSION_DENIED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "FAILED_PRECONDITION",
    "RESOURCE_EXHAUSTED",
    "UNIMPLEMENTED",
    "UNAVAILABLE",
    "INTERNAL",
]


class GrpcRequest(Document):
    """Bytes sent over gRPC as they are, to a method of the proto's service or one that it does not have."""

    method: str = Field(pattern="^[A-Za-z]+$", description="method, as the proto names it")
    hex: str = Field(
        "",
        pattern=r"^([0-9a-f]{2}|\$\{[^}]*\})*$",
        description="the message, two hexadecimal digits for each byte; may hold ${names}",
    )


class SendGrpc(Document):
    """A message over gRPC that no `call` sends: too large, none of the proto's, or to no operation."""

    send_grpc: GrpcRequest
    status: GrpcStatus = Field(description="the gRPC status it must end with")
    code: str | None = Field(None, description="the trailer middlemark-code; without it there must be none")
    message: Expected | None = Field(None, description="the message of the status")


class Sql(Document):
    """A statement, or with `rows` a question to the database."""

    sql: str = Field(min_length=1, description="SQL; may hold ${names}")
    rows: tuple[tuple[Expected, ...], ...] | None = Field(None, description="all rows; values as text, NULL as null")
    within: Duration | None = Field(None, description="asked again until the rows are there, at most so long")
    capture: dict[CaptureName, str] = Field({}, description="name: column of the first row")

    @model_validator(mode="after")
    def _only_questions_are_asked_again(self) -> Self:
        if self.within is not None and self.rows is None:
            raise wrong_at(("within",), "without rows there is nothing to wait for")
        return self


class Settle(Document):
    """Wait until no order is open and no message is left, at most 10 s; in the mode `sync` that is so at once."""

    settle: Literal["orders"]


class Cut(Document):
    """End every connection of the application to the database."""

    cut: Literal["connections"]


class Wait(Document):
    """Let time pass: for what expires or grows old, never to synchronise."""

    wait: Duration


class AtOnce(Document):
    """Several clients, each with its steps, that start at the same moment."""

    at_once: tuple[tuple[Step, ...], ...] = Field(min_length=2, description="for each client its steps")
    outcomes: Outcomes | tuple[Outcomes, ...] | None = Field(
        None, description="how often each outcome was seen; a list: one of these must be so"
    )


class Repeat(Document):
    """The same steps several times. `${number}` is 1 in the first round, 2 in the second …."""

    repeat: int = Field(ge=1, le=1000, description="how often")
    steps: tuple[Step, ...] = Field(min_length=1)


class Hold(Document):
    """Steps played while another connection holds what this statement has locked; it lets go after them."""

    hold: str = Field(min_length=1, description="SQL that locks; may hold ${names}")
    during: tuple[Step, ...] = Field(min_length=1)


KINDS: dict[str, type[Document]] = {
    "call": Call,
    "get": Get,
    "post": Post,
    "send": Send,
    "send_grpc": SendGrpc,
    "sql": Sql,
    "settle": Settle,
    "cut": Cut,
    "wait": Wait,
    "at_once": AtOnce,
    "repeat": Repeat,
    "hold": Hold,
}


def _kind(content: object) -> str | None:
    if isinstance(content, Document):
        return next((kind for kind, model in KINDS.items() if isinstance(content, model)), None)
    kinds = [kind for kind in KINDS if kind in content] if isinstance(content, dict) else []
    return kinds[0] if len(kinds) == 1 else None


Step = Annotated[
    Annotated[Call, Tag("call")]
    | Annotated[Get, Tag("get")]
    | Annotated[Post, Tag("post")]
    | Annotated[Send, Tag("send")]
    | Annotated[SendGrpc, Tag("send_grpc")]
    | Annotated[Sql, Tag("sql")]
    | Annotated[Settle, Tag("settle")]
    | Annotated[Cut, Tag("cut")]
    | Annotated[Wait, Tag("wait")]
    | Annotated[AtOnce, Tag("at_once")]
    | Annotated[Repeat, Tag("repeat")]
    | Annotated[Hold, Tag("hold")],
    Discriminator(
        _kind,
        custom_error_type="step",
        custom_error_message=f"a step has exactly one of {', '.join(KINDS)}",
    ),
]

for _model in (AtOnce, Repeat, Hold):
    _model.model_rebuild()
