"""Figures of a point from the driver's lines: the measured window, and the course over all phases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from middlemark.records.driver_lines import Client, Clients, FailedCheck, Interval, Line, SelfAudit, Window
from middlemark.records.window import ReceiveLag, TlsSuite, TransactionFigures
from middlemark.workload.course import Course
from middlemark.workload.driver_sums import DriverSums
from middlemark.workload.latencies import Latencies
from middlemark.workload.receive_lag import receive_lag
from middlemark.workload.window_sums import CountSums, WindowSums, per


@dataclass(frozen=True)
class DriverWindow:
    """The driver's report on itself over the window.

    `cpu_s` is its CPU time, `cpu_share` of one CPU; `busiest_thread_share`: CPU time ÷ wall time of its busiest thread.
    Lateness: how late think times and starts fired.
    """

    cpu_s: float
    cpu_share: float
    busiest_thread_share: float
    lateness_p50_ms: float
    lateness_p99_ms: float
    mean_rss_mib: float
    max_rss_mib: float


@dataclass(frozen=True)
class WindowFigures:
    """Figures of the measured window. `start_s` counts from the driver's hello; `window_s` is the sum of the intervals.

    All figures are 0 when the run ended before the window began. An iteration is failed when one of its steps is, and
    abandoned when the user gives up, as the session wants it. Open model: response times count from the intended start,
    service times (`service`, of all transactions) from the actual one; `waited` arrivals found no free user, `missed`
    ones never began. `receive_lag`: when stamps of the kernel were requested. `reconnected`: kept connections that the
    server had closed, made anew. `requests` were sent: those of redirects, sub-resources and repetitions too;
    complete `responses`, `sub_resources` of pages among them.
    `first_byte` and `page`, where the plan asks for them: times of all transactions to the first byte of the last
    response, and to its last byte without sub-resources. `tls`: what connections over it agreed on. `mean_body_bytes`:
    of a complete response, as it came over the wire; None without any, or where the driver did not count them.
    """

    start_s: float
    window_s: float
    transactions: dict[str, TransactionFigures]
    total: TransactionFigures
    errors_by_kind: dict[str, int]
    bytes_received_per_s: float
    bytes_sent_per_s: float
    iterations: int
    failed_iterations: int
    connections: int
    driver: DriverWindow
    course: Iterable[Course]
    abandoned_iterations: int = 0
    service: TransactionFigures | None = None
    waited: int = 0
    missed: int = 0
    receive_lag: ReceiveLag | None = None
    reconnected: int = 0
    odd_responses: int = 0
    requests: int = 0
    responses: int = 0
    sub_resources: int = 0
    first_byte: TransactionFigures | None = None
    page: TransactionFigures | None = None
    tls: tuple[TlsSuite, ...] = ()
    errors_by_transaction: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    mean_body_bytes: float | None = None
    response_times: Latencies = field(default_factory=Latencies)

    def counted(self, names: Collection[str]) -> int:
        """Return how many transactions count: those called so, all where no name is given."""
        return sum(one.count for name, one in self.transactions.items() if name in names or not names)

    @property
    def error_rate(self) -> float:
        """Failed ÷ all transactions, 0 … 1."""
        tried = self.total.count + self.total.errors
        return self.total.errors / tried if tried else 0.0


@dataclass(frozen=True)
class Driven:
    """What one reading of a driver's lines shows: figures of the `whole` run and, with several, of each of its levels.

    `self_audit`: how the driver judges itself; None when it ended before. `clients`: the figures of each virtual user,
    None where they were not asked for. `failed_checks` are the first of each kind, of all phases.
    """

    whole: WindowFigures
    levels: Sequence[WindowFigures]
    self_audit: SelfAudit | None
    clients: Sequence[Client] | None
    failed_checks: Sequence[FailedCheck]


def driven(
    lines: Iterable[Line],
    levels: int = 1,
    *,
    counted: Collection[str] = (),
    hear: Callable[[Line], None] = lambda _: None,
) -> Driven:
    """Read the lines once; none is kept, and `hear` gets each. Histograms of the phase `measure` are merged.

    The course is that of the `counted` transactions, of all where none are named.

    Raises InputError when a line `window` contradicts the intervals.
    """
    whole = WindowSums(counted)
    of_levels = [WindowSums(counted) for _ in range(levels)] if levels > 1 else []
    level: WindowSums | None = None
    self_audit, clients = None, None
    failed_checks: list[FailedCheck] = []
    for line in lines:
        hear(line)
        if isinstance(line, SelfAudit):
            self_audit = line
        elif isinstance(line, Clients):
            clients = line.clients
        elif isinstance(line, FailedCheck):
            failed_checks.append(line)
        if isinstance(line, Interval | Window):
            before, level = level, of_levels[line.level] if of_levels and line.level is not None else None
            if level is not None and before is not None and level is not before:
                level.driver.follow(before.driver)
        for sums in (whole,) if level is None else (whole, level):
            sums.add(line)
    return Driven(_figures(whole), [_figures(sums) for sums in of_levels], self_audit, clients, failed_checks)


def _figures(sums: WindowSums) -> WindowFigures:
    sums.check()
    measured = sums.measured
    seconds = measured.seconds
    failed = {name: counts.total() for name, counts in measured.errors.items()}
    by_kind = sum(measured.errors.values(), Counter[str]())
    times = measured.all_times
    total = figures_of(times, by_kind.total(), seconds)
    service = _further(measured, "service")
    count = measured.counts
    return WindowFigures(
        start_s=(sums.start_ns or 0) / 1e9,
        window_s=seconds,
        transactions={name: figures_of(one, failed[name], seconds) for name, one in measured.times.items()},
        total=total,
        errors_by_kind=dict(sorted(by_kind.items())),
        errors_by_transaction={name: dict(sorted(kinds.items())) for name, kinds in measured.errors.items()},
        bytes_received_per_s=per(count["bytes_received"], seconds),
        bytes_sent_per_s=per(count["bytes_sent"], seconds),
        iterations=count["iterations"],
        failed_iterations=count["failed"],
        connections=count["connections"],
        driver=_driver_window(sums.driver, seconds),
        course=sums.course,
        abandoned_iterations=count["abandoned"],
        service=service,
        waited=count["waited"],
        missed=sums.missed,
        receive_lag=receive_lag(sums.driver.stamps, service or total, count["sub_resources"]),
        reconnected=count["reconnected"],
        odd_responses=count["odd_responses"],
        requests=count["requests"],
        responses=count["responses"],
        sub_resources=count["sub_resources"],
        first_byte=_further(measured, "first_byte"),
        page=_further(measured, "page"),
        tls=sums.tls.suites(),
        mean_body_bytes=count["body_bytes"] / count["responses"] if count["responses"] else None,
        response_times=times,
    )


def figures_of(times: Latencies, errors: int, seconds: float) -> TransactionFigures:
    """Return the figures of these times in so many seconds."""
    return TransactionFigures(
        count=times.count,
        errors=errors,
        tps=per(times.count, seconds),
        mean_ms=times.mean_us / 1000,
        sd_ms=times.sd_us / 1000,
        p50_ms=times.percentile_us(50) / 1000,
        p90_ms=times.percentile_us(90) / 1000,
        p95_ms=times.percentile_us(95) / 1000,
        p99_ms=times.percentile_us(99) / 1000,
        p999_ms=times.percentile_us(99.9) / 1000,
        max_ms=times.max_us / 1000,
    )


def _further(sums: CountSums, name: str) -> TransactionFigures | None:
    """Return the figures of further times of all transactions; None where the driver does not report them."""
    times = sums.further.get(name)
    return None if times is None else figures_of(times, sum(e.total() for e in sums.errors.values()), sums.seconds)


def _driver_window(sums: DriverSums, seconds: float) -> DriverWindow:
    if not sums.audits:
        return DriverWindow(0, 0, 0, 0, 0, 0, 0)
    return DriverWindow(
        cpu_s=sums.cpu_s,
        cpu_share=per(sums.cpu_s, seconds),
        busiest_thread_share=per(sums.busiest_thread_s, seconds),
        lateness_p50_ms=sums.lateness.percentile_us(50) / 1000,
        lateness_p99_ms=sums.lateness.percentile_us(99) / 1000,
        mean_rss_mib=sums.rss_bytes / sums.audits / 2**20,
        max_rss_mib=sums.max_rss_bytes / 2**20,
    )
