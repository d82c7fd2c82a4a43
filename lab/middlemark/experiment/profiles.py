"""How much time a run takes for its figures: lengths of the phases and number of blocks, by the name of a profile."""

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
    """Minimum lengths of the phases of a point, and the number of blocks."""

    phases: MinPhases
    repeats: int


Text = Annotated[str, BeforeValidator(str), WithJsonSchema({"type": ["string", "number"]})]


class OwnProfile(Document):
    """What a profile is in one experiment; what is left out is as in every other, or as the experiment has it."""

    phases: MinPhases | None = Field(None, description="lengths instead of the profile's, those that are written")
    repeats: int | None = Field(None, ge=1, description="number of blocks")
    loads: Loads | None = Field(None, description="instead of those of the experiment")
    choices: dict[str, Text] = Field({}, description="choice: its only value, as with --set")
    subjects: tuple[str, ...] = Field((), description="some of the experiment's subjects, instead of all")
    modes: dict[str, Names] = Field({}, description="mode: some of the experiment's values, instead of all")

    def lengths(self, general: Lengths) -> Lengths:
        """Return the lengths of the profile, `general` where this one writes none."""
        own = self.phases or MinPhases()
        written = {name: getattr(own, name) for name in own.model_fields_set}
        return Lengths(general.phases.model_copy(update=written), self.repeats or general.repeats)


def _lengths(warm: WarmUp, repeats: int, **phases: int) -> Lengths:
    """Return lengths; those of the other phases in seconds."""
    seconds = {**phases, "drain": 10}
    lengths = {phase: Duration(1000 * length) for phase, length in seconds.items()}
    return Lengths(MinPhases(warm=warm, **lengths), repeats)


def _until_flat(at_least: int, at_most: int) -> UntilFlat:
    """Return a warm-up of so many seconds."""
    return UntilFlat(at_least=Duration(1000 * at_least), at_most=Duration(1000 * at_most))


LENGTHS: Mapping[Profile, Lengths] = {
    # To see that everything works: two blocks allow no verdict.
    Profile.QUICK: _lengths(Duration(5000), ramp=0, settle=1, measure=8, repeats=2),
    # To tune and compare: blocks enough for a verdict.
    Profile.LAPTOP: _lengths(_until_flat(10, 120), ramp=0, settle=5, measure=60, search=30, repeats=4),
    # The window of the classic papers' tests: half an hour after a warm-up.
    Profile.PUBLISHABLE: _lengths(_until_flat(60, 600), ramp=60, settle=30, measure=1800, search=120, repeats=4),
}
