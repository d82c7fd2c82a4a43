"""What an application has to offer for a case to run at all."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from middlemark.documents import Document
from middlemark.specification.tiers import Name


class Needs(Document):
    """What has to be offered, in whatever configuration: everything that is named, each value of a mode too."""

    features: tuple[Name, ...] = Field((), description="features of the specification")
    roles: tuple[Name, ...] = Field((), description="roles of the specification")
    modes: dict[Name, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(
        {}, description="mode: values, each of which is offered, though another one may be in effect"
    )
    interfaces: tuple[Name, ...] = Field((), description="interfaces, whichever one the calls go over")
