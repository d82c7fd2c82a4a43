"""Runs an experiment: one serving after the other, and in each its loads."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from middlemark.conformance.reporting.proof import copy_proof
from middlemark.databases.database import PREFIX
from middlemark.databases.guarded_database import guarded_database
from middlemark.experiment.bench import Bench
from middlemark.experiment.choosing import Choosing
from middlemark.experiment.journal import journal
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.progress import Progress
from middlemark.experiment.serving import Work, serve
from middlemark.lines.code_lines import code_of_run
from middlemark.load.loading import load_dataset
from middlemark.processes.affinity import on_cpus
from middlemark.processes.guard import Guard, guard
from middlemark.processes.runtime import other_runs, runtime_folder
from middlemark.records.folder import read_result, saving_under
from middlemark.subject.build import build, build_step


def run_experiment(preparation: Preparation, command: list[str], progress: Progress) -> Path:
    """Run the experiment and return its result folder, which says by itself when the run ended early.

    Raises the LabError or KeyboardInterrupt that ended it; what was measured is kept and has a report.
    """
    resume = preparation.options.resume
    root = _new_folder(preparation) if resume is None else read_result(resume).folder
    progress.started(preparation, root)
    places = preparation.places
    with on_cpus(places.lab), guard() as watch, journal(root, preparation, command) as entries:
        watch.result(root)
        if entries.run.resumed:
            progress.step(entries.run.resumed[-1].said)
        progress.others(other_runs(runtime_folder()))
        entries.count_code(code_of_run(preparation.subjects, preparation.combinations))
        with on_cpus(places.usable):
            artifacts = _built(preparation, watch, progress)
        _copy_proofs(preparation, artifacts, root, progress)
        log = root / "logs" / "database.log"
        with guarded_database(preparation.options.database, watch, log, places.database) as database:
            names = (f"{PREFIX}template_{watch.name_part}", f"{PREFIX}run_{watch.name_part}")
            bench = Bench(preparation, watch, database, *names, root)
            with progress.loading() as tell:
                rows = load_dataset(database, preparation.dataset, bench.template, tell)
            progress.step(f"loaded {rows:,} rows")
            entries.begin(bench)
            work = Work(bench, artifacts, entries, progress, Choosing(preparation.experiment.loads))
            for order in preparation.servings:
                serve(work, order)
            entries.measured_all(bench)
    return root


def _built(preparation: Preparation, watch: Guard, progress: Progress) -> dict[str, Path]:
    """Return the artifact of every subject."""
    artifacts: dict[str, Path] = {}
    for name, subject in preparation.subjects.items():
        progress.step(build_step(subject))
        artifacts[name] = build(subject, preparation.home, watch)
    return artifacts


def _copy_proofs(preparation: Preparation, artifacts: Mapping[str, Path], root: Path, progress: Progress) -> None:
    """Put what was verified of every subject into the result folder, and say of which nothing was."""
    with saving_under(root):
        for name, subject in preparation.subjects.items():
            if not copy_proof(subject, artifacts[name], root):
                progress.step(f"{name} as it is now was not verified: `middlemark verify {name}` does it")


def _new_folder(preparation: Preparation) -> Path:
    """Make the result folder: the time, the experiment and four random digits."""
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    out = preparation.options.out
    with saving_under(out):
        folder = out / f"{moment}-{preparation.name}-{secrets.token_hex(2)}"
        (folder / "logs").mkdir(parents=True)
    return folder
