"""What `middlemark drive` prints: one live line while it runs, tables at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Column, Table
from rich.text import Text, TextType

from middlemark.drive.drive import DriveResult, PreparedDrive
from middlemark.drive.errors import error_lines
from middlemark.drive.result import LevelResult
from middlemark.duration import Duration
from middlemark.records.driver_lines import Client, Interval, Line
from middlemark.records.point import Outcome
from middlemark.records.window import Check, Fairness, TransactionFigures
from middlemark.wording import counted, folded, rounded
from middlemark.workload.latencies import Latencies

# Characters that hold any table of figures.
_ENOUGH = 1_000
_MARKS = {Outcome.PASSED: "ok", Outcome.FAILED: "!!", Outcome.NOT_CHECKED: "--"}
_LEGEND = "ok: the limit is kept; !!: it is not; --: shown, but not judged"
# Without a valid transaction there is no time to show.
_NO_TIME = "–"  # noqa: RUF001 (a dash of the width of a figure)


@contextmanager
def live_line(prepared: PreparedDrive) -> Iterator[Callable[[Line], None]]:
    """Show one line on stderr that follows the driver's lines; without a terminal only how long it takes."""
    console = Console(stderr=True)
    if not console.is_terminal:
        _print_lines([_announcement(prepared)], console)
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
        _print_lines((*_explanations(level), *error_lines(level.errors_by_transaction, result.failed_checks)), console)
    _print_lines(about_errors, console)
    if result.clients:
        _print_table(_clients(result.clients), console)
    if result.fairness:
        _print_lines([_fairness(result.fairness)], console)
    checks = (_sentence(check) for check in (*result.thresholds, *result.checks))
    _print_lines((_LEGEND, *checks, *([] if result.out is None else [result.out]), result.verdict), console)


def _print_lines(lines: Iterable[str], console: Console) -> None:
    for line in lines:
        text = folded(line, console.width) if console.is_terminal else line
        console.print(text, highlight=False, markup=False, soft_wrap=True)


def _print_table(table: Table, console: Console) -> None:
    """Print a table. A terminal that is too narrow gets the columns in several tables; no figure is cut."""
    width = console.width
    for part in _parts(table, console) if console.is_terminal else [table]:
        console.width = max(width, _width(part, console))
        console.print(part)
    console.width = width


def _parts(table: Table, console: Console) -> Iterator[Table]:
    """Yield tables of as many columns as fit, each with the first."""
    first, *left = table.columns
    while left:
        several = (_with_columns(table, [first, *left[:number]]) for number in range(len(left), 0, -1))
        part = next((part for part in several if _width(part, console) <= console.width), None)
        part = part or _with_columns(table, [first, left[0]])
        yield part
        del left[: len(part.columns) - 1]
        table.title = None


def _with_columns(table: Table, columns: Sequence[Column]) -> Table:
    part = _table(table.title, "")
    # The library takes a column's padding from its number.
    part.columns = [replace(column, _index=number) for number, column in enumerate(columns)]
    part.rows = table.rows
    return part


def _width(table: Table, console: Console) -> int:
    return console.measure(table, options=console.options.update(width=_ENOUGH)).maximum


def _table(title: TextType | None, first: str) -> Table:
    # Without vertical lines the table of a small session fits into 80 columns.
    table = Table(title=title, title_justify="left", box=box.SIMPLE, pad_edge=False, collapse_padding=True)
    table.add_column(first, no_wrap=True)
    return table


def _announcement(prepared: PreparedDrive) -> str:
    phases = prepared.plan.phases
    begin, end = prepared.plan.windows[0]
    ramp, window = f"{begin:,.0f} s", f"{end - begin:,.0f} s"
    return (
        f"{prepared.session.name}, {', then '.join(prepared.options.loads)}: takes about {prepared.seconds:,.0f} s "
        f"(ramp-up {ramp}, measured window {window}), and at most {phases.drain_ms / 1000:,.0f} s of ramp-down."
    )


def _progress(line: Interval, errors: int, whole_s: float) -> str:
    times = Latencies.merged(Latencies.decode(counts.histogram) for counts in line.transactions.values())
    tps = times.count / line.seconds if line.seconds else 0.0
    at = Duration.of_seconds(round(line.end_ns / 1e9))
    whole = Duration.of_seconds(round(whole_s))
    return (
        f"{line.phase} {at} of {whole} · {counted(line.users, 'user')} · {tps:,.1f} transactions/s · "
        f"p99 {times.percentile_us(99) / 1000:,.1f} ms · {counted(errors, 'error')}"
    )


def _transactions(level: LevelResult, think: str) -> Table:
    """Return the response times; in the open model also the service times, with stamps the driver's own part."""
    table = _table(f"{level.window_s:.1f} s, {level.load}, think time {think}; times in ms", "transaction")
    for column in ("count", "errors", "per s", "mean", "p50", "p90", "p95", "p99", "max"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, figures in level.transactions.items():
        table.add_row(name, *_figures(figures))
    table.add_section()
    table.add_row("all", *_figures(level.total))
    for name, figures in _further(level):
        table.add_row(name, *_figures(figures))
    lag = level.receive_lag
    if lag is not None:
        times = (rounded(lag.mean_ms), rounded(lag.p50_ms), "", "", rounded(lag.p99_ms), rounded(lag.max_ms))
        table.add_row("receive lag", f"{lag.responses:,}", "", "", *times)
    return table


def _further(level: LevelResult) -> Iterator[tuple[str, TransactionFigures]]:
    """Yield the times beside the response times that the driver reports."""
    further = {"service time": level.service, "first byte": level.first_byte, "page alone": level.page}
    yield from ((name, figures) for name, figures in further.items() if figures is not None)


def _explanations(level: LevelResult) -> Iterator[str]:
    """Yield what the driver used, which connections were made anew, and what the rows below those of all mean."""
    if level.driver_cpu_us_per_request is not None:
        each = f"{rounded(level.driver_cpu_us_per_request)} µs for each request"
        yield f"the driver used {rounded(level.driver_cpu_s)} s of CPU time in the window, {each}"
    if level.odd_responses:
        yield f"{level.odd_responses:,} responses were not quite HTTP, and read as browsers do"
    if level.reconnected:
        yield f"{level.reconnected:,} connections that the server had closed were made anew"
    for suite in level.tls:
        made = f"{suite.full:,} full handshakes and {suite.resumed:,} resumed in the window"
        yield f"TLS {suite.version}, {suite.cipher}: {made}, {suite.handshakes:,} since the ramp-up began"
    if level.service is not None and level.service.count:
        yield "response times count from the intended start of a transaction, service times from the actual one"
    lag = level.receive_lag
    if lag is None:
        return
    yield "receive lag: the driver's own part of the times"
    if lag.server_mean_ms is None:
        yield "   with failed transactions, sub-resources or many responses without a stamp the mean is not split"
    else:
        mean_ms = (level.service or level.total).mean_ms
        yield f"   network and server took {rounded(lag.server_mean_ms)} ms of the mean of {rounded(mean_ms)} ms"


def _clients(clients: Sequence[Client]) -> Table:
    table = _table("each virtual user; times in ms, of two digits", "user")
    for column in ("count", "errors", "mean", "p50", "p99", "max"):
        table.add_column(column, justify="right", no_wrap=True)
    for client in clients:
        times = client.response_ms
        shown = (
            rounded(time) if client.transactions else _NO_TIME for time in (times.mean, times.p50, times.p99, times.max)
        )
        table.add_row(f"{client.user}", f"{client.transactions:,}", f"{client.errors:,}", *shown)
    return table


def _fairness(fairness: Fairness) -> str:
    """Return how equally users were served: the spread of their transactions and mean response times."""
    low, high = f"{fairness.transactions_min:,}", f"{fairness.transactions_max:,}"
    spread = f"transactions {low} to {high} (coefficient of variation {100 * fairness.transactions_cv:.1f} %)"
    low_ms, high_ms = fairness.response_min_ms, fairness.response_max_ms
    if fairness.response_cv is not None and low_ms is not None and high_ms is not None:
        times = f"{rounded(low_ms)} to {rounded(high_ms)} ms"
        spread += f", mean response {times} ({100 * fairness.response_cv:.1f} %)"
    return f"{fairness.message}: {spread}"


def _figures(figures: TransactionFigures) -> list[str]:
    times = (figures.mean_ms, figures.p50_ms, figures.p90_ms, figures.p95_ms, figures.p99_ms, figures.max_ms)
    shown = (rounded(time) if figures.count else _NO_TIME for time in times)
    return [f"{figures.count:,}", f"{figures.errors:,}", rounded(figures.tps), *shown]


def _sentence(check: Check) -> str:
    # Where a rule does not apply, its message is the reason, and there is no limit to show.
    limit = "" if check.reason and check.limit is None else f" (limit: {check.requirement})"
    return f"{_MARKS[check.outcome]} {check.name}: {check.message}{limit}"
