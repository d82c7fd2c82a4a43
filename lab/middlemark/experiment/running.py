"""Runs an experiment: one serving after the other, and in each its loads."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from middlemark.conformance.proof import copy_proof
from middlemark.dataset.loading import load_dataset
from middlemark.experiment.bench import Bench, PointOrder
from middlemark.experiment.code_lines import code_of_run
from middlemark.experiment.journal import Journal, journal
from middlemark.experiment.laying_out import laid_out
from middlemark.experiment.point import measure_point, warm_up
from middlemark.experiment.preparation import Preparation
from middlemark.experiment.progress import Progress
from middlemark.experiment.schedule import Serving
from middlemark.load.expected import expected_iteration
from middlemark.results.folder import saving_under
from middlemark.target.affinity import on_cpus
from middlemark.target.build import build, build_step
from middlemark.target.database import PREFIX
from middlemark.target.guard import Guard, guard
from middlemark.target.guarded_database import guarded_database
from middlemark.target.runtime import other_runs, runtime_folder
from middlemark.target.topology import ServingOrder, serving


def run_experiment(preparation: Preparation, command: list[str], progress: Progress) -> Path:
    """Run the experiment and return its result folder, which says by itself when the run ended early.

    Raises the LabError or KeyboardInterrupt that ended it; what was measured is kept and has a report.
    """
    root = _new_folder(preparation)
    progress.started(preparation, root)
    places = preparation.places
    with on_cpus(places.lab), guard() as watch, journal(root, preparation, command) as entries:
        watch.result(root)
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
            for order in preparation.servings:
                _serve(bench, order, artifacts, entries, progress)
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


def _serve(bench: Bench, order: Serving, artifacts: Mapping[str, Path], entries: Journal, progress: Progress) -> None:
    """Start a subject, warm it up, measure its loads and stop it."""
    progress.step(f"starting {order.combination.label} (block {order.repeat + 1})")
    preparation = bench.preparation
    logs = bench.root / "logs" / order.combination.path / str(order.repeat)
    modes, layout = laid_out(preparation.home, order.combination.modes)
    asked = ServingOrder(
        subject=preparation.subjects[order.combination.subject],
        artifact=artifacts[order.combination.subject],
        modes=modes,
        database_url=bench.database.url(bench.name),
        logs=logs,
        web_servers=layout.web_servers,
        processors=layout.processors,
        front=layout.front,
        placement=preparation.places.of(order.combination),
    )
    bench.reset()
    with serving(asked, bench.guard) as target:
        entries.started(order, target.start_seconds)
        progress.step(f"warming up {order.combination.label}")
        response_s = warm_up(bench, target, order.loads[0], logs / "warm-up")
        for load, repeat, faults in order.points:
            iteration_s = expected_iteration(
                preparation.session, preparation.experiment.think, mean_response_s=response_s
            )
            point = PointOrder(entries.next_index, order.combination, load, repeat, iteration_s, faults)
            entries.begin_point(point)
            verdict = measure_point(bench, target, point, progress.point(point, preparation.points))
            entries.end_point()
            progress.measured(point, verdict)
            response_s = verdict.total.mean_ms / 1000 or response_s


def _new_folder(preparation: Preparation) -> Path:
    """Make the result folder: the time, the experiment and four random digits."""
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    out = preparation.options.out
    with saving_under(out):
        folder = out / f"{moment}-{preparation.name}-{secrets.token_hex(2)}"
        (folder / "logs").mkdir(parents=True)
    return folder
