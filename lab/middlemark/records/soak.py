"""The verdict on a soak: whether one load, held for hours, was sustained, and each figure in its slices."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from middlemark.records.record import Record
from middlemark.wording import few_or_many


class SoakPlan(Record):
    """Plan of a soak: its length and that of a slice, the limits of mean response time and errors (0 … 1).

    `rate` is the unit of its throughput.
    """

    length_s: float
    slice_s: float
    mean_ms: float
    errors: float
    rate: str = "transactions per second"


class Quantity(StrEnum):
    """The quantity of a series of a soak."""

    THROUGHPUT = "throughput"
    RATE = "rate"
    RESPONSE_TIME = "mean response time"
    ERRORS = "errors"
    MEMORY = "memory"
    CONNECTIONS = "connections"
    PREPARED = "prepared transactions"
    DISK = "disk"


class Shape(StrEnum):
    """The shape that describes a series best. `BEGINS`, `ENDS` and `STEP` have a moment."""

    LEVEL = "level"
    LINE = "changes all the time"
    BEGINS = "changes from a moment on"
    ENDS = "changes up to a moment"
    STEP = "changes at a moment"


class SoakSeries(Record):
    """A figure in each slice of a soak, in `unit`; None in a slice where it is unknown.

    `of` is a process, a database or a transaction, empty for figures of all virtual users. `before` and `after` are
    the values at the begin and at the end of the `shape`; `at_s` is its moment, if it has one. `per_hour` is the slope
    of a straight line through all slices, with its 95 % `uncertainty`; None for too few slices. `text` is the change
    in words.
    """

    quantity: Quantity
    of: str = ""
    unit: str
    values: tuple[float | None, ...]
    shape: Shape = Shape.LEVEL
    before: float = 0.0
    after: float = 0.0
    at_s: float | None = None
    per_hour: float | None = None
    uncertainty: float | None = None
    text: str = ""

    @property
    def is_slope_certain(self) -> bool:
        """Whether the slope is not 0, with 95 % confidence."""
        return self.per_hour is not None and abs(self.per_hour) > (self.uncertainty or 0.0)

    @property
    def slope_text(self) -> str:
        """The slope with its uncertainty; empty where there is none."""
        if self.per_hour is None or self.uncertainty is None:
            return ""
        return f"{few_or_many(abs(self.per_hour))} {self.unit} an hour (± {few_or_many(self.uncertainty)})"

    @property
    def is_level(self) -> bool:
        """Whether the series shows nothing but scatter."""
        return self.shape is Shape.LEVEL


class Soak(Record):
    """The verdict on a soak so far. All moments are seconds since its window began.

    `seen_s` of the plan's length were measured; `ended`: no more follows. `sustained` is None while the soak is under
    way, where it ended early without a reason, and with too few slices. `best_tps` and `last_tps` are the best level
    and that at the end, in the plan's `rate`: medians of `level_s` seconds of slices. After `peak_lost_s` throughput
    never came near the best level again, after `all_lost_s` nothing was completed. `stalls` have begin and end.
    `reasons` are why the load was not sustained; `text` is the verdict in words.
    """

    plan: SoakPlan
    seen_s: float
    ended: bool
    sustained: bool | None
    reasons: tuple[str, ...] = ()
    text: str
    best_tps: float = 0.0
    last_tps: float = 0.0
    level_s: float = 0.0
    peak_lost_s: float | None = None
    all_lost_s: float | None = None
    stalls: tuple[tuple[float, float], ...] = ()
    series: tuple[SoakSeries, ...] = Field(default=())

    @property
    def verdict(self) -> str:
        """Whether it was sustained, in a word or two."""
        if self.sustained is None:
            return "not known" if self.ended else "under way"
        return "sustained" if self.sustained else "not sustained"

    @property
    def changes(self) -> tuple[SoakSeries, ...]:
        """The series that are not level; the rate of a transaction changes as throughput does."""
        return tuple(one for one in self.series if not one.is_level and one.quantity is not Quantity.RATE)
