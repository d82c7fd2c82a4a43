"""Checks everything a run needs before anything is started, and computes what it will do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from middlemark.checkout import checkout
from middlemark.databases.users_own import user_database
from middlemark.documents import place_in, suggestion
from middlemark.errors import InputError
from middlemark.experiment.combinations import Subjects, combinations, without_features
from middlemark.experiment.definition import Experiment, find_experiment, read_experiment
from middlemark.experiment.experiment_check import check_experiment, check_faults, check_requested, session_file
from middlemark.experiment.fault_roles import check_roles
from middlemark.experiment.faults_definition import points_with_faults
from middlemark.experiment.listeners import check_listeners
from middlemark.experiment.lists import check_lists
from middlemark.experiment.options import RunOptions, apply, with_profile
from middlemark.experiment.phases import deployment_s, point_phases
from middlemark.experiment.placing import CpuAllocation, PlacementRequest, allocated, counted
from middlemark.experiment.published import published_counterparts
from middlemark.experiment.references import references
from middlemark.experiment.schedule import Deployment, schedule, schedule_faults, schedule_search
from middlemark.experiment.tier_subjects import with_subjects
from middlemark.load.stores import parse_urls
from middlemark.processes.affinity import usable_cpus
from middlemark.records.choices import CPUS, NO_PROXY, REVERSE_PROXY, SESSION
from middlemark.records.faults import PlannedFault
from middlemark.records.folder import check_writable
from middlemark.records.published import Published
from middlemark.records.run import Combination, LeftOut, Phases
from middlemark.specification.dataset import Dataset
from middlemark.specification.specification import NO_SCALE, Specification, find_specification
from middlemark.subject.build import require_tools
from middlemark.subject.server import Server, load_reverse_proxy
from middlemark.subject.subject import find_subject
from middlemark.workload.driver import driver_path
from middlemark.workload.expected import expected_iteration
from middlemark.workload.session import Session, read_session


@dataclass(frozen=True)
class Preparation:
    """A run that can start: the experiment with its options applied, its files read, its order computed.

    `databases` are URLs of the user's own servers, by database. `datasets` are by scale and database, `sessions` by
    name. `references` has the path of each combination's reference by its own. `phases` are those of the first point,
    for the longest session and the expected response; later points follow the responses they see.
    """

    name: str
    file: Path
    experiment: Experiment
    options: RunOptions
    specification: Specification
    databases: Mapping[str, str]
    datasets: Mapping[str, Mapping[str, Dataset]]
    sessions: Mapping[str, Session]
    subjects: Subjects
    reverse_proxies: Mapping[str, Server]
    combinations: list[Combination]
    left_out: list[LeftOut]
    references: Mapping[str, str]
    published: Published | None
    deployments: list[Deployment]
    phases: Phases
    cpus: CpuAllocation

    @property
    def home(self) -> Path:
        """Return the checkout."""
        return self.subjects.home

    @property
    def session_files(self) -> list[Path]:
        """Return the files of the sessions."""
        return [session_file(self.specification, name) for name in self.sessions]

    @property
    def points(self) -> int:
        """Return how many points the run has."""
        return sum(map(self._points_of, self.deployments))

    @property
    def budget_s(self) -> float:
        """Return the expected length of the run in seconds, each deployment with the iterations of its own session."""
        return self.budget_without({})

    def budget_without(self, searched: Mapping[str, int]) -> float:
        """Return `budget_s` without so many points of the search of each combination, by its path."""
        return sum(self._deployment_s(one, searched) for one in self.deployments)

    @property
    def faults(self) -> dict[str, list[list[PlannedFault]]]:
        """Return the faults of each point of each combination (by its path); empty without faults."""
        found = {one.combination.path: one.faults for one in self.deployments if one.faults}
        return {path: [[fault.planned for fault in point] for point in points] for path, points in found.items()}

    def scale_of(self, combination: Combination) -> str:
        """Return the scale of a combination; empty for a specification without scales."""
        return self.experiment.scale_of(combination) or NO_SCALE

    def session_of(self, combination: Combination) -> Session:
        """Return the session of a combination."""
        return self.sessions[self.experiment.session_of(combination)]

    def _deployment_s(self, deployment: Deployment, searched: Mapping[str, int]) -> float:
        combination = deployment.combination
        iteration_s = expected_iteration(self.session_of(combination), self.experiment.think)
        known = searched.get(combination.path, 0) if deployment.searching else 0
        phases = point_phases(self.experiment.phases, iteration_s, searching=deployment.searching)
        points = self._points_of(deployment) - known
        return deployment_s(phases, points, databases=bool(self.specification.description.databases))

    def _points_of(self, deployment: Deployment) -> int:
        """Return how many points a deployment has at most: a search or a limit may need fewer."""
        loads = self.experiment.loads
        if deployment.searching:
            return loads.points
        return len(deployment.faults) or (1 if loads.search is not None else len(deployment.loads))


def prepare(name: str, options: RunOptions) -> Preparation:
    """Read and check the experiment and all it names; InputError, MissingToolError or HostError when it cannot run."""
    return _Preparing(find_experiment(name), options).prepared()


class _Preparing:
    """The steps of a preparation, each of which needs some of those before it."""

    def __init__(self, file: Path, options: RunOptions) -> None:
        self.file = file
        self.written = _with_counted_cpus(read_experiment(file))
        self.options = options = with_profile(options, self.written)
        self.home = checkout()
        self.specification = find_specification(self.written.spec, self.home)
        requested = options.choices
        check_requested(requested, self.specification, self.home)
        check_experiment(file, _with_scale(self.written, requested), self.specification, self.home)
        check_faults(options.faults, self.specification)
        self.experiment = with_subjects(file, _with_counted_cpus(apply(options, self.written)), self.specification)
        self.databases = parse_urls(self.specification, options.databases)

    def prepared(self) -> Preparation:
        """Return everything, with the tools and servers it needs tried."""
        sessions = self._sessions()
        datasets = {scale: self.specification.datasets(scale) for scale in self._scales}
        possible, left_out = self._combinations(sessions)
        if not possible:
            raise InputError(f"nothing can be run: {left_out[0].reason}", where=str(self.file))
        cpus = allocated(self._placement_request(), usable_cpus())
        deployments = self._deployments(possible)
        proxies = self._reverse_proxies(possible)
        self._try_what_is_needed(proxies)
        run = {one.combination.path for one in deployments}
        iteration_s = max(expected_iteration(one, self.experiment.think) for one in sessions.values())
        phases = point_phases(self.experiment.phases, iteration_s)
        return Preparation(
            name=self.file.stem,
            file=self.file,
            experiment=self.experiment,
            options=self.options,
            specification=self.specification,
            databases=self.databases,
            datasets=datasets,
            sessions=sessions,
            subjects=self.subjects,
            reverse_proxies=proxies,
            combinations=[one for one in possible if one.path in run],
            left_out=left_out,
            references=references([one for one in possible if one.path in run], self.experiment.reference),
            published=published_counterparts(self.home, self.experiment.spec, possible),
            deployments=deployments,
            phases=phases,
            cpus=cpus,
        )

    def _combinations(self, sessions: Mapping[str, Session]) -> tuple[list[Combination], list[LeftOut]]:
        """Return the combinations, and what is left out: what a subject does not offer, or a session needs in vain."""
        listeners = partial(_listeners, sessions, self.experiment.sessions[0])
        offered, left_out = combinations(self.subjects, self.experiment.choices, listeners)
        able, without = without_features(
            self.subjects, offered, lambda one: sessions[self.experiment.session_of(one)].needs
        )
        return able, [*left_out, *without]

    @cached_property
    def subjects(self) -> Subjects:
        """Return the subjects of the experiment, those that run single tiers too."""
        compared, of_tiers = (
            {name: find_subject(self.home, name, self.experiment.spec) for name in names}
            for names in (self.experiment.subjects, self.experiment.all_subjects)
        )
        return Subjects(self.home, compared, of_tiers)

    @property
    def _scales(self) -> tuple[str, ...]:
        return self.experiment.scale or (NO_SCALE,)

    def _sessions(self) -> dict[str, Session]:
        """Return the sessions, which fit the numbers of every scale."""
        found: dict[str, Session] = {}
        for scale in self._scales:
            numbers = self.specification.numbers(scale)
            for name in self.experiment.sessions:
                file = session_file(self.specification, name)
                found[name] = read_session(file, numbers)
                check_listeners(found[name], self.specification)
                check_lists(found[name], self.specification)
                for feature in found[name].needs:
                    self._require_feature(feature, file)
        return found

    def _require_feature(self, feature: str, file: Path) -> None:
        known = self.specification.description.features
        if feature not in known:
            what = f"{self.specification.name} has no feature '{feature}'. {suggestion(feature, known)}"
            raise InputError(what, where=place_in(file, ("needs",)))

    def _placement_request(self) -> PlacementRequest:
        """Return the CPUs that the experiment requests, as it is written and as the options have changed it."""
        known = self.specification.description.databases
        return PlacementRequest(
            self.experiment.placement,
            self.experiment.cpu_counts,
            partial(place_in, self.file),
            embedded=any(name not in self.databases for name in known),
            foreign=bool(self.databases),
            written=self.written.cpu_counts if CPUS in self.options.choices else None,
        )

    def _reverse_proxies(self, possible: Sequence[Combination]) -> dict[str, Server]:
        names = dict.fromkeys(one.modes.get(REVERSE_PROXY, NO_PROXY) for one in possible)
        servers = {name: load_reverse_proxy(self.home, name) for name in names}
        return {name: server for name, server in servers.items() if server is not None}

    def _try_what_is_needed(self, proxies: Mapping[str, Server]) -> None:
        """Raise MissingToolError or HostError for what is not there, before anything is built or written."""
        for subject in self.subjects.all.values():
            require_tools(subject)
        for proxy in proxies.values():
            proxy.version()
        driver_path()
        for url in self.databases.values():
            with user_database(url):
                pass  # reached, logged in and allowed
        if self.options.resume is None:
            check_writable(self.options.out)

    def _deployments(self, possible: list[Combination]) -> list[Deployment]:
        """Return the order of the run; InputError for faults of a role that no process has."""
        experiment = self.experiment
        faults = points_with_faults(possible, self.options.faults, experiment.faults)
        if faults:
            check_roles(faults, possible, self.subjects, self.databases)
            return schedule_faults(possible, experiment.loads.levels[-1], faults)
        if experiment.loads.search is not None:
            return schedule_search(possible, experiment.repeats)
        return schedule(possible, experiment.loads.levels, experiment.repeats)


def _listeners(sessions: Mapping[str, Session], first: str, chosen: Mapping[str, str]) -> tuple[str, ...]:
    """Return the listeners that the session of these choices names; the `first` is that of all where none is chosen."""
    return sessions[chosen.get(SESSION, first)].target_names


def _with_counted_cpus(experiment: Experiment) -> Experiment:
    """Return the experiment with `all` CPUs as a number."""
    return experiment.model_copy(update={"cpus": counted(experiment.cpus, experiment.placement, usable_cpus())})


def _with_scale(written: Experiment, requested: Mapping[str, str]) -> Experiment:
    """Return the experiment as written, with the scale of the command line where it has none."""
    scale = requested.get("scale")
    return written.model_copy(update={"scale": (scale,)}) if scale and not written.scale else written
