"""The loads of an experiment as written: users, or arrivals by a timetable; and those chosen while a run goes on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated, Self

from pydantic import Discriminator, Field, Tag, ValidationInfo, field_validator, model_validator

from middlemark.documents import Document, Location, wrong_at
from middlemark.duration import Duration
from middlemark.records.run import Combination, Load, LoadLimits, Searched, SearchedPoint
from middlemark.records.window import Window
from middlemark.search.search import Found, Goal, found, next_load
from middlemark.search.seen import Range, Seen
from middlemark.verdict.conditions import ERROR_LIMIT, error_share
from middlemark.workload.plan import Spacing, Unit


class Limits(Document):
    """A load is outside when one of these is reached, over all transactions of the window; or arrivals never began."""

    mean: Duration = Field(Duration(3_000), description="mean response")
    p90: Duration | None = Field(None, description="90th percentile of the response")
    errors: float = Field(ERROR_LIMIT, gt=0, le=1, description="failed ÷ all transactions, 0 … 1")

    def seen(self, window: Window) -> Seen:
        """A window as a search sees it; one without any answer fails."""
        total = window.total
        return Seen(
            load=window.load,
            throughput=window.throughput_tps,
            response_s=total.mean_ms / 1000,
            strain=self.record.strain(total.mean_ms, total.p90_ms),
            failing=error_share(total, window.errors_by_kind) >= self.errors or window.failed("arrivals"),
            counts=window.valid,
            under_way=window.under_way,
        )

    @property
    def record(self) -> LoadLimits:
        """The limits as `run.json` has them."""
        return LoadLimits(mean_ms=self.mean.ms, p90_ms=None if self.p90 is None else self.p90.ms, errors=self.errors)


MAX_LOAD = 10_000
WARM_USERS = 10


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
        """The loads of the ramp: `from` and `to` as they are written, between them rates of three digits."""
        found: list[Load] = [self.first]
        load = self.first * self.factor
        while load < self.last:
            rounded = round(load) if whole else float(f"{load:.3g}")
            found += [rounded] if rounded > found[-1] else []
            load *= self.factor
        return (*(load for load in found if load < self.last), self.last)


Levels = Annotated[
    Annotated[tuple[Load, ...], Field(min_length=1), Tag("list")] | Annotated[Steps, Tag("ramp")],
    Discriminator(lambda value: "ramp" if isinstance(value, dict | Steps) else "list"),
]


class Loads(Document):
    """The loads of an experiment: numbers of virtual users, or rates of the open model."""

    users: Levels | None = Field(None, description="numbers of users: a list, or {from, to, factor}")
    rate: Levels | None = Field(None, description="the open model instead: arrivals per second, a list or a ramp")
    of: Unit = Field(Unit.SESSIONS, description="with `rate`: what arrives")
    arrivals: Spacing = Field(Spacing.CONSTANT, description="with `rate`: how arrivals lie on the timetable")
    max_users: int = Field(1000, ge=1, description="with `rate`: how many may be at work at the same time")
    until: Limits | None = Field(None, description="go up only to the first load outside these limits")
    search: Goal | None = Field(
        None,
        description="peak: find the peak, and the largest load inside `until`; limit: find where `until` is crossed",
    )
    points: int = Field(10, ge=3, description="with `search`: at most so many points for each combination")

    @field_validator("users", "rate")
    @classmethod
    def _rising(cls, levels: tuple[Load, ...] | Steps | None, info: ValidationInfo) -> tuple[Load, ...] | Steps | None:
        ends = (levels.first, levels.last) if isinstance(levels, Steps) else levels or ()
        if info.field_name == "users" and any(not isinstance(load, int) for load in ends):
            raise ValueError("numbers of users are whole")
        if isinstance(levels, tuple):
            if any(load <= 0 for load in levels):
                raise ValueError("a load is above zero: at least one user")
            if list(levels) != sorted(set(levels)):
                raise ValueError("write the loads rising, each once")
        return levels

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        """Refuse keys that contradict each other, and a key that would do nothing."""
        written, given, name = self.levels_written, self.model_fields_set, "users" if self.rate is None else "rate"
        steps, searches = written.model_fields_set if isinstance(written, Steps) else set(), self.search is not None
        lacking = isinstance(written, Steps) and not steps >= {"first", "last"}
        of_rates = [] if self.rate is not None else [key for key in ("of", "arrivals", "max_users") if key in given]
        ranges = "a search has a range: {users: {from: 1, to: 1000}, search: peak}"
        wrong: tuple[tuple[bool, Location, str], ...] = (
            (self.users is not None and self.rate is not None, ("rate",), "loads are either users or rates"),
            (not searches and written is None, (), "write the loads: {users: [10, 30]}, or {search: peak}"),
            (searches and isinstance(written, tuple), ("search",), ranges),
            (
                self.search is Goal.LIMIT and self.rate is not None,
                ("search",),
                "`limit` needs a range of users, not of rates",
            ),
            (bool(of_rates), tuple(of_rates[:1]), "only a `rate` has this; users have none"),
            (
                not searches and "points" in given,
                ("points",),
                "only a search has a number of points: add `search: peak`",
            ),
            (not searches and lacking, (name,), "a ramp has both ends: {from: 10, to: 640}"),
            (searches and "factor" in steps, (name, "factor"), "a search takes no steps: leave `factor` out"),
        )
        for is_so, location, why in wrong:
            if is_so:
                raise wrong_at(location, why)
        return self

    @property
    def levels_written(self) -> tuple[Load, ...] | Steps | None:
        """The numbers as the file has them."""
        return self.users if self.rate is None else self.rate

    @property
    def whole(self) -> bool:
        """Whether loads are numbers of users."""
        return self.rate is None

    @property
    def levels(self) -> tuple[Load, ...]:
        """The loads, rising; none for a search, which finds its own."""
        written = self.levels_written
        if self.search is not None or written is None:
            return ()
        return written.loads(whole=self.whole) if isinstance(written, Steps) else written

    @property
    def range(self) -> Range:
        """The range of a search."""
        written = self.levels_written
        steps = written if isinstance(written, Steps) else Steps()
        return Range(steps.first, steps.last, self.points, self.whole)

    @property
    def limits(self) -> Limits:
        """The limits of a search or of `until`."""
        return self.until or Limits()

    @property
    def unit(self) -> str:
        """What a load counts."""
        return "users" if self.whole else f"{self.of.value} per second"

    @property
    def loads_of_rounds(self) -> int:
        """How many loads a round has at most: the peak, or two around the limit, of a search."""
        return len(self.levels) if self.search is None else 1 if self.search is Goal.PEAK else 2

    @property
    def leads(self) -> tuple[str, ...]:
        """The metric that a run is about, whatever its specification leads with."""
        return ("users_at_limit",) if self.search is Goal.LIMIT else ()

    def users_at(self, load: Load) -> int:
        """How many users there are at a load: the load itself, or the most of the open model."""
        return int(load) if self.whole else self.max_users

    @property
    def warm(self) -> Load:
        """The load of the first warm-up: the highest, before a limit the lowest; a search begins too low for it."""
        if self.levels:
            return self.levels[0] if self.until else self.levels[-1]
        return min(self.range.high, max(self.range.low, WARM_USERS)) if self.whole else self.range.low


class LoadChooser:
    """Loads of a run as far as they are known, by path: `chosen`, and `outside`, the first outside the limits.

    `reach` has the last load of a search that ends below the range, by path.
    """

    def __init__(self, loads: Loads, reach: Mapping[str, Load] | None = None) -> None:
        self.chosen: dict[str, list[Load]] = {}
        self.outside: dict[str, Load] = {}
        self.searched: dict[str, Searched] = {}
        self._loads = loads
        self._reach = reach or {}

    def loads_of(self, combination: Combination) -> list[Load]:
        """Loads of the rounds: those written, until a limit or a search has decided them."""
        return self.chosen.get(combination.path, list(self._loads.levels))

    def is_searching(self, combination: Combination) -> bool:
        """Whether its load is still to be searched."""
        return self._loads.search is not None and combination.path not in self.chosen

    def is_climbing(self, combination: Combination) -> bool:
        """Whether its next round goes up until a limit, and decides how far up later rounds go."""
        return self._loads.search is None and self._loads.until is not None and combination.path not in self.chosen

    def warm(self, combination: Combination) -> Load:
        """Load of its warm-up: the highest of its rounds, the lowest before a limit is known."""
        if self.is_searching(combination):
            return self._loads.warm
        listed = self.loads_of(combination)
        # A search that found no peak leaves no load.
        return (listed[0] if self.is_climbing(combination) else max(listed)) if listed else self._loads.warm

    def next_searched(self, combination: Combination, seen: Sequence[Seen]) -> tuple[Load, int] | None:
        """Load of a search's next point and how often it was measured before; None after the last point."""
        load = next_load(list(seen), self._range_of(combination), self._loads.search or Goal.PEAK)
        if load is None:
            return None
        return int(load) if self._loads.whole else load, sum(point.load == load for point in seen)

    def next_climbed(self, seen: Sequence[Seen]) -> Load | None:
        """Next load on the way up, None after the last one or the first outside the limits."""
        levels = self._loads.levels
        if len(seen) == len(levels) or (seen and not _inside(seen[-1])):
            return None
        return levels[len(seen)]

    def learn_search(self, combination: Combination, seen: Sequence[Seen], *, ended: bool) -> None:
        """Take in what a search has found; once it has `ended` the rounds have the peak, or loads around the limit."""
        result = found(list(seen), self._range_of(combination))
        self.searched[combination.path] = _searched(list(seen), result, self._loads, ended=ended)
        if not ended:
            return
        if self._loads.search is Goal.LIMIT:
            self.chosen[combination.path] = [int(load) for load in result.around]
            # The higher of two is outside the limits; a single one is inside.
            if len(result.around) > 1:
                self.outside[combination.path] = int(result.around[-1])
        else:
            self.chosen[combination.path] = [] if result.peak is None else [_load(result.peak, self._loads)]

    def _range_of(self, combination: Combination) -> Range:
        whole = self._loads.range
        return dataclasses.replace(whole, high=self._reach.get(combination.path, whole.high))

    def learn_climb(self, combination: Combination, seen: Sequence[Seen]) -> None:
        """Take in how far a combination went up."""
        self.chosen[combination.path] = [_load(point, self._loads) for point in seen]
        if seen and not _inside(seen[-1]):
            self.outside[combination.path] = self.chosen[combination.path][-1]


def not_yet_searched(loads: Loads, combinations: Sequence[Combination]) -> dict[str, Searched]:
    """What is known before the searches of a run, for each combination by its path; nothing without searches."""
    if loads.search is None:
        return {}
    nothing = found([], loads.range)
    return {combination.path: _searched([], nothing, loads, ended=False) for combination in combinations}


def _inside(point: Seen) -> bool:
    return not point.failing and point.strain < 1


def _load(point: Seen, loads: Loads) -> Load:
    return int(point.load) if loads.whole else point.load


def _searched(seen: list[Seen], result: Found, loads: Loads, *, ended: bool) -> Searched:
    peak, inside, outside = (
        None if one is None else _load(one, loads) for one in (result.peak, result.inside, result.outside)
    )
    return Searched(
        goal="limit" if loads.search is Goal.LIMIT else "peak",
        failing=result.outside is not None and result.outside.failing,
        limits=loads.limits.record,
        peak=peak,
        throughput_tps=result.throughput,
        peak_known=result.peak_known,
        inside=inside,
        outside=outside,
        limit_known=result.limit_known,
        points=[
            SearchedPoint(
                load=_load(point, loads),
                throughput_tps=point.throughput,
                mean_ms=1000 * point.response_s,
                inside=_inside(point),
                valid=point.counts,
            )
            for point in seen
        ],
        ended=ended,
        at_edge=result.at_edge,
        doubtful=[_load(point, loads) for point in result.doubtful],
    )
