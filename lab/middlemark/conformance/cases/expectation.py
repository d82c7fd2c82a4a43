"""What the answer to a request of a case must be."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from middlemark.conformance.cases.expected import Expected
from middlemark.conformance.cases.selector import Regex, Selector, XPath
from middlemark.documents import Document

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

    status: int | None = Field(None, ge=200, le=599, description="HTTP status")
    location: str | None = Field(None, description="the header Location, without scheme and host; may hold ${names}")
    headers: dict[str, Expected] = Field({}, description="headers by name; null: not there")
    page: FileName | None = Field(None, description="the page equals this file of pages/, element by element")
    file: FileName | None = Field(None, description="the body equals this file of the specification, byte for byte")
    look: tuple[Look, ...] = Field((), description="looks at the page")
    json_body: Expected | None = Field(None, alias="json", description="the body as JSON")
    xml: tuple[XmlLook, ...] = Field((), description="looks at an XML body")
    body: Expected | None = Field(None, description="the whole body as text")
    body_matches: Regex | None = Field(None, description="regular expression found in the body")


class PageCapture(Document):
    """Where to find a value in a page: text or attribute of the first element `at` a selector (CSS)."""

    at: Selector = Field(description="CSS selector; may hold ${names}")
    attribute: str | None = Field(None, description="its attribute instead of its text")


class Refusal(Document):
    """A refused operation: the error code, and the message when the specification gives it."""

    code: str = Field(description="error code")
    message: Expected | None = Field(None, description="the message")


class Outcomes(Document):
    """How often each outcome was seen among the requests sent at once; what is not named must not happen.

    Calls count as `performed` or under the code they were `refused` with; pages and raw requests under their `status`.
    """

    performed: int = Field(0, ge=0, description="calls that were performed")
    refused: dict[str, int] = Field({}, description="code: calls that were refused with it")
    status: dict[int, int] = Field({}, description="status: pages and raw requests answered with it")
