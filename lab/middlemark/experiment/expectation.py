"""What a run can say, known before anything is started: what is ranked, and which differences it is likely to find."""

from __future__ import annotations

from middlemark.experiment.first_record import first_record
from middlemark.experiment.ledger import known_spreads, ledger_file
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.specification_record import specification_record
from middlemark.judge.groups import different_choices
from middlemark.judge.spread import expected_spread, with_drift
from middlemark.records.run import Combination
from middlemark.verdict.estimate import MIN_ROUNDS, Side, Terms, likely_difference
from middlemark.verdict.words import LEADING_SHARE, level_of_look, levels_for

Pair = tuple[Combination, Combination]
# Of the logarithm of the figure of a window of 15 s; longer windows scatter less, by the root of their length.
WINDOW_SD, WINDOW_S = 0.03, 15.0


def expectation_line(preparation: Preparation) -> str:
    """Which differences the run is likely to decide, or why nothing will be ranked; empty for a run with faults."""
    if preparation.faults:
        return ""
    pairs, reason = _pairs(preparation)
    if not pairs:
        return f"nothing will be ranked: {reason}"
    starts = max(plan.number for plan in preparation.plans) + 1
    if preparation.experiment.rounds == 1 and starts < MIN_ROUNDS:
        return f"nothing will be decided: a word needs two rounds of a start, or {MIN_ROUNDS} starts"
    found = sorted(_difference(preparation, pair, len(pairs)) for pair in pairs)
    low, high = (f"{100 * (one - 1):.0f}" for one in (found[0], found[-1]))
    percent = low if low == high else f"{low} … {high}"
    least = " after its last start" if starts > 1 else ""
    return f"likely to be decided{least}: differences of {percent} % and more"


def _pairs(preparation: Preparation) -> tuple[list[Pair], str]:
    """The pairs that are ranked, or why there is none."""
    every = [one for one in preparation.combinations if not one.is_control]
    record = specification_record(preparation.specification)
    if len(every) == 1:
        return [], f"{every[0].label} is the only combination"
    by_path = {one.path: one for one in every}
    pairs = [(by_path[other], by_path[path]) for path, other in preparation.references.items() if path in by_path]
    if not pairs:
        pairs = [(a, b) for place, a in enumerate(every) for b in every[place + 1 :]]
    reasons = {(a.path, b.path): ", ".join(different_choices(record, a, b)) for a, b in pairs}
    ranked = [(a, b) for a, b in pairs if not reasons[a.path, b.path]]
    if preparation.references or not ranked:
        return ranked, next(iter(reasons.values()))
    # Each is compared with the first with which it may be.
    firsts = {b.path: (a, b) for a, b in reversed(ranked)}
    return list(firsts.values()), ""


def _difference(preparation: Preparation, pair: Pair, pairs: int) -> float:
    ledger = known_spreads(first_record(preparation, []), ledger_file())
    subjects, at_once = preparation.subjects.all, any(set(pair) <= set(group) for group in preparation.groups)
    spreads = [
        expected_spread(ledger, one.subject, compiles=bool(subjects[one.subject].compiler_threads)) for one in pair
    ]
    sides = [Side(one if at_once else with_drift(one)) for one in spreads]
    starts = max(plan.number for plan in preparation.plans) + 1
    window = WINDOW_SD * (2 * WINDOW_S / preparation.phases.measure) ** 0.5
    level = LEADING_SHARE * level_of_look(levels_for(preparation.experiment.starts), starts) / pairs
    numbers = starts, preparation.experiment.rounds
    return likely_difference(Terms(a=sides[0], b=sides[1]), numbers, window, level)
