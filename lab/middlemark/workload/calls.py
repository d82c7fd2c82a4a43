"""Calls that an application makes itself and reports in the body of a response, each of them a transaction."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from middlemark.documents import Document, wrong_at
from middlemark.duration import Duration
from middlemark.steps.template import is_name
from middlemark.workload.error_kinds import MEANINGS

MAX_OUTCOMES = 32
"""The most names of outcomes in a session: those that the driver counts."""
_OUTCOME = r"^[a-z][a-z0-9_]*$"


def _checked_outcome(name: str) -> str:
    if not re.match(_OUTCOME, name):
        raise ValueError(f"'{name}' is not a name of small letters, digits and _")
    if name in MEANINGS:
        raise ValueError(f"'{name}' is a kind of error of the driver; choose another name")
    return name


Outcome = Annotated[str, AfterValidator(_checked_outcome), Field(json_schema_extra={"pattern": _OUTCOME})]


class Calls(Document):
    """What is known of the calls before any is made."""

    lasts: Duration = Field(description="about how long the response takes; ramps, windows and drain depend on it")
    outcomes: tuple[Outcome, ...] = Field((), description="names of the outcomes 1, 2, …: kinds of errors")
    identify: str | None = Field(None, description="name of the id of what a call stored, for the audit")

    @field_validator("identify")
    @classmethod
    def _is_a_name(cls, name: str | None) -> str | None:
        if name is not None and not is_name(name):
            raise ValueError(f"'{name}' is not a name: letters, digits, - and _")
        return name

    @field_validator("outcomes")
    @classmethod
    def _are_different(cls, outcomes: tuple[str, ...]) -> tuple[str, ...]:
        for index, name in enumerate(outcomes):
            if name in outcomes[:index]:
                raise wrong_at((index,), f"'{name}' is there twice")
        return outcomes
