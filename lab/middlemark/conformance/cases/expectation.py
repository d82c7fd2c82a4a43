"""What the answer to a request of a case must be."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from middlemark.conformance.cases.expected import Elements, Exactly, Expected, Wanted
from middlemark.conformance.cases.selector import Regex, Selector, XPath
from middlemark.documents import Document
from middlemark.specification.specification import SESSIONS

MALFORMED = "malformed"
"""What a call may be `refused` as, instead of with a code."""

Status = Annotated[int, Field(ge=200, le=599)]


def _kind_of_status(value: object) -> str:
    if isinstance(value, list | tuple):
        return "<list>"
    return "<class>" if isinstance(value, str) else "<number>"


Statuses = Annotated[
    Annotated[Status, Tag("<number>")]
    | Annotated[str, Tag("<class>"), Field(pattern="^[2-5]xx$")]
    | Annotated[tuple[Status, ...], Tag("<list>"), Field(min_length=2)],
    Discriminator(_kind_of_status),
]
"""An HTTP status, a class of them like `4xx`, or several of which it is one."""

FileName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9/.-]*$")]


class Look(Document):
    """A look at a page: the elements `at` a selector (CSS), how many there are and what they hold."""

    at: Selector = Field(description="CSS selector; may hold ${names}")
    count: int | None = Field(None, ge=0, description="so many elements; without it at least one")
    text: Expected | None = Field(
        None, description="text of every element found, white space collapsed; a list: of each, in order"
    )
    matches: Regex | None = Field(None, description="regular expression found in the text of every element found")
    attribute: dict[str, Expected] = Field({}, description="attributes of every element found; null: not there")

    @model_validator(mode="after")
    def _what_is_not_there_holds_nothing(self) -> Self:
        if self.count == 0 and (self.text is not None or self.matches is not None or self.attribute):
            raise ValueError("with count 0 neither text nor attributes can be looked at")
        return self


class XmlLook(Document):
    """A look at an XML answer: the elements `at` an XPath.

    The prefixes are `soap` (the envelope), `wsdl`, `address` (WSDL's soap extension), `xsd`, and `m` (the name space of
    the specification's WSDL).
    """

    at: XPath = Field(description="XPath; may hold ${names}")
    count: int | None = Field(None, ge=0, description="so many; without it at least one")
    text: Expected | None = Field(None, description="text of every one found; a list: of each, in order")


class Expect(Document):
    """What an answer must be; what is not named is not looked at.

    Without `status`, a page is answered with 200 or 303 and a raw request with 200.
    """

    status: Statuses | None = Field(None, description="HTTP status; a class like 4xx: any of it; a list: one of these")
    location: str | None = Field(None, description="the header Location, without scheme and host; may hold ${names}")
    headers: dict[str, Expected] = Field({}, description="headers by name; null: not there")
    page: FileName | None = Field(None, description="the page equals this file of pages/, element by element")
    file: FileName | None = Field(
        None,
        description="the body equals this file of the specification byte for byte, or SET/PATH of a made set of files",
    )
    length: int | None = Field(None, ge=0, description="so many bytes of body")
    look: tuple[Look, ...] = Field((), description="looks at the page")
    json_body: Expected | None = Field(None, alias="json", description="the body as JSON")
    xml: tuple[XmlLook, ...] = Field((), description="looks at an XML body")
    body: Expected | None = Field(None, description="the whole body as text")
    body_matches: Regex | None = Field(None, description="regular expression found in the body")

    @model_validator(mode="after")
    def _sessions_are_no_part_of_what_is_proven(self) -> Self:
        if self.file is not None and self.file.split("/")[0] == SESSIONS:
            raise ValueError(f"{SESSIONS}/ holds what virtual users send; put a file that is expected elsewhere")
        return self

    @property
    def is_open(self) -> bool:
        """Say whether several statuses are as expected."""
        return isinstance(self.status, str | tuple)

    def statuses(self, default: tuple[int, ...]) -> tuple[int, ...]:
        """Return the statuses that are as expected, `default` where none is named."""
        if self.status is None:
            return default
        if isinstance(self.status, str):
            first = int(self.status[0]) * 100
            return tuple(range(first, first + 100))
        return self.status if isinstance(self.status, tuple) else (self.status,)

    @property
    def looks_at_page(self) -> bool:
        """Say whether the response is expected to be a page."""
        return self.page is not None or bool(self.look)


class PageCapture(Document):
    """Where to find a value in a page: text or attribute of the first element `at` a selector (CSS)."""

    at: Selector = Field(description="CSS selector; may hold ${names}")
    attribute: str | None = Field(None, description="its attribute instead of its text")


class HeaderCapture(Document):
    """Where to find a value in a raw response: in a header."""

    header: str = Field(min_length=1, description="name of the header")


class Refusal(Document):
    """A refused operation: the error code, and the message when the specification gives it."""

    code: str = Field(description="error code")
    message: Expected | None = Field(None, description="the message or a matcher; a list: one of these")

    @property
    def has_open_message(self) -> bool:
        """Say whether several messages are right: those of a list, or all that a matcher allows."""
        return len(self.messages) > 1 or not all(isinstance(one, Exactly) for one in self.messages)

    @property
    def messages(self) -> tuple[Wanted, ...]:
        """Return the messages of which it must have one, none where it may have any."""
        if self.message is None:
            return ()
        wanted = self.message.wanted
        return wanted.elements if isinstance(wanted, Elements) else (wanted,)


def _kind_of_refusal(value: object) -> str:
    return "<word>" if isinstance(value, str) else "<refusal>"


Refusing = Annotated[
    Annotated[Literal["malformed"], Tag("<word>")] | Annotated[Refusal, Tag("<refusal>")],
    Discriminator(_kind_of_refusal),
]
"""A refusal of the specification, or one as malformed input in whatever form."""


class Outcomes(Document):
    """How often each outcome was seen among the requests sent at once; what is not named must not happen.

    Calls count as `performed` or under the code they were `refused` with; pages and raw requests under their `status`.
    """

    performed: int = Field(0, ge=0, description="calls that were performed")
    refused: dict[str, int] = Field({}, description="code: calls that were refused with it")
    status: dict[int, int] = Field({}, description="status: pages and raw requests answered with it")
