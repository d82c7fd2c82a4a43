"""Which combination the others are shown relative to: the one with the choices that the experiment names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from middlemark.experiment.definition import SUBJECT
from middlemark.records.choices import OWN, tier_run
from middlemark.records.run import Combination


def references(combinations: Sequence[Combination], reference: Mapping[str, str]) -> dict[str, str]:
    """Return the path of the reference of each combination, by its own path; a reference has none.

    It has the named values, and in every other choice that both make the combination's own. Without such a combination
    there is no reference, and of several it is the first.
    """
    if not reference:
        return {}
    named = [one for one in combinations if all(_has(one, choice, value) for choice, value in reference.items())]
    found = {
        one.path: next((other.path for other in named if _differs_only_in(one, other, reference)), None)
        for one in combinations
        if one not in named
    }
    return {path: other for path, other in found.items() if other is not None}


def missing_references(
    combinations: Sequence[Combination], reference: Mapping[str, str], found: Mapping[str, str]
) -> list[Combination]:
    """Return the combinations without a reference in `found` (`references`) that are none themselves."""
    others = (one for one in combinations if one.path not in found)
    return [one for one in others if not all(_has(one, choice, value) for choice, value in reference.items())]


def _has(combination: Combination, choice: str, value: str) -> bool:
    """Say whether a combination has a value; `own` is the subject of the other tiers."""
    is_own = tier_run(choice) is not None and value == OWN
    return _value(combination, choice) == (combination.subject if is_own else value)


def _value(combination: Combination, choice: str) -> str | None:
    return combination.subject if choice == SUBJECT else combination.modes.get(choice)


def _differs_only_in(one: Combination, other: Combination, named: Mapping[str, str]) -> bool:
    shared = {SUBJECT, *(one.modes.keys() & other.modes.keys())} - named.keys()
    return all(_value(one, choice) == _value(other, choice) for choice in shared)
