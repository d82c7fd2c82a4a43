"""What is verified as one: a subject, or the front end of one on the tiers behind of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from middlemark.conformance.cases.placed import Placed
from middlemark.conformance.execution.configuration import (
    Configuration,
    Modes,
    configurations,
    configurations_with_front_end,
    never_combined,
    sampled,
)
from middlemark.conformance.execution.offer import offer_of
from middlemark.conformance.result import pairing_name
from middlemark.subject.subject import Subject


@dataclass(frozen=True)
class Pairing:
    """A subject with its own front end; with `front_end`, with that of another subject. `sample`: no more than that.

    `also` are values of modes that it is run with together, besides its usual configurations.
    """

    subject: Subject
    front_end: Subject | None = None
    sample: bool = False
    also: tuple[Modes, ...] = ()

    @property
    def name(self) -> str:
        """Return how it is called: `A`, or `B on A` for B's front end on the tiers behind of A."""
        return self.subject.name if self.front_end is None else pairing_name(self.subject.name, self.front_end.name)

    @property
    def configurations(self) -> list[Configuration]:
        """Return the ways to run it."""
        if self.front_end is None:
            found = configurations(self.subject, self.also)
            return sampled(found) if self.sample else found
        return configurations_with_front_end(self.subject, self.front_end, self.also)

    @property
    def not_offered(self) -> tuple[str, ...]:
        """Return what is not verified because a subject does not have it; with its own front end alone."""
        return offer_of(self.subject).missing if self.front_end is None else ()

    def notes(self, cases: Sequence[Placed]) -> tuple[str, ...]:
        """Return a note for each case that is never run although what it names is offered; see `not_offered`."""
        silent = never_combined(self.subject, cases, self.also) if self.front_end is None else []
        return tuple(
            f"note: not run, because no configuration has the modes and interfaces of this case together: "
            f"{placed.case.name} ({placed.where})"
            for placed in silent
        )

    @property
    def environment(self) -> dict[str, str]:
        """Return what is in its environment while cases run, and never in a measurement."""
        subjects = [one for one in (self.subject, self.front_end) if one is not None]
        return {name: value for one in subjects for name, value in one.environment_of_cases.items()}


def pairings(
    subjects: Sequence[Subject], cases: Sequence[Placed], *, sample: bool = False, also: tuple[Modes, ...] = ()
) -> list[Pairing]:
    """Return the subjects, then the front end of each on each other one, where any of the cases runs.

    Raises InputError when `also` has what a subject does not offer.
    """
    different = {subject.name: subject for subject in subjects}.values()
    mixed = (Pairing(subject, front_end, also=also) for front_end, subject in permutations(different, 2))
    return [
        *(Pairing(subject, sample=sample, also=also) for subject in subjects),
        *(pairing for pairing in mixed if any(one.executions(cases) for one in pairing.configurations)),
    ]
