"""How much time a run takes for its figures: lengths of the phases, starts and rounds, by the name of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from middlemark.documents import Document
from middlemark.duration import Duration
from middlemark.experiment.listed import Names
from middlemark.experiment.loads import Loads
from middlemark.experiment.min_phases import MinPhases, UntilFlat, WarmUp


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


Text = Annotated[str, BeforeValidator(str), WithJsonSchema({"type": ["string", "number"]})]


class OwnProfile(Document):
    """What a profile is in one experiment; what is left out is as in every other, or as the experiment has it."""

    phases: MinPhases | None = Field(None, description="lengths instead of the profile's, those that are written")
    starts: int | None = Field(None, ge=1, description="how often every subject is started anew")
    rounds: int | None = Field(None, ge=1, description="windows of each combination and load in each start")
    budget: Duration | None = Field(None, description="no further start is begun that would end later than this")
    loads: Loads | None = Field(None, description="instead of those of the experiment")
    choices: dict[str, Text] = Field({}, description="choice: its only value, as with --set")
    subjects: tuple[str, ...] = Field((), description="some of the experiment's subjects, instead of all")
    modes: dict[str, Names] = Field({}, description="mode: some of the experiment's values, instead of all")

    def lengths(self, general: Lengths) -> Lengths:
        """Return the lengths of the profile, `general` where this one writes none."""
        own = self.phases or MinPhases()
        written = {name: getattr(own, name) for name in own.model_fields_set}
        return Lengths(
            general.phases.model_copy(update=written),
            self.starts or general.starts,
            self.rounds or general.rounds,
            self.budget or general.budget,
            control=general.control,
        )


def _phases(warm: WarmUp, **phases: int) -> MinPhases:
    """Return lengths; those of the other phases than the warm-up in seconds."""
    seconds = {**phases, "drain": 10}
    return MinPhases(warm=warm, **{phase: Duration(1000 * length) for phase, length in seconds.items()})


def _until_flat(at_least: int, at_most: int) -> UntilFlat:
    """Return a warm-up of so many seconds."""
    return UntilFlat(at_least=Duration(1000 * at_least), at_most=Duration(1000 * at_most))


LENGTHS: Mapping[Profile, Lengths] = {
    # To see that everything works: short windows find large differences.
    Profile.QUICK: Lengths(_phases(_until_flat(5, 120), ramp=0, settle=1, measure=8), starts=1, rounds=5),
    # To tune and compare. More than five rounds narrow an interval little: what is left is the spread between starts.
    Profile.LAPTOP: Lengths(
        _phases(_until_flat(15, 360), ramp=0, settle=2, measure=15, search=10),
        starts=2,
        rounds=5,
        budget=Duration(45 * 60_000),
    ),
    # Half an hour of each start, as in the classic papers' tests: three windows long enough for several checkpoints.
    Profile.PUBLISHABLE: Lengths(
        _phases(_until_flat(60, 600), ramp=60, settle=30, measure=600, search=120),
        starts=4,
        rounds=3,
        control=True,
    ),
}
