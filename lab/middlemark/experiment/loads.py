"""The loads of an experiment: a list, a ramp, until a limit, or searched; users, or arrivals by a timetable."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from middlemark.documents import Document, wrong_at
from middlemark.experiment.limits import Limits
from middlemark.records.run import Load
from middlemark.search.seen import Range
from middlemark.workload.plan import Spacing, Unit

MAX_LOAD = 10_000


class Steps(Document):
    """A geometric ramp from one load to another; for a search, the range."""

    first: Load = Field(1, alias="from", gt=0, description="the lowest load")
    last: Load = Field(MAX_LOAD, alias="to", gt=0, description="the highest load")
    factor: float = Field(2.0, gt=1, description="each load is so many times the one before")

    @model_validator(mode="after")
    def _upwards(self) -> Self:
        if self.last < self.first:
            raise ValueError("`to` is below `from`")
        return self

    def loads(self, *, whole: bool) -> tuple[Load, ...]:
        """Return the loads of the ramp: `from` and `to` as they are written, between them rates of three digits."""
        found: list[Load] = [self.first]
        load = self.first * self.factor
        while load < self.last:
            rounded = round(load) if whole else float(f"{load:.3g}")
            found += [rounded] if rounded > found[-1] else []
            load *= self.factor
        return (*(load for load in found if load < self.last), self.last)


def _kind(value: object) -> str:
    return "ramp" if isinstance(value, dict | Steps) else "list"


Levels = Annotated[
    Annotated[tuple[Load, ...], Field(min_length=1), Tag("list")] | Annotated[Steps, Tag("ramp")], Discriminator(_kind)
]


class Loads(Document):
    """The loads of an experiment: numbers of virtual users, or rates of the open model."""

    users: Levels | None = Field(None, description="numbers of users: a list, or {from, to, factor}")
    rate: Levels | None = Field(None, description="the open model instead: arrivals per second, a list or a ramp")
    of: Unit = Field(Unit.SESSIONS, description="with `rate`: what arrives")
    arrivals: Spacing = Field(Spacing.CONSTANT, description="with `rate`: how arrivals lie on the timetable")
    max_users: int = Field(1000, ge=1, description="with `rate`: how many may be at work at the same time")
    until: Limits | None = Field(None, description="go up only to the first load outside these limits")
    search: Literal["peak"] | None = Field(None, description="find the peak, and the largest load inside `until`")
    points: int = Field(10, ge=3, description="with `search`: at most so many points for each combination")

    @field_validator("users", "rate")
    @classmethod
    def _rising(cls, levels: tuple[Load, ...] | Steps | None) -> tuple[Load, ...] | Steps | None:
        if isinstance(levels, tuple):
            if any(load <= 0 for load in levels):
                raise ValueError("a load is above zero: at least one user")
            if list(levels) != sorted(set(levels)):
                raise ValueError("write the loads rising, each once")
        return levels

    @field_validator("users")
    @classmethod
    def _whole(cls, levels: tuple[Load, ...] | Steps | None) -> tuple[Load, ...] | Steps | None:
        ends = (levels.first, levels.last) if isinstance(levels, Steps) else levels or ()
        if any(not isinstance(load, int) for load in ends):
            raise ValueError("numbers of users are whole")
        return levels

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.users is not None and self.rate is not None:
            raise wrong_at(("rate",), "loads are either users or rates")
        if self.search is None and self.levels_written is None:
            raise ValueError("write the loads: {users: [10, 30]}, or {search: peak}")
        if self.search is not None and isinstance(self.levels_written, tuple):
            raise wrong_at(("search",), "a search has a range: {users: {from: 1, to: 1000}, search: peak}")
        return self

    @model_validator(mode="after")
    def _every_key_counts(self) -> Self:
        """Refuse a key that would do nothing."""
        if self.rate is None:
            for key in ("of", "arrivals", "max_users"):
                if key in self.model_fields_set:
                    raise wrong_at((key,), "only a `rate` has this; users have none")
        if self.search is None and "points" in self.model_fields_set:
            raise wrong_at(("points",), "only a search has a number of points: add `search: peak`")
        steps, name = self.levels_written, "users" if self.rate is None else "rate"
        if isinstance(steps, Steps):
            if self.search is None and not steps.model_fields_set >= {"first", "last"}:
                raise wrong_at((name,), "a ramp has both ends: {from: 10, to: 640}")
            if self.search is not None and "factor" in steps.model_fields_set:
                raise wrong_at((name, "factor"), "a search takes no steps: leave `factor` out")
        return self

    @property
    def levels_written(self) -> tuple[Load, ...] | Steps | None:
        """Return the numbers as the file has them."""
        return self.users if self.rate is None else self.rate

    @property
    def whole(self) -> bool:
        """Whether loads are numbers of users."""
        return self.rate is None

    @property
    def levels(self) -> tuple[Load, ...]:
        """Return the loads, rising; none for a search, which finds its own."""
        written = self.levels_written
        if self.search is not None or written is None:
            return ()
        return written.loads(whole=self.whole) if isinstance(written, Steps) else written

    @property
    def open_end(self) -> bool:
        """Whether a limit or a search decides how many points there are."""
        return self.search is not None or self.until is not None

    @property
    def range(self) -> Range:
        """Return the range of a search."""
        written = self.levels_written
        steps = written if isinstance(written, Steps) else Steps()
        return Range(steps.first, steps.last, self.points, self.whole)

    @property
    def limits(self) -> Limits:
        """Return the limits of a search or of `until`."""
        return self.until or Limits()

    @property
    def unit(self) -> str:
        """Return what a load counts."""
        return "users" if self.whole else f"{self.of.value} per second"

    def users_at(self, load: Load) -> int:
        """Return how many users there are at a load: the load itself, or the most of the open model."""
        return int(load) if self.whole else self.max_users

    @property
    def warm(self) -> Load:
        """Return the load of the warm-up before a search, which begins too low for that."""
        return min(self.range.high, max(self.range.low, WARM_USERS)) if self.whole else self.range.low


WARM_USERS = 10
