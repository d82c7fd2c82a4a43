"""The sums from which the figures of a window are made: each line is added, and none is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np

from middlemark.errors import InputError
from middlemark.records.driver_lines import AuditLine, Counts, Interval, Line, PhaseName, Window
from middlemark.workload.course import Course, CourseSeries
from middlemark.workload.driver_sums import DriverSums
from middlemark.workload.latencies import Latencies
from middlemark.workload.tls_suites import TlsSums

FURTHER = ("service", "first_byte", "page")
"""Times beside the response times, which the driver reports when the plan asks for them."""
_COUNTS = (
    "iterations", "failed", "abandoned", "connections", "reconnected", "odd_responses", "requests", "bytes_sent",
    "bytes_received",
    "waited", "sub_resources", "responses", "body_bytes",
)  # fmt: skip


class CountSums:
    """Sums of what was counted over some times.

    `times`, `errors` by transaction, `further` times of all of them by name, `counts` by the name they have in the
    lines, `handshakes` by version, cipher and whether they were full.
    """

    def __init__(self) -> None:
        self.length_ns = 0
        self.times: dict[str, Latencies] = {}
        self.errors: dict[str, Counter[str]] = {}
        self.further: dict[str, Latencies] = {}
        self.counts: Counter[str] = Counter()
        self.handshakes: Counter[str] = Counter()

    @property
    def seconds(self) -> float:
        """Return how long all these times are together."""
        return self.length_ns / 1e9

    @property
    def all_times(self) -> Latencies:
        """Return the response times of all transactions."""
        return Latencies.merged(self.times.values())

    def add(self, line: Counts, times: dict[str, Latencies]) -> None:
        """Add a line, whose response times by transaction are decoded already."""
        self.length_ns += line.end_ns - line.start_ns
        for name in _COUNTS:
            self.counts[name] += getattr(line, name)
        for one in line.tls:
            self.handshakes[f"full handshakes of TLS {one.version}, {one.cipher}"] += one.full
            self.handshakes[f"resumed handshakes of TLS {one.version}, {one.cipher}"] += one.resumed
        for name, counts in line.transactions.items():
            self.times.setdefault(name, Latencies()).counts += times[name].counts
            self.errors.setdefault(name, Counter()).update(counts.errors)
            for further in FURTHER:
                encoded = getattr(counts, further)
                if encoded is not None:
                    self.further.setdefault(further, Latencies()).add(encoded)

    def differences(self, other: CountSums) -> Iterator[tuple[str, int, int]]:
        """Yield what the other has not the same of, how much these have and how much that has."""
        numbers, others = self._numbers(), other._numbers()
        for name in sorted(numbers.keys() | others.keys()):
            if numbers[name] != others[name]:
                yield name, numbers[name], others[name]
        both = ((self.times, other.times, "times of '{}'"), (self.further, other.further, "times named {}"))
        for own, written, text in both:
            for name in sorted(own.keys() | written.keys()):
                mine, theirs = own.get(name, Latencies()), written.get(name, Latencies())
                if not np.array_equal(mine.counts, theirs.counts):
                    yield text.format(name), mine.count, theirs.count

    def _numbers(self) -> Counter[str]:
        numbers = Counter({name.replace("_", " "): count for name, count in self.counts.items()})
        numbers.update(self.handshakes)
        numbers["nanoseconds"] = self.length_ns
        for transaction, kinds in self.errors.items():
            numbers.update({f"errors '{kind}' of '{transaction}'": count for kind, count in kinds.items()})
        return numbers


class WindowSums:
    """Sums over the phase `measure` (`measured`), and the course over all phases.

    `start_ns` None: the window has not begun. `missed` counts over all phases. The course counts the
    `counted` transactions, all where none are named.
    """

    def __init__(self, counted: Collection[str] = ()) -> None:
        self._counted = counted
        self.start_ns: int | None = None
        self.measured = CountSums()
        self.missed = 0
        self.tls = TlsSums()
        self.course = CourseSeries()
        self.driver = DriverSums()
        self._phase: PhaseName | None = None
        self._levels: set[int | None] = set()
        self._written = CountSums()
        self._windows: list[Window] = []

    def add(self, line: Line) -> None:
        """Add a line; only intervals, their audits and windows count."""
        if isinstance(line, Interval):
            self._interval(line)
        elif isinstance(line, AuditLine):
            self.driver.add(line, self._phase)
        elif isinstance(line, Window):
            self._written.add(line, _times(line))
            self._windows.append(line)

    def check(self) -> None:
        """Compare the intervals with the driver's own sums, the lines `window`; raise InputError where they differ.

        A run that was killed has none. Everything is compared of which there is a figure in both: not `users`, which
        are no sum, nor `lag` and the sub-resources that were not requested anew, which the lab reads from neither.
        """
        if not self._windows:
            return
        differing = [*self.measured.differences(self._written), *self.driver.differences(self._windows)]
        # What never began is known at the end of a level: one whose window never began has no line for it.
        if len(self._windows) == len(self._levels):
            missed = sum(window.missed for window in self._windows)
            differing += [("missed arrivals", self.missed, missed)] if missed != self.missed else []
        for what, found, written in differing:
            raise InputError(
                f"the driver's intervals hold {found:,} {what} in the measured window, and its own sum {written:,}: "
                "lines are missing or were changed"
            )

    def _interval(self, interval: Interval) -> None:
        self._phase = interval.phase
        self._levels.add(interval.level)
        times = _times(interval)
        count = sum(one.count for name, one in times.items() if name in self._counted or not self._counted)
        self.course.append(_course(interval, Latencies.merged(times.values()), count))
        # The driver reports what was due in the window and never began after its end.
        self.missed += interval.missed
        self.tls.add(interval)
        if interval.phase is not PhaseName.MEASURE:
            return
        self.start_ns = interval.start_ns if self.start_ns is None else self.start_ns
        self.measured.add(interval, times)


def per(amount: float, seconds: float) -> float:
    """Return an amount per second; 0 in no time."""
    return amount / seconds if seconds else 0.0


def _times(counts: Counts) -> dict[str, Latencies]:
    return {name: Latencies.decode(one.histogram) for name, one in counts.transactions.items()}


def _course(interval: Interval, times: Latencies, count: int) -> Course:
    return Course(
        phase=interval.phase,
        start_s=interval.start_ns / 1e9,
        end_s=interval.end_ns / 1e9,
        users=interval.users,
        count=count,
        errors=interval.errors,
        tps=per(count, interval.seconds),
        mean_ms=times.mean_us / 1000,
        p99_ms=times.percentile_us(99) / 1000,
        each={name: one.count for name, one in interval.transactions.items()},
    )
