"""`middlemark run`: run an experiment and write its report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from middlemark.cli.option_values import chosen_values, duration_of
from middlemark.cli.tables import Csv, JUnit, write_tables
from middlemark.errors import InputError
from middlemark.experiment.definition import RunOptions
from middlemark.experiment.faults_definition import parse_fault
from middlemark.experiment.journal import resume as resume_run
from middlemark.experiment.phases import Profile
from middlemark.experiment.plan_text import plan_lines
from middlemark.experiment.preparation import Preparation, prepare
from middlemark.experiment.progress import Progress
from middlemark.experiment.running import run_experiment
from middlemark.judge.result import read_findings
from middlemark.prices.price_sheet import read_price_sheet
from middlemark.records.choices import SCALE
from middlemark.records.folder import REPORT
from middlemark.show.terminal import answer_lines

FIRST_LOOK_ROUNDS = 3
Databases = Annotated[
    list[str] | None,
    typer.Option(metavar="[NAME=]URL", help="Your own PostgreSQL; of several databases one for each NAME."),
]
Resume = Annotated[
    Path | None, typer.Option(metavar="RESULT", help="Resume a run in its folder: what it lacks, else one more start.")
]
Prices = Annotated[Path | None, typer.Option(metavar="FILE", help="A price sheet, kept in the result for its report.")]


def run_command(  # noqa: PLR0913 (one parameter for each option of the command)
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="A name in experiments/, or a file.")],
    choice: Annotated[
        list[str] | None, typer.Option("--set", metavar="CHOICE=VALUE", help="Set a mode or any other choice.")
    ] = None,
    scale: Annotated[str | None, typer.Option(metavar="SCALE", help="Scale of the data, like --set scale.")] = None,
    profile: Annotated[Profile | None, typer.Option(metavar="P", help="quick, laptop or publishable.")] = None,
    users: Annotated[str | None, typer.Option(metavar="N,N…", help="Numbers of users instead of the file's.")] = None,
    duration: Annotated[str | None, typer.Option(metavar="D", help="Minimum length of the window.")] = None,
    starts: Annotated[int | None, typer.Option(min=1, help="How often every subject is started anew.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Windows of each combination in each start.")] = None,
    first_look: Annotated[bool, typer.Option("--first-look", help="One start of three rounds.")] = False,  # noqa: FBT002 (an option)
    fault: Annotated[
        list[str] | None, typer.Option(metavar="KIND@TIME", help="Inject a fault this long after the ramp began.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of every random choice.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Parent of the result folder.")] = Path("results"),
    database: Databases = None,
    resume: Resume = None,
    prices: Prices = None,
    csv: Csv = None,
    junit: JUnit = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything and print the plan.")] = False,  # noqa: FBT002 (an option)
) -> int:
    """Run an experiment; exit 1 when the result is not valid. The last line is the report."""
    if first_look and (starts or rounds):
        raise InputError("it has numbers of starts and rounds of its own", where="--first-look", todo="Give it alone")
    options = RunOptions(
        choices={**chosen_values(choice), **({SCALE: scale} if scale is not None else {})},
        users=_users(users),
        duration=duration_of("--duration", duration),
        starts=1 if first_look else starts,
        rounds=FIRST_LOOK_ROUNDS if first_look else rounds,
        faults=tuple(parse_fault(text) for text in fault or ()),
        seed=seed,
        profile=profile,
        out=out,
        databases=tuple(database or ()),
        resume=resume,
        prices=None if prices is None else read_price_sheet(prices),
    )
    preparation = prepare(experiment, options)
    if dry_run:
        print(*(_remaining(preparation, resume) if resume else plan_lines(preparation, {})), sep="\n")
        return 0
    with Progress() as progress:
        root = run_experiment(preparation, sys.argv[1:], progress)
    write_tables([findings := read_findings(root)], csv, junit)
    print(*answer_lines(findings, (root / REPORT).resolve()), sep="\n")
    return 0 if findings.run_is_valid else 1


def _remaining(preparation: Preparation, resume: Path) -> list[str]:
    """The plan of what a resumed run still measures, and what stays; nothing is changed."""
    record, found = resume_run(resume, preparation, sys.argv[1:])
    if not preparation.faults:
        preparation.plans = found.remaining(preparation.plans)
    stays = f"resuming {resume}: {record.resumed[-1].text}"
    return [*plan_lines(preparation, preparation.points_searched(record)), stays]


def _users(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"'{text}' is not a list of numbers", where="--users", todo="Write it like 10,30") from error
    if min(numbers) < 1:
        raise InputError("a load has at least one user", where="--users", todo="Write it like 10,30")
    return numbers
