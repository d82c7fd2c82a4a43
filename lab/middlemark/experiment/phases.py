"""Lengths of a point's phases from the minimum lengths and the expected iteration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Discriminator, Field, Tag, model_validator

from middlemark.documents import Document, wrong_at
from middlemark.duration import Duration
from middlemark.experiment.choice_values import Names, Text
from middlemark.experiment.loads import Loads
from middlemark.records.run import Phases, load_name
from middlemark.workload.think import Think

# A program that compiles nothing is warm after seconds: beyond this only the machine scatters.
MAX_WITHOUT_COMPILER = Duration(60_000)

MIN_LOOK_S = 30.0
"""Shortest look at the measured load after a warm-up with users of its own, in seconds."""


class UntilFlat(Document):
    """A warm-up that ends when the compiler is done, or CPU time per transaction no longer changes.

    The first where compiler threads are declared (`verdict/compilation.py`), else the second (`verdict/flatness.py`).
    """

    at_least: Duration = Field(Duration(15_000), description="it lasts so long, warm or not")
    at_most: Duration = Field(
        Duration(360_000),
        description="the longest, which the report names where it was reached. A subject that declares no compiler "
        "threads has 60s at most, unless `at_least` is longer; one that declares `[]` has `at_least`",
    )

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if self.at_most < self.at_least:
            key = "at_least" if "at_least" in self.model_fields_set else "at_most"
            raise wrong_at((key,), f"`at_most` is below `at_least`, {self.at_least}")
        return self


WarmUp = Annotated[
    Annotated[Duration, Tag("fixed")] | Annotated[UntilFlat, Tag("until flat")],
    Discriminator(lambda value: "until flat" if isinstance(value, dict | UntilFlat) else "fixed"),
]


class MinPhases(Document):
    """Minimum lengths of a point's phases; ramp and window grow to whole iterations."""

    warm: WarmUp = Field(
        UntilFlat(), description="warm-up after each start: until the subject is warm, or a fixed length"
    )
    ramp: Duration = Field(Duration(0), description="users start; never shorter than one expected iteration")
    settle: Duration = Field(Duration(1_000), description="between ramp and window")
    measure: Duration = Field(Duration(8_000), description="the window: whole expected iterations, at least one")
    search: Duration | None = Field(
        None, description="instead of `measure` in the points of a search: whole expected iterations, at least one"
    )
    drain: Duration = Field(Duration(10_000), description="started transactions finish for at most this long")

    @property
    def warm_at_least(self) -> Duration:
        """The shortest length of the warm-up: its length, when that is fixed."""
        return self.warm.at_least if isinstance(self.warm, UntilFlat) else self.warm

    @property
    def warm_at_most(self) -> Duration:
        """The longest length of the warm-up."""
        return self.warm.at_most if isinstance(self.warm, UntilFlat) else self.warm

    def warm_limit(self, *, compiles: bool, compiled_before: bool) -> Duration:
        """The longest length of the warm-up of a program by its compiler: while it works, before it, or none."""
        warm = self.warm
        if not isinstance(warm, UntilFlat):
            return warm
        if compiles:
            return warm.at_most
        if compiled_before:
            return warm.at_least
        return min(warm.at_most, max(warm.at_least, MAX_WITHOUT_COMPILER))


# A whole iteration: every step of the session falls into the window of every user. Users are spread over their
# iterations, so that the mix is the session's with one as with two; the condition `mix` looks.
MIN_ITERATIONS = 1
START_S = 3.0
AROUND_POINT_S = 1.5
"""About what starting the driver, the replay of some cases and the verdict take."""
RESET_S = 2.5
"""About what a reset of the databases takes with the audit."""


def point_phases(minimum: MinPhases, iteration_s: float, *, searching: bool = False) -> Phases:
    """Lengths of the phases of a point, of a search or a round, for an expected iteration of `iteration_s` seconds."""
    # Of a search only where the peak is has to be seen.
    window = minimum.search if searching and minimum.search is not None else minimum.measure
    iterations = max(MIN_ITERATIONS, math.ceil(window.seconds / iteration_s))
    return Phases(
        warm=minimum.warm_at_most.seconds,
        warm_at_least=minimum.warm_at_least.seconds if minimum.warm_at_least < minimum.warm_at_most else None,
        ramp=max(minimum.ramp.seconds, iteration_s),
        settle=minimum.settle.seconds,
        measure=iterations * iteration_s,
        drain=minimum.drain.seconds,
        search=None if minimum.search is None else minimum.search.seconds,
    )


# A slice of a soak is an interval of the driver, and these last a minute at most.
MAX_SLICES, MIN_SLICE_S, MAX_SLICE_S = 240, 1, 60


def slice_of(soak: Duration) -> Duration:
    """Length of the slices of a soak, in whole seconds: a 240th of it, at least 1 s and at most 60 s."""
    return Duration.of_seconds(min(MAX_SLICE_S, max(MIN_SLICE_S, round(soak.seconds / MAX_SLICES))))


def point_s(phases: Phases, *, databases: bool) -> float:
    """Expected seconds of a point. A drain usually ends at once and is not counted."""
    around_s = AROUND_POINT_S + (RESET_S if databases else 0)
    return phases.ramp + phases.settle + phases.measure + around_s


def time_text(seconds: float) -> str:
    """A length for people: tens of seconds below two minutes, minutes below two hours, else hours."""
    if seconds < 2 * 60:
        return f"{max(10, round(seconds, -1)):.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} hours"


def warm_up_text(users: int) -> str:
    """The load of a warm-up with users of its own."""
    return f"{load_name(users, 'users')} without think time"


class Profile(StrEnum):
    """What the figures are for."""

    QUICK = "quick"
    LAPTOP = "laptop"
    PUBLISHABLE = "publishable"


@dataclass(frozen=True)
class Lengths:
    """Minimum lengths of the phases of a point, the numbers of starts and rounds, and how long the run may take."""

    phases: MinPhases
    starts: int
    rounds: int
    budget: Duration | None = None
    control: bool = False


class OwnProfile(Document):
    """What a profile is in one experiment; what is left out is as in every other, or as the experiment has it."""

    phases: MinPhases | None = Field(None, description="lengths instead of the profile's, those that are written")
    starts: int | None = Field(None, ge=1, description="how often every subject is started anew")
    rounds: int | None = Field(None, ge=1, description="windows of each combination and load in each start")
    budget: Duration | None = Field(None, description="no further start is begun that would end later than this")
    soak: Duration | None = Field(None, description="length of the soak instead of the experiment's")
    loads: Loads | None = Field(None, description="instead of those of the experiment")
    think: Think | None = Field(None, description="think time instead of the experiment's")
    choices: dict[str, Text] = Field({}, description="choice: its only value, as with --set")
    subjects: tuple[str, ...] = Field((), description="some of the experiment's subjects, instead of all")
    modes: dict[str, Names] = Field({}, description="mode: some of the experiment's values, instead of all")

    def lengths(self, general: Lengths) -> Lengths:
        """The lengths of the profile, `general` where this one writes none."""
        own = self.phases or MinPhases()
        written = {name: getattr(own, name) for name in own.model_fields_set}
        return Lengths(
            general.phases.model_copy(update=written),
            self.starts or general.starts,
            self.rounds or general.rounds,
            self.budget or general.budget,
            control=general.control,
        )


def _phases(at_least: str, at_most: str, **phases: str) -> MinPhases:
    return MinPhases.model_validate({"warm": {"at_least": at_least, "at_most": at_most}, **phases})


LENGTHS: Mapping[Profile, Lengths] = {
    # To see that everything works: short windows find large differences.
    Profile.QUICK: Lengths(_phases("5s", "120s"), starts=1, rounds=5),
    # To tune and compare. More than five rounds narrow an interval little: what is left is the spread between starts.
    Profile.LAPTOP: Lengths(
        _phases("15s", "6m", settle="2s", measure="15s", search="10s"), starts=2, rounds=5, budget=Duration(45 * 60_000)
    ),
    # Half an hour of each start, as in the classic papers' tests: three windows long enough for several checkpoints.
    Profile.PUBLISHABLE: Lengths(
        _phases("60s", "10m", ramp="60s", settle="30s", measure="10m", search="120s"), starts=4, rounds=3, control=True
    ),
}
