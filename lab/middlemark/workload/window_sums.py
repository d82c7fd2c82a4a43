"""The sums from which the figures of a window are made: each line is added, and none is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from middlemark.errors import InputError
from middlemark.records.driver_lines import AuditLine, Counts, Interval, Line, PhaseName, ThreadCpu, Window
from middlemark.workload.course import Course, CourseSeries
from middlemark.workload.latencies import Latencies
from middlemark.workload.receive_lag import Stamps
from middlemark.workload.tls_suites import TlsSums

FURTHER = ("service", "first_byte", "page")
"""Times beside the response times, which the driver reports when the plan asks for them."""
_COUNTS = (
    "iterations", "failed", "abandoned", "connections", "reconnected", "requests", "bytes_sent", "bytes_received",
    "waited", "sub_resources", "responses", "body_bytes",
)  # fmt: skip


class DriverSums:
    """The driver's audits of itself in the window: CPU time since the last one before it, lateness, memory."""

    def __init__(self) -> None:
        self.audits = 0
        self.lateness = Latencies()
        self.rss_bytes = 0
        self.max_rss_bytes = 0
        self.stamps = Stamps()
        self._before: AuditLine | None = None
        self._last: AuditLine | None = None

    def add(self, audit: AuditLine, phase: PhaseName | None) -> None:
        """Add the audit of an interval of this phase."""
        if phase in {PhaseName.RAMP, PhaseName.SETTLE}:
            self._before = audit
        if phase is not PhaseName.MEASURE:
            return
        self._last = audit
        self.audits += 1
        self.lateness.add(audit.lateness)
        self.rss_bytes += audit.rss_bytes
        self.max_rss_bytes = max(self.max_rss_bytes, audit.rss_bytes)
        self.stamps.add(audit)

    @property
    def cpu_s(self) -> float:
        """Return the CPU time in the window."""
        return (_cpu_ns(self._last) - _cpu_ns(self._before)) / 1e9

    @property
    def busiest_thread_s(self) -> float:
        """Return the CPU time of the thread that had most in the window."""
        last: Sequence[ThreadCpu] = self._last.threads if self._last else ()
        earlier = [thread.cpu_ns for thread in self._before.threads] if self._before else [0] * len(last)
        spent = [now.cpu_ns - then for now, then in zip(last, earlier, strict=False)]
        return max(spent, default=0) / 1e9


class WindowSums:
    """Sums over the phase `measure`, and the course over all phases.

    `times`, `errors` by transaction, `further` times of all of them by name, `counts` by the name they have in the
    lines. `start_ns` None: the window has not begun.
    """

    def __init__(self) -> None:
        self.start_ns: int | None = None
        self.seconds = 0.0
        self.times: dict[str, Latencies] = {}
        self.errors: dict[str, Counter[str]] = {}
        self.further: dict[str, Latencies] = {}
        self.counts: Counter[str] = Counter()
        self.missed = 0
        self.tls = TlsSums()
        self.course = CourseSeries()
        self.driver = DriverSums()
        self._phase: PhaseName | None = None
        self._written: dict[str, Latencies] = {}

    def add(self, line: Line) -> None:
        """Add a line; only intervals, their audits and windows count."""
        if isinstance(line, Interval):
            self._interval(line)
        elif isinstance(line, AuditLine):
            self.driver.add(line, self._phase)
        elif isinstance(line, Window):
            _add_times(line, self._written)

    @property
    def all_times(self) -> Latencies:
        """Return the response times of all transactions."""
        return Latencies.merged(self.times.values())

    def check(self) -> None:
        """Compare the intervals with the driver's own sums, the lines `window`; raise InputError where they differ.

        A run that was killed has none.
        """
        for name, written in self._written.items():
            times = self.times.get(name, Latencies())
            if not np.array_equal(times.counts, written.counts):
                raise InputError(
                    f"the driver's intervals hold {times.count:,} times of '{name}' in the measured window, and its "
                    f"own sum {written.count:,}: lines are missing or were changed"
                )

    def _interval(self, interval: Interval) -> None:
        self._phase = interval.phase
        times: dict[str, Latencies] = {}
        _add_times(interval, times)
        self.course.append(_course(interval, Latencies.merged(times.values())))
        # The driver reports what was due in the window and never began after its end.
        self.missed += interval.missed
        self.tls.add(interval)
        if interval.phase is not PhaseName.MEASURE:
            return
        self.start_ns = interval.start_ns if self.start_ns is None else self.start_ns
        self.seconds += interval.seconds
        for name in _COUNTS:
            self.counts[name] += getattr(interval, name)
        for name, counts in interval.transactions.items():
            self.times.setdefault(name, Latencies()).counts += times[name].counts
            self.errors.setdefault(name, Counter()).update(counts.errors)
            for further in FURTHER:
                encoded = getattr(counts, further)
                if encoded is not None:
                    self.further.setdefault(further, Latencies()).add(encoded)


def per(amount: float, seconds: float) -> float:
    """Return an amount per second; 0 in no time."""
    return amount / seconds if seconds else 0.0


def _add_times(counts: Counts, times: dict[str, Latencies]) -> None:
    for name, one in counts.transactions.items():
        times.setdefault(name, Latencies()).add(one.histogram)


def _course(interval: Interval, times: Latencies) -> Course:
    return Course(
        phase=interval.phase,
        start_s=interval.start_ns / 1e9,
        end_s=interval.end_ns / 1e9,
        users=interval.users,
        count=times.count,
        errors=interval.errors,
        tps=per(times.count, interval.seconds),
        mean_ms=times.mean_us / 1000,
        p99_ms=times.percentile_us(99) / 1000,
    )


def _cpu_ns(audit: AuditLine | None) -> int:
    return audit.cpu_user_ns + audit.cpu_system_ns if audit else 0
