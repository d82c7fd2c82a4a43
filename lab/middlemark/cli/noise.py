"""`middlemark noise`: measure how far apart two equal sides lie on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from middlemark.checkout import checkout
from middlemark.cli.option_values import chosen_values, duration_of
from middlemark.experiment.known_noise import floor_file, noise_folder
from middlemark.experiment.noise import measured_floor, prepare_noise
from middlemark.experiment.options import RunOptions
from middlemark.experiment.progress import Progress
from middlemark.experiment.running import run_experiment
from middlemark.records.folder import REPORT, read_result, write_json
from middlemark.subject.subject import specification_meant
from middlemark.verdict.judgement import MIN_BLOCKS, percent


def noise(  # noqa: PLR0913 (one parameter for each option of the command)
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="PLATFORM or PLATFORM@SERVER, for example go.")],
    spec: Annotated[
        str | None,
        typer.Option(help="Specification; its experiment is SPEC-noise. The subject's only one if left out."),
    ] = None,
    pairs: Annotated[int | None, typer.Option(min=MIN_BLOCKS, help="Pairs of points.", show_default="10")] = None,
    experiment: Annotated[
        str | None, typer.Option(metavar="EXPERIMENT", help="Measure under the load of this experiment.")
    ] = None,
    choice: Annotated[
        list[str] | None, typer.Option("--set", metavar="CHOICE=VALUE", help="Set a mode or any other choice.")
    ] = None,
    duration: Annotated[str | None, typer.Option(metavar="D", help="Minimum length of the window.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Parent of the result folder.")] = Path("results"),
    database: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]URL", help="Your own PostgreSQL; of several databases one for each NAME."),
    ] = None,
) -> int:
    """Measure this machine's noise floor: one subject against itself."""
    options = RunOptions(
        choices=chosen_values(choice),
        duration=duration_of("--duration", duration),
        repeats=pairs,
        out=out,
        databases=tuple(database or ()),
        subject=subject,
    )
    name = experiment or f"{spec or specification_meant(checkout(), subject)}-noise"
    preparation = prepare_noise(name, options)
    result = read_result(run_experiment(preparation, sys.argv[1:], Progress()))
    floor = measured_floor(result)
    file = floor_file(noise_folder(), floor)
    write_json(file, floor)
    for metric, ratio in floor.floors.items():
        print(f"{metric}: {percent(ratio)}")
    print(f"kept for the runs that follow: {file}")
    print((result.folder / REPORT).resolve())
    floors = ", ".join(f"{metric} {percent(ratio)}" for metric, ratio in floor.floors.items())
    print(f"Noise floor with {floor.subject} at {floor.load} users over {floor.pairs} pairs: {floors}")
    return 0
