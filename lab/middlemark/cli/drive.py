"""`middlemark drive`: run a session against any http address."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from middlemark.cli.drive_options import interval_of, lists_of, load_of, numbers_of, sources_of, timeouts_of, tls_of
from middlemark.cli.option_values import chosen_values, duration_of
from middlemark.drive.drive import DriveOptions, PreparedDrive, drive, prepare
from middlemark.drive.errors import drawn_lines
from middlemark.drive.options import FurtherFigures, NamedValues
from middlemark.drive.table import live_line, print_result
from middlemark.drive.thresholds import Thresholds
from middlemark.errors import InputError
from middlemark.workload.plan import ConnectionPolicy, Spacing, Unit, WakeUps
from middlemark.workload.planning import Transport
from middlemark.workload.think import Think

INTERRUPTED = 130
Targets = Annotated[
    list[str], typer.Option(metavar="[NAME=]URL", help="http address to drive, of steps that name it or of others.")
]
Lists = Annotated[list[str] | None, typer.Option("--list", metavar="NAME=FILE", help="A list that a feed names.")]

Choices = Annotated[
    list[str] | None, typer.Option("--set", metavar="MODE=VALUE", help="Value of a mode that requests carry.")
]


def drive_command(  # noqa: PLR0913 (one parameter for each option of the command)
    session: Annotated[Path, typer.Argument(metavar="SESSION.yaml", help="What a virtual user does.")],
    target: Targets,
    users: Annotated[str | None, typer.Option(metavar="N[,N…]", help="Virtual users; several are levels.")] = None,
    rate: Annotated[str | None, typer.Option(metavar="R[,R…]", help="Open model: arrivals per second.")] = None,
    arrivals: Annotated[Spacing | None, typer.Option(help="How they arrive.  [default: constant]")] = None,
    unit: Annotated[Unit | None, typer.Option(help="What arrives.  [default: sessions]")] = None,
    duration: Annotated[str | None, typer.Option(metavar="D", help="Length of the measured window.")] = None,
    ramp: Annotated[str | None, typer.Option(metavar="D", help="Ramp-up: time in which the users start.")] = None,
    think: Annotated[str | None, typer.Option(metavar="D", help="Constant think time instead of all others.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every random choice.")] = 1,
    number: Annotated[list[str] | None, typer.Option(metavar="NAME=N", help="A number of the session.")] = None,
    lists: Lists = None,
    scale: Annotated[str | None, typer.Option(help="Scale of spec.toml, for a session in specs/.")] = None,
    choice: Choices = None,
    connection: Annotated[ConnectionPolicy | None, typer.Option(help="How long one is used.")] = None,
    http_1_0: Annotated[bool, typer.Option("--http1.0", help="HTTP/1.0 without keep-alive.")] = False,  # noqa: FBT002 (an option)
    gzip: Annotated[bool, typer.Option("--gzip", help="Accept compressed responses.")] = False,  # noqa: FBT002 (an option)
    tls: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="How https is encrypted.")] = None,
    source: Annotated[list[str] | None, typer.Option(metavar="IP", help="Local address; may be repeated.")] = None,
    timeout: Annotated[list[str] | None, typer.Option(metavar="KEY=T", help="connect, first-byte, response.")] = None,
    stamps: Annotated[bool, typer.Option("--receive-stamps", help="Measure the driver's own part of times.")] = False,  # noqa: FBT002 (an option)
    wake: Annotated[WakeUps | None, typer.Option(help="For each deadline, or for many at once.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Event loops of the driver.")] = 1,
    max_error_rate: Annotated[float, typer.Option(min=0, max=1, help="Failed of all transactions.")] = 0.0001,
    p99: Annotated[str | None, typer.Option(metavar="D", help="Longest p99 of any transaction.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,  # noqa: FBT002 (an option)
    per_client: Annotated[bool, typer.Option("--per-client", help="Show the figures of each virtual user.")] = False,  # noqa: FBT002 (an option)
    split_times: Annotated[bool, typer.Option("--split-times", help="Show times to the first byte.")] = False,  # noqa: FBT002 (an option)
    interval: Annotated[str | None, typer.Option(metavar="D", help="Length of an interval.  [default: 1s]")] = None,
    records: Annotated[bool, typer.Option("--records", help="Keep a record of each transaction.")] = False,  # noqa: FBT002 (an option)
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep everything in a new folder in it.")] = None,
) -> int:
    """Run a session with many virtual users against any http address. Exit 1 when a threshold is missed."""
    options = DriveOptions(
        session=session, targets=tuple(target),
        thresholds=Thresholds(max_error_rate, duration_of("--p99", p99)),
        load=load_of(users, rate, arrivals, unit), think=_think(think), seed=seed,
        duration=duration_of("--duration", duration), ramp=duration_of("--ramp", ramp),
        named=NamedValues(numbers_of(number), lists_of(lists), scale or "", chosen_values(choice)),
        transport=Transport(connection, http_1_0, gzip, sources_of(source), tls_of(tls), stamps),
        timeouts=timeouts_of(timeout), threads=threads, wake=wake,
        further=FurtherFigures(per_client, split_times, interval_of(interval), _kept(records, out)),
    )  # fmt: skip
    return _driven(prepare(options), out, as_json=as_json)


def _driven(prepared: PreparedDrive, out: Path | None, *, as_json: bool) -> int:
    with live_line(prepared) as on_line:
        result = drive(prepared, out, on_line)
    if as_json:
        print(result.model_dump_json(indent=1))
    else:
        print_result(result, Console(), drawn_lines(result.errors_by_transaction, prepared.session, prepared.numbers))
    if result.interrupted:
        return INTERRUPTED
    return 0 if result.passed else 1


def _think(text: str | None) -> Think | None:
    constant = duration_of("--think", text)
    return Think.of(constant) if constant else None


def _kept(records: bool, out: Path | None) -> bool:  # noqa: FBT001 (an option)
    if records and out is None:
        raise InputError("records need a folder", where="--records", todo="Add --out DIR")
    return records
