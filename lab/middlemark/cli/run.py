"""`middlemark run`: run an experiment and write its report."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from middlemark.cli.option_values import chosen_values, duration_of
from middlemark.errors import InputError
from middlemark.experiment.faults_definition import parse_fault
from middlemark.experiment.finished import remaining
from middlemark.experiment.journal import resume as resume_run
from middlemark.experiment.options import RunOptions
from middlemark.experiment.phases import time_text
from middlemark.experiment.plan_text import deployment_line, phases_line, placement_lines, reference_lines
from middlemark.experiment.preparation import Preparation, prepare
from middlemark.experiment.profiles import Profile
from middlemark.experiment.progress import Progress
from middlemark.experiment.running import run_experiment
from middlemark.prices.price_sheet import read_price_sheet
from middlemark.records.choices import SCALE
from middlemark.records.folder import REPORT, read_result
from middlemark.verdict.faults import totals_lines
from middlemark.verdict.headline import counts, verdict_sentence
from middlemark.verdict.work import work_lines


def run_command(  # noqa: PLR0913 (one parameter for each option of the command)
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="A name in experiments/, or a file.")],
    choice: Annotated[
        list[str] | None, typer.Option("--set", metavar="CHOICE=VALUE", help="Set a mode or any other choice.")
    ] = None,
    scale: Annotated[str | None, typer.Option(metavar="SCALE", help="Scale of the data, like --set scale.")] = None,
    profile: Annotated[Profile | None, typer.Option(metavar="P", help="quick, laptop or publishable.")] = None,
    users: Annotated[str | None, typer.Option(metavar="N,N…", help="Numbers of users instead of the file's.")] = None,
    duration: Annotated[str | None, typer.Option(metavar="D", help="Minimum length of the window.")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Number of blocks.")] = None,
    fault: Annotated[
        list[str] | None, typer.Option(metavar="KIND@TIME", help="Inject a fault this long after the ramp began.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of every random choice.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Parent of the result folder.")] = Path("results"),
    database: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]URL", help="Your own PostgreSQL; of several databases one for each NAME."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="RESULT", help="Resume a run that ended early, in its folder.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A price sheet, kept in the result for its report.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything and print the plan.")] = False,  # noqa: FBT002 (an option)
) -> int:
    """Run an experiment; exit 1 when a point is INVALID. The last line is the verdict, the one before it the result."""
    options = RunOptions(
        choices={**chosen_values(choice), **({SCALE: scale} if scale is not None else {})},
        users=_users(users),
        duration=duration_of("--duration", duration),
        repeats=repeats,
        faults=tuple(parse_fault(text) for text in fault or ()),
        seed=seed,
        profile=profile,
        out=out,
        databases=tuple(database or ()),
        resume=resume,
        prices=None if prices is None else read_price_sheet(prices),
    )
    preparation = prepare(experiment, options)
    if not dry_run:
        return _print_result(run_experiment(preparation, sys.argv[1:], Progress()))
    if resume is None:
        _print_plan(preparation, {})
    else:
        _print_remaining(preparation, resume)
    return 0


def _print_result(root: Path) -> int:
    """Print where the report is and the verdict; return the exit status."""
    result = read_result(root)
    if result.run.faults:
        print(*totals_lines(result), sep="\n")
    print(*work_lines(result), sep="\n")
    report = (root / REPORT).resolve()
    print(f"open it in a browser: {report.as_uri()}")
    print(report)
    print(verdict_sentence(result))
    return 0 if counts(result) else 1


def _print_remaining(preparation: Preparation, resume: Path) -> None:
    """Print the plan of what a resumed run still measures, and what stays; nothing is changed."""
    record, found = resume_run(resume, preparation, sys.argv[1:])
    loads = preparation.experiment.loads
    deployments = remaining(read_result(resume).folder, preparation.deployments, loads, found)
    searching = [one.combination.path for one in deployments if one.searching]
    searched = {path: len(record.searched[path].points) for path in searching}
    _print_plan(replace(preparation, deployments=deployments), searched)
    print(f"resuming {resume}: {record.resumed[-1].text}")


def _print_plan(preparation: Preparation, searched: Mapping[str, int]) -> None:
    """Print the deployments and how long they take; so many points of their searches exist already, by path."""
    loads = preparation.experiment.loads
    for deployment in preparation.deployments:
        print(deployment_line(deployment, loads))
    print(phases_line(preparation))
    for line in placement_lines(preparation):
        print(line)
    for left in preparation.left_out:
        print(f"left out: {left.label}: {left.reason}")
    for line in reference_lines(preparation):
        print(line)
    most = "at most " * loads.open_end
    number = preparation.points - sum(searched.values())
    time = time_text(preparation.budget_without(searched))
    print(f"{most}{number} points, about {time} after building and loading")


def _users(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"'{text}' is not a list of numbers", where="--users", todo="Write it like 10,30") from error
    if min(numbers) < 1:
        raise InputError("a load has at least one user", where="--users")
    return numbers
