"""Whether the images, style sheets and scripts of a page are fetched with it, as a browser does."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from middlemark.documents import Document

MAX_CONNECTIONS = 6
"""As many as browsers open to one host."""


class CacheLife(StrEnum):
    """How long a virtual user's browser cache lives."""

    NONE = "none"
    PER_USER = "per-user"
    PER_ITERATION = "per-iteration"


class SubResources(Document):
    """How the sub-resources of a page are fetched."""

    connections: int = Field(
        MAX_CONNECTIONS, ge=1, le=MAX_CONNECTIONS, description="most connections at once, that of the page among them"
    )
    cache: CacheLife = Field(description="none, or when the virtual user's browser cache is emptied")
