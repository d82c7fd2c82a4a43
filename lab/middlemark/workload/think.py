"""Think time: how long a virtual user waits after each step."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from middlemark.documents import Document, exactly_one, require_one, wrong_at
from middlemark.duration import Duration


class Think(Document):
    """A think time: exactly one of `constant`, `uniform` and `exponential`."""

    model_config = exactly_one("constant", "uniform", "exponential")

    constant: Duration | None = Field(None, description="always this long")
    uniform: tuple[Duration, Duration] | None = Field(
        None, description="[shortest, longest], each length equally likely"
    )
    exponential: Duration | None = Field(None, description="exponentially distributed with this mean")

    @model_validator(mode="after")
    def _exactly_one_kind(self) -> Self:
        require_one(self, "constant", "uniform", "exponential")
        if self.uniform is not None and self.uniform[0] > self.uniform[1]:
            raise wrong_at(
                ("uniform",), f"{self.uniform[0]} is longer than {self.uniform[1]}; the shortest comes first"
            )
        return self

    @classmethod
    def of(cls, constant: Duration) -> Think:
        """Return the constant think time."""
        return cls(constant=constant)

    @property
    def mean_s(self) -> float:
        """Return the mean in seconds."""
        if self.uniform is not None:
            return (self.uniform[0].seconds + self.uniform[1].seconds) / 2
        return (self.constant or self.exponential or Duration(0)).seconds

    def __str__(self) -> str:
        """Return the think time in words."""
        if self.uniform is not None:
            return f"{self.uniform[0]} to {self.uniform[1]}"
        return f"{self.constant}" if self.constant is not None else f"exponential, mean {self.exponential}"
