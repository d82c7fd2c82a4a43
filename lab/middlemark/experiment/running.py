"""Runs an experiment: one start after the other, and in each its rounds."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from middlemark.databases.checkpoints import space_checkpoints
from middlemark.experiment.journal import journal
from middlemark.experiment.kept_deployment import KeptDeployment
from middlemark.experiment.kept_subject import KeptSubject
from middlemark.experiment.ledger import ledger_file, note_spreads
from middlemark.experiment.phases import Profile, time_text
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.progress import Progress
from middlemark.experiment.proofs import copy_proofs
from middlemark.experiment.run_context import RunContext
from middlemark.experiment.schedule import StartPlan, round_sequence
from middlemark.experiment.time_left import StartTime
from middlemark.lines.code_lines import code_of_run
from middlemark.load.stores import Stores, load_all, servers_of, stores
from middlemark.processes.affinity import on_cpus
from middlemark.processes.runtime import other_runs, runtime_folder
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.records.folder import result_folder
from middlemark.records.run import Combination, Load
from middlemark.saving import saving_under
from middlemark.search.seen import Seen
from middlemark.subject.build import build
from middlemark.topology.request import Program
from middlemark.wording import counted


def run_experiment(preparation: Preparation, command: list[str], progress: Progress) -> Path:
    """Run the experiment; its result folder, which has a report also when this raises what ended the run."""
    resume = preparation.options.resume
    root = _new_folder(preparation) if resume is None else result_folder(resume)
    with on_cpus(preparation.cpus.lab), watchdog() as watch, journal(root, preparation, command) as kept:
        watch.result(root)
        # Its log is in the folder, of which a run that is resumed must be as it was left.
        progress.started(preparation, root)
        if kept.run.resumed:
            progress.step(kept.run.resumed[-1].text)
        for pid in other_runs(runtime_folder()):
            judged = "points of both will be INVALID, except those with faults; Ctrl-C ends this one"
            progress.advise(f"another run (pid {pid}) is measuring on this machine: {judged}")
        kept.count_code(code_of_run(preparation.subjects.all, preparation.combinations))
        with on_cpus(preparation.cpus.usable):
            programs: dict[str, Program] = {}
            for name, subject in preparation.subjects.all.items():
                programs[name] = Program(subject, build(subject, preparation.home, watch, progress.step))
        copy_proofs(preparation, programs, root, progress.advise)
        with _loaded(preparation, watch, root / "logs", progress) as loaded:
            kept.begin(loaded)
            context = RunContext(preparation, watch, root, programs, loaded, kept, progress)
            _run_starts(context)
            kept.measured_all(context.servers)
            if not_noted := note_spreads(kept.judge(), ledger_file()):
                progress.advise(not_noted)
    return root


def _run_starts(context: RunContext) -> None:
    """Run what is to be run, up to the first start after which the answer is known or the next would take too long."""
    preparation, journal, began = context.preparation, context.journal, time.monotonic()
    plans = preparation.plans
    if preparation.faults:
        for plan in plans:
            StartRun(context, plan).run_faults()
        return
    if preparation.options.resume is not None:
        plans = journal.earlier.remaining(plans)
        journal.planned(plans)
    starts = [list(group) for _, group in groupby(plans, key=attrgetter("number"))]
    for place, start in enumerate(starts):
        rest = [plan for each in starts[place:] for plan in each]
        seen, warmed = preparation.points_searched(journal.run), _warmed(context)
        whole_s = preparation.most_s(rest, seen, warmed, time.monotonic() - began)
        following_s = whole_s - preparation.most_s(start, seen, warmed)
        windows = sum(map(preparation.windows_of, start))
        context.progress.expect(StartTime(time.monotonic() + whole_s, windows, following_s))
        for plan in start:
            StartRun(context, plan).run()
        journal.expect_start(_start_s(context, start))
        if starts[place + 1 :] and _is_enough(context, starts[place + 1], time.monotonic() - began):
            journal.enough(start[0])
            return


def _is_enough(context: RunContext, following: Sequence[StartPlan], spent_s: float) -> bool:
    """Whether no start follows, and why; a run that is resumed adds the starts it was asked for, decided or not."""
    preparation, why = context.preparation, ""
    to_publish = preparation.options.profile is Profile.PUBLISHABLE
    needed_s, budget = _start_s(context, following), preparation.experiment.budget
    if preparation.options.resume is None and context.journal.is_decided(to_publish=to_publish):
        why = f"everything is decided after {counted(following[0].number, 'start')}"
    elif budget is not None and spent_s + needed_s > budget.seconds:
        why = f"it would take {time_text(needed_s)}, and {time_text(spent_s)} of {budget} are used"
    if why:
        context.progress.advise(f"no further start: {why}")
    return bool(why)


def _warmed(context: RunContext) -> dict[str, float]:
    """How long the warm-ups of each combination have been at most, in seconds by its path."""
    warmed: dict[str, float] = {}
    for one in context.journal.run.warm_ups:
        warmed[one.combination] = max(one.seconds, warmed.get(one.combination, 0.0))
    return warmed


def _start_s(context: RunContext, plans: Sequence[StartPlan]) -> float:
    """Expected seconds of the groups of a start, with warm-ups as long as they have been."""
    return sum(context.preparation.start_s(plan, _warmed(context)) for plan in plans)


@contextmanager
def _loaded(preparation: Preparation, watch: Watchdog, logs: Path, progress: Progress) -> Iterator[dict[str, Stores]]:
    """Hold the databases with the data set of every scale in templates of their own, by scale."""
    with stores(preparation.specification, preparation.databases, watch, logs, preparation.cpus.databases) as these:
        for server in servers_of(these).values():
            space_checkpoints(server, preparation.phases.measure)
        by_scale: dict[str, Stores] = {
            # The templates of the first scale are those that there are.
            scale: {
                name: replace(one, template=one.template + (f"_{number}" if number else ""))
                for name, one in these.items()
            }
            for number, scale in enumerate(preparation.datasets)
        }
        for scale, own in by_scale.items():
            if own:
                rows = load_all(own, preparation.datasets[scale], progress.loading)
                progress.step(f"loaded {counted(rows, 'row')}" + (f" at scale {scale}" if len(by_scale) > 1 else ""))
        yield by_scale


def _new_folder(preparation: Preparation) -> Path:
    """Make the result folder: the time, the experiment and four random digits."""
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    out = preparation.options.out
    with saving_under(out):
        folder = out / f"{moment}-{preparation.name}-{secrets.token_hex(2)}"
        (folder / "logs").mkdir(parents=True)
    return folder


class StartRun:
    """A start of a run that is under way."""

    def __init__(self, context: RunContext, plan: StartPlan) -> None:
        self._context = context
        self._plan = plan
        self._experiment = context.preparation.experiment
        self._deployments: dict[str, KeptDeployment] = {}
        self._kept: dict[str, KeptSubject] = {}

    def run(self) -> None:
        """Run the start to its last round. Every subject has stopped when this returns or raises."""
        with ExitStack() as stack:
            for combination in self._plan.sequence:
                self._keep(combination, stack)
                if self._context.chooser.is_searching(combination):
                    self._search(combination)
            for number in range(self._plan.rounds):
                self._round(self._plan.repeat(number))
                self._context.progress.judged(self._context.journal.judge())

    def run_faults(self) -> None:
        """Measure the points of a combination with faults, each once; those finished before stay."""
        (combination,) = self._plan.group
        load = self._experiment.loads.levels[-1]
        with ExitStack() as stack:
            for number, faults in enumerate(self._plan.faults):
                if self._context.journal.earlier.has(combination, load, number):
                    continue
                if not self._kept:
                    self._keep(combination, stack)
                self._kept[combination.path].measure((load, number), faults=faults)

    def _keep(self, combination: Combination, stack: ExitStack) -> None:
        context, number, path = self._context, self._plan.number, combination.deployment
        if path not in self._deployments:
            self._deployments[path] = stack.enter_context(KeptDeployment(context, combination, number))
        self._kept[combination.path] = KeptSubject(context, combination, number, self._deployments)
        self._kept[combination.path].warm()

    def _search(self, combination: Combination) -> None:
        """Search the load of a combination in the process that is measured in the rounds."""
        chooser, journal = self._context.chooser, self._context.journal
        seen = list(journal.earlier.seen.get(combination.path, ()))
        while (place := chooser.next_searched(combination, seen)) is not None:
            seen.append(self._measured(combination, place, searching=True))
            chooser.learn_search(combination, seen, ended=False)
            journal.choose(chooser)
        chooser.learn_search(combination, seen, ended=True)
        journal.choose(chooser)

    def _round(self, repeat: int) -> None:
        chooser = self._context.chooser
        if climbing := tuple(one for one in self._plan.group if chooser.is_climbing(one)):
            self._climb(climbing, repeat)
        rest = tuple(one for one in self._plan.group if one not in climbing)
        loads = {one.path: chooser.loads_of(one) for one in rest}
        sequence = list(round_sequence(rest, loads, self._experiment.seed, repeat))
        for place, (combination, load) in enumerate(sequence, 1):
            self._context.progress.following([one for one, _ in sequence[place:]])
            self._measured(combination, (load, repeat))

    def _climb(self, climbing: tuple[Combination, ...], repeat: int) -> None:
        """Go up through the loads; a combination is out of it after its first load outside the limits."""
        chooser = self._context.chooser
        seen: dict[str, list[Seen]] = {one.path: [] for one in climbing}
        levels: Mapping[str, tuple[Load, ...]] = dict.fromkeys(seen, self._experiment.loads.levels)
        for combination, load in round_sequence(climbing, levels, self._experiment.seed, 2 * repeat):
            if chooser.next_climbed(seen[combination.path]) is not None:
                seen[combination.path].append(self._measured(combination, (load, repeat)))
        for combination in climbing:
            chooser.learn_climb(combination, seen[combination.path])
        self._context.journal.choose(chooser)

    def _measured(self, combination: Combination, place: tuple[Load, int], *, searching: bool = False) -> Seen:
        window = self._kept[combination.path].measure(place, searching=searching)
        return self._experiment.loads.limits.seen(window)
