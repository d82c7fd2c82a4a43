"""`specs/<name>/cases/*.yaml`: one behaviour of the specification each, as steps and what must come of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from middlemark.conformance.cases.needs import Needs
from middlemark.conformance.cases.step import Step
from middlemark.documents import Document
from middlemark.specification.tiers import Name

INTEROP = "interop"
REPLAY = "replay"


class Statement(StrEnum):
    """The statements on a table that can be made to fail."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    READ = "read"


class Fail(Document):
    """Statements on a table that fail while the case runs.

    `insert`, `update` and `delete` raise `sqlstate`; for `read` the table has another name, so that it is not there.
    """

    table: str = Field(pattern="^[a-z_]+$")
    on: Statement
    sqlstate: str | None = Field(None, pattern="^[0-9A-Z]{5}$", description='what they raise, "40001" if left out')
    times: int | None = Field(None, ge=1, description="only the first so many; without it all of them")
    database: Name | None = Field(None, description="the table's database; the only one if left out")

    @model_validator(mode="before")
    @classmethod
    def _on_is_a_word(cls, content: Any) -> Any:
        # YAML 1.1 reads the word as true.
        return (
            {"on" if key is True else key: value for key, value in content.items()}
            if type(content) is dict
            else content
        )

    @model_validator(mode="after")
    def _a_missing_table_fails_its_own_way(self) -> Self:
        if self.on is Statement.READ and (self.sqlstate is not None or self.times is not None):
            raise ValueError("on: read takes neither sqlstate nor times, because the table is simply not there")
        return self


class SetUp(Document):
    """A statement in one of several databases."""

    database: Name
    sql: str = Field(min_length=1)


class Case(Document):
    """One behaviour. It begins with the data sets as they were loaded, and with no browser logged in."""

    name: str = Field(min_length=8, description="a sentence that no other case has")
    rule: str | None = Field(None, description="the rule of the specification it belongs to")
    tags: tuple[Literal["interop", "replay"], ...] = Field(
        (), description="interop: runs in the other configurations too; replay: runs after every point of a run too"
    )
    modes: dict[Name, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(
        {}, description="mode: values; it runs only in configurations with one of them"
    )
    interfaces: tuple[Name, ...] = Field((), description="it runs only over these interfaces; all if left out")
    needs: Needs = Field(Needs(), description="what has to be offered; otherwise it does not run at all")
    set_up: tuple[str | SetUp, ...] = Field(
        (), description="SQL before the first step; with several databases {database: …, sql: …}"
    )
    fails: tuple[Fail, ...] = Field((), description="statements of the application that fail meanwhile")
    audited: bool = Field(default=True, description="at the end all audit rules hold")
    changes: Literal["nothing"] | None = Field(
        None, description="nothing: at the end no row of any database differs from the loaded data"
    )
    compared: bool = Field(
        default=True, description="false where chance decides what is answered, so that equal subjects differ"
    )
    steps: tuple[Step, ...] = Field(min_length=1)


class CaseFile(Document):
    """The whole file. Cases with equal settings share one started application."""

    version: Literal[1]
    settings: dict[str, str] = Field(
        {}, description="settings of the application (MM_…) that differ from `in_cases` of spec.toml"
    )
    cases: tuple[Case, ...] = Field(min_length=1)
