"""Measures how far apart two equal sides lie on this machine: an experiment with one subject on both sides."""

from __future__ import annotations

from dataclasses import replace

from middlemark.errors import InputError, TargetError
from middlemark.experiment.loads import Loads
from middlemark.experiment.options import RunOptions
from middlemark.experiment.preparation import Preparation, prepare
from middlemark.experiment.schedule import schedule
from middlemark.records.folder import Result
from middlemark.records.noise import NoiseFloor
from middlemark.verdict.judgement import MIN_BLOCKS
from middlemark.verdict.metrics import CPU_TIME, METRICS
from middlemark.verdict.noise import noise_floor
from middlemark.verdict.pairwise import common_blocks


def prepare_noise(name: str, options: RunOptions) -> Preparation:
    """Return the run of the experiment's highest load in which its one combination stands against itself.

    `options.repeats` are the pairs. Raises what `prepare` raises, and InputError for an experiment of several
    combinations or with faults.
    """
    preparation = prepare(name, options)
    if len(preparation.combinations) != 1:
        names = ", ".join(one.label for one in preparation.combinations)
        raise InputError(
            f"these are {len(preparation.combinations)} combinations ({names}), and one is to stand against itself",
            where=str(preparation.file),
            todo="Narrow them with --set CHOICE=VALUE",
        )
    if preparation.faults:
        raise InputError(
            "noise does not support faults", where=str(preparation.file), todo="Choose an experiment without them"
        )
    (one,) = preparation.combinations
    again = one.model_copy(update={"label": f"{one.label} again", "path": f"{one.path},again"})
    written = preparation.experiment.loads
    if not (written.whole and written.levels):
        raise InputError(
            "the noise is measured at a number of users",
            where=str(preparation.file),
            todo="Choose an experiment with users",
        )
    loads = tuple(int(load) for load in written.levels[-1:])
    deployments = schedule([one, again], loads, preparation.experiment.repeats)
    return replace(
        preparation,
        name=f"noise-{one.subject}",
        experiment=preparation.experiment.model_copy(update={"loads": Loads(users=loads)}),
        combinations=[one, again],
        published=None,
        references={},
        deployments=deployments,
    )


def measured_floor(result: Result) -> NoiseFloor:
    """Return the noise floor of a run that `prepare_noise` prepared; TargetError when too few of its pairs count."""
    one, again = result.run.combinations
    load = int(max(result.run.loads))
    pairs = {metric: common_blocks(result, (one, again), metric.of) for metric in METRICS}
    floors = {metric.name: noise_floor(found) for metric, found in pairs.items() if len(found) >= MIN_BLOCKS}
    counted = len(pairs[CPU_TIME])
    if CPU_TIME.name not in floors:
        raise TargetError(
            f"only {counted} of {result.run.repeats} pairs count, and a noise floor needs {MIN_BLOCKS}",
            where=str(result.folder),
            todo="Its report has the reasons; stop what else is running here, or measure more --pairs",
        )
    return NoiseFloor(
        measured=result.run.started,
        host=result.run.host,
        spec=result.run.spec,
        scale=result.run.scale,
        session=result.run.session,
        subject=one.label,
        load=load,
        think=result.run.think,
        window_s=result.run.phases.measure,
        pairs=counted,
        floors=floors,
        result=result.folder.name,
        cpus=result.run.placement[one.path].cpus,
    )
