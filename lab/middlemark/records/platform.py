"""What is known of a platform beside its figures: its tuning log, and its lines of code."""

from __future__ import annotations

from middlemark.records.record import Record


class Trial(Record):
    """A setting that was tried on a platform, one at a time: its value against the one before, and what came of it."""

    setting: str
    value: str
    before: str
    measured: str
    kept: bool
    why: str


class Tuning(Record):
    """The tuning log of a platform: what was tried one at a time, in how many runs, and the hours that took.

    `note` is what else is to be known, for instance that nothing has been tried.
    """

    platform: str
    runs: int
    hours: float
    note: str
    trials: list[Trial]


class CodeLines(Record):
    """Lines of code of a platform by tier, as these combinations (their paths) use it.

    A line counts when more than white space and comment stands in it; tests and generated code do not. `modes` are
    those on which the numbers depend.
    """

    platform: str
    modes: dict[str, str]
    combinations: list[str]
    tiers: dict[str, int]
