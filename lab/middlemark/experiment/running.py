"""Runs an experiment: one start after the other, and in each its rounds."""

from __future__ import annotations

import dataclasses
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from middlemark.databases.checkpoints import space_checkpoints
from middlemark.experiment.journal import journal
from middlemark.experiment.phases import time_text
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.profiles import Profile
from middlemark.experiment.progress import Progress
from middlemark.experiment.proofs import copy_proofs
from middlemark.experiment.run_context import RunContext
from middlemark.experiment.schedule import StartPlan
from middlemark.experiment.start_run import StartRun
from middlemark.lines.code_lines import code_of_run
from middlemark.load.stores import Stores, load_all, servers_of, stores
from middlemark.processes.affinity import on_cpus
from middlemark.processes.runtime import other_runs, runtime_folder
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.records.folder import result_folder, saving_under
from middlemark.subject.build import build, build_step
from middlemark.topology.request import Program
from middlemark.wording import counted


def run_experiment(preparation: Preparation, command: list[str], progress: Progress) -> Path:
    """Run the experiment and return its result folder, which holds by itself whether the run ended early.

    Raises the LabError or KeyboardInterrupt that ended it; what was measured is kept and has a report.
    """
    resume = preparation.options.resume
    root = _new_folder(preparation) if resume is None else result_folder(resume)
    with on_cpus(preparation.cpus.lab), watchdog() as watch, journal(root, preparation, command) as kept:
        watch.result(root)
        # Its log is in the folder, of which a run that is resumed must be as it was left.
        progress.started(preparation, root)
        if kept.run.resumed:
            progress.step(kept.run.resumed[-1].text)
        progress.others(other_runs(runtime_folder()))
        kept.count_code(code_of_run(preparation.subjects.all, preparation.combinations))
        with on_cpus(preparation.cpus.usable):
            programs = _built(preparation, watch, progress)
        copy_proofs(preparation, programs, root, progress.advise)
        with _loaded(preparation, watch, root / "logs", progress) as loaded:
            kept.begin(loaded)
            context = RunContext(preparation, watch, root, programs, loaded, kept, progress, kept.earlier)
            _run_starts(context)
            kept.measured_all(context.servers)
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
    for place, plan in enumerate(plans):
        context.progress.expect(_rest_s(context, plans[place:], time.monotonic() - began))
        StartRun(context, plan).run()
        following = [one for one in plans[place + 1 :] if one.number != plan.number]
        if len(following) < len(plans) - place - 1:
            continue  # another group of this start
        journal.expect_start(_start_s(context, [one for one in plans if one.number == plan.number]))
        if following and _is_enough(context, following, time.monotonic() - began):
            journal.enough(plan)
            return


def _is_enough(context: RunContext, following: Sequence[StartPlan], spent_s: float) -> bool:
    """Whether everything is decided or the next start would go beyond the budget; says which.

    A run that is resumed adds the starts it was asked for.
    """
    preparation, number = context.preparation, following[0].number
    to_publish = preparation.options.profile is Profile.PUBLISHABLE
    if preparation.options.resume is None and context.journal.is_decided(to_publish=to_publish):
        context.progress.step(f"no further start: everything is decided after {counted(number, 'start')}")
        return True
    needed_s = _start_s(context, [plan for plan in following if plan.number == number])
    budget = preparation.experiment.budget
    if budget is not None and spent_s + needed_s > budget.seconds:
        context.progress.step(
            f"no further start: it would take {time_text(needed_s)}, and {time_text(spent_s)} of {budget} are used"
        )
        return True
    return False


def _rest_s(context: RunContext, plans: Sequence[StartPlan], spent_s: float) -> float:
    """Expected seconds of what is left at most: no start begins that would end beyond the budget."""
    preparation, most = context.preparation, context.preparation.experiment.loads.points
    seen = {path: most if one.ended else len(one.points) for path, one in context.journal.run.searched.items()}
    budget, whole_s = preparation.experiment.budget, preparation.search_s(seen) + _start_s(context, plans)
    return whole_s if budget is None else max(_start_s(context, plans[:1]), min(whole_s, budget.seconds - spent_s))


def _start_s(context: RunContext, plans: Sequence[StartPlan]) -> float:
    """Expected seconds of the groups of a start, with warm-ups as long as they have been."""
    warmed: dict[str, float] = {}
    for one in context.journal.run.warm_ups:
        warmed[one.combination] = max(one.seconds, warmed.get(one.combination, 0.0))
    return sum(context.preparation.start_s(plan, warmed) for plan in plans)


def _built(preparation: Preparation, watch: Watchdog, progress: Progress) -> dict[str, Program]:
    """Return what was built of every subject."""
    programs: dict[str, Program] = {}
    for name, subject in preparation.subjects.all.items():
        progress.step(build_step(subject))
        programs[name] = Program(subject, build(subject, preparation.home, watch))
    return programs


@contextmanager
def _loaded(preparation: Preparation, watch: Watchdog, logs: Path, progress: Progress) -> Iterator[dict[str, Stores]]:
    """Hold the databases with the data set of every scale in templates of their own, by scale."""
    with stores(preparation.specification, preparation.databases, watch, logs, preparation.cpus.database) as these:
        for server in servers_of(these).values():
            space_checkpoints(server, preparation.phases.measure)
        by_scale = {scale: _of_scale(these, number) for number, scale in enumerate(preparation.datasets)}
        for scale, own in by_scale.items():
            if own:
                with progress.loading() as show:
                    rows = load_all(own, preparation.datasets[scale], show)
                progress.step(f"loaded {rows:,} rows" + (f" at scale {scale}" if len(by_scale) > 1 else ""))
        yield by_scale


def _of_scale(these: Stores, number: int) -> Stores:
    """Return the databases with templates for one of several scales; the first has them as they are."""
    if number == 0:
        return these
    return {name: dataclasses.replace(one, template=f"{one.template}_{number}") for name, one in these.items()}


def _new_folder(preparation: Preparation) -> Path:
    """Make the result folder: the time, the experiment and four random digits."""
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    out = preparation.options.out
    with saving_under(out):
        folder = out / f"{moment}-{preparation.name}-{secrets.token_hex(2)}"
        (folder / "logs").mkdir(parents=True)
    return folder
