"""Parts of a session: steps, and groups of parts that run, are left out and are repeated together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from middlemark.documents import Document, Location
from middlemark.workload.step import Step


def _kind(value: Any) -> str:
    is_group = "group" in value if isinstance(value, Mapping) else isinstance(value, Group)
    return "<group>" if is_group else "<step>"


class Group(Document):
    """Parts that run or are left out together, and are repeated together."""

    group: tuple[Part, ...] = Field(min_length=1, description="steps and groups, in order")
    probability: float = Field(1, ge=0, le=1, description="how likely the group runs, 0 … 1")
    repeat: int = Field(1, ge=1, description="how often the group runs in a row")
    cycle: bool = Field(
        default=False, description="ramps and windows hold whole runs of this group instead of whole iterations"
    )


Part = Annotated[Annotated[Step, Tag("<step>")] | Annotated[Group, Tag("<group>")], Discriminator(_kind)]
Group.model_rebuild()


def steps_of(parts: tuple[Part, ...], place: Location = ()) -> Iterator[tuple[Location, Step]]:
    """Yield the steps of `parts`, also those in groups, in their order; each with its place, `place` being theirs."""
    for index, part in enumerate(parts):
        if isinstance(part, Group):
            yield from steps_of(part.group, (*place, index, "group"))
        else:
            yield (*place, index), part


def cycles_of(parts: tuple[Part, ...], place: Location = ()) -> Iterator[tuple[Location, Group]]:
    """Yield the groups among `parts`, and in them, that are a cycle; each with its place, `place` being theirs."""
    for index, part in enumerate(parts):
        if isinstance(part, Group):
            if part.cycle:
                yield (*place, index), part
            yield from cycles_of(part.group, (*place, index, "group"))


def may_run(part: Part) -> bool:
    """Return whether any step of the part ever runs."""
    if isinstance(part, Group):
        return part.probability > 0 and any(map(may_run, part.group))
    return part.probability > 0
