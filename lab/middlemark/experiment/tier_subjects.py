"""Which subject runs which tier: what an experiment says of it, held against its specification.

The tiers that nobody names are those of the subject. Without `subjects` that is who runs a tier which the entry calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from middlemark.documents import place_in, suggestion
from middlemark.errors import InputError
from middlemark.experiment.definition import SUBJECT, Experiment
from middlemark.records.choices import OWN, subject_of
from middlemark.specification.description import SpecificationDescription
from middlemark.specification.specification import Specification
from middlemark.subject.subject import find_subject


def require_tier_subject(tier: str, subject: str, specification: Specification, home: Path) -> None:
    """Raise InputError for a tier that is unknown or never runs apart, and for a subject that is unknown."""
    description = specification.description
    if tier not in description.tiers:
        raise InputError(f"{specification.name} has no tier '{tier}'. {suggestion(tier, list(description.tiers))}")
    apart = list(_apart(description))
    if tier not in apart:
        todo = f"Those that do are {' and '.join(apart)}" if apart else "Compare whole subjects"
        raise InputError(
            f"no role of {specification.name} carries {tier} alone, so that it never runs apart", todo=todo
        )
    if subject != OWN:
        find_subject(home, subject, specification.name)


def with_subjects(file: Path, experiment: Experiment, specification: Specification) -> Experiment:
    """Return the experiment with subjects: where it has none, those of the first named tier that the entry calls.

    Raises InputError where none is named.
    """
    if experiment.subjects:
        return experiment
    description = specification.description
    called = list(description.tiers[description.entry].calls)
    tier = next((one for one in called if one in experiment.tiers), None)
    where = place_in(file, ("tiers",) if experiment.tiers else ("spec",))
    if tier is None:
        behind = (
            f", or in `tiers` the subjects of {' or '.join(called)}, which {description.entry} calls" if called else ""
        )
        raise InputError("the experiment has no subjects", where=where, todo=f"Write `subjects`{behind}")
    if OWN in experiment.tiers[tier]:
        raise InputError(
            f"'{OWN}' is nobody here: no `subjects` run the other tiers", where=place_in(file, ("tiers", tier))
        )
    renamed = {SUBJECT if choice == subject_of(tier) else choice: v for choice, v in experiment.reference.items()}
    others = {name: subjects for name, subjects in experiment.tiers.items() if name != tier}
    return experiment.model_copy(update={"subjects": experiment.tiers[tier], "tiers": others, "reference": renamed})


def _apart(description: SpecificationDescription) -> Iterator[str]:
    """Yield the tiers that a role carries alone."""
    carried = description.roles.carries.values() if description.roles else ()
    yield from (tier for tier in description.tiers if (tier,) in carried)
