"""How warm-ups ended, in words: flat, or at their limit."""

from __future__ import annotations

from middlemark.records.run import Run
from middlemark.records.warm_up import WarmUp
from middlemark.verdict.naming import short_names
from middlemark.wording import counted


def ending_text(warm_up: WarmUp) -> str:
    """Return what ended a warm-up."""
    if warm_up.flat is None:
        return "fixed length"
    return f"{'flat' if warm_up.flat else f'not flat, limit of {warm_up.limit_s:g} s'}, {change_text(warm_up)}"


def change_text(warm_up: WarmUp) -> str:
    """Return how CPU time per transaction changed at the end of a warm-up."""
    if warm_up.change is None or warm_up.uncertainty is None or warm_up.change_s is None:
        return "CPU time per transaction unavailable"
    change = f"{100 * warm_up.change:+.1f} % (± {100 * warm_up.uncertainty:.1f} %)"
    return f"CPU time per transaction {change} in {warm_up.change_s:.0f} s"


def warm_up_reservation(run: Run) -> str:
    """Return how many warm-ups ended at their limit, and the first of them; empty when all were flat or fixed."""
    ended = [one for one in run.warm_ups if one.flat is False]
    if not ended:
        return ""
    first, names = ended[0], short_names(run.combinations)
    where = f"{names.get(first.combination, first.combination)}, {before_text(first)}"
    of = f"{len(ended)} of {counted(len(run.warm_ups), 'warm-up')}"
    return f"{of} reached the limit and not a flat CPU time per transaction, the first: {where}, {change_text(first)}"


def before_text(warm_up: WarmUp) -> str:
    """Return what a warm-up came before."""
    return "search" if warm_up.repeat is None else f"block {warm_up.repeat + 1}"
