"""The steps of a case, one model for each kind; the key that a kind cannot lack says which it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from middlemark.conformance.cases.expectation import Expect, HeaderCapture, Outcomes, PageCapture, Refusing
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
    headers: Headers = Field({}, description="further headers; over gRPC metadata. They may hold ${names}")
    response: Expected | None = Field(None, description="what the response must be; keys not named are not looked at")
    refused: Refusing | None = Field(
        None, description="the refusal it must end with; malformed: as malformed input, in whatever form"
    )
    may_refuse: bool = Field(default=False, description="or refused as malformed input, in whatever form")
    within: Duration | None = Field(
        None, description="repeated while it is refused as unavailable or nobody answers, at most so long"
    )
    capture: dict[CaptureName, str] = Field({}, description="name: key of the response, or a path like rows.0.name")

    @model_validator(mode="after")
    def _is_performed_or_refused(self) -> Self:
        if self.response is not None and self.refused is not None:
            raise wrong_at(("refused",), "a call has a response or is refused, not both")
        if self.refused is not None and self.capture:
            raise wrong_at(("capture",), "a refused call has no response to keep a value of")
        if self.may_refuse and self.response is None:
            raise wrong_at(("may_refuse",), "say what the response is unless the call is refused")
        if self.may_refuse and self.capture:
            raise wrong_at(("capture",), "a call that may be refused may have no response to keep a value of")
        return self


class HttpVersion(StrEnum):
    """Which HTTP is spoken: 1.1, or 1.0 without keep-alive."""

    KEPT_ALIVE = "1.1"
    ONE_REQUEST = "1.0"


class HttpStep(Document):
    """How a request goes over HTTP, what comes of it, and when."""

    over: Literal["http", "https"] = Field("http", description="the listener of the tier that is asked")
    certificate: str | None = Field(
        None, description="the certificate of [tls] that is shown over https; without it none"
    )
    version: HttpVersion = Field(
        HttpVersion.KEPT_ALIVE, description="1.0: without keep-alive, the server closes the connection"
    )
    expect: Expect = Field(Expect(), description="what the response must be")
    malformed: bool = Field(
        default=False, description="it must be refused as malformed input, in whatever form; instead of `expect`"
    )
    may_refuse: bool = Field(default=False, description="or refused as malformed input, in whatever form")
    within: Duration | None = Field(
        None, description="repeated while the response is a 503 or nobody answers, at most so long"
    )
    until: Duration | None = Field(
        None, description="repeated until the response is as expected, whatever it was before, at most so long"
    )

    @model_validator(mode="after")
    def _shows_a_certificate_over_tls(self) -> Self:
        if self.certificate is not None and self.over != "https":
            raise wrong_at(("certificate",), "a certificate is shown `over: https` alone")
        return self

    @model_validator(mode="after")
    def _is_one_expectation(self) -> Self:
        if self.malformed and (self.may_refuse or self.expect.model_fields_set):
            key = "may_refuse" if self.may_refuse else "expect"
            raise wrong_at((key,), "the response to malformed input is open, so nothing else is expected of it")
        if self.within is not None and self.until is not None:
            raise wrong_at(("until",), "it is repeated `within` an outage or `until` it is as expected, not both")
        return self


class Visit(HttpStep, HttpRequest):
    """A page asked for by a browser, by its address or with a form. Redirects are not followed."""

    as_: str = Field(ANYBODY, alias="as", description="the browser; each name has cookies of its own")
    user: str | None = Field(None, description="this user logs in first ([login] of spec.toml), once in each browser")
    capture: dict[CaptureName, PageCapture] = Field({}, description="values of the page for later steps")

    @model_validator(mode="after")
    def _has_a_page(self) -> Self:
        if self.head is not None:
            raise wrong_at(("head",), "a HEAD has no page; use send")
        if self.capture and self.expect.file is not None:
            raise wrong_at(("capture",), "a file is compared whole; it has no element to keep a value of")
        if self.capture and (self.malformed or self.may_refuse):
            raise wrong_at(("capture",), "a request that may be refused may have no page to keep a value of")
        return self


class RawRequest(Document):
    """A request sent as it is: to the tier whose `paths` in spec.toml begin its path, else to the entry tier."""

    method: str = Field("GET", pattern="^[A-Z]+$")
    path: Path = Field(description="path with query; may hold ${names}")
    headers: Headers = Field({}, description="headers; values may hold ${names}")
    body: str | None = Field(None, description="body; may hold ${names}")


class Send(HttpStep):
    """A raw request."""

    send: RawRequest
    as_: str | None = Field(None, alias="as", description="the browser whose cookies are sent; without it none")
    user: str | None = Field(None, description="this user logs in first, once in that browser; needs `as`")
    no_handshake: bool = Field(
        default=False, description="the listener over https must end the handshake; instead of `expect`"
    )
    capture: dict[CaptureName, HeaderCapture] = Field({}, description="headers of the response for later steps")

    @model_validator(mode="after")
    def _keeps_values_of_a_response(self) -> Self:
        if self.capture and (self.no_handshake or self.malformed or self.may_refuse):
            raise wrong_at(("capture",), "a request that may be refused may have no header to keep")
        return self

    @model_validator(mode="after")
    def _ends_before_any_response(self) -> Self:
        if self.no_handshake and (self.over != "https" or self.malformed or self.may_refuse):
            raise wrong_at(("no_handshake",), "a handshake ends `over: https`, and nothing else is expected then")
        if self.no_handshake and self.expect.model_fields_set:
            raise wrong_at(("expect",), "without a handshake nothing is answered")
        return self

    @model_validator(mode="after")
    def _a_user_has_a_browser(self) -> Self:
        if self.user is not None and self.as_ is None:
            raise wrong_at(("user",), "a user logs in with a browser; say which with `as`")
        return self


GrpcStatus = Literal[
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
]


def _kind_of_grpc_status(value: object) -> str:
    return "<list>" if isinstance(value, list | tuple) else "<name>"


GrpcStatuses = Annotated[
    Annotated[GrpcStatus, Tag("<name>")] | Annotated[tuple[GrpcStatus, ...], Tag("<list>"), Field(min_length=2)],
    Discriminator(_kind_of_grpc_status),
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
    status: GrpcStatuses | None = Field(None, description="the gRPC status it must end with; a list: one of these")
    malformed: bool = Field(
        default=False, description="it must be refused as malformed input, with whatever status; instead of `status`"
    )
    code: str | None = Field(None, description="the trailer middlemark-code; without it there must be none")
    message: Expected | None = Field(None, description="the message of the status")

    @property
    def statuses(self) -> tuple[str, ...]:
        """Return the statuses with which it may end, none where it must be refused as malformed input."""
        if self.status is None:
            return ()
        return self.status if isinstance(self.status, tuple) else (self.status,)

    @model_validator(mode="after")
    def _has_one_ending(self) -> Self:
        if (self.status is None) != self.malformed:
            raise ValueError("a call ends with a status, or is refused because it is malformed; name one of the two")
        for key in ("code", "message"):
            if self.malformed and getattr(self, key) is not None:
                raise wrong_at((key,), "how malformed input is refused is open")
        return self


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


class About(Document):
    """Every process shows in /about every setting, and each with the value that it was started with."""

    about: Literal["settings"]


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


class Notified(Document):
    """Steps that run while another connection listens: exactly so many notifications until 0.5 s after them."""

    notified: str = Field(pattern="^[a-z_]+$", description="the channel")
    times: int = Field(ge=0, description="how many notifications")
    database: Name | None = Field(None, description="where it listens; the only database if left out")
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
    "about": About,
    "at_once": AtOnce,
    "repeat": Repeat,
    "hold": Hold,
    "notified": Notified,
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
    | Annotated[About, Tag("about")]
    | Annotated[AtOnce, Tag("at_once")]
    | Annotated[Repeat, Tag("repeat")]
    | Annotated[Hold, Tag("hold")]
    | Annotated[Notified, Tag("notified")],
    Discriminator(
        _kind,
        custom_error_type="step",
        custom_error_message=f"a step has exactly one of {', '.join(KINDS)}",
    ),
]

for _model in (AtOnce, Repeat, Hold, Notified):
    _model.model_rebuild()
