"""Feeds of a session: where the values of its `${names}` come from."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from middlemark.documents import Document, exactly_one, require_one, wrong_at

Bound = Annotated[int | str, Field(description="a whole number, or the name of a number of the data set's scale")]


class Per(StrEnum):
    """How long one drawn value lasts."""

    STEP = "step"
    ITERATION = "iteration"


class Draw(StrEnum):
    """Which line of a list comes next: any, or the one after it. Each user then begins elsewhere."""

    RANDOM = "random"
    SEQUENCE = "sequence"


class Feed(Document):
    """Values for one name, of a list for several: exactly one of `range`, `pick`, `unique` and `list`."""

    model_config = exactly_one("range", "pick", "unique", "list")

    range: tuple[Bound, Bound] | None = Field(None, description="[first, end]: a whole number, first ≤ n < end")
    format: str | None = Field(None, description="what to make of the number of a range; {} is the number")
    own: bool = Field(default=False, description="whether no two virtual users ever have the same number of a range")
    pick: int | None = Field(
        None, ge=1, le=1000, description="how many values to draw of the range feed that `from` names"
    )
    distinct: bool = Field(default=False, description="whether the values of a pick must differ")
    source: str | None = Field(None, alias="from", description="the range feed a pick draws from")
    join: str | None = Field(None, description="what stands between the values of a pick; a comma by default")
    unique: str | None = Field(None, description="a text of {run}, {user} and {iteration}, never twice in one run")
    lines: str | None = Field(
        None,
        alias="list",
        min_length=1,
        description="file of which each value is a line, relative to the session's folder, or a name of --list",
    )
    draw: Draw | None = Field(None, description="which line of a list comes next; random by default")
    columns: tuple[str, ...] = Field((), description="names of the columns of a list after the first, in their order")
    as_path: bool = Field(default=False, description="whether values of a list stand in paths as they are, / included")
    per: Per = Field(Per.STEP, description="step: a new value for every step; iteration: one for the whole iteration")

    @model_validator(mode="after")
    def _exactly_one_kind(self) -> Self:
        kind = require_one(self, "range", "pick", "unique", "lines")
        for key, owner in (
            ("format", "range"),
            ("own", "range"),
            ("source", "pick"),
            ("join", "pick"),
            ("distinct", "pick"),
            ("draw", "lines"),
            ("columns", "lines"),
            ("as_path", "lines"),
        ):
            if owner != kind and getattr(self, key):
                message = f"belongs to a feed with {_written(owner)}; this one has {_written(kind)}"
                raise wrong_at((_written(key),), message)
        return self

    @model_validator(mode="after")
    def _kind_is_complete(self) -> Self:
        if self.format is not None and self.format.count("{}") != 1:
            raise wrong_at(("format",), f"'{self.format}' must hold {{}} once, where the number goes")
        if self.pick is not None and self.source is None:
            raise ValueError("a pick needs `from`: the name of the range feed to draw from")
        if self.unique is not None:
            _check_unique(self.unique)
        return self


def _written(key: str) -> str:
    """Return how a key is written in the file."""
    return {"source": "from", "lines": "list"}.get(key, key)


def _check_unique(text: str) -> None:
    names = re.findall(r"\{([^}]*)\}", text)
    for name in names:
        if name not in {"run", "user", "iteration"}:
            raise wrong_at(("unique",), f"'{{{name}}}' is unknown; known are {{run}}, {{user}} and {{iteration}}")
    for name in ("run", "user", "iteration"):
        if names.count(name) != 1:
            raise wrong_at(("unique",), f"'{text}' must hold {{{name}}} once, otherwise it can come twice")
    # Without a separator user 1 in iteration 11 and user 11 in iteration 1 had the same text.
    for between in re.split(r"\{[^}]*\}", text)[1:-1]:
        if between == "" or between.isdigit():
            raise wrong_at(("unique",), f"'{text}' needs a text that is not a number between its names, like -")
