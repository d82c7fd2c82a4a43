"""The experiment file: what to compare, under which load, how often; and what the command line changes in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from middlemark.checkout import checkout
from middlemark.documents import Document, read_yaml, suggestion, wrong_at
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.choice_values import Counts, CpuCounts, Names, Text, Texts
from middlemark.experiment.faults_definition import FaultPoints, RequestedFault
from middlemark.experiment.loads import Loads
from middlemark.experiment.phases import LENGTHS, MinPhases, OwnProfile, Profile
from middlemark.experiment.placing import ALL, RequestedPlacement
from middlemark.records.choices import (
    CONNECTIONS,
    CPUS,
    HTTP,
    NO_PROXY,
    OWN,
    REVERSE_PROXY,
    SCALE,
    SESSION,
    THREADS,
    TLS,
    instances_of,
    is_mode,
    is_setting,
    subject_of,
    tier_of,
    tier_run,
)
from middlemark.records.side_files import PriceSheet
from middlemark.workload.plan import WakeUps
from middlemark.workload.planning import checked_address, checked_interval
from middlemark.workload.think import Think


class Experiment(Document):
    """All combinations of subjects, choices and loads, in rounds; `check_experiment` knows the specification."""

    description: str = Field("", description="one line for `middlemark list`")
    spec: str = Field(description="a folder in specs/")
    scale: Names = Field((), description="scales of spec.toml; left out where the specification has none")
    sessions: Names = Field(min_length=1, description="files in the specification's sessions/, without .yaml")
    subjects: tuple[str, ...] = Field(
        (),
        description="PLATFORM or PLATFORM@SERVER; left out where `tiers` names those of the entry and a tier it calls",
    )
    tiers: dict[str, Names] = Field({}, description="tier: subjects that run it, `own` for that of the other tiers")
    modes: dict[str, Names] = Field({}, description="mode of the specification: values")
    settings: dict[str, Texts] = Field({}, description="setting (MM_…) that runs may set: values")
    reverse_proxy: Names = Field((NO_PROXY,), min_length=1, description="none, or servers in servers/ that pass on")
    instances: dict[str, Counts] = Field({}, description="tier: number of its processes")
    http: Texts = Field((), description="HTTP version of the driver: 1.1 or 1.0, which keeps no connection")
    connections: Names = Field((), description="how long the driver uses one: keep, per-iteration, per-request")
    tls: Names = Field((), description="TLS of the driver, as KEY=VALUE,…: minimum=1.3")
    threads: Counts = Field((), description="event loops of the driver")
    cpus: CpuCounts = Field(
        (),
        description="CPUs of the system under test: how many, or `all` that placement leaves; a combination for each",
    )
    placement: RequestedPlacement | None = Field(
        None, description="CPUs by role, or none: nothing is pinned; by default shared out"
    )
    reference: dict[str, Text] = Field(
        {}, description="choice, or subject: value; the combination with it is what the others are relative to"
    )
    loads: Loads
    think: Think | None = Field(None, description="replaces the session's think time; the report shows it")
    sources: tuple[Annotated[str, AfterValidator(checked_address)], ...] = Field(
        (), description="local addresses from which users connect in turn: each has some 28,000 ports of its own"
    )
    warm_users: int | None = Field(
        None,
        ge=1,
        description="users of the warm-up, who do not think, instead of its load; with a compiler those measured",
    )
    phases: MinPhases = MinPhases()
    starts: int = Field(1, ge=1, description="how often every subject is started anew; nothing with `faults`")
    rounds: int = Field(3, ge=1, description="windows of each combination and load in each start")
    control: bool = Field(
        default=False, description="the first combination is kept twice, to show how far equal sides lie apart"
    )
    budget: Duration | None = Field(None, description="no further start is begun that would end later than this")
    profiles: dict[Profile, OwnProfile] = Field({}, description="what profiles are in this experiment")
    faults: tuple[FaultPoints, ...] = Field((), description="points with one fault each, instead of rounds")
    soak: Duration | None = Field(
        None, description="length of the one window in which the load is held, instead of rounds"
    )
    seed: int = Field(1, ge=0, description="seed of every random choice")
    wake: WakeUps | None = Field(None, description="how the driver wakes for what is due; by default as the load needs")
    receive_stamps: bool = Field(
        default=False, description="the kernel stamps answers: the report shows the driver's own part of the times"
    )
    split_times: bool = Field(
        default=False, description="the report shows times to the first byte, and of pages without their sub-resources"
    )
    interval: Annotated[Duration, AfterValidator(checked_interval)] | None = Field(
        None, description="length of the intervals in which the driver counts, 1s to 60s; by default 1s"
    )
    replacements: int = Field(
        2, ge=0, description="how often a window that the machine disturbed is measured again; the last one counts"
    )
    work: bool = Field(
        default=True, description="statements, rows and log of each transaction are counted after the first warm-up"
    )
    per_client: bool = Field(
        default=False, description="the figures of each virtual user are kept, and how equally they were served"
    )

    @field_validator(
        "scale", "sessions", "reverse_proxy", "http", "connections", "tls", "threads", "cpus",
        "modes", "settings", "instances", "tiers",
    )  # fmt: skip
    @classmethod
    def _each_once(cls, values: tuple[object, ...] | dict[str, tuple[object, ...]]) -> object:
        by_name = values if isinstance(values, dict) else {"": values}
        for name, listed in by_name.items():
            place = (name,) if name else ()
            if name and not listed:
                raise wrong_at(place, "write at least one value")
            if any(isinstance(value, int) and value < 1 for value in listed):
                raise wrong_at(place, "expected 1 or more")
            if len(set(listed)) < len(listed):
                raise wrong_at(place, "write each value once")
        return values

    @property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """What makes combinations: modes and other choices with their values as text, without lone defaults."""
        others = {
            **{subject_of(tier): subjects if subjects != (OWN,) else () for tier, subjects in self.tiers.items()},
            REVERSE_PROXY: self.reverse_proxy if self.reverse_proxy != (NO_PROXY,) else (),
            **{instances_of(tier): tuple(map(str, n)) if n != (1,) else () for tier, n in self.instances.items()},
            **self.settings,
            SCALE: self.scale if len(self.scale) > 1 else (),
            SESSION: self.sessions if len(self.sessions) > 1 else (),
            HTTP: self.http,
            CONNECTIONS: self.connections,
            TLS: self.tls,
            THREADS: tuple(map(str, self.threads)),
            CPUS: tuple(map(str, self.cpus)),
        }
        return {**self.modes, **{choice: values for choice, values in others.items() if values}}

    @property
    def all_subjects(self) -> tuple[str, ...]:
        """Every subject that runs something, each once."""
        named = (subject for subject in chain.from_iterable(self.tiers.values()) if subject != OWN)
        return tuple(dict.fromkeys([*self.subjects, *named]))

    @property
    def cpu_counts(self) -> tuple[int, ...]:
        """The numbers of CPUs, without `all`."""
        return tuple(one for one in self.cpus if isinstance(one, int))


def keys_of(choice: str) -> tuple[str, ...]:
    """The keys under which the values of a choice are in an experiment's file."""
    if tier := tier_of(choice):
        return ("instances", tier)
    if tier := tier_run(choice):
        return ("tiers", tier)
    if choice == SESSION:
        return ("sessions",)
    if is_mode(choice):
        return ("modes", choice)
    return ("settings", choice) if is_setting(choice) else (choice,)


def find_experiment(name: str) -> Path:
    """The file of an experiment: a path, or a name in experiments/; InputError names what there is."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        path = Path(name)
        if path.is_file():
            return path
        raise InputError("this experiment file does not exist", where=name)
    folder = checkout() / "experiments"
    path = folder / f"{name}.yaml"
    if path.is_file():
        return path
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    raise InputError(f"no experiment is called '{name}'. {suggestion(name, known)}", where=str(folder))


def read_experiment(path: Path) -> Experiment:
    """The experiment file, checked in itself; InputError with file:line."""
    return read_yaml(path, Experiment)


@dataclass(frozen=True)
class RunOptions:
    """Options of one run; None and empty leave the experiment as it is written.

    `choices` have one value each; `duration` is the minimum length of the window; `databases` are URLs of the user's
    own PostgreSQL servers, of several databases NAME=URL; `profile` goes behind `duration`, `starts` and `rounds`;
    `out` is the parent of the result folder; `resume` the folder of a run; `prices` are kept in the result.
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
    profile: Profile | None = None
    resume: Path | None = None
    prices: PriceSheet | None = None


def with_profile(options: RunOptions, experiment: Experiment) -> RunOptions:
    """The options with the choices of the profile; those of the command line go before them."""
    return replace(options, choices={**_own_profile(options, experiment).choices, **options.choices})


def _own_profile(options: RunOptions, experiment: Experiment) -> OwnProfile:
    own = None if options.profile is None else experiment.profiles.get(options.profile)
    return own or OwnProfile()


def apply(options: RunOptions, experiment: Experiment) -> Experiment:
    """The experiment with options, known to be right (`check_requested`); InputError where they do not go together."""
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
        changes["loads"], changes["soak"] = own.loads or experiment.loads, own.soak or experiment.soak
        changes["think"] = own.think or experiment.think
        changes["subjects"] = own.subjects or experiment.subjects
        changes["modes"] = {**experiment.modes, **own.modes}
    if options.users:
        changes["loads"] = Loads(users=tuple(sorted(set(options.users))))
    if options.duration is not None and changes.get("soak", experiment.soak) is None:
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
    if options.faults or experiment.faults:
        return _once(options, changed)
    return changed if changed.soak is None else _held(options, changed, options.duration or changed.soak)


def _with_choice(experiment: Experiment, choice: str, value: str) -> Experiment:
    key, *within = keys_of(choice)
    values = (int(value) if key in ("instances", CPUS, THREADS) and value != ALL else value,)
    return experiment.model_copy(update={key: {**getattr(experiment, key), within[0]: values} if within else values})


def _held(options: RunOptions, experiment: Experiment, soak: Duration) -> Experiment:
    """An experiment with a soak: each combination has one window in one start, as long as it and never replaced."""
    _refuse_rounds(options, "a soak has one window in one start", "Leave it out")
    loads, phases = experiment.loads, experiment.phases
    if loads.loads_of_rounds > 1 or (loads.search is None and loads.until is not None):
        todo = "Name it (--users 40), or write `search: peak` to hold the peak"
        raise InputError("a soak holds one load", where="loads", todo=todo)
    if experiment.interval is not None:
        raise InputError("a soak has intervals of its own, its slices", where="interval", todo="Leave it out")
    # The windows of the search are as long as without a soak.
    lengths = phases.model_copy(update={"measure": soak, "search": phases.search or phases.measure})
    once: dict[str, object] = {"starts": 1, "rounds": 1, "control": False, "budget": None, "replacements": 0}
    return experiment.model_copy(update={**once, "soak": soak, "phases": lengths})


def _refuse_rounds(options: RunOptions, what: str, todo: str) -> None:
    if options.rounds is not None or options.starts is not None:
        raise InputError(what, where="--rounds" if options.starts is None else "--starts", todo=todo)


def _once(options: RunOptions, experiment: Experiment) -> Experiment:
    """An experiment with faults: its highest load alone, and no rounds."""
    what = "a run with faults has no rounds: every fault has a point of its own"
    _refuse_rounds(options, what, "Leave it out, or write `points` into the experiment's faults")
    if experiment.soak is not None:
        raise InputError("a run with faults holds no load", where="soak", todo="Leave out one of them")
    loads = experiment.loads
    if not loads.levels:
        raise InputError("a run with faults searches for nothing", where="loads", todo="Name the load: --users 40")
    if loads.until is not None:
        what, todo = (
            "a run with faults has no limit: all its points are at the highest load",
            "Name the load: --users 40",
        )
        raise InputError(what, where="loads", todo=todo)
    name = "users" if loads.whole else "rate"
    highest = loads.model_copy(update={name: loads.levels[-1:]})
    return experiment.model_copy(update={"loads": highest, "starts": 1, "rounds": 1})
