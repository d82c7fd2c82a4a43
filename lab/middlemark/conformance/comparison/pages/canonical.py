"""`specs/<name>/pages/pages.toml`: which request gives which canonical page, and which values may differ."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from middlemark.conformance.cases.case import INTEROP, Case
from middlemark.conformance.cases.expectation import Expect
from middlemark.conformance.cases.selector import xpath_of
from middlemark.conformance.cases.step import Get, Post, Step
from middlemark.conformance.cases.suite import Placed
from middlemark.documents import Document, Location, exactly_one, read_toml
from middlemark.records.run import SYNC

PAGES = "pages"
_FILE = "pages.toml"


class PageRequest(Document):
    """A request for a page."""

    model_config = exactly_one("get", "post")

    get: str | None = None
    post: str | None = None
    form: dict[str, str] = Field({})

    @model_validator(mode="after")
    def _is_one_request(self) -> Self:
        if (self.get is None) == (self.post is None):
            raise ValueError("a request has exactly one of get and post")
        return self

    def step(self, user: str | None, expect: Expect) -> Step:
        """Return it as a step of a case."""
        if self.get is not None:
            return Get(get=self.get.replace(" ", "%20"), user=user, expect=expect)
        return Post(post=self.post or "/", form=dict(self.form), user=user, expect=expect)


class CanonicalPage(PageRequest):
    """One canonical page: in the mode `orders`, `user` logs in, `before` is sent, then its own request gives `file`."""

    file: str
    user: str | None = None
    before: tuple[PageRequest, ...] = ()
    status: int
    orders: str = SYNC


class Volatile(Document):
    """A value that may differ: text or attribute of the elements at a selector, as far as it matches the pattern.

    `value` and `sql` say what it must be all the same: a time between the beginning of the case and now, or one of the
    values in the first column of the answer. `ranked` values are replaced by their place in the order of numbers, so
    that which comes first still counts. An `optional` attribute is left out on both sides.
    """

    selector: str
    attribute: str | None = None
    pattern: str | None = None
    optional: bool = False
    value: Literal["now"] | None = None
    sql: str | None = None
    ranked: bool = False

    @field_validator("selector")
    @classmethod
    def _can_be_read(cls, selector: str) -> str:
        xpath_of(selector)
        return selector

    @model_validator(mode="after")
    def _is_a_pattern_or_optional(self) -> Self:
        if self.optional == (self.pattern is not None) or (self.optional and self.attribute is None):
            raise ValueError("a volatile value has a pattern, or is an optional attribute")
        if self.pattern is not None:
            try:
                re.compile(self.pattern)
            except re.error as error:
                raise ValueError(f"'{self.pattern}' is no regular expression: {error}") from error
        return self


class PagesDefinition(Document):
    """The whole file."""

    version: Literal[1]
    scale: str
    page: tuple[CanonicalPage, ...] = Field(min_length=1)
    volatile: tuple[Volatile, ...] = ()


@cache
def read_pages(spec_folder: Path) -> PagesDefinition | None:
    """Return the file of a specification, None when it has no canonical pages."""
    path = spec_folder / PAGES / _FILE
    return read_toml(path, PagesDefinition) if path.is_file() else None


def page_cases(spec_folder: Path) -> tuple[Placed, ...]:
    """Return a case for each canonical page; each begins with the loaded data set and without cookies."""
    definition = read_pages(spec_folder)
    if definition is None:
        return ()
    path = spec_folder / PAGES / _FILE
    lines = [
        number
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if line.strip() == "[[page]]"
    ]
    places: dict[Location, int] = {("page", index): line for index, line in enumerate(lines)}
    return tuple(Placed(_case(page), {}, path, ("page", index), places) for index, page in enumerate(definition.page))


def _case(page: CanonicalPage) -> Case:
    before = tuple(request.step(page.user, Expect()) for request in page.before)
    own = page.step(page.user, Expect(status=page.status, page=page.file))
    # Refused pages change nothing and the others follow the rules: the audit holds after each of them.
    return Case(
        name=f"The page {page.file} equals the canonical one.",
        rule="pages",
        tags=(INTEROP,),
        orders=(page.orders,),
        steps=(*before, own),
    )
