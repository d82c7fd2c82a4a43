"""Figures of a point from the driver's lines: the measured window, and the course over all phases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from middlemark.records.driver_lines import AuditLine, Interval, Line, PhaseName, TransactionCounts
from middlemark.records.point import ReceiveLag, TlsSuite, TransactionFigures
from middlemark.workload.latencies import Latencies
from middlemark.workload.receive_lag import receive_lag
from middlemark.workload.tls_suites import tls_suites


@dataclass(frozen=True)
class Course:
    """One interval of the course of a point. `start_s`, `end_s` count from the driver's hello; `users` at its end."""

    phase: PhaseName
    start_s: float
    end_s: float
    users: int
    count: int
    errors: int
    tps: float
    mean_ms: float
    p99_ms: float


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
    server had closed, made anew. `requests` were sent: those of redirects, sub-resources and repetitions too.
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
    course: tuple[Course, ...]
    abandoned_iterations: int = 0
    service: TransactionFigures | None = None
    waited: int = 0
    missed: int = 0
    receive_lag: ReceiveLag | None = None
    reconnected: int = 0
    requests: int = 0
    first_byte: TransactionFigures | None = None
    page: TransactionFigures | None = None
    tls: tuple[TlsSuite, ...] = ()
    mean_body_bytes: float | None = None

    @property
    def error_rate(self) -> float:
        """Return failed ÷ all transactions, 0 … 1."""
        tried = self.total.count + self.total.errors
        return self.total.errors / tried if tried else 0.0


def window_figures(lines: Sequence[Line]) -> WindowFigures:
    """Return the figures of the phase `measure`, its histograms merged, and the course over all phases."""
    intervals = [line for line in lines if isinstance(line, Interval)]
    window = _window(intervals)
    seconds = sum(interval.seconds for interval in window)
    times = _times_by_transaction(window)
    errors = _errors_by_transaction(window)
    transactions = {name: _figures(times[name], sum(errors[name].values()), seconds) for name in times}
    by_kind = sum(errors.values(), Counter[str]())
    total = _figures(Latencies.merged(times.values()), by_kind.total(), seconds)
    service = _all_of((counts.service for counts in _counts(window)), by_kind.total(), seconds)
    return WindowFigures(
        start_s=window[0].start_ns / 1e9 if window else 0.0,
        window_s=seconds,
        transactions=transactions,
        total=total,
        errors_by_kind=dict(sorted(by_kind.items())),
        bytes_received_per_s=_per(sum(interval.bytes_received for interval in window), seconds),
        bytes_sent_per_s=_per(sum(interval.bytes_sent for interval in window), seconds),
        iterations=sum(interval.iterations for interval in window),
        failed_iterations=sum(interval.abandoned for interval in window),
        connections=sum(interval.connections for interval in window),
        driver=_driver_window(lines, seconds),
        course=tuple(_course(interval) for interval in intervals),
        abandoned_iterations=sum(interval.left for interval in window),
        service=service,
        waited=sum(interval.waited for interval in window),
        # The driver reports what was due in the window and never began after its end.
        missed=sum(interval.missed for interval in intervals),
        receive_lag=receive_lag(
            _audits_of_window(lines)[1], service or total, sum(interval.objects for interval in window)
        ),
        reconnected=sum(interval.reconnected for interval in window),
        requests=sum(interval.requests for interval in window),
        first_byte=_all_of((counts.first_byte for counts in _counts(window)), by_kind.total(), seconds),
        page=_all_of((counts.page for counts in _counts(window)), by_kind.total(), seconds),
        tls=tls_suites(intervals),
        mean_body_bytes=_mean_body_bytes(window),
    )


def _mean_body_bytes(window: Sequence[Interval]) -> float | None:
    responses = sum(interval.responses for interval in window)
    return sum(interval.body_bytes for interval in window) / responses if responses else None


def of_level(lines: Sequence[Line], level: int) -> list[Line]:
    """Return the lines of one level of load, from 0: its intervals, the audits that follow them, and no others."""
    kept: list[Line] = []
    is_its = False
    for line in lines:
        if isinstance(line, Interval):
            is_its = line.level == level
        if isinstance(line, Interval | AuditLine) and is_its:
            kept.append(line)
    return kept


def errors_by_transaction(lines: Iterable[Line]) -> dict[str, dict[str, int]]:
    """Return the failed transactions of the phase `measure` by transaction and kind."""
    found = _errors_by_transaction(_window(line for line in lines if isinstance(line, Interval)))
    return {name: dict(sorted(kinds.items())) for name, kinds in found.items()}


def _window(intervals: Iterable[Interval]) -> list[Interval]:
    return [interval for interval in intervals if interval.phase is PhaseName.MEASURE]


def _times_by_transaction(window: Iterable[Interval]) -> dict[str, Latencies]:
    times: dict[str, Latencies] = {}
    for interval in window:
        for name, counts in interval.transactions.items():
            own = times.setdefault(name, Latencies())
            own.counts += Latencies.decode(counts.histogram).counts
    return times


def _errors_by_transaction(window: Iterable[Interval]) -> dict[str, Counter[str]]:
    errors: dict[str, Counter[str]] = {}
    for interval in window:
        for name, counts in interval.transactions.items():
            errors.setdefault(name, Counter()).update(counts.errors)
    return errors


def _figures(times: Latencies, errors: int, seconds: float) -> TransactionFigures:
    return TransactionFigures(
        count=times.count,
        errors=errors,
        tps=_per(times.count, seconds),
        mean_ms=times.mean_us / 1000,
        sd_ms=times.sd_us / 1000,
        p50_ms=times.percentile_us(50) / 1000,
        p90_ms=times.percentile_us(90) / 1000,
        p95_ms=times.percentile_us(95) / 1000,
        p99_ms=times.percentile_us(99) / 1000,
        p999_ms=times.percentile_us(99.9) / 1000,
        max_ms=times.max_us / 1000,
    )


def _counts(window: Iterable[Interval]) -> Iterator[TransactionCounts]:
    return (counts for interval in window for counts in interval.transactions.values())


def _all_of(encoded: Iterable[str | None], errors: int, seconds: float) -> TransactionFigures | None:
    """Return the figures of further times of all transactions; None where the driver does not report them."""
    times = [Latencies.decode(histogram) for histogram in encoded if histogram is not None]
    return _figures(Latencies.merged(times), errors, seconds) if times else None


def _course(interval: Interval) -> Course:
    times = Latencies.merged(Latencies.decode(counts.histogram) for counts in interval.transactions.values())
    return Course(
        phase=interval.phase,
        start_s=interval.start_ns / 1e9,
        end_s=interval.end_ns / 1e9,
        users=interval.users,
        count=times.count,
        errors=interval.errors,
        tps=_per(times.count, interval.seconds),
        mean_ms=times.mean_us / 1000,
        p99_ms=times.percentile_us(99) / 1000,
    )


def _driver_window(lines: Sequence[Line], seconds: float) -> DriverWindow:
    before, audits = _audits_of_window(lines)
    if not audits:
        return DriverWindow(0, 0, 0, 0, 0, 0, 0)
    last = audits[-1]
    cpu_s = (_cpu_ns(last) - (_cpu_ns(before) if before else 0)) / 1e9
    earlier = [thread.cpu_ns for thread in before.threads] if before else [0] * len(last.threads)
    spent = [now.cpu_ns - then for now, then in zip(last.threads, earlier, strict=False)]
    lateness = Latencies.merged(Latencies.decode(audit.lateness) for audit in audits)
    return DriverWindow(
        cpu_s=cpu_s,
        cpu_share=_per(cpu_s, seconds),
        busiest_thread_share=_per(max(spent, default=0) / 1e9, seconds),
        lateness_p50_ms=lateness.percentile_us(50) / 1000,
        lateness_p99_ms=lateness.percentile_us(99) / 1000,
        mean_rss_mib=sum(audit.rss_bytes for audit in audits) / len(audits) / 2**20,
        max_rss_mib=max(audit.rss_bytes for audit in audits) / 2**20,
    )


def _audits_of_window(lines: Sequence[Line]) -> tuple[AuditLine | None, list[AuditLine]]:
    """Return the last audit before the window and the audits of its intervals; each follows its interval."""
    phase: PhaseName | None = None
    before: AuditLine | None = None
    audits: list[AuditLine] = []
    for line in lines:
        if isinstance(line, Interval):
            phase = line.phase
        elif isinstance(line, AuditLine):
            if phase is PhaseName.MEASURE:
                audits.append(line)
            elif phase in {PhaseName.RAMP, PhaseName.SETTLE}:
                before = line
    return before, audits


def _cpu_ns(audit: AuditLine) -> int:
    return audit.cpu_user_ns + audit.cpu_system_ns


def _per(amount: float, seconds: float) -> float:
    return amount / seconds if seconds else 0.0
