"""Minimum lengths of the phases of a point, as experiments and profiles write them."""

from __future__ import annotations

from pydantic import Field

from middlemark.documents import Document
from middlemark.duration import Duration


class MinPhases(Document):
    """Minimum lengths of a point's phases; ramp and window grow to whole iterations."""

    warm: Duration = Field(Duration(5_000), description="warm-up after each start")
    warm_by_subject: dict[str, Duration] = Field({}, description="warm-up of single subjects, instead of `warm`")
    ramp: Duration = Field(Duration(0), description="users start; never shorter than one expected iteration")
    settle: Duration = Field(Duration(1_000), description="between ramp and window")
    measure: Duration = Field(Duration(8_000), description="the window: whole expected iterations, at least two")
    drain: Duration = Field(Duration(10_000), description="started transactions finish for at most this long")
