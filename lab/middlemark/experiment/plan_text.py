"""What a run will do, in lines for people."""

from __future__ import annotations

from collections.abc import Mapping

from middlemark.experiment.expectation import expectation_line
from middlemark.experiment.loads import Loads
from middlemark.experiment.phases import time_text, warm_up_text
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.references import missing_references
from middlemark.experiment.schedule import StartPlan
from middlemark.wording import TIMES, counted


def phases_line(preparation: Preparation) -> str:
    """Return how long the phases of a point are, and by which profile."""
    phases, profile = preparation.phases, preparation.options.profile
    users = preparation.experiment.warm_users
    warm = f"warm-up {phases.warm_text}{f' with {warm_up_text(users)}' if users else ''}"
    text = f"{warm}, ramp {phases.ramp:.1f} s, settling {phases.settle:g} s, window {phases.measure:.1f} s"
    if preparation.experiment.loads.search is not None and phases.search is not None:
        text += f", in a search {phases.search:g} s at least"
    return f"profile {profile}: {text}" if profile else f"phases: {text}"


def placement_lines(preparation: Preparation) -> list[str]:
    """Return who runs on which CPUs, one line where that is the same for all combinations."""
    lines = {one.label: preparation.cpus.of(one).line for one in preparation.combinations}
    if len(set(lines.values())) == 1:
        return [f"CPUs: {next(iter(lines.values()))}"]
    return [f"CPUs, {label}: {line}" for label, line in lines.items()]


def reference_lines(preparation: Preparation) -> list[str]:
    """Return for which combinations the experiment's reference is not in the run; none where all have theirs."""
    reference, every = preparation.experiment.reference, preparation.combinations
    missing = missing_references(every, reference, preparation.references)
    named = ", ".join(f"{choice}={value}" for choice, value in reference.items())
    if missing and not preparation.references:
        return [f"no combination is relative to the reference ({named}): each is compared as without one"]
    return [f"{one.label}: its reference ({named}) is not in the run, it is compared with none" for one in missing]


def whole_line(preparation: Preparation) -> str:
    """All of the run in one line: `demo: 2 combinations × 1 load × 5 rounds = 10 windows, at most 4 min …`."""
    loads = preparation.experiment.loads
    number = ("at most " if loads.until else "") + counted(len(loads.levels), "load")
    if loads.search is not None:
        number = f"a search of at most {loads.points} windows each"
    parts = (counted(len(preparation.combinations), "combination"), number, *_rounds(preparation))
    windows = counted(preparation.points, "window")
    return f"{preparation.name}: {f' {TIMES} '.join(parts)} = {windows}, {budget_text(preparation)}"


def plan_lines(preparation: Preparation, searched: Mapping[str, int]) -> list[str]:
    """The whole plan; so many points of its searches exist already, by the path of a combination."""
    return [
        *(start_line(plan, preparation.experiment.loads) for plan in preparation.plans),
        phases_line(preparation),
        *filter(None, [expectation_line(preparation)]),
        *together_lines(preparation),
        *placement_lines(preparation),
        *(f"left out: {left.label}: {left.reason}" for left in preparation.left_out),
        *reference_lines(preparation),
        f"{preparation.points - sum(searched.values())} windows, {budget_text(preparation, searched)}",
    ]


def _rounds(preparation: Preparation) -> list[str]:
    """Numbers of starts and rounds; nothing of a run with faults."""
    if preparation.faults:
        return []
    starts = max(plan.number for plan in preparation.plans) + 1
    budget = preparation.experiment.budget
    some = f"{'up to ' if starts > 1 and budget else ''}{counted(starts, 'start')}"
    return [some, counted(preparation.experiment.rounds, "round")]


def together_lines(preparation: Preparation) -> list[str]:
    """Which combinations are kept running together, where that is not all of them."""
    groups = preparation.groups
    if len(groups) == 1 or preparation.faults:
        return []
    if all(len(group) == 1 for group in groups):
        return ["not enough memory or database connections for two at once: each combination is measured by itself"]
    sizes = ", ".join(str(len(group)) for group in groups)
    return [
        f"kept running together: {sizes} of {len(preparation.combinations)} combinations, one group after the other"
    ]


def budget_text(preparation: Preparation, searched: Mapping[str, int] | None = None) -> str:
    """How long the run takes, without so many points of the search of each combination (by its path)."""
    whole_s = preparation.search_s(searched or {}) + sum(map(preparation.start_s, preparation.plans))
    first = [plan for plan in preparation.plans if plan.number == preparation.plans[0].number]
    first_s = preparation.search_s(searched or {}) + sum(map(preparation.start_s, first))
    budget = preparation.experiment.budget
    if budget is not None and len(first) < len(preparation.plans):
        whole_s = max(first_s, min(whole_s, budget.seconds))
    return f"at most {time_text(whole_s)} after building and loading"


def start_line(plan: StartPlan, loads: Loads) -> str:
    """What is measured in a start."""
    names = ", ".join(one.label for one in plan.sequence)
    if plan.faults:
        points = ", ".join(" and ".join(map(str, point)) for point in plan.faults)
        return f"faults: {points}: {names}: {_loads_text(loads)}"
    return f"start {plan.number + 1}: {names}: {counted(plan.rounds, 'round')} at {_loads_text(loads)}"


def _loads_text(loads: Loads) -> str:
    if loads.search is not None:
        reach = f"{loads.range.low:,g} … {loads.range.high:,g} {loads.unit}, at most {loads.points} windows"
        return f"the peak of each, searched at the first start in {reach}"
    until = f", until {loads.limits.record.text}" if loads.until else ""
    return ", ".join(f"{load:,g}" for load in loads.levels) + f" {loads.unit}{until}"
