"""What the driver saw interval by interval at a point: for the time strips and the percentile curve."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from middlemark.errors import LabError
from middlemark.records.driver_lines import Counts, Interval, Line, PhaseName, Window
from middlemark.records.folder import PointResult
from middlemark.records.samples import Samples
from middlemark.workload.latencies import Latencies

# More stretches than this cannot be distinguished on paper.
MAX_STRETCHES = 500
PERCENT = 100.0


@dataclass(frozen=True)
class Stretch:
    """A rate between two moments, in seconds since the driver's `hello`."""

    start_s: float
    end_s: float
    rate: float


@dataclass(frozen=True)
class Timeline:
    """What happened over a point.

    `throughput` in transactions per second, `cpu` of all tiers in % of one CPU, the measured window (start, end; None
    when it was not reached), the window's response times.
    """

    point: PointResult
    throughput: tuple[Stretch, ...]
    cpu: tuple[Stretch, ...]
    window: tuple[float, float] | None
    latencies: Latencies


def timeline(point: PointResult) -> Timeline | None:
    """Return what the driver saw; None when nothing can be read of it."""
    try:
        series = _series(point.lines())
        latencies = _latencies(point)
    except LabError:
        return None
    if not series.ends:
        return None
    cpu = _cpu(point.samples(), series.ends[-1])
    return Timeline(point, tuple(series.throughput()), tuple(cpu), series.window, latencies)


class _Series:
    """Begin, end and transactions of each interval: numbers, because a run may last for days."""

    def __init__(self) -> None:
        self.starts, self.ends, self.counts = array("d"), array("d"), array("q")
        self.window: tuple[float, float] | None = None

    def append(self, interval: Interval) -> None:
        start, end = interval.start_ns / 1e9, interval.end_ns / 1e9
        self.starts.append(start)
        self.ends.append(end)
        self.counts.append(interval.count)
        if interval.phase is PhaseName.MEASURE:
            self.window = (self.window[0] if self.window else start, end)

    def throughput(self) -> Iterator[Stretch]:
        """Yield at most MAX_STRETCHES stretches; several intervals become one by their sums, never by smoothing."""
        together = -(-len(self.ends) // MAX_STRETCHES)
        for first in range(0, len(self.ends), together):
            after = min(first + together, len(self.ends))
            start, end = self.starts[first], self.ends[after - 1]
            yield Stretch(start, end, sum(self.counts[first:after]) / (end - start))


def _series(lines: Iterable[Line]) -> _Series:
    series = _Series()
    for line in lines:
        if isinstance(line, Interval) and line.seconds > 0:
            series.append(line)
    return series


def _latencies(point: PointResult) -> Latencies:
    """Return the response times of the window: the driver's own sum, or of a run that was killed its intervals'."""
    windows: list[Counts] = [line for line in point.few_lines() if isinstance(line, Window)]
    measured: Iterable[Counts] = windows or (
        line for line in point.lines() if isinstance(line, Interval) and line.phase is PhaseName.MEASURE
    )
    encoded = (counts.histogram for one in measured for counts in one.transactions.values() if counts.count)
    return Latencies.merged(map(Latencies.decode, encoded))


def _cpu(samples: Samples, end_s: float) -> list[Stretch]:
    """Return the CPU use of all tiers between samples; where a tier's clock fell, a process had ended: left out."""
    together = max(1, -(-sum(1 for _ in samples) // MAX_STRETCHES))
    chosen = itertools.islice(samples, 0, None, together)
    found = []
    for earlier, later in itertools.pairwise(chosen):
        start, end = earlier.t_ns / 1e9, later.t_ns / 1e9
        spent = [later.tiers[name].cpu_s - tier.cpu_s for name, tier in earlier.tiers.items() if name in later.tiers]
        if start < end <= end_s and min(spent, default=-1.0) >= 0:
            found.append(Stretch(start, end, PERCENT * sum(spent) / (end - start)))
    return found
