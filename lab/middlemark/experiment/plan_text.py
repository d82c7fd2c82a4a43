"""What a run will do, in lines for people."""

from __future__ import annotations

from middlemark.experiment.loads import Loads
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.references import missing_references
from middlemark.experiment.schedule import Deployment
from middlemark.records.run import load_name


def phases_line(preparation: Preparation) -> str:
    """Return how long the phases of a point are, and by which profile."""
    phases, profile = preparation.phases, preparation.options.profile
    users = preparation.experiment.warm_users
    warm = f"warm-up {phases.warm_text}{f' with {warm_up_text(users)}' if users else ''}"
    text = f"{warm}, ramp {phases.ramp:.1f} s, settling {phases.settle:g} s, window {phases.measure:.1f} s"
    if preparation.experiment.loads.search is not None and phases.search is not None:
        text += f", in a search {phases.search:g} s at least"
    return f"profile {profile}: {text}" if profile else f"phases: {text}"


def warm_up_text(users: int) -> str:
    """Return the load of a warm-up with users of its own."""
    return f"{load_name(users, 'users')} without think time"


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


def deployment_line(deployment: Deployment, loads: Loads) -> str:
    """Return what is measured in a deployment."""
    points = ", ".join(" and ".join(map(str, point)) for point in deployment.faults)
    block = f"faults: {points}" if points else f"block {deployment.repeat + 1}"
    what = "search" if deployment.searching else block
    return f"{what}: {deployment.combination.label}: {_loads_text(deployment, loads)}"


def _loads_text(deployment: Deployment, loads: Loads) -> str:
    if loads.search is not None:
        reach = f"{loads.range.low:,g} … {loads.range.high:,g} {loads.unit}, at most {loads.points} points"
        return reach if deployment.searching else "at the peak"
    until = f", until {loads.limits.record.text}" if loads.until else ""
    return ", ".join(f"{load:,g}" for load in deployment.loads) + f" {loads.unit}{until}"
