"""`[report]` of a `spec.toml`: the words and metrics of its reports."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from middlemark.documents import Document


class EfficiencyDefinition(Document):
    """What is left of the speed of a reference, which does the same in the way that costs least."""

    name: str = Field(description="what reports call it, before 'request efficiency' and 'latency efficiency'")
    reference: dict[str, str] = Field(
        min_length=1, description="mode, or session: the value of the combinations that the others are relative to"
    )


class ReportDefinition(Document):
    """The words and metrics of a report."""

    unit: str = Field("transaction", description="what the driver counts, singular")
    leads_with: tuple[Literal["cpu_ms_per_transaction", "throughput", "bytes_per_second", "response_time"], ...] = (
        "cpu_ms_per_transaction",
        "throughput",
        "response_time",
    )
    efficiency: EfficiencyDefinition | None = Field(None, description="none if left out")
