"""How a request is authenticated: basic (RFC 7617) and bearer (RFC 6750) authentication."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from pydantic import Field, model_validator

from middlemark.documents import Document, Location, exactly_one, require_one, wrong_at


class Authentication(Document):
    """The header `Authorization` of a request: exactly one of `basic` and `bearer`."""

    model_config = exactly_one("basic", "bearer")

    basic: tuple[str, str] | None = Field(None, description="[user, password]; both may hold ${names}")
    bearer: str | None = Field(None, min_length=1, description="token; may hold ${names}")

    @model_validator(mode="after")
    def _exactly_one_kind(self) -> Self:
        require_one(self, "basic", "bearer")
        if self.basic is not None and ":" in self.basic[0]:
            raise wrong_at(("basic", 0), "a user's name holds no colon, because one ends it")
        return self

    def templates(self) -> Iterator[tuple[Location, str]]:
        """Yield every text that may hold `${names}`, with its place in the file below the authentication."""
        for index, text in enumerate(self.basic or ()):
            yield ("basic", index), text
        if self.bearer is not None:
            yield ("bearer",), self.bearer
