"""What an application of a specification works on: databases, sets of files, queues."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from middlemark.documents import Document, exactly_one, require_one
from middlemark.specification.tiers import Name, Variable

Condition = dict[Name, tuple[str, ...]]
"""Mode: values. It holds when every mode named has one of its values."""


class DatabaseDefinition(Document):
    """A database with its schema, keys, data set and audit, all in `folder`."""

    variable: Variable = Field(description="gets its address, postgresql://user:password@host:port/name")
    pool: Variable | None = Field(None, description="the setting with the number of connections in a process's pool")
    recovery: Variable | None = Field(
        None, description="the setting with the seconds after which transactions in doubt are looked for again"
    )
    folder: str = Field(description="folder of this one with schema.sql, keys.sql, dataset.toml and audit/")
    bookkeeping: tuple[str, ...] = Field(
        (), description="tables in which an application may keep books of its own work: part of no compared end state"
    )
    server: Name | None = Field(None, description="databases of one server share its name; else each has its own")


class FileSet(Document):
    """Files that a tier reads: they lie in `folder`, or they are made as the file `made` describes them."""

    model_config = exactly_one("folder", "made")

    variable: Variable = Field(description="gets the path of the folder")
    folder: str | None = Field(None, description="folder of this one")
    made: str | None = Field(None, description="file of this folder that describes the files, which are then made")
    address: str = Field(
        "", pattern="^(/[A-Za-z0-9/_-]*/)?$", description="below which a server that gives out files has them, /a/"
    )

    @model_validator(mode="after")
    def _is_there_or_made(self) -> Self:
        require_one(self, "folder", "made")
        return self


class QueueDefinition(Document):
    """A durable queue that takes part in distributed transactions. The server that hosts an application makes it."""

    concurrency: Variable = Field(description="the setting with the number of its messages that are processed at once")
    retry: Variable = Field(description="the setting with the seconds after which a failed message is tried again")
    when: Condition = Field({}, description="mode: values, only then anything is sent to it")
