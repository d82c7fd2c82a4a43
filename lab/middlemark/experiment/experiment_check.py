"""Holds an experiment against its specification: every choice, value and name that one of them does not know."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from middlemark.documents import Location, place_in, suggestion
from middlemark.errors import InputError
from middlemark.experiment.choice_values import problem_of_count, problem_of_driver
from middlemark.experiment.combinations import SUBJECT
from middlemark.experiment.definition import Experiment, keys_of
from middlemark.experiment.faults_definition import RequestedFault, problem_with_kind
from middlemark.experiment.placing import ALL, CpuSets
from middlemark.load.stores import server_names
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
from middlemark.records.placement import database_tier
from middlemark.specification.files_on_disk import names_of_lists
from middlemark.specification.specification import Specification
from middlemark.specification.tiers import OF_VIRTUAL_USERS
from middlemark.subject.server import load_reverse_proxy
from middlemark.subject.subject import find_subject
from middlemark.workload.session import Session

"""What virtual users speak."""
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
        if what := problem_with(choice, value, specification, home):
            raise InputError(what, where=f"--set {choice}")


def check_faults(faults: tuple[RequestedFault, ...], specification: Specification) -> None:
    """Raise InputError for the first fault of the command line that the specification does not have."""
    for fault in faults:
        if what := problem_with_kind(fault.kind, specification):
            raise InputError(what, where=f"--fault {fault}")


def session_file(specification: Specification, name: str) -> Path:
    """The file of a session of the specification; it may not exist."""
    return specification.sessions / f"{name}.yaml"


def check_session(session: Session, specification: Specification) -> None:
    """Raise InputError for the first target, list or feature that a session names and that there never is."""
    description, name = specification.description, session.name
    listeners = [one for one in description.tiers[description.entry].listens if one in OF_VIRTUAL_USERS]
    known = [*listeners, *(tier for tier in description.tiers if tier != description.entry)]
    for step in session.every_step:
        if step.target is not None and step.target not in known:
            what = f"step '{step.id}' of '{name}' goes to the target '{step.target}', which is neither a listener "
            raise InputError(what + f"of {description.entry} nor another tier. {suggestion(step.target, known)}")
    lists = names_of_lists(specification)
    for feed_name, feed in session.feeds.items():
        if feed.lines is not None and feed.lines not in lists and not (session.folder / feed.lines).is_file():
            what = f"feed '{feed_name}' of '{name}' draws from the list '{feed.lines}', which is neither a file beside "
            raise InputError(what + f"the session nor a set of files with requests. {suggestion(feed.lines, lists)}")
    for feature in session.needs:
        if feature not in description.features:
            where = place_in(session_file(specification, name), ("needs",))
            raise InputError(_unknown(specification, "feature", feature, description.features), where=where)


_ONE_COUNT = "Run sessions that count different things one by one, with --set session=NAME"


def check_counts(sessions: Mapping[str, Session], specification: Specification) -> None:
    """Raise InputError for sessions of one run that count different things: nothing of them can be compared."""
    (first, counts), *others = ((name, session.counts) for name, session in sessions.items())
    for name, other in others:
        if other != counts:
            where = place_in(session_file(specification, name), ("counts",) if other else ())
            raise InputError(f"'{name}' does not count what '{first}' counts", where=where, todo=_ONE_COUNT)


def _problems(experiment: Experiment, specification: Specification, home: Path) -> Iterator[Problem]:
    if specification.description.scales and not experiment.scale:
        scales = ", ".join(specification.description.scales)
        yield (("spec",), f"{specification.name} has the scales {scales}, and the key 'scale' is missing")
    everything = {**experiment.choices, SCALE: experiment.scale, SESSION: experiment.sessions}
    chosen: dict[Location, tuple[str, str]] = {
        (*keys_of(choice), index): (choice, value)
        for choice, values in everything.items()
        for index, value in enumerate(values)
    }
    # A default alone is no choice; its tier is checked all the same.
    chosen |= {("instances", tier): (instances_of(tier), "1") for tier in experiment.instances}
    chosen |= {("tiers", tier): (subject_of(tier), OWN) for tier in experiment.tiers}
    for profile, own in experiment.profiles.items():
        chosen |= {("profiles", profile.value, "choices", one[0]): one for one in own.choices.items()}
    for location, one in chosen.items():
        if what := problem_with(*one, specification, home):
            yield location, what
    yield from _problems_of_profiles(experiment)
    yield from _problems_of_reference(experiment)
    yield from _problems_of_placement(experiment, specification)
    yield from _problems_of_faults(experiment, specification)


def problem_with(choice: str, value: str, specification: Specification, home: Path) -> str:
    """What is wrong with a choice or its value; empty when nothing is."""
    try:
        _require(choice, value, specification, home)
    except InputError as error:
        return f"{error.what}. {error.todo}" if error.todo else error.what
    return ""


def _require(choice: str, value: str, specification: Specification, home: Path) -> None:
    problem = ""
    if choice == SCALE:
        specification.numbers(value)
    elif choice == SESSION:
        problem = _problem_of_session(value, specification)
    elif choice == REVERSE_PROXY:
        load_reverse_proxy(home, value)
    elif run := tier_run(choice):
        require_tier_subject(run, value, specification, home)
    elif choice in OF_THE_DRIVER:
        problem = problem_of_driver(choice, value)
    elif choice == CPUS:
        problem = "" if value == ALL else problem_of_count(value)
    elif is_setting(choice):
        specification.require_setting(choice, value, in_runs=True)
    elif is_mode(choice):
        problem = _problem_of_mode(choice, value, specification)
    else:
        problem = _unknown_tier(tier_of(choice) or "", specification) or problem_of_count(value)
    if problem:
        raise InputError(problem)


def _problem_of_mode(mode: str, value: str, specification: Specification) -> str:
    description = specification.description
    if mode not in description.modes:
        settings = [name for name, setting in description.settings.items() if setting.in_runs]
        of_tiers = (of(tier) for tier in description.tiers for of in (instances_of, subject_of))
        return _unknown(specification, "mode", mode, [*description.modes, *NAMED, *of_tiers, *settings])
    known = description.modes[mode]
    if known.named_by_platforms or value in known.values:
        return ""
    return f"'{value}' is not a value of {mode}. {suggestion(value, known.values)}"


def _problem_of_session(name: str, specification: Specification) -> str:
    if session_file(specification, name).is_file():
        return ""
    known = sorted(file.stem for file in specification.sessions.glob("*.yaml"))
    return f"no session of {specification.name} is called '{name}'. {suggestion(name, known)}"


def _unknown(specification: Specification, kind: str, name: str, known: Collection[str]) -> str:
    return f"{specification.name} has no {kind} '{name}'. {suggestion(name, known)}"


def _unknown_tier(tier: str, specification: Specification) -> str:
    known = specification.description.tiers
    return "" if tier in known else _unknown(specification, "tier", tier, known)


def _problems_of_profiles(experiment: Experiment) -> Iterator[Problem]:
    for profile, own in experiment.profiles.items():
        some: dict[Location, tuple[Sequence[str], Sequence[str]]] = {("subjects",): (own.subjects, experiment.subjects)}
        some |= {("modes", mode): (values, experiment.modes.get(mode, ())) for mode, values in own.modes.items()}
        for place, (values, every) in some.items():
            for index, value in enumerate(values):
                if value not in every:
                    what = f"'{value}' is not among the experiment's. {suggestion(value, every)}"
                    yield ("profiles", profile.value, *place, index), what


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
    databases = specification.description.databases
    servers = set(server_names(specification).values())
    known = [*specification.description.tiers, *(map(database_tier, servers) if len(servers) > 1 else ())]
    for tier in placement.tiers:
        if tier not in known:
            yield ("placement", "tiers", tier), _unknown(specification, "tier", tier, known)
    if databases and placement.database is None:
        yield ("placement",), "the key 'database' is missing"
    if placement.database is not None and not databases:
        yield ("placement", "database"), f"{specification.name} has no database"


def _problems_of_faults(experiment: Experiment, specification: Specification) -> Iterator[Problem]:
    choices = experiment.choices
    for index, part in enumerate(experiment.faults):
        for number, kind in enumerate(part.every_kind):
            if what := problem_with_kind(kind, specification):
                yield ("faults", index, "kinds", number // (len(part.during) or 1)), what
        for choice, value in part.modes.items():
            what = ""
            if choice not in choices:
                hint = suggestion(choice, [*choices, *specification.description.modes])
                what = f"the experiment does not choose '{choice}'. {hint}"
            elif value not in choices[choice]:
                what = f"the experiment has no {choice}={value}. {suggestion(value, choices[choice])}"
            if what:
                yield ("faults", index, "modes", choice), what


def require_tier_subject(tier: str, subject: str, specification: Specification, home: Path) -> None:
    """Raise InputError for a tier that is unknown or never runs apart, and for a subject that is unknown."""
    description = specification.description
    if what := _unknown_tier(tier, specification):
        raise InputError(what)
    carried = description.roles.carries.values() if description.roles else ()
    apart = [one for one in description.tiers if (one,) in carried]
    if tier not in apart:
        todo = f"Those that do are {' and '.join(apart)}" if apart else "Compare whole subjects"
        raise InputError(
            f"no role of {specification.name} carries {tier} alone, so that it never runs apart", todo=todo
        )
    if subject != OWN:
        find_subject(home, subject, specification.name)


def with_subjects(file: Path, experiment: Experiment, specification: Specification) -> Experiment:
    """The experiment with subjects, else with those of the first named tier that the entry calls, else InputError."""
    if experiment.subjects:
        return experiment
    description = specification.description
    called = list(description.tiers[description.entry].calls)
    tier = next((one for one in called if one in experiment.tiers), None)
    where = place_in(file, ("tiers",) if experiment.tiers else ("spec",))
    if tier is None:
        todo = "Write `subjects`"
        if called:
            todo += f", or in `tiers` the subjects of {' or '.join(called)}, which {description.entry} calls"
        raise InputError("the experiment has no subjects", where=where, todo=todo)
    if OWN in experiment.tiers[tier]:
        raise InputError(
            f"'{OWN}' is nobody here: no `subjects` run the other tiers", where=place_in(file, ("tiers", tier))
        )
    renamed = {SUBJECT if choice == subject_of(tier) else choice: v for choice, v in experiment.reference.items()}
    others = {name: subjects for name, subjects in experiment.tiers.items() if name != tier}
    return experiment.model_copy(update={"subjects": experiment.tiers[tier], "tiers": others, "reference": renamed})
