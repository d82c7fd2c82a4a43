"""Modes and settings of a specification: what can be chosen of an application, and by which variable it is told."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from middlemark.documents import Document, exactly_one, require_one, wrong_at
from middlemark.specification.resources import Condition
from middlemark.specification.tiers import Name, Variable


class NotRanked(Document):
    """Values that are shown beside each other and never ranked."""

    values: tuple[str, ...] = Field(min_length=2)
    why: str = Field(min_length=8, description="the reason, as the report says it")


_IN_REQUESTS = re.compile(r"[A-Za-z0-9._~-]+")  # unreserved in paths and queries (RFC 3986, 2.3)


class Mode(Document):
    """Ways to do the same. Without `values` each platform names its own, which nothing outside can tell apart."""

    model_config = exactly_one("variable", "in_requests")

    variable: Variable | None = Field(None, description="gets the value in every process")
    in_requests: Literal[True] | None = Field(
        None,
        description="true: requests hold the value, as ${mode} in sessions and cases, and no process is told of it",
    )
    values: tuple[str, ...] = Field((), description="the first is the default")
    tiers: tuple[Name, ...] = Field((), description="only processes that carry one of these are told; else all")
    never_ranked_together: tuple[NotRanked, ...] = ()
    only_with: dict[str, Condition] = Field(
        {}, description="value: modes with values, only together with which it exists"
    )
    phrases: dict[str, str] = Field(
        default_factory=dict, description="what is done with a value, in words: calling the services over JSON"
    )

    @property
    def is_carried(self) -> bool:
        """Say whether requests carry the value, so that the processes are the same for several values."""
        return self.in_requests is not None

    @property
    def named_by_platforms(self) -> bool:
        """Say whether each platform names its own values."""
        return not self.values

    def reason_not_to_rank(self, one: str, other: str) -> str:
        """Return why two different values are never ranked together; empty when they may be."""
        both = {one, other}
        return next((rule.why for rule in self.never_ranked_together if len(both) > 1 and both <= {*rule.values}), "")

    @model_validator(mode="after")
    def _is_of_processes_or_requests(self) -> Self:
        require_one(self, "variable", "in_requests")
        if self.in_requests is None:
            return self
        if not self.values:
            raise wrong_at(("values",), "requests hold a value that the specification names; list them")
        if self.tiers:
            raise wrong_at(("tiers",), "no process is told of a value that stands in requests")
        for index, value in enumerate(self.values):
            if not _IN_REQUESTS.fullmatch(value):
                what = f"'{value}' cannot stand in a path; use letters, digits, '-', '.', '_' and '~'"
                raise wrong_at(("values", index), what)
        return self

    @model_validator(mode="after")
    def _speaks_of_known_values(self) -> Self:
        ranked = [value for rule in self.never_ranked_together for value in rule.values]
        known = self.values or (*ranked, *self.phrases)
        unknown = [value for value in (*ranked, *self.phrases, *self.only_with) if value not in known]
        if unknown:
            raise ValueError(f"'{unknown[0]}' is not a value of the mode")
        if self.values and self.values[0] in self.only_with:
            raise wrong_at(("only_with", self.values[0]), "the default exists with every value; put another one first")
        return self


class SettingType(StrEnum):
    """What a setting's text means."""

    INTEGER = "integer"
    SECONDS = "seconds"
    CHOICE = "choice"
    TEXT = "text"


class Setting(Document):
    """A variable that an application reads, with its range and default."""

    type: SettingType
    default: str | int | None = Field(None, description="in effect where nobody sets it; none if left out")
    minimum: int | None = None
    maximum: int | None = None
    values: tuple[str, ...] = Field((), description="of a choice")
    in_runs: bool = Field(default=False, description="an experiment may set it")
    in_cases: str | int | None = Field(None, description="what cases start with, unless their file says otherwise")
    feature: Name | None = Field(None, description="only a platform with this feature knows the setting")
    caches: bool = Field(
        default=False,
        description="in seconds: what was shown may be shown again for so long, and the next case waits for that",
    )

    @property
    def default_text(self) -> str:
        """Return the default as an application says it; empty without one."""
        return "" if self.default is None else str(self.default)

    def fault(self, text: str) -> str:
        """Say what is wrong with a value, empty when nothing is."""
        if self.type is SettingType.CHOICE:
            return "" if text in self.values else f"expected {' or '.join(self.values)}, found '{text}'"
        if self.type is SettingType.TEXT:
            return ""
        if not (text.isascii() and text.isdigit()):
            return f"expected a whole number, found '{text}'"
        number = int(text)
        if self.minimum is not None and number < self.minimum:
            return f"expected {self.minimum} or more, found {text}"
        if self.maximum is not None and number > self.maximum:
            return f"expected {self.maximum} or less, found {text}"
        return ""

    @model_validator(mode="after")
    def _defaults_are_allowed(self) -> Self:
        if (self.type is SettingType.CHOICE) != bool(self.values):
            raise ValueError("a choice has values, and nothing else has")
        is_number = self.type in {SettingType.INTEGER, SettingType.SECONDS}
        if not is_number and not (self.minimum is None and self.maximum is None):
            raise ValueError("only a number has `minimum` and `maximum`")
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise ValueError(f"the minimum {self.minimum} is more than the maximum {self.maximum}")
        if self.caches and self.type is not SettingType.SECONDS:
            raise ValueError("only a setting in seconds may have `caches`")
        for value in (self.default, self.in_cases):
            fault = "" if value is None else self.fault(str(value))
            if fault:
                raise ValueError(fault)
        return self
