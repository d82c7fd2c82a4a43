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
from middlemark.experiment.combinations import Subjects, combinations, with_control, without_features
from middlemark.experiment.definition import Experiment, find_experiment, read_experiment
from middlemark.experiment.experiment_check import check_experiment, check_faults, check_requested, session_file
from middlemark.experiment.fault_roles import check_roles
from middlemark.experiment.faults_definition import points_with_faults
from middlemark.experiment.groups import kept_together, needs_of, room_here
from middlemark.experiment.listeners import check_listeners
from middlemark.experiment.lists import check_lists
from middlemark.experiment.options import RunOptions, apply, with_profile
from middlemark.experiment.phases import begin_s, point_phases, point_s
from middlemark.experiment.placing import CpuAllocation, PlacementRequest, allocated, counted
from middlemark.experiment.published import published_counterparts
from middlemark.experiment.references import references
from middlemark.experiment.schedule import Group, StartPlan, schedule, schedule_faults
from middlemark.experiment.specification_record import specification_record
from middlemark.experiment.tier_subjects import with_subjects
from middlemark.judge.groups import different_choices
from middlemark.load.stores import parse_urls
from middlemark.processes.affinity import usable_cpus
from middlemark.records.choices import CPUS, NO_PROXY, REVERSE_PROXY, SESSION
from middlemark.records.folder import check_writable, read_run
from middlemark.records.run import Combination, LeftOut, Phases
from middlemark.records.run_parts import PlannedFault
from middlemark.records.side_files import Published
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
    plans: list[StartPlan]
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
        """How many points the run has at most: a search, a limit or a budget may need fewer."""
        searched = self._searched * len(self.combinations)
        return searched + sum(len(plan.faults) or plan.rounds * self._loads * len(plan.group) for plan in self.plans)

    @property
    def groups(self) -> list[Group]:
        """The combinations that are kept running together."""
        return list(dict.fromkeys(plan.group for plan in self.plans))

    @property
    def budget_s(self) -> float:
        """Expected length of the run in seconds, at most."""
        return self.search_s({}) + sum(map(self.start_s, self.plans))

    def search_s(self, searched: Mapping[str, int]) -> float:
        """Expected seconds of the searches, at most, without so many points of each combination, by its path."""
        points = {one: max(0, self._searched - searched.get(one.path, 0)) for one in self.combinations}
        return sum(count * self._point_s(one, searching=True) for one, count in points.items())

    def start_s(self, plan: StartPlan, warmed: Mapping[str, float] | None = None) -> float:
        """Expected seconds of a start without its searches.

        A warm-up takes as long as it has taken (`warmed`, seconds by a combination's path), else as long as it may.
        """
        points, known = len(plan.faults) or plan.rounds * self._loads, warmed or {}
        return sum(
            begin_s(known.get(one.path, self._warm_limit_s(one))) + points * self._point_s(one) for one in plan.group
        )

    @property
    def faults(self) -> dict[str, list[list[PlannedFault]]]:
        """Return the faults of each point of each combination (by its path); empty without faults."""
        found = {plan.group[0].path: plan.faults for plan in self.plans if plan.faults}
        return {path: [[fault.planned for fault in point] for point in points] for path, points in found.items()}

    def scale_of(self, combination: Combination) -> str:
        """Return the scale of a combination; empty for a specification without scales."""
        return self.experiment.scale_of(combination) or NO_SCALE

    def session_of(self, combination: Combination) -> Session:
        """Return the session of a combination."""
        return self.sessions[self.experiment.session_of(combination)]

    def _warm_limit_s(self, combination: Combination) -> float:
        subject = self.subjects.all[combination.subject]
        limit = self.experiment.phases.warm_limit(
            compiles=bool(subject.compiler_threads), compiled_before=subject.is_compiled_before
        )
        return limit.seconds

    def _point_s(self, combination: Combination, *, searching: bool = False) -> float:
        iteration_s = expected_iteration(self.session_of(combination), self.experiment.think)
        phases = point_phases(self.experiment.phases, iteration_s, searching=searching)
        return point_s(phases, databases=bool(self.specification.description.databases))

    @property
    def _searched(self) -> int:
        """How many points the search of a combination has at most."""
        return 0 if self.experiment.loads.search is None else self.experiment.loads.points

    @property
    def _loads(self) -> int:
        """How many loads a round has."""
        return 1 if self.experiment.loads.search is not None else len(self.experiment.loads.levels)


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
        if self.experiment.control and not (self.experiment.faults or self.options.faults):
            possible = with_control(possible)
        cpus = allocated(self._placement_request(), usable_cpus())
        plans = self._plans(possible)
        proxies = self._reverse_proxies(possible)
        self._try_what_is_needed(proxies)
        run = {one.path for plan in plans for one in plan.group}
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
            plans=plans,
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

    def _plans(self, possible: list[Combination]) -> list[StartPlan]:
        """The starts of the run; InputError for faults of a role that no process has."""
        experiment = self.experiment
        faults = points_with_faults(possible, self.options.faults, experiment.faults)
        if faults:
            check_roles(faults, possible, self.subjects, self.databases)
            return schedule_faults(possible, faults)
        return schedule(self._groups(possible), experiment.starts, experiment.rounds)

    def _groups(self, possible: list[Combination]) -> list[Group]:
        """The combinations that are kept together: those of a run that is resumed as before."""
        if self.options.resume is not None:
            before = read_run(self.options.resume).kept_together
            by_path = {one.path: one for one in possible}
            if sorted(path for paths in before for path in paths) == sorted(by_path):
                return [tuple(by_path[path] for path in paths) for paths in before]
            # Another run: what differs is named when it is compared with this one.
        record = specification_record(self.specification)
        references_of = references(possible, self.experiment.reference)

        def linked(one: Combination, other: Combination) -> bool:
            near = references_of.get(one.path) == other.path or references_of.get(other.path) == one.path
            return near or not any(different_choices(record, one, other))

        return kept_together(possible, needs_of(self.subjects, possible), room_here(), linked)


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
