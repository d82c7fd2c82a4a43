"""Which combinations may be ranked against each other: only those that promise the same and stand behind the same."""

from __future__ import annotations

from middlemark.records.folder import Result
from middlemark.records.run import CPUS, FRONT, NO_FRONT, ORDERS, Combination
from middlemark.verdict.equality import side, unequal
from middlemark.verdict.naming import in_words


def not_ranked(result: Result, a: Combination, b: Combination) -> str:
    """Return why the two are shown beside each other and not ranked; empty when they may be ranked.

    Besides what they promise that is everything in which they were not equal at the load at which they are compared.
    """
    reasons = []
    if _front(a) != _front(b):
        one_side = NO_FRONT in (_front(a), _front(b))
        reasons.append("a front on one side only" if one_side else "different fronts")
    if a.modes.get(ORDERS) != b.modes.get(ORDERS):
        reasons.append("order modes promise different things")
    if a.modes.get(CPUS) != b.modes.get(CPUS):
        reasons.append("different numbers of CPUs")
    different = unequal(side(result, a), side(result, b))
    return ", ".join([*reasons, *(f"not comparable because of {what}" for what in different)])


def kinds(result: Result) -> list[list[Combination]]:
    """Return the combinations in groups within which they may be ranked, in the run's order."""
    groups: list[list[Combination]] = []
    for combination in result.run.combinations:
        same = next((group for group in groups if not not_ranked(result, group[0], combination)), None)
        if same is None:
            groups.append([combination])
        else:
            same.append(combination)
    return groups


def kind_name(combination: Combination) -> str:
    """Return what the combinations of a kind have in common, in words: `orders sync, behind nginx, 2 CPUs`."""
    parts = [f"orders {combination.modes[ORDERS]}"] if ORDERS in combination.modes else []
    parts += [in_words(key, combination.modes[key]) for key in (FRONT, CPUS) if key in combination.modes]
    return ", ".join(parts)


def _front(combination: Combination) -> str:
    return combination.modes.get(FRONT, NO_FRONT)
