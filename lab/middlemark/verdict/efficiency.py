"""What a combination leaves of the speed of its reference: request and latency efficiency, as the specification names.

Source: Mindcraft, SPICE (2000): rate ÷ rate of static files, and latency of static files ÷ latency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from middlemark.records.choices import SESSION, is_mode
from middlemark.records.folder import Result
from middlemark.records.run import Combination, Load, Run
from middlemark.verdict.estimate import MIN_ROUNDS, Comparison
from middlemark.verdict.levels import Level, hidden_beside, levels, peak
from middlemark.verdict.metrics import RESPONSE_TIME, THROUGHPUT
from middlemark.verdict.naming import in_words
from middlemark.verdict.pairwise import compare_at
from middlemark.verdict.response_size import reason_against, response_size
from middlemark.verdict.rounds import Place


@dataclass(frozen=True)
class EfficiencyAt:
    """Both efficiencies at a load of the combination and one of its reference, over the rounds in which both count."""

    load: Load
    reference_load: Load
    request: Comparison
    latency: Comparison


@dataclass(frozen=True)
class Efficiency:
    """A combination beside its reference: each at its own peak, and both at the highest load at which both count.

    `reason`: why there is none at all, `hidden`: why there is none at the peaks; empty when there is.
    """

    combination: Combination
    reference: Combination | None = None
    at_peak: EfficiencyAt | None = None
    at_highest: EfficiencyAt | None = None
    reason: str = ""
    hidden: str = ""


def value_of(run: Run, combination: Combination, choice: str) -> str | None:
    """Return what a combination chose, the session also where the run has one only; None where nothing was chosen."""
    return run.session_of(combination) if choice == SESSION else combination.modes.get(choice)


def is_reference(run: Run, combination: Combination) -> bool:
    """Say whether a combination is one that others are relative to."""
    efficiency = run.specification.efficiency
    named = efficiency.reference.items() if efficiency else ()
    return bool(named) and all(value_of(run, combination, choice) == value for choice, value in named)


def reference_name(run: Run) -> str:
    """Return the values of the references in words: `static`."""
    efficiency = run.specification.efficiency
    return " ".join(efficiency.reference.values()) if efficiency else ""


def efficiencies(result: Result) -> dict[str, Efficiency]:
    """Return the efficiency of every combination that is no reference, by its path."""
    run = result.run
    if run.specification.efficiency is None:
        return {}
    others = [one for one in run.combinations if not is_reference(run, one)]
    return {one.path: _efficiency(result, one) for one in others}


def _efficiency(result: Result, combination: Combination) -> Efficiency:
    reference, reason = _counterpart(result.run, combination)
    if reference is None:
        return Efficiency(combination, reason=reason)
    own, others = levels(result, combination), levels(result, reference)
    own_peak, other_peak = peak(own), peak(others)
    if own_peak is None or other_peak is None:
        which = "" if own_peak is None else f" of {reference_name(result.run)}"
        return Efficiency(combination, reference, reason=f"no point{which} counts")
    reason = reason_against(response_size(result, reference), response_size(result, combination))
    if reason:
        return Efficiency(combination, reference, reason=reason)
    hidden = _why_hidden(result, combination, own_peak) or _why_hidden(result, reference, other_peak)
    highest = _highest_of_both(own, others)
    return Efficiency(
        combination,
        reference,
        None if hidden else _at(result, (combination, own_peak.load), (reference, other_peak.load)),
        None if highest is None else _at(result, (combination, highest), (reference, highest)),
        hidden=hidden,
    )


def _why_hidden(result: Result, combination: Combination, top: Level) -> str:
    """Return why the peak of a side is not known; empty when it is."""
    found = hidden_beside(result, combination, top)
    if found is None:
        return ""
    which = f" of {reference_name(result.run)}" if is_reference(result.run, combination) else ""
    return f"the peak{which} is not known: {result.run.load_name(found.load)} {found.reason}"


def _highest_of_both(own: Sequence[Level], others: Sequence[Level]) -> Load | None:
    """Return the highest load at which both sides count in enough rounds; in as many as at any load, at most three."""
    by_load = {level.load: level for level in others}
    common = [(level, by_load[level.load]) for level in own if level.load in by_load]
    rounds = {level.load: len(level.verdicts.keys() & other.verdicts.keys()) for level, other in common}
    needed = min(MIN_ROUNDS, max(rounds.values(), default=0))
    return max((load for load, counting in rounds.items() if counting >= needed), default=None)


def _at(result: Result, own: Place, reference: Place) -> EfficiencyAt:
    request = compare_at(result, reference, own, THROUGHPUT)
    # The reference's time is the numerator: a higher efficiency is better, as that of rates.
    latency = compare_at(result, own, reference, RESPONSE_TIME)
    return EfficiencyAt(own[1], reference[1], request, latency)


def _counterpart(run: Run, combination: Combination) -> tuple[Combination | None, str]:
    """Return the reference that agrees in everything else, or why there is none."""
    name = reference_name(run)
    references = [one for one in run.combinations if one.subject == combination.subject and is_reference(run, one)]
    if not references:
        return None, _why_missing(run, combination.subject) or f"{name} was not run"
    differing = [_differences(run, combination, one) for one in references]
    nearest = min(differing, key=len)
    if not nearest:
        return references[differing.index(nearest)], ""
    return None, f"{name} was not run with {', '.join(nearest)}"


def _differences(run: Run, combination: Combination, reference: Combination) -> list[str]:
    """Return what else the combination chose otherwise than a reference, in words."""
    named = run.specification.efficiency.reference if run.specification.efficiency else {}
    choices = dict.fromkeys([*combination.modes, *reference.modes])
    return [
        _words(choice, combination.modes.get(choice))
        for choice in choices
        if choice not in named and combination.modes.get(choice) != reference.modes.get(choice)
    ]


def _words(choice: str, value: str | None) -> str:
    if value is None:
        return f"the default of {choice}"
    return f"{choice} {value}" if is_mode(choice) else in_words(choice, value)


def _why_missing(run: Run, subject: str) -> str:
    """Return why a subject has no reference: it was left out."""
    named = run.specification.efficiency.reference if run.specification.efficiency else {}
    for one in run.left_out:
        values = {**one.modes, SESSION: one.modes.get(SESSION, run.session)}
        if one.subject == subject and all(values.get(choice) == value for choice, value in named.items()):
            return f"no {reference_name(run)}: {one.reason}"
    return ""
