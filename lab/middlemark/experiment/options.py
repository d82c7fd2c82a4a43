"""What the command line changes in an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.definition import Experiment
from middlemark.experiment.faults_definition import RequestedFault
from middlemark.experiment.loads import Loads
from middlemark.experiment.placing import ALL
from middlemark.experiment.profiles import LENGTHS, OwnProfile, Profile
from middlemark.records.choices import CPUS, SESSION, THREADS, is_mode, is_setting, tier_of, tier_run
from middlemark.records.side_files import PriceSheet


@dataclass(frozen=True)
class RunOptions:
    """Options of one run; None and empty leave the experiment as it is written.

    `choices` sets modes and other choices of combinations to one value each; `duration` replaces the minimum length of
    the window, `starts` and `rounds` their numbers; `faults` replace those of the experiment; `databases` are URLs of
    the user's own PostgreSQL servers, of several databases NAME=URL; `profile` replaces the lengths of the phases and
    the numbers of starts and rounds before these do, and what else the experiment's own profile does; `out` is the
    parent of the result folder; `subject` takes the place of the experiment's subjects; `resume` is the folder of a run
    that is resumed; `prices` are kept in the result.
    """

    choices: Mapping[str, str] = field(default_factory=dict)
    users: tuple[int, ...] = ()
    duration: Duration | None = None
    starts: int | None = None
    rounds: int | None = None
    faults: tuple[RequestedFault, ...] = ()
    seed: int | None = None
    out: Path = Path("results")
    databases: tuple[str, ...] = ()
    subject: str | None = None
    profile: Profile | None = None
    resume: Path | None = None
    prices: PriceSheet | None = None


def with_profile(options: RunOptions, experiment: Experiment) -> RunOptions:
    """Return the options with the choices of the profile; those of the command line go before them."""
    return replace(options, choices={**_own_profile(options, experiment).choices, **options.choices})


def _own_profile(options: RunOptions, experiment: Experiment) -> OwnProfile:
    own = None if options.profile is None else experiment.profiles.get(options.profile)
    return own or OwnProfile()


def apply(options: RunOptions, experiment: Experiment) -> Experiment:
    """Return the experiment as it is to be run; the options' choices are known to be right (`check_requested`).

    Raises InputError for options that do not go together.
    """
    changes: dict[str, object] = {}
    phases = experiment.phases
    if options.profile is not None:
        if experiment.faults or options.faults:
            raise InputError("faults have phases of their own", where="--profile", todo="Leave it out")
        own = _own_profile(options, experiment)
        lengths = own.lengths(LENGTHS[options.profile])
        phases = lengths.phases
        changes |= {"starts": lengths.starts, "rounds": lengths.rounds, "budget": lengths.budget}
        changes["control"] = lengths.control or experiment.control
        changes["loads"] = own.loads or experiment.loads
        changes["subjects"] = own.subjects or experiment.subjects
        changes["modes"] = {**experiment.modes, **own.modes}
    if options.subject is not None:
        changes["subjects"] = (options.subject,)
    if options.users:
        changes["loads"] = Loads(users=tuple(sorted(set(options.users))))
    if options.duration is not None:
        phases = phases.model_copy(update={"measure": options.duration})
    if options.starts is not None:
        changes |= {"starts": options.starts, "budget": None}
    if options.rounds is not None:
        changes["rounds"] = options.rounds
    if options.seed is not None:
        changes["seed"] = options.seed
    changed = experiment.model_copy(update={**changes, "phases": phases})
    for choice, value in options.choices.items():
        changed = _with_choice(changed, choice, value)
    return _once(options, changed) if options.faults or experiment.faults else changed


def _with_choice(experiment: Experiment, choice: str, value: str) -> Experiment:
    """Return the experiment with one value of a choice, whether it listed the choice or not."""
    tier = tier_of(choice)
    if tier is not None:
        return experiment.model_copy(update={"instances": {**experiment.instances, tier: (int(value),)}})
    tier = tier_run(choice)
    if tier is not None:
        return experiment.model_copy(update={"tiers": {**experiment.tiers, tier: (value,)}})
    if is_mode(choice):
        return experiment.model_copy(update={"modes": {**experiment.modes, choice: (value,)}})
    if is_setting(choice):
        return experiment.model_copy(update={"settings": {**experiment.settings, choice: (value,)}})
    key = "sessions" if choice == SESSION else choice
    counted = choice in (CPUS, THREADS) and value != ALL
    return experiment.model_copy(update={key: (int(value),) if counted else (value,)})


def _once(options: RunOptions, experiment: Experiment) -> Experiment:
    """Return an experiment with faults: its highest load alone, and no rounds."""
    if options.rounds is not None or options.starts is not None:
        raise InputError(
            "a run with faults has no rounds: every fault has a point of its own",
            where="--starts" if options.rounds is None else "--rounds",
            todo="Leave it out, or write `points` into the experiment's faults",
        )
    loads = experiment.loads
    if not loads.levels:
        raise InputError("a run with faults searches for nothing", where="loads", todo="Name the load: --users 40")
    if loads.until is not None:
        raise InputError(
            "a run with faults has no limit: all its points are at the highest load",
            where="loads",
            todo="Leave out `until`, or name the load: --users 40",
        )
    name = "users" if loads.whole else "rate"
    highest = loads.model_copy(update={name: loads.levels[-1:]})
    return experiment.model_copy(update={"loads": highest, "starts": 1, "rounds": 1})
