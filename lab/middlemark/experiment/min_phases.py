"""Minimum lengths of the phases of a point, as experiments and profiles write them."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Discriminator, Field, Tag, model_validator

from middlemark.documents import Document, wrong_at
from middlemark.duration import Duration

# A program that compiles nothing is warm after seconds: beyond this only the machine scatters.
MAX_WITHOUT_COMPILER = Duration(60_000)


class UntilFlat(Document):
    """A warm-up that ends when the compiler is done, or CPU time per transaction no longer changes.

    The first where compiler threads are declared (`verdict/compilation.py`), else the second (`verdict/drift.py`).
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


def _kind(value: object) -> str:
    return "until flat" if isinstance(value, dict | UntilFlat) else "fixed"


WarmUp = Annotated[
    Annotated[Duration, Tag("fixed")] | Annotated[UntilFlat, Tag("until flat")],
    Discriminator(_kind),
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
        """Return the shortest length of the warm-up: its length, when that is fixed."""
        return self.warm.at_least if isinstance(self.warm, UntilFlat) else self.warm

    @property
    def warm_at_most(self) -> Duration:
        """Return the longest length of the warm-up."""
        return self.warm.at_most if isinstance(self.warm, UntilFlat) else self.warm

    def warm_limit(self, *, compiles: bool, compiled_before: bool) -> Duration:
        """Return the longest length of the warm-up of a program by its compiler: while it works, before it, or none."""
        warm = self.warm
        if not isinstance(warm, UntilFlat):
            return warm
        if compiles:
            return warm.at_most
        if compiled_before:
            return warm.at_least
        return min(warm.at_most, max(warm.at_least, MAX_WITHOUT_COMPILER))
