"""`[report]` of a `spec.toml`: the words and metrics of its reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from middlemark.documents import Document, Location, wrong_at


class EfficiencyDefinition(Document):
    """What is left of the speed of a reference, which does the same in the way that costs least."""

    name: str = Field(description="what reports call it, before 'request efficiency' and 'latency efficiency'")
    reference: dict[str, str] = Field(
        min_length=1, description="mode, or session: the value of the combinations that the others are relative to"
    )


class Contrast(Document):
    """Two sets of choices that are set against each other, everything else alike."""

    name: str = Field(description="what a report calls upper ÷ lower, as 'SOAP ÷ protobuf, over TCP'")
    upper: dict[str, str] = Field(min_length=1, description="mode, session or another choice: its value")
    lower: dict[str, str] = Field(min_length=1, description="the same for what it is divided by")

    @model_validator(mode="after")
    def _names_the_same_choices(self) -> Self:
        for choice in sorted(self.upper.keys() ^ self.lower.keys()):
            raise wrong_at((choice,), f"upper and lower both need a value of {choice}")
        return self


class ReportDefinition(Document):
    """The words and metrics of a report."""

    unit: str = Field("transaction", description="what the driver counts, singular")
    leads_with: tuple[Literal["cpu_ms_per_transaction", "throughput", "bytes_per_second", "response_time"], ...] = (
        "cpu_ms_per_transaction",
        "throughput",
        "response_time",
    )
    efficiency: EfficiencyDefinition | None = Field(None, description="none if left out")
    contrasts: tuple[Contrast, ...] = Field((), description="none if left out")

    def named_choices(self) -> Iterator[tuple[Location, Mapping[str, str]]]:
        """Yield the choices that the report names, each with its place."""
        if self.efficiency:
            yield ("efficiency", "reference"), self.efficiency.reference
        for number, contrast in enumerate(self.contrasts):
            yield ("contrasts", number, "upper"), contrast.upper
            yield ("contrasts", number, "lower"), contrast.lower
