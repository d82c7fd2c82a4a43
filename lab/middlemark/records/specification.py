"""What verdicts and reports need to know of a specification, kept in the result folder."""

from __future__ import annotations

from pydantic import Field

from middlemark.records.record import Record


class NotRankedValues(Record):
    """Values of a mode that are never ranked against each other, and why."""

    values: tuple[str, ...]
    why: str


class EfficiencyRecord(Record):
    """What the specification calls an efficiency, and the choices of the combination that each is relative to."""

    name: str
    reference: dict[str, str]


class SpecificationRecord(Record):
    """The part of `spec.toml` that the figures of a run depend on.

    `given_settings` are names in /about of what the lab chooses by itself or what is compared: they may differ between
    two sides; `mode_settings` are those of modes among them. `never_ranked_together` is by mode. `effects` has the
    plural of each effect that audits count by name.
    `unit` is what the driver counts, singular; `leads_with` are the metrics with which a report begins.
    `phrases`: what is done with a value of a mode, as a sentence has it, by mode and value.
    `efficiency`: by which choices a report shows what is left of a reference's speed; None for none.
    """

    title: str
    unit: str
    leads_with: tuple[str, ...]
    databases: tuple[str, ...] = ()
    given_settings: tuple[str, ...] = ()
    mode_settings: tuple[str, ...] = ()
    never_ranked_together: dict[str, tuple[NotRankedValues, ...]] = Field(default_factory=dict)
    effects: dict[str, str] = Field(default_factory=dict)
    efficiency: EfficiencyRecord | None = None
    phrases: dict[str, dict[str, str]] = Field(default_factory=dict)

    @property
    def units(self) -> str:
        """Return what the driver counts, plural."""
        return f"{self.unit}s"

    @property
    def rate(self) -> str:
        """Return the unit of a throughput, for people."""
        return f"{self.units} per second"
