"""Checks everything a run needs before anything is started, and computes what it will do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from middlemark.audit.auditing import check_audit
from middlemark.checkout import checkout
from middlemark.databases.users_own import user_database
from middlemark.documents import place_in
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.experiment.combinations import (
    Sent,
    Subjects,
    combinations,
    references,
    with_control,
    with_shared_processes,
    without_features,
)
from middlemark.experiment.definition import (
    Experiment,
    RunOptions,
    apply,
    find_experiment,
    read_experiment,
    with_profile,
)
from middlemark.experiment.experiment_check import (
    check_counts,
    check_experiment,
    check_faults,
    check_requested,
    check_session,
    session_file,
    with_subjects,
)
from middlemark.experiment.faults_definition import check_roles, points_with_faults
from middlemark.experiment.open_files import reach_of_searches
from middlemark.experiment.phases import MIN_LOOK_S, START_S, UntilFlat, point_phases, point_s
from middlemark.experiment.placing import PlacementRequest, allocated, counted
from middlemark.experiment.published import published_counterparts
from middlemark.experiment.schedule import (
    Group,
    StartPlan,
    kept_together,
    need_of,
    room_here,
    schedule,
    schedule_faults,
    specification_record,
)
from middlemark.judge.groups import different_choices
from middlemark.load.stores import parse_urls
from middlemark.processes.affinity import usable_cpus
from middlemark.records.choices import CPUS, NO_PROXY, REVERSE_PROXY, SCALE, SESSION
from middlemark.records.folder import read_run
from middlemark.records.placement import SUT, Placement
from middlemark.records.run import Combination, LeftOut, Load, Run
from middlemark.records.run_parts import PlannedFault
from middlemark.saving import check_writable
from middlemark.specification.specification import NO_SCALE, find_specification
from middlemark.subject.build import require_tools
from middlemark.subject.server import load_reverse_proxy
from middlemark.subject.subject import find_subject
from middlemark.topology.request import require_takes
from middlemark.workload.driver import driver_path
from middlemark.workload.expected import expected_cycle
from middlemark.workload.session import Session, read_session
from middlemark.workload.think import Think

# Many users on the only CPU starve the compiler: Spring Boot with 200 had a share of 10 % after 227 s, with 3 of 1.3 %.
# With a CPU beside them, as many as are measured make more of what runs later: Open Liberty's compiler took 14 % in
# the first window at 200 users who think, and 34 % after 3 users.
FEW_USERS, MANY_USERS = 3, 200


class Preparation:
    """A run that can start: the experiment with its options applied, its files read, its order computed.

    `databases` are URLs of the user's own servers, by database. `datasets` are by scale and database, `sessions` by
    name. `reach` has the last load of each search that the limit on open files ends below its range, by path.
    `references` has the path of each combination's reference by its own. `phases` are those of the first point, for the
    longest session and the expected response; later points follow the responses they see.
    """

    def __init__(self, file: Path, options: RunOptions) -> None:
        """Read and check everything, and try the tools and servers it needs."""
        self.name, self.file, self.home = file.stem, file, checkout()
        written = _with_counted_cpus(read_experiment(file))
        self.options = with_profile(options, written)
        self.specification = find_specification(written.spec, self.home)
        check_requested(self.options.choices, self.specification, self.home)
        scale = self.options.choices.get(SCALE)
        whole = written.model_copy(update={"scale": (scale,)}) if scale and not written.scale else written
        check_experiment(file, whole, self.specification, self.home)
        check_faults(options.faults, self.specification)
        self.experiment = with_subjects(file, _with_counted_cpus(apply(self.options, written)), self.specification)
        self.databases = parse_urls(self.specification, options.databases)
        self.sessions = self._sessions()
        self.datasets = {scale: self.specification.datasets(scale) for scale in self._scales}
        compared, of_tiers = (
            {name: find_subject(self.home, name, self.experiment.spec) for name in names}
            for names in (self.experiment.subjects, self.experiment.all_subjects)
        )
        self.subjects = Subjects(self.home, compared, of_tiers)
        possible, self.left_out = self._possible()
        self.cpus = allocated(self._placement_request(written), usable_cpus())
        self.plans = self._plans(possible)
        proxies = dict.fromkeys(one.modes.get(REVERSE_PROXY, NO_PROXY) for one in possible)
        self.reverse_proxies = {name: one for name in proxies if (one := load_reverse_proxy(self.home, name))}
        self._try_what_is_needed()
        run = {one.path for plan in self.plans for one in plan.group}
        self.combinations = [one for one in possible if one.path in run]
        sessions = ((one, self.session_of(one)) for one in self.combinations)
        self.reach = dict(reach_of_searches(self.experiment.loads, sessions))
        self.references = references(self.combinations, self.experiment.reference)
        self.published = published_counterparts(self.home, self.experiment.spec, possible)
        iteration_s = max(expected_cycle(one, self.experiment.think) for one in self.sessions.values())
        self.phases = point_phases(self.experiment.phases, iteration_s)

    @property
    def starts(self) -> int:
        """How many starts are planned."""
        return max(plan.number for plan in self.plans) + 1

    @property
    def placements(self) -> dict[str, Placement]:
        """The CPUs of the roles of each combination, by its path."""
        return {one.path: self.cpus.of(one) for one in self.combinations}

    @property
    def points(self) -> int:
        """How many points the run has at most: a search, a limit or a budget may need fewer."""
        searched = self._searched * len(self.combinations)
        return searched + sum(map(self.windows_of, self.plans))

    def windows_of(self, plan: StartPlan) -> int:
        """How many windows a start has at most, without searches."""
        return len(plan.faults) or plan.rounds * self._loads * len(plan.group)

    @property
    def groups(self) -> list[Group]:
        """The combinations that are kept running together."""
        return list(dict.fromkeys(plan.group for plan in self.plans))

    def most_s(
        self, plans: Sequence[StartPlan], searched: Mapping[str, int], warmed: Mapping[str, float], spent_s: float = 0
    ) -> float:
        """Seconds of some starts at most, none beyond what is left of the budget; see `search_s` and `start_s`."""
        search_s, budget = self.search_s(searched), self.experiment.budget
        whole_s = search_s + sum(self.start_s(plan, warmed) for plan in plans)
        first_s = search_s + sum(self.start_s(plan, warmed) for plan in plans if plan.number == plans[0].number)
        return whole_s if budget is None else max(first_s, min(whole_s, budget.seconds - spent_s))

    @property
    def budget_s(self) -> float:
        """Expected length of the run in seconds, at most."""
        return self.search_s({}) + sum(map(self.start_s, self.plans))

    def search_s(self, searched: Mapping[str, int]) -> float:
        """Expected seconds of the searches, at most, without so many points of each combination, by its path."""
        points = {one: max(0, self._searched - searched.get(one.path, 0)) for one in self.combinations}
        return sum(count * self._point_s(one, searching=True) for one, count in points.items())

    def points_searched(self, run: Run) -> dict[str, int]:
        """How many points of the search of each combination, by its path, need not be measured any more."""
        most = self.experiment.loads.points
        return {path: most if one.ended else len(one.points) for path, one in run.searched.items()}

    def start_s(self, plan: StartPlan, warmed: Mapping[str, float] | None = None) -> float:
        """Seconds of a start without searches; warm-ups as long as they took (`warmed`, by path), else as they may."""
        points, known = len(plan.faults) or plan.rounds * self._loads, warmed or {}
        spent_s = START_S * len({one.deployment for one in plan.group})
        for one in plan.group:
            subject = self.subjects.all[one.subject]
            compiles = any(program.compiler_threads for program in subject.programs)
            limit = self.experiment.phases.warm_limit(
                compiles=compiles, compiled_before=all(program.is_compiled_before for program in subject.programs)
            )
            looked_at = isinstance(self.experiment.phases.warm, UntilFlat) and self.warm_users(
                one, self.experiment.loads.warm, compiles=compiles
            )
            spent_s += known.get(one.path, limit.seconds) + MIN_LOOK_S * bool(looked_at) + points * self._point_s(one)
        return spent_s

    def warm_users(self, combination: Combination, load: Load, *, compiles: bool) -> int | None:
        """Users of a warm-up, who do not think; None where the load itself warms up, also as it would be the same."""
        experiment, session = self.experiment, self.session_of(combination)
        users = experiment.warm_users
        if isinstance(experiment.phases.warm, UntilFlat) and compiles:
            alone = len(self.cpus.usable) <= len(self.cpus.of(combination).cpus.get(SUT, ()))
            users = users or (FEW_USERS if alone else min(experiment.loads.users_at(load), MANY_USERS))
        thinks = expected_cycle(session, experiment.think) != expected_cycle(session, Think.of(Duration(0)))
        differs = thinks or session.pacing is not None or not experiment.loads.whole
        return users if differs or users != experiment.loads.users_at(load) else None

    @property
    def faults(self) -> dict[str, list[list[PlannedFault]]]:
        """The faults of each point of each combination (by its path); empty without faults."""
        found = {plan.group[0].path: plan.faults for plan in self.plans if plan.faults}
        return {path: [[fault.planned for fault in point] for point in points] for path, points in found.items()}

    def scale_of(self, combination: Combination) -> str:
        """The scale of a combination; empty for a specification without scales."""
        return combination.modes.get(SCALE) or self._scales[0]

    def session_of(self, combination: Combination) -> Session:
        """The session of a combination, with the values of modes that its requests carry."""
        session = self.sessions[combination.modes.get(SESSION, self.experiment.sessions[0])]
        carried = self.specification.description.carried_modes
        if not carried:
            return session
        modes = self.subjects.all[combination.subject].chosen(combination.own_modes)
        return session.carrying({mode: modes[mode] for mode in carried if mode in modes})

    def _point_s(self, combination: Combination, *, searching: bool = False) -> float:
        iteration_s = expected_cycle(self.session_of(combination), self.experiment.think)
        phases = point_phases(self.experiment.phases, iteration_s, searching=searching)
        return point_s(phases, databases=bool(self.specification.description.databases))

    @property
    def _searched(self) -> int:
        """How many points the search of a combination has at most."""
        return 0 if self.experiment.loads.search is None else self.experiment.loads.points

    @property
    def _loads(self) -> int:
        return self.experiment.loads.loads_of_rounds

    def _possible(self) -> tuple[list[Combination], list[LeftOut]]:
        """The combinations, and what is left out: what a subject does not offer, or a session needs in vain."""
        experiment, sessions = self.experiment, self.sessions

        def sent_of(chosen: Mapping[str, str]) -> Sent:
            session = sessions[chosen.get(SESSION, experiment.sessions[0])]
            return Sent(session.target_names, session.names)

        offered, left_out = combinations(self.subjects, experiment.choices, sent_of)
        possible, without = without_features(self.subjects, offered, lambda one: self.session_of(one).needs)
        left_out += without
        if not possible:
            raise InputError(f"nothing can be run: {left_out[0].reason}", where=str(self.file))
        # A fault or a soak changes the processes that it meets: nothing else is measured on them.
        if experiment.faults or self.options.faults or experiment.soak is not None:
            return possible, left_out
        shared = with_shared_processes(self.subjects, possible)
        return with_control(shared) if experiment.control else shared, left_out

    @property
    def _scales(self) -> tuple[str, ...]:
        return self.experiment.scale or (NO_SCALE,)

    def _sessions(self) -> dict[str, Session]:
        """The sessions, which fit the numbers of every scale; InputError for one that is wrong, or an audit that is."""
        check_audit(self.specification)
        found: dict[str, Session] = {}
        for scale in self._scales:
            for name in self.experiment.sessions:
                file, numbers = session_file(self.specification, name), self.specification.numbers(scale)
                found[name] = read_session(file, numbers, self.specification.description.carried_modes)
                check_session(found[name], self.specification)
        check_counts(found, self.specification)
        return found

    def _placement_request(self, written: Experiment) -> PlacementRequest:
        known = self.specification.description.databases
        return PlacementRequest(
            self.experiment.placement,
            self.experiment.cpu_counts,
            partial(place_in, self.file),
            embedded=any(name not in self.databases for name in known),
            foreign=bool(self.databases),
            written=written.cpu_counts if CPUS in self.options.choices else None,
        )

    def _try_what_is_needed(self) -> None:
        """Raise MissingToolError or HostError for what is not there, before anything is built or written."""
        for subject in self.subjects.all.values():
            require_tools(subject)
        for proxy in self.reverse_proxies.values():
            proxy.version()
        driver_path()
        for name, url in self.databases.items():
            with user_database(url) as server:  # reached, logged in and allowed
                for subject in self.subjects.all.values():
                    require_takes(subject, {name: server.url(server.maintenance)})
        if self.options.resume is None:
            check_writable(self.options.out)

    def _plans(self, possible: list[Combination]) -> list[StartPlan]:
        """The starts of the run; InputError for faults of a role that no process has."""
        experiment = self.experiment
        if faults := points_with_faults(possible, self.options.faults, experiment.faults):
            check_roles(faults, possible, self.subjects, self.databases)
            return schedule_faults(possible, faults)
        return schedule(self._groups(possible), experiment.starts, experiment.rounds)

    def _groups(self, possible: list[Combination]) -> list[Group]:
        """The combinations that are kept together: each alone for a soak, those of a run that is resumed as before."""
        if self.options.resume is not None:
            before = read_run(self.options.resume).kept_together
            by_path = {one.path: one for one in possible}
            # In another run what differs is named when it is compared with this one.
            if sorted(path for paths in before for path in paths) == sorted(by_path):
                return [tuple(by_path[path] for path in paths) for paths in before]
        if self.experiment.soak is not None:
            return [(one,) for one in possible]
        record = specification_record(self.specification)
        references_of = references(possible, self.experiment.reference)

        def linked(one: Combination, other: Combination) -> bool:
            near = references_of.get(one.path) == other.path or references_of.get(other.path) == one.path
            return near or not any(different_choices(record, one, other))

        needs = {one.path: need_of(self.subjects.planned(one)) for one in possible if not one.runs_on}
        return kept_together(possible, needs, room_here(), linked)


def prepare(name: str, options: RunOptions) -> Preparation:
    """Read and check the experiment and all it names; InputError, MissingToolError or HostError when it cannot run."""
    return Preparation(find_experiment(name), options)


def _with_counted_cpus(experiment: Experiment) -> Experiment:
    return experiment.model_copy(update={"cpus": counted(experiment.cpus, experiment.placement, usable_cpus())})
