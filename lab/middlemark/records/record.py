"""The base of every file that the lab writes and reads again."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A model of a file, or of a part of one: unknown keys are errors, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)
