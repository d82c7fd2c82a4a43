"""Checks everything a run needs before anything is started, and computes what it will do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from middlemark.checkout import checkout
from middlemark.databases.users_own import user_database
from middlemark.documents import place_in, suggestion
from middlemark.errors import InputError
from middlemark.experiment.combinations import combinations
from middlemark.experiment.definition import Experiment, find_experiment, read_experiment
from middlemark.experiment.faults_definition import check_carried, points_with_faults
from middlemark.experiment.options import RunOptions, apply
from middlemark.experiment.phases import budget_s, point_phases
from middlemark.experiment.placing import Places, Wish, placed
from middlemark.experiment.published import published_beside
from middlemark.experiment.schedule import Serving, schedule, schedule_faults, schedule_search
from middlemark.processes.affinity import usable_cpus
from middlemark.records.folder import check_writable
from middlemark.records.published import Published
from middlemark.records.run import CPUS, FRONT, LAYOUT, NO_FRONT, Combination, LeftOut, Phases, load_name
from middlemark.specification.dataset import Dataset, read_dataset, specification
from middlemark.subject.build import require_tools
from middlemark.subject.server import Server, load_front
from middlemark.subject.subject import Subject, find_subject
from middlemark.workload.driver import driver_path
from middlemark.workload.expected import expected_iteration
from middlemark.workload.session import Session, read_session
from middlemark.workload.think import Think


@dataclass(frozen=True)
class Preparation:
    """A run that can start: the experiment with its options applied, its files read, its order computed.

    `phases` are those of the first point, for the expected response; later points follow the responses they see.
    """

    name: str
    file: Path
    home: Path
    experiment: Experiment
    options: RunOptions
    dataset: Dataset
    session_file: Path
    session: Session
    subjects: dict[str, Subject]
    fronts: dict[str, Server]
    combinations: list[Combination]
    left_out: list[LeftOut]
    published: Published | None
    servings: list[Serving]
    phases: Phases
    budget_s: float
    places: Places

    @property
    def spec_folder(self) -> Path:
        """Return the specification's folder."""
        return self.home / "specs" / self.experiment.spec

    @property
    def think(self) -> Think:
        """Return the think time in effect."""
        return self.experiment.think or self.session.think

    @property
    def spec_version(self) -> str:
        """Return the version of the specification's data set and rules."""
        return str(self.dataset.version)

    @property
    def not_default(self) -> list[dict[str, str]]:
        """Return what differs from the defaults of the specification and of the servers in front."""
        rows = [
            {**row.model_dump(), "what": f"{name}: {row.what}"}
            for name, front in self.fronts.items()
            for row in front.description.not_default
        ]
        if self.experiment.wake is not None:
            rows.append(
                {"what": "wake-ups of the driver", "value": self.experiment.wake, "why": "set by the experiment"}
            )
        return [*self._other_think, *self._other_warm_ups, *rows]

    @property
    def _other_think(self) -> list[dict[str, str]]:
        """Return the think time when it is not the session's own."""
        own, think = self.session.think, self.experiment.think
        why = f"set by the experiment; the session's own is {own}"
        return [{"what": "think time", "value": str(think), "why": why}] if think and str(think) != str(own) else []

    @property
    def _other_warm_ups(self) -> list[dict[str, str]]:
        """Return what the warm-up has of its own, or that of some subjects."""
        why = f"set by the experiment, instead of {self.phases.warm:g} s"
        own = self.phases.warm_by_subject.items()
        rows = [{"what": f"warm-up of {name}", "value": f"{seconds:g} s", "why": why} for name, seconds in own]
        if self.experiment.warm_users is None:
            return rows
        why = "set by the experiment, instead of the load"
        return [{"what": "load of the warm-up", "value": self._warm_users, "why": why}, *rows]

    @property
    def _warm_users(self) -> str:
        return f"{load_name(self.experiment.warm_users or 0, 'users')} without think time"

    @property
    def phases_line(self) -> str:
        """Return for people how long the phases of a point are, and by which profile."""
        phases, profile = self.phases, self.options.profile
        warm = f"warm-up {phases.warm_said}{f' with {self._warm_users}' if self.experiment.warm_users else ''}"
        said = f"{warm}, ramp {phases.ramp:.1f} s, settling {phases.settle:g} s, window {phases.measure:.1f} s"
        return f"profile {profile}: {said}" if profile else f"phases: {said}"

    @property
    def placement_lines(self) -> list[str]:
        """Return for people who runs on which CPUs, one line where that is the same for all combinations."""
        placements = {one.label: self.places.of(one) for one in self.combinations}
        said = {label: one.line for label, one in placements.items()}
        if len(set(said.values())) == 1:
            return [f"CPUs: {next(iter(said.values()))}"]
        return [f"CPUs, {label}: {line}" for label, line in said.items()]

    @property
    def points(self) -> int:
        """Return how many points the run has."""
        return _points(self.servings, self.experiment)

    @property
    def faults(self) -> dict[str, list[list[str]]]:
        """Return the faults of each point of each combination (by its path), as text; empty without faults."""
        found = {serving.combination.path: serving.faults for serving in self.servings if serving.faults}
        return {path: [[str(fault) for fault in point] for point in points] for path, points in found.items()}


def prepare(name: str, options: RunOptions) -> Preparation:
    """Read and check the experiment and all it names; InputError, MissingToolError or HostError when it cannot run."""
    file = find_experiment(name)
    written = read_experiment(file)
    experiment = apply(options, written)
    home = checkout()
    spec = specification(experiment.spec)
    dataset = read_dataset(spec, experiment.scale)
    session_file = _session_file(spec, experiment.session)
    session = read_session(session_file, dataset.numbers)
    subjects = {text: find_subject(home, text, experiment.spec) for text in experiment.subjects}
    fronts = {name: load_front(home, name) for name in experiment.front if name != NO_FRONT}
    possible, left_out = combinations(subjects, experiment.choices, fronts)
    if not possible:
        raise InputError(f"nothing can be run: {left_out[0].reason}", where=str(file))
    places = placed(_wish(file, written, experiment, options), usable_cpus())
    for subject in subjects.values():
        require_tools(subject)
    needed = {name: fronts[name] for c in possible if (name := c.modes.get(FRONT, NO_FRONT)) != NO_FRONT}
    for front in needed.values():
        front.version()
    driver_path()
    if options.database is not None:
        with user_database(options.database):
            pass  # reached, logged in and allowed: nothing is built or written for one that refuses
    if options.resume is None:
        check_writable(options.out)
    servings = _servings(options, experiment, subjects, possible)
    phases = point_phases(experiment.phases, expected_iteration(session, experiment.think))
    return Preparation(
        name=file.stem,
        file=file,
        home=home,
        experiment=experiment,
        options=options,
        dataset=dataset,
        session_file=session_file,
        session=session,
        subjects=subjects,
        fronts=needed,
        combinations=[one for one in possible if one.path in {serving.combination.path for serving in servings}],
        left_out=left_out,
        published=published_beside(home, experiment.spec, possible),
        servings=servings,
        phases=phases,
        budget_s=budget_s(phases, _points(servings, experiment), servings),
        places=places,
    )


def _wish(file: Path, written: Experiment, experiment: Experiment, options: RunOptions) -> Wish:
    """Return what the experiment says of CPUs, as it is `written` and as the options have changed it."""
    counts = written.cpus if CPUS in options.modes else None
    return Wish(experiment.placement, experiment.cpus, partial(place_in, file), options.database is not None, counts)


def _points(servings: Sequence[Serving], experiment: Experiment) -> int:
    """Return how many points there are at most: a search or a limit may need fewer."""
    found = experiment.loads.search is not None
    return sum(
        len(one.faults) or (experiment.loads.points if one.searching else 1 if found else len(one.loads))
        for one in servings
    )


def _servings(
    options: RunOptions, experiment: Experiment, subjects: dict[str, Subject], possible: list[Combination]
) -> list[Serving]:
    """Return the order of the run; InputError for faults of a role that nobody carries."""
    faults = points_with_faults(possible, options.faults, experiment.faults)
    if not faults:
        if experiment.loads.search is not None:
            return schedule_search(possible, experiment.repeats)
        return schedule(possible, experiment.loads.levels, experiment.repeats)
    wishes = {one.path: {mode: value for mode, value in one.modes.items() if mode not in LAYOUT} for one in possible}
    modes = {one.path: subjects[one.subject].chosen(wishes[one.path]) for one in possible}
    check_carried(faults, modes, own_database=options.database is not None)
    return schedule_faults(possible, experiment.loads.levels[-1], faults)


def _session_file(spec: Path, name: str) -> Path:
    file = spec / "sessions" / f"{name}.yaml"
    if file.is_file():
        return file
    known = sorted(path.stem for path in (spec / "sessions").glob("*.yaml"))
    raise InputError(f"no session is called '{name}'. {suggestion(name, known)}", where=str(spec / "sessions"))
