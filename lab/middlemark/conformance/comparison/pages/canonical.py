"""`specs/<name>/pages/pages.toml`: which request gives which canonical page, and which values may differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from middlemark.conformance.cases.case import INTEROP, Case
from middlemark.conformance.cases.expectation import Expect
from middlemark.conformance.cases.needs import Needs
from middlemark.conformance.cases.selector import xpath_of
from middlemark.conformance.cases.step import Step, Visit
from middlemark.conformance.cases.suite import Placed
from middlemark.conformance.cases.validation import mode_faults, need_faults
from middlemark.documents import Document, Location, read_toml
from middlemark.errors import InputError
from middlemark.specification.specification import Specification
from middlemark.specification.tiers import Name
from middlemark.steps.request import HttpRequest

PAGES = "pages"
_FILE = "pages.toml"


class PageRequest(HttpRequest):
    """A request for a page."""

    def step(self, user: str | None, expect: Expect) -> Step:
        """Return it as a step of a case."""
        request = {name: getattr(self, name) for name in HttpRequest.model_fields}
        return Visit(**request, user=user, expect=expect)


class CanonicalPage(PageRequest):
    """One canonical page: `user` logs in, `before` is sent, then its own request gives `file`."""

    file: str
    user: str | None = None
    before: tuple[PageRequest, ...] = ()
    status: int
    modes: dict[Name, str] = Field(
        {}, description="mode: its value; of every mode that any page names, the default where this one does not"
    )
    needs: Needs = Field(Needs(), description="what has to be offered; otherwise it is not compared")


class Volatile(Document):
    """A value that may differ: text or attribute of the elements at a selector, as far as it matches the pattern.

    `value` and `sql` say what it must be all the same: a time between the beginning of the case and now, or one of the
    values in the first column of what `database` answers. `numbered` values are replaced by numbers in the order in
    which they appear, so that equal ones stay equal. An `optional` attribute is left out on both sides.
    """

    selector: str
    attribute: str | None = None
    pattern: str | None = None
    optional: bool = False
    value: Literal["now"] | None = None
    sql: str | None = None
    database: Name | None = Field(None, description="where `sql` is asked; the only database if left out")
    numbered: bool = False

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
                raise ValueError(f"'{self.pattern}' is not a regular expression: {error}") from error
        return self


class PagesDefinition(Document):
    """The whole file."""

    version: Literal[1]
    page: tuple[CanonicalPage, ...] = Field(min_length=1)
    volatile: tuple[Volatile, ...] = ()


@cache
def read_pages(folder: Path) -> PagesDefinition | None:
    """Return the file of the specification in a folder, None when it has no canonical pages."""
    path = folder / PAGES / _FILE
    return read_toml(path, PagesDefinition) if path.is_file() else None


def page_cases(specification: Specification) -> tuple[Placed, ...]:
    """Return a case for each canonical page; each begins with the loaded data sets and without cookies.

    Raises InputError for a file that is wrong or names what the specification does not have.
    """
    definition = read_pages(specification.folder)
    if definition is None:
        return ()
    path = specification.folder / PAGES / _FILE
    for fault in _faults(definition, specification):
        raise InputError(fault, where=str(path))
    lines = [
        number
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if line.strip() == "[[page]]"
    ]
    places: dict[Location, int] = {("page", index): line for index, line in enumerate(lines)}
    named = dict.fromkeys(mode for page in definition.page for mode in page.modes)
    defaults = {mode: specification.mode_value(mode, {}) for mode in named}
    return tuple(
        Placed(_case(page, defaults), {}, path, ("page", index), places) for index, page in enumerate(definition.page)
    )


def _faults(definition: PagesDefinition, specification: Specification) -> Iterator[str]:
    for page in definition.page:
        for fault in mode_faults({mode: (value,) for mode, value in page.modes.items()}, specification):
            yield f"{page.file}: {fault}"
        for fault in need_faults(page.needs, specification):
            yield f"{page.file}: {fault}"
        if page.user is not None and specification.description.login is None:
            yield f"{page.file}: no user can log in, since the specification has no [login]"
    for volatile in definition.volatile:
        if volatile.sql is not None:
            try:
                specification.database_called(volatile.database)
            except InputError as error:
                yield f"{volatile.selector}: {error}"


def _case(page: CanonicalPage, defaults: dict[str, str]) -> Case:
    before = tuple(request.step(page.user, Expect()) for request in page.before)
    own = page.step(page.user, Expect(status=page.status, page=page.file))
    # Refused pages change nothing and the others follow the rules: the audit holds after each of them.
    return Case(
        name=f"The page {page.file} equals the canonical one.",
        rule="pages",
        tags=(INTEROP,),
        modes={mode: (value,) for mode, value in {**defaults, **page.modes}.items()},
        needs=page.needs,
        steps=(*before, own),
    )
