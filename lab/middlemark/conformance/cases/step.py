"""The steps of a case, one model for each kind; the key that a kind cannot lack says which it is."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from middlemark.conformance.cases.expectation import Expect, Outcomes, PageCapture, Refusal
from middlemark.conformance.cases.expected import Expected
from middlemark.documents import Document, wrong_at
from middlemark.duration import Duration
from middlemark.specification.tiers import Name
from middlemark.steps.request import Headers, HttpRequest, Path
from middlemark.steps.template import NAME_PATTERN

ANYBODY = "anybody"
CONNECTIONS = "connections"
"""What `cut` names to end the connections to every database."""

CaptureName = Annotated[str, Field(pattern=NAME_PATTERN)]


class Call(Document):
    """An operation, called over every interface the case runs over.

    Without `response` and `refused` it must be performed; inside `at_once` it may then also be refused.
    """

    call: str = Field(description="operation, as the specification names it")
    with_: dict[str, Any] = Field({}, alias="with", description="the request; texts may hold ${names}")
    response: Expected | None = Field(None, description="what the response must be; keys not named are not looked at")
    refused: Refusal | None = Field(None, description="the refusal it must end with")
    capture: dict[CaptureName, str] = Field({}, description="name: key of the response, or a path like rows.0.name")

    @model_validator(mode="after")
    def _is_performed_or_refused(self) -> Self:
        if self.response is not None and self.refused is not None:
            raise wrong_at(("refused",), "a call has a response or is refused, not both")
        if self.refused is not None and self.capture:
            raise wrong_at(("capture",), "a refused call has no response to keep a value of")
        return self


class Visit(HttpRequest):
    """A page asked for by a browser, by its address or with a form. Redirects are not followed."""

    as_: str = Field(ANYBODY, alias="as", description="the browser; each name has cookies of its own")
    user: str | None = Field(None, description="this user logs in first ([login] of spec.toml), once in each browser")
    expect: Expect = Field(Expect(), description="what the response must be")
    capture: dict[CaptureName, PageCapture] = Field({}, description="values of the page for later steps")

    @model_validator(mode="after")
    def _has_a_page(self) -> Self:
        if self.head is not None:
            raise wrong_at(("head",), "a HEAD has no page; use send")
        if self.capture and self.expect.file is not None:
            raise wrong_at(("capture",), "a file is compared whole; it has no element to keep a value of")
        return self


class RawRequest(Document):
    """A request sent as it is: to the tier whose `paths` in spec.toml begin its path, else to the entry tier."""

    method: str = Field("GET", pattern="^[A-Z]+$")
    path: Path = Field(description="path with query; may hold ${names}")
    headers: Headers = Field({}, description="headers; values may hold ${names}")
    body: str | None = Field(None, description="body; may hold ${names}")


class Send(Document):
    """A raw request."""

    send: RawRequest
    as_: str | None = Field(None, alias="as", description="the browser whose cookies are sent; without it none")
    user: str | None = Field(None, description="this user logs in first, once in that browser; needs `as`")
    expect: Expect = Field(Expect(), description="what the response must be")

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
    """A message over gRPC that no `call` sends: too large, not one of the proto, or to no operation."""

    send_grpc: GrpcRequest
    interface: Name | None = Field(None, description="over this interface; the only one with a proto if left out")
    status: GrpcStatus = Field(description="the gRPC status it must end with")
    code: str | None = Field(None, description="the trailer middlemark-code; without it there must be none")
    message: Expected | None = Field(None, description="the message of the status")


class Sql(Document):
    """A statement, or with `rows` a query."""

    sql: str = Field(min_length=1, description="SQL; may hold ${names}")
    database: Name | None = Field(None, description="where it runs; the only database if left out")
    rows: tuple[tuple[Expected, ...], ...] | None = Field(None, description="all rows; values as text, NULL as null")
    within: Duration | None = Field(None, description="repeated until the rows are there, at most so long")
    capture: dict[CaptureName, str] = Field({}, description="name: column of the first row")

    @model_validator(mode="after")
    def _only_queries_are_repeated(self) -> Self:
        if self.within is not None and self.rows is None:
            raise wrong_at(("within",), "without rows there is nothing to wait for")
        return self


class Settle(Document):
    """Wait until work of this name is done ([unfinished.NAME] of spec.toml), at most 10 s."""

    settle: Name


class Cut(Document):
    """End every connection of the application to its databases, or to one of them."""

    cut: Name = Field(description="connections: to every database; or the name of one")


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
    """Steps that run while another connection holds what this statement has locked; it lets go after them."""

    hold: str = Field(min_length=1, description="SQL that locks; may hold ${names}")
    database: Name | None = Field(None, description="where it locks; the only database if left out")
    during: tuple[Step, ...] = Field(min_length=1)


KINDS: dict[str, type[Document]] = {
    "call": Call,
    "get": Visit,
    "post": Visit,
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
    if isinstance(content, Visit):
        return content.method.lower()
    if isinstance(content, Document):
        return next((kind for kind, model in KINDS.items() if isinstance(content, model)), None)
    kinds = [kind for kind in KINDS if kind in content] if isinstance(content, dict) else []
    return kinds[0] if len(kinds) == 1 else None


Step = Annotated[
    Annotated[Call, Tag("call")]
    | Annotated[Visit, Tag("get")]
    | Annotated[Visit, Tag("post")]
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
