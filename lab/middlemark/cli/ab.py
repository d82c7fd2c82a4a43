"""`middlemark ab`: compare two versions of an application."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from middlemark.ab.comparison import compare
from middlemark.ab.options import BUDGET, SLICE, USERS, AbOptions, sides_of
from middlemark.ab.progress import progress_line
from middlemark.ab.result import AbResult
from middlemark.cli.drive_options import numbers_of
from middlemark.cli.option_values import duration_of, share_of
from middlemark.cli.tables import Csv, JUnit
from middlemark.saving import write_whole
from middlemark.show.csv import csv_text

INTERRUPTED = 130
STDOUT = "-"
Json = Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON; - is stdout, without text.")]


def ab(  # noqa: PLR0913 (one parameter for each option of the command)
    url: Annotated[list[str] | None, typer.Argument(metavar="[URL URL]", help="Page of A and page of B.")] = None,
    start: Annotated[
        list[str] | None, typer.Option(metavar="COMMAND", help="Command that serves at {port}; twice, for A and B.")
    ] = None,
    path: Annotated[list[str] | None, typer.Option(metavar="PATH", help="Path to request; several in turn.")] = None,
    session: Annotated[Path | None, typer.Option(metavar="FILE", help="Session of both instead of paths.")] = None,
    number: Annotated[list[str] | None, typer.Option(metavar="NAME=N", help="A number of the session.")] = None,
    users: Annotated[int, typer.Option(min=1, help="Users of each side, without think time.")] = USERS,
    slice_: Annotated[
        str | None, typer.Option("--slice", metavar="D", help="Length of a slice.  [default: 250ms]")
    ] = None,
    budget: Annotated[str | None, typer.Option(metavar="D", help="Longest time of all of it.  [default: 2m]")] = None,
    warm_up: Annotated[
        str | None, typer.Option(metavar="D", help="Longest warm-up.  [default: a quarter of the budget]")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every random choice.")] = 1,
    equal_within: Annotated[str, typer.Option(metavar="P", help="Difference that does not matter.")] = "5%",
    fail_if_slower: Annotated[
        str | None, typer.Option(metavar="P", help="Exit 1 when B is slower by more for certain.")
    ] = None,
    json: Json = None,
    csv: Csv = None,
    junit: JUnit = None,
) -> int:
    """Compare two versions of an application, side by side. Exit 1 when --fail-if-slower is exceeded for certain."""
    options = AbOptions(
        sides=sides_of(url or (), start or (), path or (), has_session=session is not None),
        session=session,
        numbers=numbers_of(number),
        users=users,
        slice=duration_of("--slice", slice_) or SLICE,
        budget=duration_of("--budget", budget) or BUDGET,
        warm_up=duration_of("--warm-up", warm_up),
        seed=seed,
        equal_within=share_of("--equal-within", equal_within),
        fail_if_slower=None if fail_if_slower is None else share_of("--fail-if-slower", fail_if_slower),
    ).checked()
    with progress_line(Console(stderr=True)) as progress:
        result = compare(options, progress)
    _write(result, json)
    if csv is not None:
        write_whole(csv, csv_text(result.rows()))
    if junit is not None:
        write_whole(junit, result.junit())
    if result.interrupted:
        return INTERRUPTED
    return 1 if result.failed else 0


def _write(result: AbResult, json: str | None) -> None:
    text = result.model_dump_json(indent=1) + "\n"
    if json == STDOUT:
        sys.stdout.write(text)
        return
    print(*result.lines(), sep="\n")
    if json is not None:
        write_whole(Path(json), text)
