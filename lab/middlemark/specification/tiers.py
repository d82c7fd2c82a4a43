"""The tiers of a specification: what each listens on, whom it calls, and what it needs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from middlemark.documents import Document

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
Variable = Annotated[str, Field(pattern=r"^MM_[A-Z][A-Z0-9_]*$")]


class Protocol(StrEnum):
    """What a listener speaks. Its address is `http://host:port`, `https://…` of https, of tcp `host:port` alone."""

    HTTP = "http"
    HTTPS = "https"
    GRPC = "grpc"
    TCP = "tcp"


class Call(Document):
    """How one tier calls another: over one protocol, or over the interface that a mode chooses."""

    address: Variable = Field(description="gets the address of the tier that is called")
    protocol: Protocol = Field(Protocol.HTTP, description="the protocol of a call that no mode chooses")
    mode: Name | None = Field(None, description="the mode whose values are interfaces of the called tier")
    in_process: tuple[str, ...] = Field(
        (), description="values of the mode with which the called tier runs inside the caller's process"
    )


class Tier(Document):
    """One tier. Each listens on http: there it answers /health and /about."""

    listens: dict[Protocol, Variable] = Field(description="protocol: the variable that gets the port")
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
