"""The tiers of a specification: what each listens on, whom it calls, and what it needs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from middlemark.documents import Document, exactly_one, require_one, wrong_at

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
Variable = Annotated[str, Field(pattern=r"^MM_[A-Z][A-Z0-9_]*$")]


class Protocol(StrEnum):
    """Listeners with a meaning for the lab. Any other name of a listener is a TCP port that only other tiers call."""

    HTTP = "http"
    HTTPS = "https"
    GRPC = "grpc"
    UNIX = "unix"


OF_VIRTUAL_USERS = (Protocol.HTTP, Protocol.HTTPS)


class Call(Document):
    """How one tier calls another: over its listeners, or over the interface that a mode chooses."""

    model_config = exactly_one("address", "addresses")

    address: Variable | None = Field(
        None, description="gets the address of the interface that the mode chooses, `http://host:port`"
    )
    addresses: dict[Name, Variable] | None = Field(
        None, min_length=1, description="listener of the called tier: the variable that gets its address"
    )
    mode: Name | None = Field(None, description="with `address` the mode whose values are interfaces of that tier")
    in_process: tuple[str, ...] = Field(
        (), description="values of the mode with which the called tier runs inside the caller's process"
    )

    @model_validator(mode="after")
    def _names_listeners_or_an_interface(self) -> Self:
        if require_one(self, "address", "addresses") == "address" and self.mode is None:
            raise wrong_at(("address",), "without `mode` nothing chooses an interface; name listeners in addresses")
        return self

    @property
    def variables(self) -> dict[str, str]:
        """The variable of each address, by the listener whose address it gets; `""` for the one that a mode chooses."""
        return dict(self.addresses) if self.addresses else {"": self.address or ""}


class Tier(Document):
    """One tier. Each listens on http: there it answers /health and /about."""

    listens: dict[Name, Variable] = Field(
        description="listener: the variable that gets its port, of `unix` the path of its socket"
    )
    entry: bool = Field(default=False, description="virtual users call this tier")
    calls: dict[Name, Call] = Field({}, description="tier: how it is called")
    databases: tuple[Name, ...] = Field((), description="databases it works on")
    files: tuple[Name, ...] = Field((), description="file sets it reads")
    queues: tuple[Name, ...] = Field((), description="queues it sends to, or gets messages from")
    when: dict[Name, tuple[str, ...]] = Field({}, description="mode: values, only then there is such a process")
    paths: tuple[str, ...] = Field(
        (), description="requests whose path begins so are for this tier; all others are for the entry"
    )


class Roles(Document):
    """How a process is told which tiers it carries."""

    variable: Variable
    carries: dict[Name, tuple[Name, ...]] = Field(
        min_length=1, description="role: tiers, in the order in which /about names them"
    )
