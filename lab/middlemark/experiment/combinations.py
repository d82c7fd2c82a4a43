"""Computes the combinations of an experiment; those a subject cannot do are left out with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Protocol

from middlemark.records.run import BINDING, FRONT, LAYOUT, ORDERS, PROCESSORS, SYNC, Combination, LeftOut
from middlemark.verdict.naming import label


class Abilities(Protocol):
    """What a subject can do: the values it offers for a mode (`binding`, `orders`, `data-access`, …)."""

    def offers(self, mode: str) -> Sequence[str]:
        """Return the values of `mode`, the default first; empty when the subject does not know the mode."""
        ...


class Passing(Protocol):
    """A server that can stand in front."""

    def reason_against(self, binding: str) -> str:
        """Return why it cannot stand before services that are called over this binding; empty when it can."""
        ...


def combinations(
    subjects: Mapping[str, Abilities],
    choices: Mapping[str, Sequence[str]],
    fronts: Mapping[str, Passing] | None = None,
) -> tuple[list[Combination], list[LeftOut]]:
    """Return every subject with every value of every choice, in the order written, and what is left out.

    Choices are modes and those of LAYOUT; `fronts` are the servers its `front` names. Where orders are synchronous
    there is no processor, and the number of processors is no choice.
    """
    possible: dict[str, Combination] = {}
    left_out: list[LeftOut] = []
    for subject, abilities in subjects.items():
        for values in product(*choices.values()):
            chosen = _without_processors(abilities, dict(zip(choices, values, strict=True)))
            reason = _reason_against(subject, abilities, chosen) or _reason_of_front(abilities, chosen, fronts or {})
            if reason:
                out = LeftOut(label=label(subject, chosen), reason=reason)
                left_out += [out] if out not in left_out else []
            else:
                made = _combination(subject, chosen)
                possible.setdefault(made.path, made)
    return list(possible.values()), left_out


def _without_processors(abilities: Abilities, chosen: dict[str, str]) -> dict[str, str]:
    if _in_effect(abilities, chosen, ORDERS) != SYNC:
        return chosen
    return {choice: value for choice, value in chosen.items() if choice != PROCESSORS}


def _reason_against(subject: str, abilities: Abilities, chosen: Mapping[str, str]) -> str:
    for mode, value in chosen.items():
        offered = abilities.offers(mode)
        if mode not in LAYOUT and value not in offered:
            return f"{subject} does not offer {mode}={value} (it offers {', '.join(offered) or 'no such mode'})"
    return ""


def _reason_of_front(abilities: Abilities, chosen: Mapping[str, str], fronts: Mapping[str, Passing]) -> str:
    front = fronts.get(chosen.get(FRONT, ""))
    return front.reason_against(_in_effect(abilities, chosen, BINDING)) if front else ""


def _in_effect(abilities: Abilities, chosen: Mapping[str, str], mode: str) -> str:
    """Return the value of a mode: the chosen one, else the subject's default; empty when it does not know the mode."""
    return chosen.get(mode) or next(iter(abilities.offers(mode)), "")


def _combination(subject: str, chosen: Mapping[str, str]) -> Combination:
    modes = ",".join(f"{mode}={value}" for mode, value in chosen.items()) or "default"
    return Combination(subject=subject, modes=dict(chosen), label=label(subject, chosen), path=f"{subject}/{modes}")
