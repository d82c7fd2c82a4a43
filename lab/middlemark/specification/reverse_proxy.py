"""`[reverse_proxy]` of spec.toml."""

from __future__ import annotations

from pydantic import Field

from middlemark.documents import Document
from middlemark.specification.resources import Condition
from middlemark.specification.tiers import Name


class ReverseProxy(Document):
    """The place of a reverse proxy, where an experiment has one."""

    before: tuple[Name, ...] = Field(
        min_length=1, description="before the first of these that has processes of its own"
    )
    listeners: tuple[str, ...] = Field(
        (),
        description="listeners that it passes on, http always; callers reach others directly. All if left out",
    )
    only_with: Condition = Field({}, description="mode: values with which a reverse proxy is possible")
