"""What `middlemark drive` shows: one live line while it runs, tables at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from middlemark.drive.drive import DriveResult, PreparedDrive
from middlemark.drive.errors import error_lines
from middlemark.drive.result import LevelResult
from middlemark.duration import Duration
from middlemark.records.driver_lines import Client, Interval, Line
from middlemark.records.point import Check, Outcome, TransactionFigures
from middlemark.workload.latencies import Latencies

# Characters that hold any table of figures.
_ENOUGH = 1_000
_MARKS = {Outcome.PASSED: "ok", Outcome.FAILED: "!!", Outcome.NOT_CHECKED: "--"}
_LEGEND = "ok: the limit is kept; !!: it is not; --: said, but not judged"
# Where nothing was answered validly there is no time to show.
_NO_TIME = "–"  # noqa: RUF001 (a dash of the width of a figure)


@contextmanager
def live_line(prepared: PreparedDrive) -> Iterator[Callable[[Line], None]]:
    """Show one line on stderr that follows the driver's lines; without a terminal only say how long it takes."""
    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(_announcement(prepared), highlight=False, markup=False, soft_wrap=True)
        yield lambda _: None
        return
    with Live(Text("starting"), console=console, auto_refresh=False, transient=True) as live:
        errors = 0

        def show(line: Line) -> None:
            nonlocal errors
            if isinstance(line, Interval):
                errors += line.errors
                live.update(Text(_progress(line, errors, prepared.seconds)), refresh=True)

        yield show


def print_result(result: DriveResult, console: Console, about_errors: Iterable[str] = ()) -> None:
    """Print the table of transactions, the errors by kind and the checks; the path and the verdict come last."""
    for level in result.levels or [result]:
        if level.total.count or level.total.errors:
            _print_table(_transactions(level, result.think), console)
        for line in (*_service(level), *_receive_lag(level), *error_lines(level.errors_by_transaction)):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    for line in about_errors:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    if result.clients:
        _print_table(_clients(result.clients), console)
    console.print(_LEGEND, highlight=False, markup=False, soft_wrap=True)
    for check in (*result.thresholds, *result.checks):
        console.print(_sentence(check), highlight=False, markup=False, soft_wrap=True)
    if result.out is not None:
        console.print(result.out, highlight=False, markup=False, soft_wrap=True)
    console.print(result.verdict, highlight=False, markup=False, soft_wrap=True)


def _print_table(table: Table, console: Console) -> None:
    # A narrow place wraps lines; it must not cut figures.
    console.width = max(console.width, console.measure(table, options=console.options.update(width=_ENOUGH)).minimum)
    console.print(table)


def _announcement(prepared: PreparedDrive) -> str:
    phases = prepared.plan.phases
    begin, end = prepared.plan.windows[0]
    ramp, window = f"{begin:,.0f} s", f"{end - begin:,.0f} s"
    return (
        f"{prepared.session.name}, {', then '.join(prepared.order.loads)}: takes about {prepared.seconds:,.0f} s "
        f"(ramp {ramp}, measured window {window}), and up to {phases.drain_ms / 1000:,.0f} s until the last answer."
    )


def _progress(line: Interval, errors: int, whole_s: float) -> str:
    times = Latencies.merged(Latencies.decode(counts.histogram) for counts in line.transactions.values())
    tps = times.count / line.seconds if line.seconds else 0.0
    at = Duration.of_seconds(round(line.end_ns / 1e9))
    whole = Duration.of_seconds(round(whole_s))
    return (
        f"{line.phase} {at} of {whole} · {line.users:,} users · {tps:,.1f} transactions/s · "
        f"p99 {times.percentile_us(99) / 1000:,.1f} ms · {errors:,} errors"
    )


def _transactions(level: LevelResult, think: str) -> Table:
    table = Table(title=f"{level.window_s:.1f} s, {level.load}, think time {think}; times in ms")
    table.add_column("transaction")
    for column in ("count", "errors", "per s", "mean", "p50", "p90", "p99", "max"):
        table.add_column(column, justify="right")
    for name, figures in level.transactions.items():
        table.add_row(name, *_cells(figures))
    table.add_section()
    table.add_row("all", *_cells(level.total))
    return table


def _service(level: LevelResult) -> Iterator[str]:
    """Say the open model's service times; those of the table count from when a transaction was meant to begin."""
    if level.service is not None and level.service.count:
        own = level.service
        yield (
            f"from the true begin, not the intended one: mean {own.mean_ms:,.2f} ms, p50 {own.p50_ms:,.2f} ms, "
            f"p99 {own.p99_ms:,.2f} ms, max {own.max_ms:,.2f} ms"
        )


def _receive_lag(level: LevelResult) -> Iterator[str]:
    """Say what of the times was the driver's own."""
    lag = level.receive_lag
    if lag is None:
        return
    yield (
        f"of these times the driver's receive lag: mean {lag.mean_ms:,.2f} ms, p50 {lag.p50_ms:,.2f} ms, "
        f"p99 {lag.p99_ms:,.2f} ms, max {lag.max_ms:,.2f} ms"
    )
    if lag.server_mean_ms is None:
        yield "   with failed transactions, objects of pages or many answers without a stamp the mean is not split"
    else:
        mean_ms = (level.service or level.total).mean_ms
        yield f"   network and server took {lag.server_mean_ms:,.2f} ms of the mean of {mean_ms:,.2f} ms"


def _clients(clients: Sequence[Client]) -> Table:
    table = Table(title="what each user saw; times in ms, of two digits")
    for column in ("user", "count", "errors", "mean", "p50", "p99", "max"):
        table.add_column(column, justify="right")
    for client in clients:
        times = client.response_ms
        shown = (
            f"{time:,.2f}" if client.transactions else _NO_TIME
            for time in (times.mean, times.p50, times.p99, times.max)
        )
        table.add_row(f"{client.user}", f"{client.transactions:,}", f"{client.errors:,}", *shown)
    return table


def _cells(figures: TransactionFigures) -> list[str]:
    times = (figures.mean_ms, figures.p50_ms, figures.p90_ms, figures.p99_ms, figures.max_ms)
    shown = (f"{time:,.2f}" if figures.count else _NO_TIME for time in times)
    return [f"{figures.count:,}", f"{figures.errors:,}", f"{figures.tps:,.2f}", *shown]


def _sentence(check: Check) -> str:
    return f"{_MARKS[check.outcome]} {check.name}: {check.value} (limit: {check.limit})"
