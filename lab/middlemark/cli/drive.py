"""`middlemark drive`: play a session against any http address."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from middlemark.cli.option_values import duration_of
from middlemark.errors import InputError
from middlemark.load.drive import DriveOrder, drive, prepare
from middlemark.load.drive_errors import drawn_lines
from middlemark.load.drive_table import live_line, print_result
from middlemark.load.think import Think
from middlemark.load.thresholds import Thresholds

INTERRUPTED = 130


def drive_command(  # noqa: PLR0913 (one parameter for each option of the command)
    session: Annotated[Path, typer.Argument(metavar="SESSION.yaml", help="What a simulated user does.")],
    target: Annotated[list[str], typer.Option(metavar="URL", help="http address to drive; may be repeated.")],
    users: Annotated[int, typer.Option(min=1, help="Simulated users.")] = 10,
    duration: Annotated[str | None, typer.Option(metavar="D", help="Length of the measured window.")] = None,
    ramp: Annotated[str | None, typer.Option(metavar="D", help="Time in which the users start.")] = None,
    think: Annotated[str | None, typer.Option(metavar="D", help="Constant think time instead of all others.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every random choice.")] = 1,
    number: Annotated[list[str] | None, typer.Option(metavar="NAME=N", help="A number the session names.")] = None,
    scale: Annotated[str, typer.Option(help="Scale of dataset.toml, for a session in specs/.")] = "demo",
    max_error_rate: Annotated[float, typer.Option(min=0, max=1, help="Failed of all transactions.")] = 0.0001,
    p99: Annotated[str | None, typer.Option(metavar="D", help="Longest p99 of any transaction.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,  # noqa: FBT002 (an option)
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep everything in a new folder here.")] = None,
) -> int:
    """Play a session with many users against any http address. Exit 1 when a threshold is missed."""
    constant = duration_of("--think", think)
    prepared = prepare(
        DriveOrder(
            session=session,
            targets=tuple(target),
            thresholds=Thresholds(max_error_rate, duration_of("--p99", p99)),
            users=users,
            duration=duration_of("--duration", duration),
            ramp=duration_of("--ramp", ramp),
            think=Think.of(constant) if constant else None,
            seed=seed,
            numbers=dict(_number(text) for text in number or []),
            scale=scale,
        )
    )
    with live_line(prepared) as tell:
        result = drive(prepared, out, tell)
    if as_json:
        print(result.model_dump_json(indent=1))
    else:
        print_result(result, Console(), drawn_lines(result.errors_by_transaction, prepared.session, prepared.numbers))
    if result.interrupted:
        return INTERRUPTED
    return 0 if result.passed else 1


def _number(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if not name or not value.isdecimal():
        raise InputError(f"'{text}' is not NAME=N", where="--number", todo="Write it like --number accounts=5000")
    return name, int(value)
