"""Computes the combinations of an experiment; those a subject cannot do are left out with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Protocol

from middlemark.results.run import Combination, LeftOut


class Abilities(Protocol):
    """What a subject can do: the values it offers for a mode (`binding`, `orders`, `data-access`, …)."""

    def offers(self, mode: str) -> Sequence[str]:
        """Return the values of `mode`, empty when the subject does not know the mode."""
        ...


def combinations(
    subjects: Mapping[str, Abilities], modes: Mapping[str, Sequence[str]]
) -> tuple[list[Combination], list[LeftOut]]:
    """Return every subject with every value of every mode, in the order written, and what is left out."""
    possible: list[Combination] = []
    left_out: list[LeftOut] = []
    for subject, abilities in subjects.items():
        for values in product(*modes.values()):
            chosen = dict(zip(modes, values, strict=True))
            reason = _reason_against(subject, abilities, chosen)
            if reason:
                left_out.append(LeftOut(label=_label(subject, chosen), reason=reason))
            else:
                possible.append(_combination(subject, chosen))
    return possible, left_out


def _reason_against(subject: str, abilities: Abilities, chosen: Mapping[str, str]) -> str:
    for mode, value in chosen.items():
        offered = abilities.offers(mode)
        if value not in offered:
            return f"{subject} does not offer {mode}={value} (it offers {', '.join(offered) or 'no such mode'})"
    return ""


def _combination(subject: str, chosen: Mapping[str, str]) -> Combination:
    modes = ",".join(f"{mode}={value}" for mode, value in chosen.items()) or "default"
    return Combination(subject=subject, modes=dict(chosen), label=_label(subject, chosen), path=f"{subject}/{modes}")


def _label(subject: str, chosen: Mapping[str, str]) -> str:
    return " ".join((subject, *chosen.values()))
