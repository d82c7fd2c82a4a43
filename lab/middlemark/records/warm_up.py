"""What a warm-up was like, as `run.json` has it."""

from __future__ import annotations

from pydantic import Field

from middlemark.records.record import Record


class WarmUpCourse(Record):
    """A stretch of a warm-up: seconds from its begin to the end of the stretch, CPU ms per transaction in it."""

    end_s: float
    cpu_ms: float


class WarmUp(Record):
    """One warm-up of a combination (its path), before a search (`repeat` None) or a round.

    It took `seconds`; `limit_s` is the longest it might have taken. `flat`: at its end CPU time per transaction no
    longer changed, None where that decided nothing, as with a fixed length. At its end it was expected to change by
    `change` in `change_s` seconds, relative to its mean, with this `uncertainty`; None when there was too little to
    see. `course` has up to 24 stretches. `compiler_share` is the share of compiler threads in its CPU time in the last
    20 s, 0 … 1; None where its description names none. `rho` is by how much the logarithm of its cost may still fall
    for each share of 1 that they have.
    """

    combination: str
    repeat: int | None
    seconds: float
    limit_s: float
    flat: bool | None
    change_s: float | None = None
    change: float | None = None
    uncertainty: float | None = None
    compiler_share: float | None = None
    rho: float = 0.0
    course: list[WarmUpCourse] = Field(default_factory=list)
