"""What a run will do, in lines for people."""

from __future__ import annotations

from collections.abc import Mapping

from middlemark.experiment.combinations import missing_references
from middlemark.experiment.disclosure import first_record
from middlemark.experiment.ledger import known_spreads, ledger_file
from middlemark.experiment.loads import Loads
from middlemark.experiment.phases import slice_of, time_text, warm_up_text
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.schedule import StartPlan
from middlemark.judge.groups import different_choices
from middlemark.judge.spread import expected_spread, with_drift
from middlemark.records.run import Combination
from middlemark.records.run_parts import SpecificationRecord
from middlemark.records.side_files import Ledger
from middlemark.search.search import Goal
from middlemark.verdict.estimate import MIN_ROUNDS, Prior, Terms, likely_difference
from middlemark.verdict.words import LEADING_SHARE, level_of_look, levels_for
from middlemark.wording import TIMES, counted


def phases_line(preparation: Preparation) -> str:
    """How long the phases of a point are, and by which profile."""
    phases, profile = preparation.phases, preparation.options.profile
    users = preparation.experiment.warm_users
    warm = f"warm-up {phases.warm_text}{f' with {warm_up_text(users)}' if users else ''}"
    text = f"{warm}, ramp {phases.ramp:.1f} s, settling {phases.settle:g} s, window {phases.measure:.1f} s"
    if preparation.experiment.loads.search is not None and phases.search is not None:
        text += f", in a search {phases.search:g} s at least"
    return f"profile {profile}: {text}" if profile else f"phases: {text}"


def soak_line(preparation: Preparation) -> str:
    """How long a load is held, and in how many slices; empty without a soak."""
    soak = preparation.experiment.soak
    if soak is None:
        return ""
    part = slice_of(soak)
    slices = counted(int(preparation.phases.measure // part.seconds), "slice")
    return f"soak of {soak} in {slices} of {part}: is the load sustained?"


def placement_lines(preparation: Preparation) -> list[str]:
    """Who runs on which CPUs, one line where that is the same for all combinations."""
    lines = {one.label: preparation.cpus.of(one).line for one in preparation.combinations}
    if len(set(lines.values())) == 1:
        return [f"CPUs: {next(iter(lines.values()))}"]
    return [f"CPUs, {label}: {line}" for label, line in lines.items()]


def reference_lines(preparation: Preparation) -> list[str]:
    """For which combinations the experiment's reference is not in the run; none where all have theirs."""
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
        number = f"a search of at most {counted(loads.points, 'window')} each"
    combinations = len(preparation.combinations)
    deployments = len({one.deployment for one in preparation.combinations})
    shared = f" on {counted(deployments, 'deployment')}" if deployments < combinations else ""
    parts = [counted(combinations, "combination") + shared, number]
    if not preparation.faults:
        reach = "up to " if preparation.starts > 1 and preparation.experiment.budget else ""
        parts += [reach + counted(preparation.starts, "start"), counted(preparation.experiment.rounds, "round")]
    windows = counted(preparation.points, "window")
    return f"{preparation.name}: {f' {TIMES} '.join(parts)} = {windows}, {budget_text(preparation, {})}"


def plan_lines(preparation: Preparation, searched: Mapping[str, int]) -> list[str]:
    """The whole plan; so many points of its searches exist already, by the path of a combination."""
    return [
        *(start_line(plan, preparation.experiment.loads) for plan in preparation.plans),
        phases_line(preparation),
        *reach_lines(preparation),
        *filter(None, [soak_line(preparation), expectation_line(preparation)]),
        *shared_lines(preparation),
        *together_lines(preparation),
        *placement_lines(preparation),
        *(f"left out: {left.label}: {left.reason}" for left in preparation.left_out),
        *reference_lines(preparation),
        f"{counted(preparation.points - sum(searched.values()), 'window')}, {budget_text(preparation, searched)}",
    ]


def reach_lines(preparation: Preparation) -> list[str]:
    """How far a search goes up, where the limit on open files ends it below the range of the file."""
    return [
        f"{one.label}: searched up to {preparation.reach[one.path]:,} users, since no more files may be open"
        for one in preparation.combinations
        if one.path in preparation.reach
    ]


def shared_lines(preparation: Preparation) -> list[str]:
    """Which combinations run on the same processes, a line for each deployment of several."""
    labels: dict[str, list[str]] = {}
    for one in preparation.combinations:
        labels.setdefault(one.deployment, []).append(one.label)
    return [f"on the same processes: {'; '.join(names)}" for names in labels.values() if len(names) > 1]


def together_lines(preparation: Preparation) -> list[str]:
    """Which combinations are kept running together, where that is not all of them."""
    groups = preparation.groups
    if len(groups) == 1 or preparation.faults or preparation.experiment.soak:
        return []
    if all(len({one.deployment for one in group}) == 1 for group in groups):
        return ["not enough memory or database connections for two at once: each deployment is measured by itself"]
    sizes = ", ".join(str(len(group)) for group in groups)
    return [
        f"kept running together: {sizes} of {len(preparation.combinations)} combinations, one group after the other"
    ]


def budget_text(preparation: Preparation, searched: Mapping[str, int]) -> str:
    """How long the run takes, without so many points of the search of each combination (by its path)."""
    longest = time_text(preparation.most_s(preparation.plans, searched, {}))
    most = preparation.experiment.replacements
    again = f"; a disturbed window is measured again, up to {counted(most, 'time')}" if most else ""
    return f"at most {longest} on a quiet machine after building and loading{again}"


def start_line(plan: StartPlan, loads: Loads) -> str:
    """What is measured in a start."""
    names = ", ".join(one.label for one in plan.sequence)
    if plan.faults:
        points = ", ".join(" and ".join(map(str, point)) for point in plan.faults)
        return f"faults: {points}: {names}: {_loads_text(loads)}"
    return f"start {plan.number + 1}: {names}: {counted(plan.rounds, 'round')} at {_loads_text(loads)}"


def _loads_text(loads: Loads) -> str:
    if loads.search is not None:
        reach = f"{loads.range.low:,g} … {loads.range.high:,g} {loads.unit}, at most {counted(loads.points, 'window')}"
        goal = f"the limit of each ({loads.limits.record.text})" if loads.search is Goal.LIMIT else "the peak of each"
        return f"{goal}, searched at the first start in {reach}"
    until = f", until {loads.limits.record.text}" if loads.until else ""
    return ", ".join(f"{load:,g}" for load in loads.levels) + f" {loads.unit}{until}"


Pair = tuple[Combination, Combination]
# Larger differences are seen without a benchmark.
MAX_FACTOR = 3
# Of the logarithm of the figure of a window of 15 s; longer windows scatter less, by the root of their length.
WINDOW_SD, WINDOW_S = 0.03, 15.0


def expectation_line(preparation: Preparation) -> str:
    """Which differences the run is likely to decide, or why nothing will be ranked; empty with faults or a soak."""
    if preparation.faults or preparation.experiment.soak:
        return ""
    record, starts = first_record(preparation, []), preparation.starts
    pairs, reason = _pairs(preparation, record.specification)
    if not pairs:
        return f"nothing will be ranked: {reason}"
    if preparation.experiment.rounds == 1 and starts < MIN_ROUNDS:
        return f"nothing will be decided: a word needs two rounds of a start, or {MIN_ROUNDS} starts"
    ledger = known_spreads(record, ledger_file())
    found = sorted(_difference(preparation, ledger, pair, len(pairs)) for pair in pairs)
    least = " after its last start" if starts > 1 else ""
    if found[0] >= MAX_FACTOR:
        return f"no difference below a factor of {MAX_FACTOR} is likely to be decided{least}: the windows are too short"
    low, high = (f"{100 * (min(one, MAX_FACTOR) - 1):.0f}" for one in (found[0], found[-1]))
    percent = low if low == high else f"{low} … {high}"
    return f"likely to be decided{least}: differences of {percent} % and more"


def _pairs(preparation: Preparation, record: SpecificationRecord) -> tuple[list[Pair], str]:
    every = [one for one in preparation.combinations if not one.is_control]
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


def _difference(preparation: Preparation, ledger: Ledger, pair: Pair, pairs: int) -> float:
    subjects, experiment = preparation.subjects.all, preparation.experiment
    spreads = (
        expected_spread(
            ledger, one.subject, compiles=any(program.compiler_threads for program in subjects[one.subject].programs)
        )
        for one in pair
    )
    at_once = any(set(pair) <= set(group) for group in preparation.groups)
    a, b = (Prior(one if at_once else with_drift(one)) for one in spreads)
    window = WINDOW_SD * (2 * WINDOW_S / preparation.phases.measure) ** 0.5
    level = LEADING_SHARE * level_of_look(levels_for(experiment.starts), preparation.starts) / pairs
    return likely_difference(Terms(a=a, b=b), (preparation.starts, experiment.rounds), window, level)
