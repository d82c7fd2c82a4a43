"""Choices of combinations, and pairs of combinations that differ in named choices alone."""

from __future__ import annotations

from collections.abc import Mapping

from middlemark.records.choices import ANY_PROXY, CPUS, HTTP, NO_PROXY, REVERSE_PROXY, SESSION
from middlemark.records.placement import SUT
from middlemark.records.run import Combination, Run

Pair = tuple[Combination, Combination]
_DEFAULTS = {REVERSE_PROXY: NO_PROXY, HTTP: "1.1"}


def value_of(run: Run, combination: Combination, choice: str) -> str | None:
    """What a combination chose, the session also where the run has one only; None where nothing was chosen."""
    return run.session_of(combination) if choice == SESSION else combination.modes.get(choice)


def pairs_with(run: Run, upper: Mapping[str, str], lower: Mapping[str, str]) -> list[Pair]:
    """Every two combinations (upper, lower) of a subject that have these choices, and all others in common."""
    named = upper.keys() | lower.keys()
    uppers, lowers = (
        [one for one in run.combinations if not one.is_control and _has(run, one, choices)]
        for choices in (upper, lower)
    )
    return [(one, other) for one in uppers for other in lowers if _rest(one, named) == _rest(other, named)]


def _has(run: Run, combination: Combination, choices: Mapping[str, str]) -> bool:
    return all(_matches(_in_effect(run, combination, choice), choice, value) for choice, value in choices.items())


def _matches(chosen: str | None, choice: str, value: str) -> bool:
    return chosen != NO_PROXY if (choice, value) == (REVERSE_PROXY, ANY_PROXY) else chosen == value


def _in_effect(run: Run, combination: Combination, choice: str) -> str | None:
    """What a combination chose, also where the run left it no choice."""
    if choice == CPUS and choice not in combination.modes and combination.path in run.placement:
        cpus = run.placement[combination.path].cpus.get(SUT)
        return str(len(cpus)) if cpus else None
    found = value_of(run, combination, choice)
    return _DEFAULTS.get(choice) if found is None else found


def _rest(combination: Combination, named: set[str]) -> dict[str, str]:
    rest = {choice: value for choice, value in combination.modes.items() if choice not in named}
    return {"(subject)": combination.subject, **rest}
