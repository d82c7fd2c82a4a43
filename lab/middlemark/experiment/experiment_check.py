"""Holds an experiment against its specification: every choice, value and name that one of them does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from middlemark.documents import Location, place_in, suggestion
from middlemark.errors import InputError
from middlemark.experiment.definition import SUBJECT, Experiment
from middlemark.experiment.driver_choices import problem_of_count, problem_of_driver
from middlemark.experiment.faults_definition import RequestedFault, known_kinds
from middlemark.experiment.placing import ALL, CpuSets
from middlemark.experiment.tier_subjects import require_tier_subject
from middlemark.records.choices import (
    CPUS,
    NAMED,
    OF_THE_DRIVER,
    OWN,
    REVERSE_PROXY,
    SCALE,
    SESSION,
    instances_of,
    is_mode,
    is_setting,
    subject_of,
    tier_of,
    tier_run,
)
from middlemark.specification.specification import Specification
from middlemark.subject.server import load_reverse_proxy

Problem = tuple[Location, str]
"""Where something is wrong in the file, and what."""


def check_experiment(file: Path, experiment: Experiment, specification: Specification, home: Path) -> None:
    """Raise InputError with file:line for the first thing in the file that its specification does not know."""
    for location, what in _problems(experiment, specification, home):
        named = ".".join(str(part) for part in location if isinstance(part, str))
        raise InputError(f"{named}: {what}", where=place_in(file, location))


def check_requested(requested: Mapping[str, str], specification: Specification, home: Path) -> None:
    """Raise InputError for the first choice of the command line that is unknown, or whose value is."""
    for choice, value in requested.items():
        what = problem_with(choice, value, specification, home)
        if what:
            raise InputError(what, where=f"--set {choice}")


def check_faults(faults: tuple[RequestedFault, ...], specification: Specification) -> None:
    """Raise InputError for the first fault of the command line that the specification does not have."""
    known = known_kinds(specification)
    for fault in faults:
        if str(fault.kind) not in known:
            raise InputError(_unknown_fault(str(fault.kind), specification, known), where=f"--fault {fault}")


def session_file(specification: Specification, name: str) -> Path:
    """Return the file of a session of the specification; it may not exist."""
    return specification.folder / "sessions" / f"{name}.yaml"


def location_of(choice: str, index: int) -> Location:
    """Return where a value of a choice stands in an experiment's file."""
    tier = tier_of(choice)
    if tier is not None:
        return ("instances", tier, index)
    tier = tier_run(choice)
    if tier is not None:
        return ("tiers", tier, index)
    if choice == SESSION:
        return ("sessions", index)
    group = "modes" if is_mode(choice) else "settings" if is_setting(choice) else None
    return (group, choice, index) if group else (choice, index)


def _problems(experiment: Experiment, specification: Specification, home: Path) -> Iterator[Problem]:
    if specification.description.scales and not experiment.scale:
        scales = ", ".join(specification.description.scales)
        yield (("spec",), f"{specification.name} has the scales {scales}, and the key 'scale' is missing")
    for choice, values in experiment.everything_chosen.items():
        for index, value in enumerate(values):
            what = problem_with(choice, value, specification, home)
            if what:
                yield location_of(choice, index), what
    # A default alone is no choice; its tier is checked all the same.
    for tier in experiment.instances:
        what = problem_with(instances_of(tier), "1", specification, home)
        if what:
            yield ("instances", tier), what
    for tier in experiment.tiers:
        what = problem_with(subject_of(tier), OWN, specification, home)
        if what:
            yield ("tiers", tier), what
    yield from _problems_of_profiles(experiment, specification, home)
    yield from _problems_of_reference(experiment)
    yield from _problems_of_placement(experiment, specification)
    yield from _problems_of_faults(experiment, specification)


def problem_with(choice: str, value: str, specification: Specification, home: Path) -> str:
    """Return what is wrong with a value of a choice, or with the choice; empty when nothing is."""
    try:
        _require(choice, value, specification, home)
    except InputError as error:
        return f"{error.what}. {error.todo}" if error.todo else error.what
    return ""


def _require(choice: str, value: str, specification: Specification, home: Path) -> None:
    if choice == SCALE:
        specification.numbers(value)
    elif choice == SESSION:
        _require_session(value, specification)
    elif choice == REVERSE_PROXY:
        load_reverse_proxy(home, value)
    elif run := tier_run(choice):
        require_tier_subject(run, value, specification, home)
    elif choice in OF_THE_DRIVER:
        _refuse(problem_of_driver(choice, value))
    elif choice == CPUS:
        _refuse("" if value == ALL else problem_of_count(value))
    elif is_setting(choice):
        specification.require_setting(choice, value, in_runs=True)
    elif is_mode(choice):
        _require_mode(choice, value, specification)
    else:
        _require_instances(tier_of(choice) or "", value, specification)


def _require_instances(tier: str, value: str, specification: Specification) -> None:
    known = list(specification.description.tiers)
    if tier not in known:
        raise InputError(f"{specification.name} has no tier '{tier}'. {suggestion(tier, known)}")
    _refuse(problem_of_count(value))


def _require_mode(mode: str, value: str, specification: Specification) -> None:
    modes = specification.description.modes
    if mode not in modes:
        settings = [name for name, setting in specification.description.settings.items() if setting.in_runs]
        of_tiers = (of(tier) for tier in specification.description.tiers for of in (instances_of, subject_of))
        known = [*modes, *NAMED, *of_tiers, *settings]
        raise InputError(f"{specification.name} has no mode '{mode}'. {suggestion(mode, known)}")
    if not modes[mode].named_by_platforms and value not in modes[mode].values:
        raise InputError(f"'{value}' is not a value of {mode}. {suggestion(value, modes[mode].values)}")


def _require_session(name: str, specification: Specification) -> None:
    if not session_file(specification, name).is_file():
        known = sorted(file.stem for file in (specification.folder / "sessions").glob("*.yaml"))
        raise InputError(f"no session of {specification.name} is called '{name}'. {suggestion(name, known)}")


def _refuse(problem: str) -> None:
    if problem:
        raise InputError(problem)


def _problems_of_profiles(experiment: Experiment, specification: Specification, home: Path) -> Iterator[Problem]:
    for profile, own in experiment.profiles.items():
        where = ("profiles", profile.value)
        some = {"subjects": (own.subjects, experiment.subjects)}
        some |= {mode: (values, experiment.modes.get(mode, ())) for mode, values in own.modes.items()}
        for name, (values, every) in some.items():
            for index, value in enumerate(values):
                if value not in every:
                    place = (name, index) if name == "subjects" else ("modes", name, index)
                    yield (*where, *place), f"'{value}' is not among the experiment's. {suggestion(value, every)}"
        for choice, value in own.choices.items():
            what = problem_with(choice, value, specification, home)
            if what:
                yield ("profiles", profile.value, "choices", choice), what


def _problems_of_reference(experiment: Experiment) -> Iterator[Problem]:
    choices = {SUBJECT: experiment.subjects or experiment.all_subjects, **experiment.choices}
    choices = {one: (OWN, *values) if tier_run(one) else values for one, values in choices.items()}
    for choice, value in experiment.reference.items():
        if choice not in choices:
            yield ("reference", choice), f"the experiment does not choose '{choice}'. {suggestion(choice, choices)}"
        elif value not in choices[choice]:
            hint = suggestion(value, choices[choice])
            yield ("reference", choice), f"'{value}' is not among the values of {choice} in this experiment. {hint}"


def _problems_of_placement(experiment: Experiment, specification: Specification) -> Iterator[Problem]:
    placement = experiment.placement
    if not isinstance(placement, CpuSets):
        return
    known = list(specification.description.tiers)
    for tier in placement.tiers:
        if tier not in known:
            yield ("placement", "tiers", tier), f"{specification.name} has no tier '{tier}'. {suggestion(tier, known)}"
    databases = specification.description.databases
    if databases and placement.database is None:
        yield ("placement",), "the key 'database' is missing"
    if placement.database is not None and not databases:
        yield ("placement", "database"), f"{specification.name} has no database"


def _problems_of_faults(experiment: Experiment, specification: Specification) -> Iterator[Problem]:
    known, modes = known_kinds(specification), list(specification.description.modes)
    for index, part in enumerate(experiment.faults):
        for number, kind in enumerate(part.kinds):
            if kind not in known:
                yield ("faults", index, "kinds", number), _unknown_fault(kind, specification, known)
        for choice, value in part.modes.items():
            if choice in experiment.choices and value not in experiment.choices[choice]:
                hint = suggestion(value, experiment.choices[choice])
                yield ("faults", index, "modes", choice), f"the experiment has no {choice}={value}. {hint}"
            if choice not in experiment.choices:
                known_choices = suggestion(choice, [*experiment.choices, *modes])
                yield ("faults", index, "modes", choice), f"the experiment does not choose '{choice}'. {known_choices}"


def _unknown_fault(kind: str, specification: Specification, known: list[str]) -> str:
    return f"'{kind}' is not a fault of {specification.name}. {suggestion(kind, known)}"
