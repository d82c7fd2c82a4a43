"""`middlemark run`: run an experiment and write its report."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from middlemark.cli.option_values import chosen_modes, duration_of
from middlemark.errors import InputError
from middlemark.experiment.faults_definition import parse_fault
from middlemark.experiment.finished import remaining
from middlemark.experiment.journal import going_on
from middlemark.experiment.options import RunOptions
from middlemark.experiment.phases import budget_s, time_said
from middlemark.experiment.preparation import Preparation, prepare
from middlemark.experiment.profiles import Profile
from middlemark.experiment.progress import Progress
from middlemark.experiment.running import run_experiment
from middlemark.experiment.schedule import Serving
from middlemark.records.folder import REPORT, read_result
from middlemark.verdict.faults import totals_lines
from middlemark.verdict.headline import counts, verdict_sentence


def run_command(  # noqa: PLR0913 (one parameter for each option of the command)
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="A name in experiments/, or a file.")],
    choice: Annotated[list[str] | None, typer.Option("--set", metavar="MODE=VALUE", help="Set a mode.")] = None,
    profile: Annotated[Profile | None, typer.Option(metavar="P", help="quick, laptop or publishable.")] = None,
    users: Annotated[str | None, typer.Option(metavar="N,N…", help="Numbers of users instead of the file's.")] = None,
    duration: Annotated[str | None, typer.Option(metavar="D", help="Least length of the window.")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Number of blocks.")] = None,
    fault: Annotated[
        list[str] | None, typer.Option(metavar="KIND@TIME", help="Strike this long after the ramp began.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of every random choice.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Parent of the result folder.")] = Path("results"),
    database: Annotated[str | None, typer.Option(metavar="URL", help="Your own PostgreSQL.")] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="RESULT", help="Go on with a run that ended early, in its folder.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, say how long it takes.")] = False,  # noqa: FBT002 (an option)
) -> int:
    """Run an experiment; exit 1 when a point is INVALID. The last line is the verdict, the one before it the result."""
    options = RunOptions(
        modes=chosen_modes(choice),
        users=_users(users),
        duration=duration_of("--duration", duration),
        repeats=repeats,
        faults=tuple(parse_fault(text) for text in fault or ()),
        seed=seed,
        profile=profile,
        out=out,
        database=database,
        resume=resume,
    )
    preparation = prepare(experiment, options)
    if dry_run:
        if resume is None:
            _print_plan(preparation)
        else:
            _print_what_is_left(preparation, resume)
        return 0
    root = run_experiment(preparation, sys.argv[1:], Progress())
    result = read_result(root)
    if result.run.faults:
        print(*totals_lines(result), sep="\n")
    report = (root / REPORT).resolve()
    print(f"open it in a browser: {report.as_uri()}")
    print(report)
    print(verdict_sentence(result))
    return 0 if counts(result) else 1


def _print_what_is_left(preparation: Preparation, resume: Path) -> None:
    """Print the plan of what a run that goes on still measures, and what stays; nothing is changed."""
    record, found = going_on(resume, preparation, sys.argv[1:])
    loads = preparation.experiment.loads
    servings = remaining(read_result(resume).folder, preparation.servings, loads, found)
    rest = replace(preparation, servings=servings)
    searching = [serving.combination.path for serving in servings if serving.searching]
    searched = sum(len(record.searched[path].points) for path in searching)
    budget = budget_s(preparation.phases, rest.points - searched, servings)
    _print_plan(replace(rest, budget_s=budget), searched)
    print(f"going on with {resume}: {record.resumed[-1].said}")


def _print_plan(preparation: Preparation, searched: int = 0) -> None:
    """Print the servings and how long they take; `searched` points of their searches are there already."""
    for serving in preparation.servings:
        loads = _loads(preparation, serving)
        points = serving.faults and ", ".join(" and ".join(map(str, point)) for point in serving.faults)
        what = "search" if serving.searching else f"faults: {points}" if points else f"block {serving.repeat + 1}"
        print(f"{what}: {serving.combination.label}: {loads}")
    print(preparation.phases_line)
    for line in preparation.placement_lines:
        print(line)
    for left in preparation.left_out:
        print(f"left out: {left.label}: {left.reason}")
    most = "at most " * (preparation.experiment.loads.open_end)
    number, time = preparation.points - searched, time_said(preparation.budget_s)
    print(f"{most}{number} points, about {time} after building and loading")


def _loads(preparation: Preparation, serving: Serving) -> str:
    loads = preparation.experiment.loads
    if loads.search is not None:
        reach = f"{loads.range.low:,g} … {loads.range.high:,g} {loads.unit}, at most {loads.points} points"
        return reach if serving.searching else "at the peak"
    until = f", until {loads.limits.said()}" if loads.until else ""
    return ", ".join(f"{load:,g}" for load in serving.loads) + f" {loads.unit}{until}"


def _users(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"'{text}' is no list of numbers", where="--users", todo="Write it like 10,30") from error
    if min(numbers) < 1:
        raise InputError("a load has at least one user", where="--users")
    return numbers
