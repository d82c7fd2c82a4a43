"""What the command line changes in an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.documents import suggestion
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.definition import KNOWN_VALUES, Experiment
from middlemark.experiment.faults_definition import WantedFault
from middlemark.experiment.loads import Loads
from middlemark.experiment.profiles import LENGTHS, Profile
from middlemark.records.run import FRONT, LAYOUT
from middlemark.topology.laying_out import count_of


@dataclass(frozen=True)
class RunOptions:
    """Choices of one run; None and empty leave the experiment as it is written.

    `modes` narrows a mode, or a choice of the layout, to one value for all subjects; `duration` replaces the least
    length of the window; `faults` replace those of the experiment; `database` is the URL of the user's own PostgreSQL;
    `profile` replaces the lengths of the phases, those of single subjects too, and the number of blocks before
    `duration` and `repeats` do; `out` is the parent of the result folder; `subject` takes the place of the
    experiment's subjects; `resume` is the folder of a run that ended early and goes on.
    """

    modes: Mapping[str, str] = field(default_factory=dict)
    users: tuple[int, ...] = ()
    duration: Duration | None = None
    repeats: int | None = None
    faults: tuple[WantedFault, ...] = ()
    seed: int | None = None
    out: Path = Path("results")
    database: str | None = None
    subject: str | None = None
    profile: Profile | None = None
    resume: Path | None = None


def apply(options: RunOptions, experiment: Experiment) -> Experiment:
    """Return the experiment as it is to be run; InputError when an option names a mode the experiment has not."""
    changes = _narrowed(experiment, options.modes)
    phases = experiment.phases
    if options.profile is not None:
        if experiment.faults or options.faults:
            raise InputError("faults have phases of their own", where="--profile", todo="Leave it out")
        phases = LENGTHS[options.profile].phases
        changes["repeats"] = LENGTHS[options.profile].repeats
    if options.subject is not None:
        changes["subjects"] = (options.subject,)
        own = phases.warm_by_subject.get(options.subject, phases.warm)
        phases = phases.model_copy(update={"warm": own, "warm_by_subject": {}})
    if options.users:
        changes["loads"] = Loads(users=tuple(sorted(set(options.users))))
    if options.duration is not None:
        phases = phases.model_copy(update={"measure": options.duration})
    if options.repeats is not None:
        changes["repeats"] = options.repeats
    if options.seed is not None:
        changes["seed"] = options.seed
    changed = experiment.model_copy(update={**changes, "phases": phases})
    return _once(options, changed) if options.faults or experiment.faults else changed


def _once(options: RunOptions, experiment: Experiment) -> Experiment:
    """Return an experiment with faults: its highest load alone, and no blocks."""
    if options.repeats is not None:
        raise InputError(
            "a run with faults has no blocks: every fault has a point of its own",
            where="--repeats",
            todo="Leave it out, or write `points` into the experiment's faults",
        )
    loads = experiment.loads
    if not loads.levels:
        raise InputError("a run with faults searches for nothing", where="loads", todo="Say the load: --users 40")
    if loads.until is not None:
        raise InputError(
            "a run with faults has no limit: all its points are at the highest load",
            where="loads",
            todo="Leave out `until`, or say the load: --users 40",
        )
    name = "users" if loads.whole else "rate"
    highest = loads.model_copy(update={name: loads.levels[-1:]})
    return experiment.model_copy(update={"loads": highest, "repeats": 1})


def _narrowed(experiment: Experiment, chosen: Mapping[str, str]) -> dict[str, object]:
    """Return what one value for each chosen mode or choice of the layout changes in the experiment."""
    for mode in chosen:
        if mode not in experiment.modes and mode not in LAYOUT:
            known = (*experiment.modes, *LAYOUT)
            raise InputError(f"the experiment has no mode '{mode}'. {suggestion(mode, known)}", where=f"--set {mode}")
        known = KNOWN_VALUES.get(mode, (chosen[mode],))
        if chosen[mode] not in known:
            raise InputError(f"'{chosen[mode]}' is no {mode}. {suggestion(chosen[mode], known)}", where=f"--set {mode}")
    layout: dict[str, object] = {
        choice: (chosen[choice],) if choice == FRONT else (count_of(choice, chosen[choice]),)
        for choice in LAYOUT
        if choice in chosen
    }
    modes = {mode: (chosen[mode],) if mode in chosen else values for mode, values in experiment.modes.items()}
    return {"modes": modes, **layout}
